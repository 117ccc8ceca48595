import Foundation
import SwiftData
import SwiftDataStores
import Testing

/// A deletion whose rule reaches models that were never saved: these have no row, but other models may
/// refer to them without an inverse. All stores do the same.
@Suite struct CascadesToNewModelsTests {
  @Model final class Order {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade) var parts: [Part] = []
    var main: Part?
    var screw: Screw?
    var screws: [Screw] = []

    init(_ name: String) { self.name = name }
  }

  @Model class Part {
    var name: String
    @Relationship(deleteRule: .cascade) var screws: [Screw] = []
    @Relationship(deleteRule: .cascade) var spare: Part?

    init(_ name: String) { self.name = name }
  }

  @Model final class HeavyPart: Part {
    var weight = 1

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Screw {
    var name: String

    init(_ name: String) { self.name = name }
  }

  @Model final class Label {
    var part: Part

    init(_ part: Part) { self.part = part }
  }

  enum Store: CaseIterable { case database, dictionary, json, custom }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func container(_ store: Store) throws -> ModelContainer {
    let schema = Schema([Order.self, Part.self, HeavyPart.self, Screw.self, Label.self])
    let configuration: any DataStoreConfiguration =
      switch store {
      case .database: ModelConfiguration(schema: schema, url: folder.store)
      case .dictionary: DictionaryStoreConfiguration()
      case .json: JSONStoreConfiguration(url: folder.store)
      case .custom: MemoryStore<DefaultSnapshot>.Configuration()
      }
    return try ModelContainer(for: schema, configurations: [configuration])
  }

  /// A context with two stored orders.
  private func orders(_ store: Store) throws -> (ModelContext, Order, Order) {
    let context = ModelContext(try container(store))
    let (a, b) = (Order("a"), Order("b"))
    context.insert(a)
    context.insert(b)
    try context.save()
    return (context, a, b)
  }

  /// Everything that is stored, with the related models by name.
  private func stored(_ context: ModelContext) throws -> [String] {
    let context = ModelContext(context.container)
    let orders = try context.fetch(FetchDescriptor<Order>()).map { order in
      let names = [order.main?.name, order.screw?.name].map { $0 ?? "-" }
      let members = order.parts.map(\.name) + order.screws.map(\.name)
      return "\(order.name): \(names + members.sorted())"
    }
    let parts = try context.fetch(FetchDescriptor<Part>()).map(\.name)
    let screws = try context.fetch(FetchDescriptor<Screw>()).map(\.name)
    return orders.sorted() + [parts.sorted(), screws.sorted()].map { "\($0)" }
  }

  @Test(arguments: Store.allCases)
  func listsAndLinksLoseTheModel(_ store: Store) throws {
    let (context, a, b) = try orders(store)
    let (part, new) = (Part("part"), Order("new"))
    a.parts.append(part)
    b.parts.append(part)
    b.main = part
    context.insert(new)
    new.main = part
    context.delete(a)
    try context.save()
    #expect(!context.hasChanges && part.modelContext == nil)
    #expect(b.parts == [] && b.main == nil && new.main == nil)
    #expect(
      try stored(context) == [#"b: ["-", "-"]"#, #"new: ["-", "-"]"#, "[]", "[]"])
    b.parts.append(Part("other"))
    try context.save()
    #expect(
      try stored(context)
        == [#"b: ["-", "-", "other"]"#, #"new: ["-", "-"]"#, #"["other"]"#, "[]"])
  }

  @Test(arguments: Store.allCases)
  func severalLevelsOfNewModelsAreRemoved(_ store: Store) throws {
    let (context, a, b) = try orders(store)
    let parts = [Part("1"), HeavyPart("2"), Part("3")]
    let screws = [Screw("1"), Screw("2"), Screw("kept")]
    a.parts.append(parts[0])
    parts[0].spare = parts[1]
    parts[1].spare = parts[2]
    parts[1].screws = [screws[0]]
    parts[2].screws = [screws[1]]
    b.main = parts[2]
    b.screw = screws[0]
    b.screws = [screws[2], screws[1]]
    context.delete(a)
    try context.save()
    #expect(b.main == nil && b.screw == nil && b.screws == [screws[2]])
    #expect(try stored(context) == [#"b: ["-", "-", "kept"]"#, "[]", #"["kept"]"#])
  }

  @Test(arguments: Store.allCases)
  func aStoredModelMayLieBetween(_ store: Store) throws {
    let (context, a, b) = try orders(store)
    let part = Part("stored")
    a.parts.append(part)
    try context.save()
    let screw = Screw("new")
    part.screws.append(screw)
    b.screws.append(screw)
    b.main = part
    context.delete(a)
    try context.save()
    #expect(b.screws == [] && b.main == nil)
    #expect(try stored(context) == [#"b: ["-", "-"]"#, "[]", "[]"])
  }

  /// The save that is refused gives everything back.
  @Test(arguments: Store.allCases)
  func aRequiredLinkPreventsTheDeletion(_ store: Store) throws {
    let (context, a, b) = try orders(store)
    let parts = [Part("1"), Part("2"), Part("3")]
    b.parts = [parts[0], parts[1], parts[2]]
    a.parts.append(parts[1])
    b.main = parts[1]
    let screw = Screw("1")
    parts[1].screws.append(screw)
    b.screw = screw
    let label = Label(parts[1])
    context.insert(label)
    context.delete(a)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.entity == "Label" && error?.property == "part", "\(error as Any)")
    #expect(b.parts == parts && b.main === parts[1] && b.screw === screw)
    #expect(label.part === parts[1] && parts[1].screws == [screw])
    #expect(parts[1].modelContext === context && screw.modelContext === context)
    #expect(context.insertedModelsArray.count == 5)
    label.part = parts[0]
    try context.save()
    #expect(b.parts.map(\.name).sorted() == ["1", "3"] && b.main == nil && b.screw == nil)
    #expect(try stored(context) == [#"b: ["-", "-", "1", "3"]"#, #"["1", "3"]"#, "[]"])
  }

  /// The deletion may also be taken back after a save that the store has refused.
  @Test(arguments: [Store.database, .dictionary, .json])
  func aSaveThatTheStoreRefusesGivesTheLinksBack(_ store: Store) throws {
    let (context, a, b) = try orders(store)
    let c = Order("c")
    context.insert(c)
    try context.save()
    let part = Part("part")
    a.parts.append(part)
    b.parts.append(part)
    b.main = part
    context.delete(a)
    c.name = "b"
    #expect(throws: (any Error).self) { try context.save() }
    #expect(b.parts == [part] && b.main === part && part.modelContext === context)
    c.name = "c"
    context.insert(a)
    a.parts = []
    try context.save()
    #expect(
      try stored(context)
        == [#"a: ["-", "-"]"#, #"b: ["part", "-", "part"]"#, #"c: ["-", "-"]"#, #"["part"]"#, "[]"])
    context.rollback()
    #expect(b.parts == [part] && b.main === part)
  }

  @Test(arguments: Store.allCases)
  func aRollbackAfterARefusedSaveLeavesWhatIsStored(_ store: Store) throws {
    let (context, a, b) = try orders(store)
    let part = Part("part")
    a.parts.append(part)
    b.parts.append(part)
    context.insert(Label(part))
    context.delete(a)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    #expect(!context.hasChanges && a.parts == [] && b.parts == [] && part.modelContext == nil)
    #expect(try stored(context) == [#"a: ["-", "-"]"#, #"b: ["-", "-"]"#, "[]", "[]"])
  }
}
