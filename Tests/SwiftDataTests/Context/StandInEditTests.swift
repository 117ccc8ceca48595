import Foundation
import SwiftData
import Testing

/// Edits of values that could not be read: a stand-in plus a change must not replace what is stored.
@Suite(.databases) struct StandInEditTests {
  enum Shelf {
    @Model final class Box {
      var name: String
      var count = 0
      var note: String?
      var tags: [String] = []
      var owner: Person?
      @Relationship(deleteRule: .cascade, inverse: \Item.box) var items: [Item] = []
      @Relationship(inverse: \Label.boxes) var labels: [Label] = []

      init(_ name: String) { self.name = name }
    }
    @Model final class Item {
      var name: String
      var box: Box?

      init(_ name: String, in box: Box? = nil) { (self.name, self.box) = (name, box) }
    }
    @Model final class Label {
      var name: String
      var boxes: [Box] = []

      init(_ name: String) { self.name = name }
    }
    @Model final class Person {
      var name: String

      init(_ name: String) { self.name = name }
    }
  }

  private let container: ModelContainer
  private let identifier: PersistentIdentifier

  init() throws {
    container = try ModelContainer(
      for: Shelf.Box.self, Shelf.Item.self, Shelf.Label.self, Shelf.Person.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let box = Shelf.Box("a")
    (box.count, box.note, box.tags, box.owner) = (42, "note", ["red"], Shelf.Person("Ann"))
    context.insert(box)
    box.items = [Shelf.Item("1"), Shelf.Item("2")]
    box.labels = [Shelf.Label("x"), Shelf.Label("y")]
    try context.save()
    identifier = box.persistentModelID
  }

  /// A box whose row has not been read.
  private func fault() throws -> (Shelf.Box, ModelContext) {
    let context = ModelContext(container)
    return (try #require(context.model(for: identifier) as? Shelf.Box), context)
  }

  /// A box whose lists have not been read.
  private func box() throws -> (Shelf.Box, ModelContext) {
    let context = ModelContext(container)
    return (try #require(try context.fetch(FetchDescriptor<Shelf.Box>()).first), context)
  }

  /// Runs `body` while the store can't read a class.
  private func without(_ table: String, _ body: () -> Void) throws {
    try StoredTables(container).execute("ALTER TABLE \(table) RENAME TO ZAWAY")
    body()
    try StoredTables(container).execute("ALTER TABLE ZAWAY RENAME TO \(table)")
  }

  private func expectRefusal(
    _ context: ModelContext, _ property: String, _ location: SourceLocation = #_sourceLocation
  ) {
    for _ in 0..<2 {
      let error = #expect(throws: SwiftDataError.self, sourceLocation: location) {
        try context.save()
      }
      #expect(error == .storeReadFailure, sourceLocation: location)
      #expect(
        error?.entity == "Box" && error?.property == property, sourceLocation: location)
      #expect(error?.description.contains("Box.\(property)") == true, sourceLocation: location)
    }
  }

  private func stored<V>(_ value: (Shelf.Box) -> V) throws -> V { try value(box().0) }

  @Test(arguments: ["count", "note", "tags", "owner"])
  func anEditMadeFromAStandInIsNotSaved(_ property: String) throws {
    let (box, context) = try fault()
    try without("ZBOX") {
      switch property {
      case "count": box.count += 1
      case "note": box.note = (box.note ?? "") + "!"
      case "tags": box.tags.append("blue")
      default: if box.owner == nil { box.owner = Shelf.Person("Eve") }
      }
    }
    expectRefusal(context, property)
    // A further edit is made from the wrong value too.
    box.count += 1
    #expect(throws: SwiftDataError.storeReadFailure) { try context.save() }
    context.rollback()
    #expect(box.count == 42 && box.note == "note" && box.tags == ["red"])
    #expect(box.owner?.name == "Ann")
    box.count += 1
    box.tags.append("blue")
    try context.save()
    #expect(try stored(\.count) == 43)
    #expect(try stored(\.tags) == ["red", "blue"])
    #expect(try stored { $0.owner?.name } == "Ann")
  }

  @Test func aReadBetweenAStandInAndItsEditDoesNotMakeItRight() throws {
    let (box, context) = try fault()
    var count = 0
    try without("ZBOX") { count = box.count }
    #expect(box.name == "a")
    box.count = count + 1
    expectRefusal(context, "count")
  }

  @Test func aValueThatCouldBeReadAgainMayBeEdited() throws {
    let (box, context) = try fault()
    try without("ZBOX") { #expect(box.count == 0 && box.owner == nil) }
    box.count += 1
    box.owner?.name += "e"
    try context.save()
    #expect(try stored(\.count) == 43)
    #expect(try stored { $0.owner?.name } == "Anne")
  }

  @Test func aValueThatIsSetWithoutAReadIsSaved() throws {
    let (box, context) = try fault()
    try without("ZBOX") { box.count = 7 }
    box.count = 8
    try context.save()
    #expect(try stored(\.count) == 8)
    let (other, second) = try fault()
    try without("ZBOX") { other.count += 1 }
    expectRefusal(second, "count")
    other.count = 9
    try second.save()
    #expect(try stored(\.count) == 9 && stored(\.note) == "note")
  }

  @Test func afterARefusalAValueMayBeSetWithoutAnotherRead() throws {
    let (box, context) = try fault()
    try without("ZBOX") { box.count += 1 }
    #expect(box.count == 1)
    let error = #expect(throws: SwiftDataError.storeReadFailure) { try context.save() }
    guard case .unavailable = error?.reason else {
      Issue.record("\(String(describing: error?.reason))")
      return
    }
    box.count = box.count + 1
    expectRefusal(context, "count")
    box.count = 7
    try context.save()
    #expect(try stored(\.count) == 7)
  }

  @Test func membersAreAddedToAListThatCouldNotBeRead() throws {
    let (box, context) = try box()
    try without("ZITEM") { box.items.append(Shelf.Item("3")) }
    try without("ZLABEL") { box.labels += [Shelf.Label("z")] }
    try without("ZITEM") { box.items.append(Shelf.Item("4", in: box)) }
    #expect(box.items.map(\.name).sorted() == ["1", "2", "3", "4"])
    try context.save()
    #expect(try stored { $0.items.map(\.name).sorted() } == ["1", "2", "3", "4"])
    #expect(try stored { $0.labels.map(\.name).sorted() } == ["x", "y", "z"])
  }

  @Test(arguments: ["filter", "removeAll", "set", "set after a read"])
  func aListThatCouldNotBeReadIsNotReplaced(_ edit: String) throws {
    let (box, context) = try box()
    func change() {
      switch edit {
      case "filter": box.items = box.items.filter { $0.name != "1" }
      case "removeAll": box.items.removeAll { $0.name == "1" }
      case "set": box.items = [Shelf.Item("3")]
      default: box.items = [Shelf.Item("3")] + box.items
      }
    }
    try without("ZITEM") { change() }
    expectRefusal(context, "items")
    context.rollback()
    #expect(box.items.map(\.name).sorted() == ["1", "2"])
    change()
    try context.save()
    let expected =
      switch edit {
      case "filter", "removeAll": ["2"]
      case "set": ["3"]
      default: ["1", "2", "3"]
      }
    #expect(try stored { $0.items.map(\.name).sorted() } == expected)
  }

  @Test func aListIsAsBeforeAfterARollback() throws {
    let (box, context) = try box()
    try without("ZITEM") { box.items.removeAll { $0.name == "1" } }
    context.rollback()
    context.insert(Shelf.Item("3", in: box))
    try context.save()
    #expect(try stored { $0.items.map(\.name).sorted() } == ["1", "2", "3"])
  }

  @Test func aListThatIsSetAgainIsSaved() throws {
    let (box, context) = try box()
    try without("ZITEM") { box.items = [Shelf.Item("3")] }
    expectRefusal(context, "items")
    box.items = [Shelf.Item("4")]
    try context.save()
    #expect(try stored { $0.items.map(\.name) } == ["4"])
  }

  @Test func undoTakesBackAnEditMadeFromAStandIn() throws {
    let (box, context) = try fault()
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    try without("ZBOX") { box.count += 1 }
    context.processPendingChanges()
    expectRefusal(context, "count")
    manager.undo()
    try context.save()
    #expect(try stored(\.count) == 42 && stored(\.note) == "note")
  }

  @Test func undoDoesNotStoreAStandIn() throws {
    let (box, context) = try fault()
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    try without("ZBOX") {
      (box.count, box.note, box.owner) = (7, "other", nil)
      context.processPendingChanges()
    }
    manager.undo()
    box.name = "b"
    try context.save()
    #expect(try stored(\.count) == 42 && stored(\.note) == "note")
    #expect(try stored { $0.owner?.name } == "Ann")
  }

  @Test func aDeletedModelNeedsNoValues() throws {
    let (box, context) = try fault()
    try without("ZBOX") { box.count += 1 }
    context.delete(box)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Shelf.Box>()) == 0)
  }

  @Test func valuesByKeyPathAreTheSame() throws {
    let (box, context) = try fault()
    try without("ZBOX") { box.setValue(forKey: \.count, to: box.getValue(forKey: \.count) + 1) }
    expectRefusal(context, "count")
    context.rollback()
    try without("ZBOX") { _ = box.getValue(forKey: \.count) }
    box.setValue(forKey: \.count, to: box.getValue(forKey: \.count) + 1)
    try context.save()
    #expect(try stored(\.count) == 43)
  }
}
