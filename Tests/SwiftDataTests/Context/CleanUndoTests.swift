import Foundation
import SwiftData
import Testing

/// An undo that leads back to the last save leaves nothing to save.
@Suite(.databases) struct CleanUndoTests {
  final class Palette: NSObject {
    let names: [String]

    init(_ names: [String]) { self.names = names }
  }

  final class PaletteTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override class func allowsReverseTransformation() -> Bool { true }

    override func transformedValue(_ value: Any?) -> Any? {
      (value as? Palette).map { Data($0.names.joined(separator: ",").utf8) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
      (value as? Data).map {
        Palette(String(decoding: $0, as: UTF8.self).split(separator: ",").map(String.init))
      }
    }
  }

  @Model final class Room {
    var name: String
    var tags: [String] = []
    var price: Decimal = 5
    @Attribute(.transformable(by: PaletteTransformer.self)) var palette: Palette?

    init(_ name: String) { self.name = name }
  }

  private func room() throws -> (ModelContext, Room) {
    let container = try ModelContainer(
      for: Room.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let writer = ModelContext(container)
    let room = Room("old")
    room.tags = ["a"]
    room.palette = Palette(["red"])
    writer.insert(room)
    try writer.save()
    let context = ModelContext(container)
    context.undoManager = UndoManager()
    return (context, try #require(try context.fetch(FetchDescriptor<Room>()).first))
  }

  @Test func undoOfEditsIsClean() throws {
    let (context, room) = try room()
    room.name = "new"
    room.tags.append("b")
    room.palette = Palette(["blue"])
    room.price = 6
    #expect(context.hasChanges)
    context.undoManager?.undo()
    #expect(room.name == "old" && room.tags == ["a"] && room.palette?.names == ["red"])
    #expect(room.price == 5)
    #expect(!context.hasChanges && !room.hasChanges)
    #expect(context.changedModelsArray.isEmpty)
    context.undoManager?.redo()
    #expect(context.hasChanges)
    try context.save()
    context.undoManager?.undo()
    #expect(context.hasChanges)
    try context.save()
    let stored = try ModelContext(context.container).fetch(FetchDescriptor<Room>()).first
    #expect(stored?.name == "old" && stored?.palette?.names == ["red"])
  }

  @Test func undoOfOneOfTwoEventsIsNotClean() throws {
    let (context, room) = try room()
    room.name = "new"
    context.processPendingChanges()
    room.tags = []
    context.undoManager?.undo()
    #expect(context.hasChanges)
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Room>()).first?.name == "new")
  }

  /// A stored child of the first of two parents.
  private func family() throws -> (ModelContext, [Graph.Parent], Graph.Child) {
    let context = try Graph.context()
    let parents = ["a", "b"].map(Graph.Parent.init)
    for parent in parents { context.insert(parent) }
    let child = Graph.Child("c", parent: parents[0])
    context.insert(child)
    try context.save()
    context.undoManager = UndoManager()
    return (context, parents, child)
  }

  @Test func undoOfRelationshipsInsertionsAndDeletionsIsClean() throws {
    let (context, parents, child) = try family()
    child.parent = parents[1]
    context.insert(Graph.Child("new", parent: parents[0]))
    context.undoManager?.undo()
    #expect(child.parent === parents[0])
    #expect(parents[0].children.map(\.name) == ["c"])
    #expect(!context.hasChanges)
    context.delete(parents[0])
    context.undoManager?.undo()
    #expect(!context.hasChanges)
    try context.save()
    #expect(try context.stored(Graph.Child.self).map { $0.parent?.name } == ["a"])
  }

  /// The step does not have the model whose event left it as it was.
  @Test func undoBesideARelationshipThatWasSetBackIsClean() throws {
    let (context, parents, child) = try family()
    child.parent = parents[1]
    child.parent = parents[0]
    parents[0].name = "renamed"
    context.undoManager?.undo()
    #expect(!context.hasChanges && !child.hasChanges && !parents[1].hasChanges)
    context.undoManager?.redo()
    #expect(parents[0].name == "renamed" && context.hasChanges)
    child.parent = parents[1]
    child.parent = parents[0]
    context.processPendingChanges()
    child.name = "other"
    context.undoManager?.undo()
    #expect(child.name == "c" && parents[0].name == "renamed" && context.hasChanges)
    try context.save()
    #expect(try context.stored(Graph.Parent.self).map(\.name).sorted() == ["b", "renamed"])
  }

  @Model final class Key {
    @Attribute(.unique) var code: String
    var note: String

    init(_ code: String, _ note: String) { (self.code, self.note) = (code, note) }
  }

  @Model final class Door {
    #Unique<Door>([\.number, \.house])
    var number: Int
    var house: House?

    init(_ number: Int, _ house: House?) { (self.number, self.house) = (number, house) }
  }

  @Model final class House {
    var name: String
    @Relationship(inverse: \Door.house) var doors: [Door] = []

    init(_ name: String) { self.name = name }
  }

  /// The row was there before the insertion.
  @Test(arguments: [1, 20], [false, true])
  func undoOfAnInsertionKeepsARowThatItWasMergedWith(_ count: Int, _ isShown: Bool) throws {
    let container = try ModelContainer(
      for: Key.self, Door.self, House.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let writer = ModelContext(container)
    let house = House("h")
    for number in 0..<count {
      writer.insert(Key("\(number)", "first"))
      writer.insert(Door(number, house))
    }
    try writer.save()
    let context = ModelContext(container)
    context.undoManager = UndoManager()
    let known = isShown ? try context.fetch(FetchDescriptor<Key>()) : []
    let home = try #require(try context.fetch(FetchDescriptor<House>()).first)
    context.undoManager?.disableUndoRegistration()
    context.processPendingChanges()
    context.undoManager?.enableUndoRegistration()
    var added: [Key] = []
    for number in 0..<count + 1 {
      let key = Key("\(number)", "second")
      added.append(key)
      context.insert(key)
      context.insert(Door(number, home))
    }
    try context.save()
    func notes() throws -> [String] {
      try ModelContext(container).fetch(FetchDescriptor<Key>()).map(\.note)
    }
    #expect(try notes() == Array(repeating: "second", count: count + 1))
    context.undoManager?.undo()
    try context.save()
    // Only what was new is deleted.
    #expect(try notes() == Array(repeating: "second", count: count))
    let numbers = try ModelContext(container).fetch(FetchDescriptor<Door>()).map(\.number)
    #expect(numbers.sorted() == Array(0..<count))
    context.undoManager?.redo()
    try context.save()
    #expect(try notes().count == count + 1)
    context.undoManager?.undo()
    try context.save()
    #expect(try notes().count == count)
    #expect(known.count == (isShown ? count : 0) && added.count == count + 1)
  }

  @Test func transformedValuesFollowRollbackOtherContextsAndPartialFetches() throws {
    let (context, room) = try room()
    room.palette = Palette(["blue"])
    context.rollback()
    #expect(room.palette?.names == ["red"])
    let other = ModelContext(context.container)
    let theirs = try #require(try other.fetch(FetchDescriptor<Room>()).first)
    theirs.palette = Palette(["green", "grey"])
    try other.save()
    context.processPendingChanges()
    #expect(room.palette?.names == ["green", "grey"])
    var partial = FetchDescriptor<Room>()
    partial.propertiesToFetch = [\.palette]
    let third = ModelContext(context.container)
    let part = try #require(try third.fetch(partial).first)
    #expect(part.palette?.names == ["green", "grey"])
    #expect(part.name == "old")
    part.palette = nil
    try third.save()
    context.processPendingChanges()
    #expect(room.palette == nil)
  }
}
