import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// What a context shows of models that others change, or that inherit.
@Suite(.databases) struct SharedModelsTests {
  @Model class Item {
    var number: Int
    var text = "t"
    var box: Box?

    init(_ number: Int) { self.number = number }
  }

  @Model final class Paper: Item {
    var pages = 1

    override init(_ number: Int) { super.init(number) }
  }

  @Model final class Box {
    var number: Int
    var text = "b"
    @Relationship(inverse: \Item.box) var items: [Item] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Setting {
    @Attribute(.unique) var key: String
    var value: Int

    init(_ key: String, _ value: Int) { (self.key, self.value) = (key, value) }
  }

  private func container(_ url: URL? = nil) throws -> ModelContainer {
    try ModelContainer(
      for: Item.self, Paper.self, Box.self, Setting.self,
      configurations: url.map { ModelConfiguration(url: $0) }
        ?? ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private final class Flag: Sendable {
    let isRaised = Mutex(false)
  }

  private func watched(_ read: () -> Void) -> Flag {
    let flag = Flag()
    withObservationTracking(read) { flag.isRaised.withLock { $0 = true } }
    return flag
  }

  private func expectNotified(
    _ what: String, _ flag: Flag, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let isNotified = flag.isRaised.withLock { $0 }
    #expect(isNotified, "\(what)", sourceLocation: sourceLocation)
  }

  @Test func observersOfInheritedPropertiesAreNotified() throws {
    let context = ModelContext(try container())
    context.undoManager = UndoManager()
    let paper = Paper(1)
    let box = Box(2)
    context.insert(paper)
    context.insert(box)
    try context.save()

    let other = ModelContext(context.container)
    let saved = watched { _ = paper.text }
    let own = watched { _ = paper.pages }
    let theirs = try #require(try other.fetch(FetchDescriptor<Paper>()).first)
    (theirs.text, theirs.pages) = ("other", 2)
    try other.save()
    context.processPendingChanges()
    #expect(paper.text == "other" && paper.pages == 2)
    expectNotified("saved by another context", saved)
    expectNotified("own property", own)

    let link = watched { _ = paper.box }
    box.items.append(paper)
    expectNotified("other side of a relationship", link)
    try context.save()

    paper.text = "edited"
    let rolledBack = watched { _ = (paper as Item).text }
    context.rollback()
    expectNotified("rolled back", rolledBack)

    paper.text = "again"
    context.processPendingChanges()
    let undone = watched { _ = paper.text }
    context.undoManager?.undo()
    expectNotified("undone", undone)

    let emptied = watched { _ = paper.box }
    context.delete(box)
    try context.save()
    #expect(paper.box == nil)
    expectNotified("emptied by a delete rule", emptied)
  }

  @Test func aListOfAnEditedModelShowsWhatAnotherContainerHasSaved() throws {
    let folder = try TemporaryFolder()
    let x = ModelContext(try container(folder.store))
    let y = ModelContext(try container(folder.store))
    let (box, item) = (Box(1), Item(9))
    x.insert(box)
    x.insert(item)
    try x.save()
    #expect(box.items.isEmpty)
    box.text = "edited"
    let theirs = try #require(try y.fetch(FetchDescriptor<Box>()).first)
    try #require(try y.fetch(FetchDescriptor<Item>()).first).box = theirs
    theirs.number = 5
    try y.save()
    let notified = watched { _ = box.items }
    _ = try x.fetch(FetchDescriptor<Box>())
    _ = try x.fetch(FetchDescriptor<Item>())
    #expect(box.items.map(\.number) == [9] && box.number == 5 && box.text == "edited")
    expectNotified("the list", notified)
    let full = FetchDescriptor<Box>(predicate: #Predicate { $0.items.count == 1 })
    #expect(try x.fetchCount(full) == 1)
    try x.save()
    #expect(box.items.map(\.number) == [9])
  }

  @Test func aModelIsInOneListOnly() throws {
    let x = ModelContext(try container())
    let y = ModelContext(x.container)
    let boxes = [Box(1), Box(2)]
    let (first, second) = (Item(4), Item(9))
    for box in boxes { x.insert(box) }
    for item in [first, second] { x.insert(item) }
    try x.save()
    #expect(boxes[0].items.isEmpty && boxes[1].items.isEmpty)
    first.box = boxes[0]
    boxes[1].items.append(second)
    let theirs = try #require(
      try y.fetch(FetchDescriptor<Item>(predicate: #Predicate { $0.number == 9 })).first)
    theirs.box = try y.fetch(FetchDescriptor<Box>(predicate: #Predicate { $0.number == 1 })).first
    try y.save()
    x.processPendingChanges()
    #expect(second.box === boxes[1])
    #expect(boxes[0].items.map(\.number) == [4])
    #expect(boxes[1].items.map(\.number) == [9])
    try x.save()
    #expect(boxes[0].items.map(\.number) == [4])
    #expect(boxes[1].items.map(\.number) == [9])
  }

  @Test func modelsThatOneSaveMergesShowTheLastValues() throws {
    let context = ModelContext(try container())
    let kept = Setting("same", 0)
    context.insert(kept)
    try context.save()
    for round in 1...3 {
      let settings = (0..<40).map { Setting($0 % 2 == 0 ? "same" : "other", round * 100 + $0) }
      for setting in settings { context.insert(setting) }
      try context.save()
      #expect(kept.value == round * 100 + 38)
      for (index, setting) in settings.enumerated() {
        #expect(setting.value == round * 100 + (index % 2 == 0 ? 38 : 39), "\(round) \(index)")
      }
      #expect(try context.fetchCount(FetchDescriptor<Setting>()) == 2)
    }
  }

  /// Each save costs the same, however many models were merged with the row before.
  @Test func mergingManyModelsWithOneRowTakesLinearTime() throws {
    func time(_ count: Int) throws -> Duration {
      let context = ModelContext(try container())
      context.insert(Setting("same", -1))
      try context.save()
      for number in 0..<count { context.insert(Setting("same", number)) }
      return try ContinuousClock().measure { try context.save() }
    }
    _ = try time(100)
    let (small, large) = (try time(500), try time(4_000))
    #expect(large < small * 30, "\(small), then \(large)")
  }
}
