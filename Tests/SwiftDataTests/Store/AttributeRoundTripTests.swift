import Foundation
import SwiftData
import Testing

@Suite struct AttributeRoundTripTests {
  @Model final class Layout {
    enum Scale: CGFloat, Codable { case normal = 1, double = 2.5 }

    var width: CGFloat
    var height: CGFloat?
    var scale = Scale.normal

    init(width: CGFloat) { self.width = width }
  }

  /// Foundation's number type for lengths is not `Double` on this platform.
  @Test func lengthsComeBackAndAreFound() throws {
    let folder = try TemporaryFolder()
    func context() throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Layout.self, configurations: ModelConfiguration(url: folder.store)))
    }
    let writer = try context()
    let layout = Layout(width: 1.5)
    writer.insert(layout)
    try writer.save()
    layout.height = 2.5
    layout.scale = .double
    try writer.save()
    let width: CGFloat = 1.5
    let predicates: [Predicate<Layout>] = [
      #Predicate { $0.width == 1.5 }, #Predicate { $0.width == width && $0.height == 2.5 },
      #Predicate { $0.width < 2 && $0.height != nil },
    ]
    for predicate in predicates {
      let found = try context().fetch(
        FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.width)]))
      #expect(found.map(\.width) == [1.5] && found.map(\.height) == [2.5])
      #expect(found.map(\.scale) == [.double])
    }
  }

  private typealias Place = Everything.Place
  private typealias Wallet = Everything.Wallet
  private typealias Token = Everything.Token

  /// Saves what `change` makes of a model and reads it back from the reopened file.
  private func stored(_ change: (Everything) -> Void) throws -> Everything {
    let folder = try TemporaryFolder()
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Everything.self, configurations: ModelConfiguration(url: folder.store)))
      let model = Everything()
      change(model)
      context.insert(model)
      try context.save()
    }
    let context = ModelContext(
      try ModelContainer(
        for: Everything.self, configurations: ModelConfiguration(url: folder.store)))
    return try #require(try context.fetch(FetchDescriptor<Everything>()).first)
  }

  @Test(arguments: [1, -1, 3, 9, 10, 15, 123_456_789_012_345, -999_999_999_999_999] as [Int])
  func theSmallestDecimalsComeBack(_ significand: Int) throws {
    for exponent in [-128, -127, -114, -113] {
      let number = Decimal(
        sign: significand < 0 ? .minus : .plus, exponent: exponent,
        significand: Decimal(abs(significand)))
      #expect(try stored { $0.decimal = number }.decimal == number, "\(exponent)")
    }
  }

  /// Foundation stops the program at a product whose exponent is too small.
  @Test func aProductThatIsTooSmallForADecimalMatchesNothing() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Everything.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let numbers = [Decimal(sign: .plus, exponent: -127, significand: 1), 3, 0]
    for number in numbers {
      let model = Everything()
      model.decimal = number
      context.insert(model)
    }
    try context.save()
    let limit = Decimal(1)
    let found = try context.fetch(
      FetchDescriptor<Everything>(predicate: #Predicate { $0.decimal * $0.decimal > limit }))
    #expect(found.map(\.decimal) == [3])
    let small = Decimal(string: "1234567890123456789012345678901234567e-120")!
    #expect(
      try context.fetchCount(
        FetchDescriptor<Everything>(predicate: #Predicate { $0.decimal * small < limit })) == 2)
    // A step that fails makes the whole condition false, also if the rest is true.
    let square = #Predicate<Everything> { !($0.decimal * $0.decimal > limit) || $0.int == 0 }
    #expect(try context.fetch(FetchDescriptor(predicate: square)).count == 2)
    // The same in memory.
    let tiny = try #require(
      try context.fetch(FetchDescriptor<Everything>()).first { $0.decimal == numbers[0] })
    #expect(throws: PredicateFailure.self) { try square.evaluate(tiny) }
    tiny.string = "changed"
    #expect(try context.fetch(FetchDescriptor(predicate: square)).count == 2)
    // The product of captured values is computed when the predicate is made.
    let number = numbers[0]
    let captured = #Predicate<Everything> { $0.decimal < limit && $0.decimal < number * number }
    #expect(try context.fetchCount(FetchDescriptor(predicate: captured)) == 0)
  }

  @Test func defaultsComeBack() throws {
    let model = try stored { _ in }
    #expect(model.int == 0 && model.uint64 == 0 && !model.bool && model.string.isEmpty)
    #expect(model.mood == .calm && model.level == .low && model.shape == .point)
    #expect(model.place == Place(name: "", latitude: 0))
    #expect(model.wallet == nil && model.numbers == nil && model.optionalPlace == nil)
    #expect(model.strings.isEmpty && model.counts.isEmpty && model.places.isEmpty)
    #expect(model.optionalInt == nil && model.optionalString == nil && model.optionalMood == nil)
    #expect(model.optionalShape == nil && model.optionalURL == nil && model.optionalDecimal == nil)
    #expect(model.url.absoluteString == "https://example.com/a?b=c#d")
  }

  @Test func extremeNumbersComeBack() throws {
    let model = try stored {
      ($0.int, $0.int8, $0.int16, $0.int32, $0.int64) = (.min, .min, .min, .min, .min)
      ($0.uint, $0.uint8, $0.uint16, $0.uint32, $0.uint64) = (.max, .max, .max, .max, .max)
      ($0.double, $0.float) = (.greatestFiniteMagnitude, .leastNonzeroMagnitude)
      ($0.optionalInt, $0.optionalUInt64) = (.max, .max)
      ($0.optionalDouble, $0.optionalFloat) = (-.infinity, .infinity)
      $0.optionalBool = true
    }
    #expect(model.int == .min && model.int8 == .min && model.int16 == .min)
    #expect(model.int32 == .min && model.int64 == .min)
    #expect(model.uint == .max && model.uint8 == .max && model.uint16 == .max)
    #expect(model.uint32 == .max && model.uint64 == .max)
    #expect(model.double == .greatestFiniteMagnitude && model.float == .leastNonzeroMagnitude)
    #expect(model.optionalInt == .max && model.optionalUInt64 == .max)
    #expect(model.optionalDouble == -.infinity && model.optionalFloat == .infinity)
    #expect(model.optionalBool == true)
  }

  @Test(arguments: ["", "plain", "e\u{301}\u{0}after nul", "👩‍👩‍👧‍👦 'quotes\" --;", "\u{FFFF}"])
  func textComesBackByteForByte(_ text: String) throws {
    let model = try stored {
      $0.string = text
      $0.optionalString = text
      $0.strings = [text, text]
      $0.place.name = text
    }
    #expect(Array(model.string.utf8) == Array(text.utf8))
    #expect(model.optionalString.map { Array($0.utf8) } == Array(text.utf8))
    #expect(model.strings == [text, text])
    #expect(model.place.name == text)
  }

  @Test func datesKeepTheirFraction() throws {
    let dates = [-1e12, 0.1, 1e10 + 0.123456, 5].map(Date.init(timeIntervalSinceReferenceDate:))
    for date in dates {
      let model = try stored {
        $0.date = date
        $0.optionalDate = date
      }
      #expect(model.date == date && model.optionalDate == date)
    }
  }

  @Test(arguments: ["0.1", "-12345678901234567890.123456789", "1E-30", "99999999999999999999", "3"])
  func decimalsAreExact(_ text: String) throws {
    let decimal = try #require(Decimal(string: text))
    let model = try stored {
      $0.decimal = decimal
      $0.optionalDecimal = decimal
    }
    #expect(model.decimal == decimal && model.optionalDecimal == decimal)
  }

  @Test func bytesIdentifiersAndAddressesComeBack() throws {
    let bytes = Data((0...255).map { UInt8($0) })
    let uuid = UUID()
    let url = try #require(URL(string: "file:///tmp/ä%20b"))
    let model = try stored {
      ($0.data, $0.optionalData, $0.picture) = (bytes, Data(), bytes)
      ($0.uuid, $0.optionalUUID) = (uuid, uuid)
      ($0.url, $0.optionalURL) = (url, url)
    }
    #expect(model.data == bytes && model.optionalData == Data() && model.picture == bytes)
    #expect(model.uuid == uuid && model.optionalUUID == uuid)
    #expect(model.url == url && model.optionalURL == url)
  }

  @Test func enumsComeBack() throws {
    let model = try stored {
      ($0.mood, $0.optionalMood, $0.level) = (.wild, .wild, .high)
      $0.token = Token(rawValue: "abc")
      ($0.shape, $0.optionalShape) = (.circle(radius: 2.5), .named("n"))
    }
    #expect(model.mood == .wild && model.optionalMood == .wild && model.level == .high)
    #expect(model.token.rawValue == "abc")
    #expect(model.shape == .circle(radius: 2.5) && model.optionalShape == .named("n"))
  }

  @Test func compositesAndCollectionsComeBack() throws {
    let place = Place(name: "Rome", latitude: 41.9, longitude: 12.5, tags: ["a", "b"], mood: .wild)
    let model = try stored {
      ($0.place, $0.optionalPlace, $0.opaque) = (place, place, place)
      $0.wallet = Wallet(home: place, coins: 3)
      ($0.strings, $0.numbers) = (["x", "y"], [1.5, -2])
      ($0.places, $0.counts, $0.set) = ([place, place], ["a": 1], [1, 2])
    }
    #expect(model.place == place && model.optionalPlace == place && model.opaque == place)
    #expect(model.wallet == Wallet(home: place, coins: 3))
    #expect(model.strings == ["x", "y"] && model.numbers == [1.5, -2])
    #expect(model.places == [place, place] && model.counts == ["a": 1] && model.set == [1, 2])
  }

  @Test func partsOfACompositeAreEditedInPlace() throws {
    let container = try ModelContainer(
      for: Everything.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let model = Everything()
    context.insert(model)
    try context.save()
    model.place.latitude = 5
    model.place.tags.append("new")
    model.counts["k", default: 0] += 2
    try context.save()
    let read = try #require(
      try ModelContext(container).fetch(FetchDescriptor<Everything>()).first)
    #expect(read.place.latitude == 5 && read.place.tags == ["new"] && read.counts == ["k": 2])
  }

  @Test func notANumberComesBackWhereAValueIsRequired() throws {
    let model = try stored {
      ($0.double, $0.float, $0.place.latitude) = (.nan, .nan, .nan)
      $0.place.name = "nowhere"
    }
    #expect(model.double.isNaN && model.float.isNaN && model.place.latitude.isNaN)
    #expect(model.place.name == "nowhere")
  }

  @Test func ephemeralValuesOutliveFetches() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Everything.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let model = Everything()
    context.insert(model)
    try context.save()
    model.fleeting = 9
    #expect(try context.fetch(FetchDescriptor<Everything>()).first?.fleeting == 9)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Everything>()).first?.fleeting == 9)
    let other = ModelContext(context.container)
    #expect(try other.fetch(FetchDescriptor<Everything>()).first?.fleeting == 1)
  }

  @Test func ephemeralAndTransientPropertiesAreNotStored() throws {
    let model = try stored {
      $0.fleeting = 9
      $0.forgotten = 9
    }
    #expect(model.fleeting == 1 && model.forgotten == 1)
  }
}
