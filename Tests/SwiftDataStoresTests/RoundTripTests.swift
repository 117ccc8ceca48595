import Foundation
import SwiftData
import SwiftDataStores
import Testing

@Suite("Values of all types survive a document and contents in memory")
struct RoundTripTests {
  enum Level: String, Codable { case low, high }

  enum Choice: Codable, Equatable {
    case nothing
    case some(count: Int, date: Date)
  }

  struct Address: Codable, Hashable {
    var street: String
    var number: Int?
    var since: Date
  }

  @Model
  final class Everything {
    var flag: Bool
    var small: Int8
    var large: Int64
    var unsigned: UInt64
    var wide = [Int128.min, 0, .max]
    var wideUnsigned = UInt128.max
    var double: Double
    var float: Float
    var decimal: Decimal
    var text: String
    var optional: String?
    var date: Date
    var data: Data
    var uuid: UUID
    var url: URL
    var level: Level
    var choice: Choice
    var address: Address
    var addresses: [Address]
    var names: [String]
    var set: Set<Int>
    var table: [String: Double]
    var numbers: [Int: String]
    @Attribute(.externalStorage) var blob: Data?

    init(date: Date, double: Double, text: String) {
      flag = true
      small = -128
      large = .min
      unsigned = .max
      self.double = double
      float = 0.1
      decimal = Decimal(string: "-12345678901234567890.123456789") ?? 0
      self.text = text
      self.date = date
      data = Data([0, 1, 254, 255])
      uuid = UUID()
      url = URL(filePath: "/a b/ü")
      level = .high
      choice = .some(count: 3, date: date)
      address = Address(street: text, number: nil, since: date)
      addresses = [Address(street: "b", number: 1, since: date)]
      names = ["b", "a", "b"]
      set = [5, 3, 9]
      table = ["x": 1.5, "a": -.infinity]
      numbers = [2: "two", 10: "ten"]
    }

    func isSame(as other: Everything) -> Bool {
      flag == other.flag && small == other.small && large == other.large
        && unsigned == other.unsigned && wide == other.wide && wideUnsigned == other.wideUnsigned
        && double.bitPattern == other.double.bitPattern
        && float == other.float && decimal == other.decimal
        && text.utf8.elementsEqual(other.text.utf8) && optional == other.optional
        && date == other.date && data == other.data && uuid == other.uuid && url == other.url
        && level == other.level && choice == other.choice && address == other.address
        && addresses == other.addresses && names == other.names && set == other.set
        && table == other.table && numbers == other.numbers && blob == other.blob
    }
  }

  static let dates: [Date] =
    [
      .now, .distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0),
      Date(timeIntervalSinceReferenceDate: -0.1), Date(timeIntervalSinceReferenceDate: -1e-8),
      Date(timeIntervalSinceReferenceDate: 1e-300),
      Date(timeIntervalSinceReferenceDate: -63_113_904_000.5),
      Date(timeIntervalSinceReferenceDate: 1e300), Date(timeIntervalSince1970: 951_782_399.999),
      Date(timeIntervalSince1970: -1), Date(timeIntervalSinceReferenceDate: 252_423_993_599.9999),
    ] + (0..<200).map { _ in Date(timeIntervalSinceReferenceDate: .random(in: -1e11...1e11)) }

  static let doubles: [Double] =
    [
      0, -0.0, 0.1, 1e16, 1e-5, .pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity,
      -.infinity, .nan,
    ] + (0..<200).map { _ in Double(bitPattern: .random(in: 0..<0x7FF0_0000_0000_0000)) }

  static let texts = [
    "", "plain", "\"quoted\" \\ / \n\r\t \u{0} \u{1F} \u{7F} \u{2028}", "é", "e\u{301}", "👩‍👩‍👧 𝄞",
    "Author/1", "2026-01-01T00:00:00Z",
  ]

  static func values() -> [Everything] {
    (0..<dates.count).map { index in
      Everything(
        date: dates[index], double: doubles[index % doubles.count],
        text: texts[index % texts.count])
    }
  }

  private func check(
    _ first: () throws -> ModelContainer, _ second: () throws -> ModelContainer
  ) throws {
    let models = RoundTripTests.values()
    models[0].optional = "value"
    models[0].blob = Data(repeating: 7, count: 100_000)
    let writer = ModelContext(try first())
    for model in models { writer.insert(model) }
    try writer.save()
    let read = try ModelContext(try second()).all(Everything.self)
    #expect(read.count == models.count)
    let byID = Dictionary(uniqueKeysWithValues: read.map { ($0.uuid, $0) })
    for model in models {
      let other = try #require(byID[model.uuid])
      #expect(other.isSame(as: model), "\(model.date.timeIntervalSinceReferenceDate)")
    }
  }

  struct Sum: Codable, Equatable { var cents: Int128 }

  @Model
  final class Account {
    var name: String
    var balance: Int128
    var total: Sum

    init(_ name: String, _ balance: Int128) {
      (self.name, self.balance, total) = (name, balance, Sum(cents: balance))
    }
  }

  /// Requests read a row as plain data.
  @Test func integersOf128BitsAreFetchedByRequests() throws {
    let folder = try Folder()
    let stores: [any DataStoreConfiguration] = [
      DictionaryStoreConfiguration("accounts"), JSONStoreConfiguration(url: folder.file),
    ]
    for configuration in stores {
      let container = try ModelContainer(for: Account.self, configurations: configuration)
      let context = ModelContext(container)
      for (name, balance) in [("a", Int128.max), ("b", -3), ("c", .min)] {
        context.insert(Account(name, balance))
      }
      try context.save()
      let read = ModelContext(container)
      let sorted = FetchDescriptor<Account>(sortBy: [SortDescriptor(\.balance)])
      #expect(try read.fetch(sorted).map(\.name) == ["c", "b", "a"])
      let limit = Int128.max
      let largest = FetchDescriptor<Account>(
        predicate: #Predicate { $0.balance == limit && $0.name == "a" })
      #expect(try read.fetch(largest).map(\.total) == [Sum(cents: .max)])
      #expect(
        try read.fetchCount(FetchDescriptor<Account>(predicate: #Predicate { $0.balance < 0 })) == 2
      )
    }
  }

  enum Signal: Codable {
    case strength(Double)
    case absent
  }

  @Model
  final class Gauge {
    var signal = Signal.absent

    init() {}
  }

  /// A document has a text for it, unlike a column.
  @Test func whatIsNoNumberInAnAssociatedValue() throws {
    let folder = try Folder()
    let schema = Schema([Gauge.self])
    let context = try folder.context(schema)
    let gauge = Gauge()
    gauge.signal = .strength(.nan)
    context.insert(gauge)
    try context.save()
    let reading = try folder.context(schema)
    let back = try #require(try reading.all(Gauge.self).first)
    guard case .strength(let number) = back.signal else {
      Issue.record("\(back.signal)")
      return
    }
    #expect(number.isNaN)
  }

  @Test func everyTypeInADocument() throws {
    let folder = try Folder()
    let schema = Schema([Everything.self])
    try check({ try folder.open(schema) }, { try folder.open(schema) })
    // A store that reads the file and saves nothing else writes the same text again.
    let text = try folder.read()
    let context = try folder.context(schema)
    let model = try #require(try context.all(Everything.self).first)
    model.flag = false
    try context.save()
    model.flag = true
    try context.save()
    #expect(try folder.read() == text)
  }

  @Test func everyTypeInMemory() throws {
    let contents = DictionaryStoreContents()
    let open = {
      try ModelContainer(
        for: Schema([Everything.self]),
        configurations: [DictionaryStoreConfiguration(contents: contents)])
    }
    try check(open, open)
  }

  @Test func datesAreTextsInUTC() throws {
    let folder = try Folder()
    let schema = Schema([Everything.self])
    let context = try folder.context(schema)
    context.insert(
      Everything(
        date: Date(timeIntervalSince1970: 951_782_400.25), double: 0, text: ""))
    try context.save()
    #expect(try folder.read().contains("\"date\": \"2000-02-29T00:00:00.25Z\""))
    // Another time zone is the same date.
    try folder.write(
      folder.read().replacing("2000-02-29T00:00:00.25Z", with: "2000-02-29T05:30:00.250+05:30"))
    let read = try #require(try folder.context(schema).all(Everything.self).first)
    #expect(read.date == Date(timeIntervalSince1970: 951_782_400.25))
  }

  // MARK: Identifiers

  struct Trail: Codable, Equatable {
    var steps: [PersistentIdentifier] = []
  }

  @Model
  final class Bookmark {
    var name: String
    var target: PersistentIdentifier?
    var trail = Trail()

    init(_ name: String) { self.name = name }
  }

  private func checkIdentifiers(_ open: () throws -> ModelContainer) throws {
    let context = ModelContext(try open())
    context.autosaveEnabled = false
    let (first, second) = (Bookmark("first"), Bookmark("second"))
    context.insert(first)
    context.insert(second)
    first.target = second.persistentModelID
    first.trail.steps = [first.persistentModelID, second.persistentModelID]
    second.target = first.persistentModelID
    try context.save()
    let third = Bookmark("third")
    context.insert(third)
    second.target = third.persistentModelID
    // A model of a context that never saves it.
    let elsewhere = ModelContext(try open())
    elsewhere.autosaveEnabled = false
    let unsaved = Bookmark("unsaved")
    elsewhere.insert(unsaved)
    third.target = unsaved.persistentModelID
    try context.save()
    let reopened = ModelContext(try open())
    reopened.autosaveEnabled = false
    func bookmark(_ name: String) throws -> Bookmark {
      try #require(try reopened.all(Bookmark.self).first { $0.name == name })
    }
    #expect(try reopened.all(Bookmark.self).count == 3)
    #expect(try bookmark("first").target == bookmark("second").persistentModelID)
    #expect(
      try bookmark("first").trail.steps
        == [bookmark("first").persistentModelID, bookmark("second").persistentModelID])
    #expect(try bookmark("second").target == bookmark("third").persistentModelID)
    #expect(try bookmark("third").target?.storeIdentifier == nil)
    // An identifier in an attribute is no link: the row may be deleted.
    reopened.delete(try bookmark("third"))
    try reopened.save()
    let last = try ModelContext(try open()).all(Bookmark.self)
    #expect(last.count == 2)
    #expect(
      last.first { $0.name == "second" }?.target == third.persistentModelID)
  }

  @Test func identifiersOfNewAndOfDeletedModelsInADocument() throws {
    let folder = try Folder()
    try checkIdentifiers { try folder.open(Schema([Bookmark.self])) }
  }

  @Test func identifiersOfNewAndOfDeletedModelsInMemory() throws {
    let contents = DictionaryStoreContents()
    try checkIdentifiers {
      try ModelContainer(
        for: Schema([Bookmark.self]),
        configurations: [DictionaryStoreConfiguration(contents: contents)])
    }
  }

  @Test func identifiersOfNewModelsThatBecomeStoredRows() throws {
    let folder = try Folder()
    let schema = Schema([Author.self, Book.self, Shelf.self, Cover.self, Bookmark.self])
    let first = try folder.context(schema)
    let stored = Author("Tove")
    first.insert(stored)
    try first.save()
    let second = try folder.context(schema)
    let (bookmark, again) = (Bookmark("a"), Author("Tove"))
    second.insert(bookmark)
    second.insert(again)
    bookmark.target = again.persistentModelID
    try second.save()
    let read = try folder.context(schema).all(Bookmark.self)
    #expect(read.map(\.target) == [stored.persistentModelID])
  }

  // MARK: Values that are not read again

  /// Encodes a text that it does not decode.
  struct Word: Codable {
    var text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      text = try container.decode(String.self, forKey: .text)
      if text.isEmpty {
        throw DecodingError.dataCorruptedError(
          forKey: .text, in: container, debugDescription: "The text is empty.")
      }
    }
  }

  struct Branch: Codable {
    var branches: [Branch] = []

    init(levels: Int) { if levels > 1 { branches = [Branch(levels: levels - 1)] } }
  }

  @Model
  final class Plant {
    var name: Word
    var root: Branch

    init(_ name: String, levels: Int) {
      self.name = Word(name)
      root = Branch(levels: levels)
    }
  }

  private func checkRefusal(
    of name: String, levels: Int, _ property: String, _ open: () throws -> ModelContainer
  ) throws {
    let context = ModelContext(try open())
    context.autosaveEnabled = false
    context.insert(Plant("oak", levels: 3))
    try context.save()
    let plant = Plant(name, levels: levels)
    context.insert(plant)
    let error = #expect(throws: DocumentStoreError.self) { try context.save() }
    #expect(error?.code == .invalidValue)
    #expect(error?.entity == "Plant" && error?.property == property)
    #expect(error?.explanation.hasSuffix("Nothing was saved.") == true)
    #expect(try ModelContext(try open()).all(Plant.self).map(\.name.text) == ["oak"])
  }

  @Test(arguments: [("", 3, "name"), ("elm", 120, "root")])
  func valuesThatADocumentCouldNotBeReadWithAreRefused(
    _ name: String, _ levels: Int, _ property: String
  ) throws {
    let folder = try Folder()
    try checkRefusal(of: name, levels: levels, property) {
      try folder.open(Schema([Plant.self]))
    }
  }

  @Test func valuesThatCouldNotBeReadInMemoryAreRefused() throws {
    let contents = DictionaryStoreContents()
    try checkRefusal(of: "", levels: 3, "name") {
      try ModelContainer(
        for: Schema([Plant.self]),
        configurations: [DictionaryStoreConfiguration(contents: contents)])
    }
  }

  @Test func aValueWithManyLevelsIsReadAgain() throws {
    let folder = try Folder()
    let schema = Schema([Plant.self])
    let context = try folder.context(schema)
    // Two levels each, an object and a list.
    context.insert(Plant("oak", levels: 98))
    try context.save()
    let read = try #require(try folder.context(schema).all(Plant.self).first)
    var (branch, levels) = (read.root, 1)
    while let next = branch.branches.first { (branch, levels) = (next, levels + 1) }
    #expect(levels == 98)
  }
}
