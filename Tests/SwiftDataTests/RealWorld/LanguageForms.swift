public import Foundation
public import SwiftData
import Testing

/// Ways to write a model that apps use, beyond the common ones.
public enum LanguageForms {}

extension LanguageForms {
  public typealias Cents = Int
  public typealias Names = [String]
  public static let isLarge = true

  /// Properties named like SQL words, and like members that models have.
  @Model public final class Order {
    public var order: Int = 0
    public var group: String = ""
    public var index = 0
    public var key: String?
    public var type = "t"
    public var value = 1.5
    public var data = Data()
    public var date = Date(timeIntervalSince1970: 0)
    public var text = ""
    public var count: Int32 = 0
    public var select = false
    public var `where`: String?
    public var `default` = "d"
    public var from: Int?
    public var table = UUID()
    public var primaryKey: UInt32 = 0
    @Relationship(deleteRule: .cascade, inverse: \Index.order) public var values: [Index]?

    public init(order: Int, group: String) {
      self.order = order
      self.group = group
    }
  }

  @Model public final class Index {
    public var name: String
    public var cents: Cents = 0
    public var names: Names = []
    public var optionalNames: Optional<Names> = nil
    public var scores: Array<Double> = [1, 2]
    public var interval: TimeInterval = 60
    public var size: Int?
    public var weight: Int?
    public var limit: Int = if LanguageForms.isLarge { 100 } else { 10 }
    public var mode =
      switch LanguageForms.isLarge {
      case true: "large"
      case false: "small"
      }
    public var order: Order?

    public init(name: String) { self.name = name }
  }

  @Model open class Base: @unchecked Sendable {
    #if canImport(SwiftData)
      #Unique<Base>([\.code])
    #endif
    public internal(set) var name: String
    public var code = UUID()
    #if canImport(SwiftData)
      @Transient
    #endif
    public var cache = 0
    @Attribute public var rank: Int
    @Attribute(.spotlight) public var subtitle: String?
    package var secret: Bool = false

    public required init(name: String, rank: Int = 1) {
      self.name = name
      self.rank = rank
    }

    public convenience init(copying other: Base) {
      self.init(backingData: Base.createBackingData())
      name = other.name
      rank = other.rank
    }
  }

  @Model final class Flagged {
    @Attribute(originalName: "isDeleted") var isRemoved: Bool = false
    var id: Int
    var name: String {  // expected warning
      didSet { changes += 1 }
    }
    @Transient var changes = 0

    init(id: Int, name: String) {
      self.id = id
      self.name = name
    }
  }
}

@Suite(.databases) struct LanguageFormsTests {
  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: LanguageForms.Order.self, LanguageForms.Base.self, LanguageForms.Flagged.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  @Test func namesOfSQLAreOrdinaryNames() throws {
    let context = try context()
    for number in 0..<4 {
      let order = LanguageForms.Order(order: number, group: number % 2 == 0 ? "even" : "odd")
      order.where = number == 3 ? "here" : nil
      order.default = "\(number)"
      order.select = number > 1
      context.insert(order)
      order.values = [LanguageForms.Index(name: "i\(number)")]
    }
    try context.save()
    let other = ModelContext(context.container)
    let descriptor = FetchDescriptor<LanguageForms.Order>(
      predicate: #Predicate { $0.group == "odd" && $0.order > 0 && $0.where != nil || $0.select },
      sortBy: [SortDescriptor(\.order, order: .reverse), SortDescriptor(\.index)])
    #expect(try other.fetch(descriptor).map(\.default) == ["3", "2"])
    let through = FetchDescriptor<LanguageForms.Index>(
      predicate: #Predicate { $0.order?.group == "even" }, sortBy: [SortDescriptor(\.name)])
    let indexes = try other.fetch(through)
    #expect(indexes.map(\.name) == ["i0", "i2"])
    #expect(
      indexes.allSatisfy { $0.scores == [1, 2] && $0.optionalNames == nil && $0.size == nil })
    try other.delete(model: LanguageForms.Order.self, where: #Predicate { $0.group == "odd" })
    #expect(try other.fetchCount(FetchDescriptor<LanguageForms.Index>()) == 2)
  }

  @Test func aliasedAndSpelledOutTypesAreStored() throws {
    let context = try context()
    let index = LanguageForms.Index(name: "a")
    index.size = 3
    index.optionalNames = ["x"]
    index.cents += 5
    context.insert(index)
    try context.save()
    let stored = try #require(try context.stored(LanguageForms.Index.self).first)
    #expect(stored.size == 3)
    #expect(stored.weight == nil)
    #expect(stored.optionalNames == ["x"])
    #expect(stored.cents == 5)
  }

  @Test func initialValuesMayBeConditional() throws {
    let context = try context()
    context.insert(LanguageForms.Index(name: "a"))
    try context.save()
    let stored = try #require(try context.stored(LanguageForms.Index.self).first)
    #expect(stored.limit == 100 && stored.mode == "large")
    let entity = try #require(context.container.schema.entitiesByName["Index"])
    #expect(entity.attributesByName["limit"]?.defaultValue as? Int == 100)
    #expect(entity.attributesByName["mode"]?.defaultValue as? String == "large")
  }

  @Test func attributesMayBeConditional() throws {
    let context = try context()
    let entity = try #require(context.container.schema.entitiesByName["Base"])
    #expect(entity.uniquenessConstraints == [["code"]])
    #expect(entity.attributesByName["cache"] == nil)
    let code = UUID()
    for rank in 1...2 {
      let base = LanguageForms.Base(name: "a", rank: rank)
      base.code = code
      context.insert(base)
    }
    try context.save()
    #expect(try context.stored(LanguageForms.Base.self).map(\.rank) == [2])
  }

  @Test func convenienceInitializersMayStartFromBackingData() throws {
    let context = try context()
    let first = LanguageForms.Base(name: "a", rank: 3)
    let copy = LanguageForms.Base(copying: first)
    context.insert(first)
    context.insert(copy)
    try context.save()
    let stored = try context.stored(LanguageForms.Base.self)
    #expect(stored.map(\.name) == ["a", "a"])
    #expect(stored.allSatisfy { $0.rank == 3 && !$0.secret && $0.subtitle == nil })
  }

  @Test func aPropertyThatStandsForDeletionsIsAnOrdinaryOne() throws {
    let context = try context()
    let model = LanguageForms.Flagged(id: 4, name: "n")
    model.isRemoved = true
    context.insert(model)
    context.insert(LanguageForms.Flagged(id: 5, name: "m"))
    try context.save()
    let live = FetchDescriptor<LanguageForms.Flagged>(predicate: #Predicate { !$0.isRemoved })
    #expect(try ModelContext(context.container).fetch(live).map(\.id) == [5])
    #expect(model.isRemoved && !model.isDeleted)
    context.delete(model)
    try context.save()
    #expect(try context.count(LanguageForms.Flagged.self) == 1)
  }
}
