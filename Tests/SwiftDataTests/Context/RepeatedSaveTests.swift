import Foundation
import SwiftData
import Testing

@Suite(.databases) struct RepeatedSaveTests {
  private func open(_ folder: TemporaryFolder) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(Graph.types), configurations: [ModelConfiguration(url: folder.store)]))
  }

  @Test func aSecondSaveWithoutChangesWritesNothing() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    context.insert(Graph.Parent("p"))
    try context.save()
    let saves = Counter()
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { _ in saves.add() }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.save()
    #expect(saves.value == 0)
    #expect(try context.count(Graph.Parent.self) == 1)
  }

  @Test(.sqliteOnly("reads the file")) func everySaveOfAnEditCountsTheRowUp() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    let parent = Graph.Parent("v1")
    context.insert(parent)
    try context.save()
    for version in 2...4 {
      parent.name = "v\(version)"
      try context.save()
    }
    let row = try SQLiteFile.text("SELECT ZNAME || ' ' || Z_OPT FROM ZPARENT", in: folder.store)
    #expect(row == "v4 4")
    #expect(try open(folder).fetch(FetchDescriptor<Graph.Parent>()).map(\.name) == ["v4"])
  }

  @Test func editsBetweenSavesReachTheRightColumns() throws {
    let folder = try TemporaryFolder()
    do {
      let context = try open(folder)
      let route = Graph.Route("r")
      route.start = Graph.Stop("s")
      context.insert(route)
      try context.save()
      route.name = "r2"
      try context.save()
      route.start = Graph.Stop("t")
      try context.save()
      route.stops = [Graph.Stop("u")]
      try context.save()
      route.name = "r3"
      try context.save()
    }
    let route = try #require(try open(folder).fetch(FetchDescriptor<Graph.Route>()).first)
    #expect(route.name == "r3")
    #expect(route.start?.name == "t")
    #expect(route.stops.map(\.name) == ["u"])
  }

  @Test func assigningAnEqualValueStillSaves() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    let parent = Graph.Parent("p")
    context.insert(parent)
    try context.save()
    parent.name = "p"
    try context.save()
    #expect(parent.name == "p")
    #expect(!context.hasChanges)
  }
}

private final class Counter: @unchecked Sendable {
  private(set) var value = 0
  func add() { value += 1 }
}

@Suite(.databases) struct UniqueEditTests {
  @Test(.sqliteOnly("reads the file")) func anEditOfAUniqueValueCountsTheRowUpOnce() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(
        for: Upserting.Maker.self, configurations: ModelConfiguration(url: folder.store)))
    let maker = Upserting.Maker("a", "A")
    context.insert(maker)
    try context.save()
    maker.code = "b"
    maker.title = "B"
    try context.save()
    let row = try SQLiteFile.text(
      "SELECT ZCODE || ' ' || ZTITLE || ' ' || Z_OPT FROM ZMAKER", in: folder.store)
    #expect(row == "b B 2")
  }
}
