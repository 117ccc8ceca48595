import Foundation
import SwiftData
import Testing

/// Values whose types have an `init(from:)` or `encode(to:)` of their own, read by another container.
@Suite(.databases) struct CustomCodingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func context<M: PersistentModel>(_ type: M.Type) throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: type, configurations: ModelConfiguration(url: folder.store)))
  }

  /// The model as another container reads it.
  private func stored<M: PersistentModel>(_ model: M) throws -> M {
    let context = try context(M.self)
    context.insert(model)
    try context.save()
    let found = try self.context(M.self).fetch(FetchDescriptor<M>())
    #expect(found.count == 1)
    return try #require(found.first)
  }

  // MARK: An older form that is a single value

  struct Tag: Codable, Equatable {
    var name: String
    var color: String

    init(name: String, color: String) { (self.name, self.color) = (name, color) }

    enum CodingKeys: CodingKey { case name, color }

    init(from decoder: any Decoder) throws {
      if let name = try? decoder.singleValueContainer().decode(String.self) {
        (self.name, color) = (name, "red")
      } else {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        color = try container.decode(String.self, forKey: .color)
      }
    }
  }

  struct Tagged: Codable, Equatable {
    var tag: Tag
    var other: Tag?
  }

  @Model final class Labelled {
    var tag: Tag?
    var tagged = Tagged(tag: Tag(name: "a", color: "b"), other: nil)

    init() {}
  }

  @Test func aStructThatAlsoDecodesASingleValueIsRead() throws {
    let model = Labelled()
    model.tag = Tag(name: "sea", color: "blue")
    model.tagged.other = Tag(name: "wood", color: "green")
    let found = try stored(model)
    #expect(found.tag == Tag(name: "sea", color: "blue"))
    #expect(
      found.tagged
        == Tagged(tag: Tag(name: "a", color: "b"), other: Tag(name: "wood", color: "green")))
  }

  // MARK: Properties that are encoded as other types

  /// Encodes a number as text.
  struct Price: Codable, Equatable {
    var amount: Double

    init(amount: Double) { self.amount = amount }

    enum CodingKeys: CodingKey { case amount }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      amount = Double(try container.decode(String.self, forKey: .amount)) ?? 0
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode("\(amount)", forKey: .amount)
    }
  }

  /// Encodes a text as a number, and an integer as a floating-point number.
  struct Ticket: Codable, Equatable {
    var code = "7"
    var cents = 100

    init(code: String = "7", cents: Int = 100) { (self.code, self.cents) = (code, cents) }

    enum CodingKeys: CodingKey { case code, cents }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      code = try container.decode(String.self, forKey: .code)
      cents = Int(try container.decode(Double.self, forKey: .cents) * 100)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      if let number = Int(code) {
        try container.encode(number, forKey: .code)
      } else {
        try container.encode(code, forKey: .code)
      }
      try container.encode(Double(cents) / 100, forKey: .cents)
    }
  }

  /// Encodes decimals as numbers, one of which is decoded as a decimal.
  struct Invoice: Codable, Equatable {
    struct Share: RawRepresentable, Codable, Equatable { var rawValue: Decimal }

    var net: Decimal
    var gross: Decimal
    var whole: Decimal = 3
    var share = Share(rawValue: Decimal(string: "0.125") ?? 0)
    var ratio: Float = 0

    init(net: Decimal, gross: Decimal) { (self.net, self.gross) = (net, gross) }

    enum CodingKeys: CodingKey { case net, gross, whole, share, ratio }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      net = Decimal(string: "\(try container.decode(Double.self, forKey: .net))") ?? 0
      gross = try container.decode(Decimal.self, forKey: .gross)
      whole = Decimal(try container.decode(Int.self, forKey: .whole))
      share = try container.decode(Share.self, forKey: .share)
      ratio = Float(try container.decode(Double.self, forKey: .ratio))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(NSDecimalNumber(decimal: net).doubleValue, forKey: .net)
      try container.encode(NSDecimalNumber(decimal: gross).doubleValue, forKey: .gross)
      try container.encode(NSDecimalNumber(decimal: whole).intValue, forKey: .whole)
      try container.encode(share, forKey: .share)
      try container.encode(Double(ratio), forKey: .ratio)
    }
  }

  @Model final class Sale {
    var price: Price?
    var invoice: Invoice?
    var ticket: Ticket?
    @Attribute(.codable) var whole: Price?

    init() {}
  }

  @Test func aPropertyThatIsEncodedAsAnotherTypeIsRefused() throws {
    let changes: [(name: String, change: (Sale) -> Void)] = [
      ("Sale.price", { $0.price = Price(amount: 12.5) }),
      ("Sale.ticket", { $0.ticket = Ticket() }),
      ("Sale.ticket", { $0.ticket = Ticket(code: "a", cents: 250) }),
    ]
    for (name, change) in changes {
      let context = try context(Sale.self)
      let sale = Sale()
      change(sale)
      context.insert(sale)
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error == .modelValidationFailure)
      #expect(error?.description.contains(name) == true)
      #expect(error?.description.contains("@Attribute(.codable)") == true)
    }
    #expect(try context(Sale.self).fetchCount(FetchDescriptor<Sale>()) == 0)
  }

  @Test func aPropertyThatIsEncodedAsAnotherTypeIsKeptIfTheColumnCan() throws {
    let sale = Sale()
    sale.whole = Price(amount: 12.5)
    sale.ticket = Ticket(code: "a", cents: 200)
    var invoice = Invoice(net: Decimal(string: "12.5") ?? 0, gross: Decimal(string: "14.75") ?? 0)
    invoice.ratio = 0.5
    sale.invoice = invoice
    let found = try stored(sale)
    #expect(found.whole == Price(amount: 12.5))
    #expect(found.ticket == Ticket(code: "a", cents: 200))
    #expect(found.invoice == invoice)
  }

  // MARK: Raw values with a coding of their own

  enum Level: Int, Codable, CaseIterable {
    case low = 1
    case high = 2

    init(from decoder: any Decoder) throws {
      let name = try decoder.singleValueContainer().decode(String.self)
      self = Level.allCases.first { "\($0)" == name } ?? .low
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode("\(self)")
    }
  }

  struct Depth: RawRepresentable, Codable, Equatable {
    var rawValue: Double

    init(rawValue: Double) { self.rawValue = rawValue }

    enum CodingKeys: CodingKey { case meters }

    init(from decoder: any Decoder) throws {
      rawValue = try decoder.container(keyedBy: CodingKeys.self).decode(
        Double.self, forKey: .meters)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(rawValue, forKey: .meters)
    }
  }

  struct Lake: Codable, Equatable {
    var level = Level.low
    var other: Level?
    var depth = Depth(rawValue: 0)
  }

  enum Water: Codable, Equatable {
    case at(Level)
    case gone
  }

  @Model final class Map {
    var lake = Lake()
    var spare: Lake?
    var water = Water.gone
    var top = Level.low

    init() {}
  }

  @Test func rawValuesWithACodingOfTheirOwnAreReadAsTheyAreStored() throws {
    let map = Map()
    map.lake = Lake(level: .high, other: .high, depth: Depth(rawValue: 3.5))
    map.spare = Lake(level: .high, other: nil, depth: Depth(rawValue: -1))
    (map.water, map.top) = (.at(.high), .high)
    let found = try stored(map)
    #expect(found.lake == Lake(level: .high, other: .high, depth: Depth(rawValue: 3.5)))
    #expect(found.spare == Lake(level: .high, other: nil, depth: Depth(rawValue: -1)))
    #expect(found.water == .at(.high) && found.top == .high)
  }

  // MARK: Members that are not encoded

  struct Inner: Codable, Equatable {
    var side = 1
    var note: String?
  }

  enum Mode: Codable, Equatable {
    case plain
    case every(Int)
  }

  /// Encodes only what differs from the defaults.
  struct Settings: Codable, Equatable {
    var count = 5
    var name = "default"
    var scale = 1.5
    var inner = Inner(side: 2, note: "n")
    var mode = Mode.every(3)
    var level = Level.high
    var remark: String? = "none"

    init() {}

    enum CodingKeys: CodingKey { case count, name, scale, inner, mode, level, remark }

    init(from decoder: any Decoder) throws {
      self.init()
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if container.contains(.count) { count = try container.decode(Int.self, forKey: .count) }
      if container.contains(.name) { name = try container.decode(String.self, forKey: .name) }
      if container.contains(.scale) { scale = try container.decode(Double.self, forKey: .scale) }
      if container.contains(.inner) { inner = try container.decode(Inner.self, forKey: .inner) }
      if container.contains(.mode) { mode = try container.decode(Mode.self, forKey: .mode) }
      if container.contains(.level) { level = try container.decode(Level.self, forKey: .level) }
      // Nil is encoded.
      if container.contains(.remark) {
        remark = try container.decode(String?.self, forKey: .remark)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      let plain = Settings()
      if count != plain.count { try container.encode(count, forKey: .count) }
      if name != plain.name { try container.encode(name, forKey: .name) }
      if scale != plain.scale { try container.encode(scale, forKey: .scale) }
      if inner != plain.inner { try container.encode(inner, forKey: .inner) }
      if mode != plain.mode { try container.encode(mode, forKey: .mode) }
      if level != plain.level { try container.encode(level, forKey: .level) }
      try container.encode(remark, forKey: .remark)
    }
  }

  @Model final class App {
    var settings: Settings
    var spare: Settings?

    init(_ settings: Settings) { self.settings = settings }
  }

  @Test func membersThatAreNotEncodedReadAsTheDefaultsOfTheDecoder() throws {
    let app = App(Settings())
    app.spare = Settings()
    app.spare?.inner.side = 7
    let found = try stored(app)
    #expect(found.settings == app.settings && found.spare == app.spare)
  }

  @Test func membersThatAreEncodedReadAsTheyAre() throws {
    var settings = Settings()
    (settings.count, settings.name, settings.scale) = (0, "", 0)
    (settings.inner, settings.mode) = (Inner(side: 0, note: nil), .plain)
    (settings.level, settings.remark) = (.low, nil)
    #expect(try stored(App(settings)).settings == settings)
  }

  // MARK: Wide integers

  struct Count: Codable, Equatable {
    var signed: Int128 = 1
    var unsigned: UInt128?
    var small = 1
  }

  struct Wide: Codable, Equatable {
    var value: UInt128

    init(value: UInt128) { self.value = value }

    init(from decoder: any Decoder) throws {
      value = try decoder.singleValueContainer().decode(UInt128.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  enum Total: Codable, Equatable {
    case none
    case of(Int128, Wide)
  }

  @Model final class Counter {
    var count = Count()
    var spare: Count?
    var total = Total.none
    var wide: Wide?

    init() {}
  }

  @Test func membersWith128BitsAreStored() throws {
    let counter = Counter()
    counter.count = Count(signed: .min, unsigned: .max, small: 2)
    counter.spare = Count(signed: .max, unsigned: nil)
    counter.total = .of(-5, Wide(value: .max))
    counter.wide = Wide(value: 1 << 100)
    let found = try stored(counter)
    #expect(found.count == Count(signed: .min, unsigned: .max, small: 2))
    #expect(found.spare == Count(signed: .max, unsigned: nil))
    #expect(found.total == .of(-5, Wide(value: .max)) && found.wide == Wide(value: 1 << 100))
  }

  // MARK: Parts of locales

  struct Market: Codable, Equatable {
    var currency = Locale.Currency("EUR")
    var region: Locale.Region?
    var script: Locale.Script?
  }

  @Model final class Shop {
    var currency: Locale.Currency?
    var region: Locale.Region?
    var code = Locale.LanguageCode("en")
    var language: Locale.Language?
    var components: Locale.Components?
    var system: Locale.MeasurementSystem?
    var market = Market()
    var regions: [Locale.Region] = []

    init() {}
  }

  @Test func partsOfLocalesAreStored() throws {
    let shop = Shop()
    (shop.currency, shop.region) = (Locale.Currency("CHF"), Locale.Region("CH"))
    (shop.code, shop.system) = (Locale.LanguageCode("de"), .metric)
    shop.language = Locale.Language(identifier: "zh-Hant-TW")
    shop.components = Locale.Components(identifier: "de_CH@currency=CHF;calendar=hebrew")
    shop.market = Market(region: Locale.Region("DE"), script: Locale.Script("Latn"))
    shop.regions = [Locale.Region("AT")]
    let found = try stored(shop)
    #expect(found.currency == Locale.Currency("CHF") && found.region == Locale.Region("CH"))
    #expect(found.code == Locale.LanguageCode("de") && found.system == .metric)
    #expect(found.language == Locale.Language(identifier: "zh-Hant-TW"))
    #expect(found.components == shop.components)
    #expect(found.market == shop.market && found.regions == [Locale.Region("AT")])
    let currency: Locale.Currency? = Locale.Currency("CHF")
    let matching = FetchDescriptor<Shop>(predicate: #Predicate { $0.currency == currency })
    #expect(try context(Shop.self).fetchCount(matching) == 1)
  }

  // MARK: Values without an order

  struct Cell: Codable, Hashable {
    var text: String
    var number: Int
  }

  @Model final class Collected {
    @Attribute(.unique) var texts: Set<String>
    @Attribute(.unique) var cells: Set<Cell>
    @Attribute(.unique) var counts: [Cell: [Int]]
    var edition = 0

    init(_ numbers: [Int], edition: Int) {
      texts = Set(numbers.map { "],\"\\{\($0)" })
      cells = Set(numbers.map { Cell(text: "a, \"}", number: $0) })
      counts = [:]
      for number in numbers { counts[Cell(text: "c", number: number)] = [number, number] }
      self.edition = edition
    }
  }

  @Test func uniquenessOfSetsDoesNotDependOnTheirOrder() throws {
    let numbers = Array(1...20)
    for edition in 1...4 {
      let context = try context(Collected.self)
      // The order of a set depends on its history.
      let collected = Collected(
        edition.isMultiple(of: 2) ? numbers.reversed() : numbers, edition: edition)
      collected.texts.reserveCapacity(edition * 100)
      collected.cells.reserveCapacity(edition * 100)
      collected.counts.reserveCapacity(edition * 100)
      context.insert(collected)
      try context.save()
    }
    let found = try context(Collected.self).fetch(FetchDescriptor<Collected>())
    let expected = Collected(numbers, edition: 4)
    #expect(found.map(\.edition) == [4])
    #expect(found.first?.texts == expected.texts && found.first?.cells == expected.cells)
    #expect(found.first?.counts == expected.counts)
  }
}
