import Foundation
import SwiftData
import Testing

/// Infinities and values that are no number, in all the places that hold numbers.
@Suite(.databases) struct NonFiniteValueTests {
  struct Sample: Codable, Equatable {
    var level: Double
    var levels: [Double]
    var price: Decimal
    var taken: Date?
  }

  @Model final class Reading {
    var name: String
    var value: Double
    var maybe: Double?
    var single: Float
    var price: Decimal
    var date: Date
    var values: [Double]
    var sample: Sample
    @Attribute(.codable) var whole: Sample
    var prices: [Decimal] = []
    var texts: [String] = []

    init(_ name: String, _ number: Double) {
      self.name = name
      value = number
      maybe = number
      single = Float(number)
      price = number.isNaN ? .nan : 1
      date = Date(timeIntervalSinceReferenceDate: number.isNaN ? 0 : number)
      values = [1, number]
      let sample = Sample(level: number, levels: [number], price: number.isNaN ? .nan : 2)
      self.sample = sample
      whole = Sample(level: number, levels: [number], price: 2)
    }
  }

  struct Meters: RawRepresentable, Codable, Equatable { var rawValue: Double }

  enum Signal: Codable, Equatable {
    case strength(Double)
    case absent
  }

  struct Corner: Codable, Equatable {
    var x: Double
    var width: CGFloat
    var label: String
  }

  struct Sheet: Codable, Equatable {
    var height: Meters
    var corner: Corner?
  }

  @Model final class Probe {
    var width: CGFloat = 1
    var height = Meters(rawValue: 1)
    var depth: Meters? = Meters(rawValue: 1)
    var sheet = Sheet(height: Meters(rawValue: 1), corner: nil)
    var signal = Signal.absent

    init() {}
  }

  private func probes() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Probe.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  struct Point: Codable, Equatable {
    var x: Double
    var y: Float?
    var name: String
    var inner = Inner()

    struct Inner: Codable, Equatable { var z = 1.0 }
  }

  @Model final class Spot {
    var name: String
    var value: Double
    var point: Point
    var spare: Point?
    var next: Spot?

    init(_ name: String, _ number: Double, spare: Point? = nil, next: Spot? = nil) {
      self.name = name
      value = number
      point = Point(x: number, name: "point")
      self.spare = spare
      self.next = next
    }
  }

  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Reading.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  private func stored(_ reading: Reading) throws -> Reading {
    let context = try context()
    context.insert(reading)
    try context.save()
    let other = ModelContext(context.container)
    return try #require(try other.fetch(FetchDescriptor<Reading>()).first)
  }

  @Test(arguments: [Double.infinity, -.infinity])
  func infinitiesComeBack(_ number: Double) throws {
    let reading = try stored(Reading("r", number))
    #expect(reading.value == number && reading.maybe == number)
    #expect(reading.single == Float(number) && reading.values == [1, number])
    #expect(reading.date.timeIntervalSinceReferenceDate == number)
    #expect(reading.sample == Sample(level: number, levels: [number], price: 2))
    #expect(reading.whole == reading.sample)
  }

  @Test func whatIsNoNumberComesBack() throws {
    let reading = try stored(Reading("r", .nan))
    #expect(reading.value.isNaN && reading.maybe == nil && reading.single.isNaN)
    #expect(reading.price.isNaN)
    #expect(reading.values[0] == 1 && reading.values[1].isNaN)
    #expect(reading.sample.level.isNaN && reading.sample.levels[0].isNaN)
    #expect(reading.sample.price.isNaN && reading.whole.level.isNaN)
    #expect(reading.whole.levels[0].isNaN)
  }

  @Test func whatIsNoNumberComesBackInEveryRequiredNumber() throws {
    let context = try probes()
    let probe = Probe()
    (probe.width, probe.height) = (.nan, Meters(rawValue: .nan))
    probe.depth = Meters(rawValue: .nan)
    probe.sheet.height = Meters(rawValue: .nan)
    probe.sheet.corner = Corner(x: .nan, width: .nan, label: "a")
    context.insert(probe)
    try context.save()
    let reading = ModelContext(context.container)
    let back = try #require(try reading.fetch(FetchDescriptor<Probe>()).first)
    #expect(back.width.isNaN && back.height.rawValue.isNaN && back.depth == nil)
    #expect(back.getValue(forKey: \.width).isNaN)
    #expect(back.getValue(forKey: \.height).rawValue.isNaN)
    #expect(back.sheet.height.rawValue.isNaN)
    let corner = try #require(back.sheet.corner)
    #expect(corner.x.isNaN && corner.width.isNaN && corner.label == "a")
    #expect(reading.unreadableValues.isEmpty)
  }

  @Test func anAssociatedValueThatIsNoNumberIsRefusedByName() throws {
    let context = try probes()
    let probe = Probe()
    context.insert(probe)
    probe.signal = .strength(.nan)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.property == "signal" && error?.entity == "Probe")
    #expect(error?.description.contains("strength") == true)
    probe.signal = .strength(.infinity)
    try context.save()
    let back = try ModelContext(context.container).fetch(FetchDescriptor<Probe>()).first
    #expect(back?.signal == .strength(.infinity))
  }

  @Test func aDecimalThatIsNoNumberIsRefusedInAList() throws {
    let context = try context()
    let reading = Reading("the text NaN", 1)
    context.insert(reading)
    reading.prices = [1, .nan]
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.property == "prices")
    reading.prices = [1, 2]
    reading.texts = ["NaN", "a \\\"NaN", "\\"]
    try context.save()
    let other = ModelContext(context.container)
    let back = try #require(try other.fetch(FetchDescriptor<Reading>()).first)
    #expect(back.texts == reading.texts && back.prices == [1, 2])
  }

  @Test func aDateThatIsNoNumberIsRefusedByName() throws {
    let nan = Date(timeIntervalSinceReferenceDate: .nan)
    let context = try context()
    let reading = Reading("r", 1)
    context.insert(reading)
    reading.date = nan
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.property == "date" && error?.entity == "Reading")
    reading.date = .distantFuture
    reading.sample.taken = nan
    let other = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(other?.property == "sample")
    reading.sample.taken = nil
    try context.save()
  }

  @Test func predicatesAgreeWithMemory() throws {
    let context = try context()
    let numbers: [Double] = [1, 5, .infinity, -.infinity, .nan]
    let readings = numbers.enumerated().map { Reading("\($0)", $1) }
    for reading in readings { context.insert(reading) }
    try context.save()
    let infinity = Double.infinity
    let noNumber = Decimal.nan
    let greatest = Decimal.greatestFiniteMagnitude
    let predicates: [Predicate<Reading>] = [
      #Predicate { $0.value > 2 },
      #Predicate { $0.value == infinity },
      #Predicate { $0.value != 5 },
      #Predicate { $0.values.contains(infinity) },
      #Predicate { $0.values.contains(5) },
      #Predicate { $0.values.max()! > 2 },
      #Predicate { $0.values.max() == nil },
      #Predicate { $0.values[1] == infinity },
      #Predicate { $0.values[1] != 5 },
      #Predicate { $0.values[2] != 5 },
      #Predicate { $0.values[-1] != 5 },
      #Predicate { $0.values.min()! < 1 },
      #Predicate { $0.values.first == 1 },
      #Predicate { $0.price == noNumber },
      #Predicate { $0.price != 1 },
      #Predicate { $0.price < 5 },
      #Predicate { $0.price + 1 < 5 },
      #Predicate { $0.price * $0.price == noNumber },
      #Predicate { -$0.price > 0 },
      #Predicate { $0.price - noNumber < 0 },
      #Predicate { $0.price * greatest < 0 || $0.price * greatest * 10 < 0 },
      #Predicate { $0.sample.level < 3 },
      #Predicate { $0.sample.price == noNumber },
    ]
    let other = ModelContext(context.container)
    for (place, predicate) in predicates.enumerated() {
      let found = try other.fetch(
        FetchDescriptor<Reading>(predicate: predicate, sortBy: [SortDescriptor(\.name)]))
      let all = try other.fetch(FetchDescriptor<Reading>(sortBy: [SortDescriptor(\.name)]))
      #expect(
        // A position that the list lacks throws in memory.
        found.map(\.name) == all.filter { (try? predicate.evaluate($0)) ?? false }.map(\.name),
        "\(place)")
    }
  }

  /// NaN is stored as null, but it is neither nil nor absent.
  @Test func whatIsNoNumberIsNotNil() throws {
    let court = try PredicateCourt(types: [Spot.self]) { context in
      for number in [1, 7, .nan] {
        let spare = Point(x: number, name: "point", inner: .init(z: number))
        let spot = Spot("of \(number)", number, spare: spare)
        context.insert(spot)
        context.insert(Spot("before \(number)", number, spare: spare, next: spot))
        context.insert(Spot("beside \(number)", number, next: spot))
      }
      try context.save()
    }
    let noNumber = Point(x: .nan, name: "point")
    let seven = Point(x: 7, name: "point")
    let predicates: [Predicate<Spot>] = [
      #Predicate { ($0.next?.value ?? 7) == 7 },
      #Predicate { ($0.next?.value ?? 7) != 7 },
      #Predicate { ($0.next?.value ?? $0.value) < 5 },
      #Predicate { ($0.next?.value ?? $0.spare?.x) == nil },
      #Predicate { ($0.spare?.x ?? $0.next?.value) != nil },
      #Predicate { ($0.value < 5 ? $0.spare?.x : $0.next?.value) == nil },
      #Predicate { ($0.value < 5 ? nil : $0.next?.value) == nil },
      #Predicate { $0.spare?.x == nil },
      #Predicate { $0.spare?.x != 7 },
      #Predicate { ($0.spare?.x ?? 7) == 7 },
      #Predicate { $0.next?.point.x == nil },
      #Predicate { $0.spare?.inner.z == nil },
      #Predicate { ($0.spare?.inner.z ?? 7) == 7 },
      #Predicate { $0.spare?.inner.z != 7 },
      #Predicate { $0.next?.spare?.x == nil },
      #Predicate { $0.point == noNumber },
      #Predicate { $0.point != noNumber },
      #Predicate { $0.point == seven },
      #Predicate { $0.spare == noNumber },
      #Predicate { $0.spare != seven },
      #Predicate { $0.point == $0.spare },
      #Predicate { $0.point != $0.spare },
      #Predicate { $0.spare == $0.next?.spare },
      #Predicate { $0.spare != $0.next?.spare },
    ]
    let all = try court.context.fetch(FetchDescriptor<Spot>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.count == 9 && all.count { $0.value.isNaN && $0.point.x.isNaN } == 3)
    for (place, predicate) in predicates.enumerated() {
      #expect(try !court.compiled(predicate).filtersInMemory, "\(place)")
      let found = try ModelContext(court.container).fetch(
        FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)]))
      #expect(
        found.map(\.name) == (try all.filter { try predicate.evaluate($0) }).map(\.name),
        "\(place)")
    }
  }

  @Test(arguments: [SortOrder.forward, .reverse])
  func aDecimalThatIsNoNumberIsBeforeAllOthers(_ order: SortOrder) throws {
    let context = try context()
    let prices: [Decimal] = [3, .nan, -2, 0, Decimal(string: "12345678901234567890.5")!, -100]
    for (index, price) in prices.enumerated() {
      let reading = Reading("\(index)", 1)
      reading.price = price
      context.insert(reading)
    }
    try context.save()
    let request = FetchDescriptor<Reading>(sortBy: [SortDescriptor(\.price, order: order)])
    let found = try ModelContext(context.container).fetch(request).map(\.name)
    #expect(
      found
        == (order == .forward ? ["1", "5", "2", "3", "0", "4"] : ["4", "0", "3", "2", "5", "1"]))
    #expect(
      found
        == (try context.fetch(FetchDescriptor<Reading>())
          .sorted(using: SortDescriptor(\.price, order: order)).map(\.name)))
  }

  typealias Twice = Int??

  @Model final class Doubled {
    var twice: Twice

    init() { twice = .some(nil) }
  }

  @Test func anOptionalOfAnOptionalUnderAnAliasIsRefusedByTheContainer() throws {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Doubled.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(error?.property == "twice" && error?.entity == "Doubled")
    #expect(error?.description.contains("nested optional") == true)
  }

  struct Summit: Codable {
    var name = "a"
    var height: Double?
    var centre: Centre?

    struct Centre: Codable {
      var x: Double
      var y: Double
    }

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      height = try? container.decode(Double.self, forKey: .height)
      centre = try? container.decode(Centre.self, forKey: .centre)
    }
  }

  @Model final class Peak {
    var summit = Summit()

    init() {}
  }

  /// What an optional part lacks is nil, also where its type decodes itself.
  @Test func absentNumbersAreNil() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Peak.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(Peak())
    try context.save()
    let reading = ModelContext(context.container)
    let back = try #require(try reading.fetch(FetchDescriptor<Peak>()).first)
    #expect(back.summit.name == "a" && back.summit.height == nil && back.summit.centre == nil)
  }
}
