import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// Saves of several stores: the order of locks, and a store that fails to commit after another one has.
@Suite(.databases) struct SeveralStoresCommitTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func container(reversed: Bool = false) throws -> ModelContainer {
    let configurations = [
      ModelConfiguration(
        "stops", schema: Schema([Graph.Stop.self]), url: folder.url.appending(path: "stops.store")),
      ModelConfiguration(
        "parents", schema: Schema([Graph.Parent.self, Graph.Child.self, Graph.Toy.self]),
        url: folder.store),
    ]
    return try ModelContainer(
      for: Schema([Graph.Stop.self, Graph.Parent.self, Graph.Child.self, Graph.Toy.self]),
      configurations: reversed ? configurations.reversed() : configurations)
  }

  private func counts() throws -> [Int64?] {
    [
      try StoredTables.integer(
        "SELECT count(*) FROM ZSTOP", in: folder.url.appending(path: "stops.store")),
      try StoredTables.integer("SELECT count(*) FROM ZPARENT", in: folder.store),
    ]
  }

  @Test(arguments: [false, true]) func saversInBothOrdersDoNotWaitForEachOther(
    inTwoContainers: Bool
  ) async throws {
    let first = try container()
    let second = inTwoContainers ? try container(reversed: true) : first
    let count = 50
    async let one: Void = {
      let context = ModelContext(first)
      for index in 0..<count {
        context.insert(Graph.Stop("\(index)"))
        context.insert(Graph.Parent("\(index)"))
        try context.save()
      }
    }()
    async let other: Void = {
      let context = ModelContext(second)
      for index in 0..<count {
        context.insert(Graph.Parent("\(index)"))
        context.insert(Graph.Stop("\(index)"))
        try context.save()
      }
    }()
    _ = try await (one, other)
    #expect(try counts() == [Int64(2 * count), Int64(2 * count)])
  }

  /// Lets the commit of the n-th store fail.
  private func failingCommit(
    _ number: Int, _ code: ResultCode = .full, isTransaction: Bool = false,
    _ body: () throws -> Void
  ) throws {
    try #require(FailureInjector.isAvailable)
    let bench = try SeveralStoresCommitTests()
    let probe = FailureInjector(failingAt: nil)
    var commits: [Int] = []
    let context = ModelContext(try bench.container())
    context.insert(Graph.Stop("s"))
    context.insert(Graph.Parent("p"))
    try probe.run {
      if isTransaction { try context.transaction {} } else { try context.save() }
      commits = probe.operations.indices.filter { probe.operations[$0] == "COMMIT" }
    }
    try #require(commits.indices.contains(number), "no file was committed")
    let injector = FailureInjector(failingAt: commits[number] + 1, code)
    try injector.run(body)
  }

  @Test(.sqliteOnly("fails the commit of a file"))
  func aStoreThatFailsToCommitFirstLeavesBothUnsaved() throws {
    let context = ModelContext(try container())
    context.insert(Graph.Stop("s"))
    context.insert(Graph.Parent("p"))
    try failingCommit(0) {
      let error = #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
      #expect(error?.committedStores == [])
    }
    #expect(context.insertedModelsArray.count == 2)
    #expect(try counts() == [0, 0])
    try context.save()
    #expect(try counts() == [1, 1])
  }

  @Test(.sqliteOnly("fails the commit of a file"))
  func aStoreThatFailsToCommitLaterLeavesItsModelsUnsaved() throws {
    let container = try container()
    let (context, sibling) = (ModelContext(container), ModelContext(container))
    let (stop, parent) = (Graph.Stop("s"), Graph.Parent("p"))
    context.insert(stop)
    context.insert(parent)
    nonisolated(unsafe) var inserted: [Int] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { note in
      inserted.append((note.userInfo?["inserted"] as? [PersistentIdentifier])?.count ?? 0)
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try failingCommit(1) {
      let error = #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
      #expect(error?.committedStores == ["stops"])
      #expect(
        error?.description.contains("parents did not: its changes are still unsaved") == true)
      #expect(error?.database?.name == "SQLITE_FULL")
    }
    #expect(inserted == [1])
    #expect(context.insertedModelsArray.map(\.persistentModelID) == [parent.persistentModelID])
    #expect(stop.persistentModelID.storeIdentifier != nil && !stop.hasChanges)
    #expect(try sibling.fetchCount(FetchDescriptor<Graph.Stop>()) == 1)
    #expect(try counts() == [1, 0])
    try context.save()
    #expect(!context.hasChanges)
    #expect(try counts() == [1, 1])
  }

  @Test(.sqliteOnly("fails the commit of a file"))
  func aTransactionThatFailsToCommitLaterUndoesItsModels() throws {
    let context = ModelContext(try container())
    let (stop, parent) = (Graph.Stop("s"), Graph.Parent("p"))
    try failingCommit(1, isTransaction: true) {
      let error = #expect(throws: SwiftDataError.storeWriteFailure) {
        try context.transaction {
          context.insert(stop)
          context.insert(parent)
        }
      }
      #expect(error?.committedStores == ["stops"])
    }
    #expect(try counts() == [1, 0])
    #expect(parent.modelContext == nil && !context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Graph.Stop>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Graph.Parent>()) == 0)
  }

  @Test(.sqliteOnly("kills a process that writes files"), arguments: SaveStep.allCases)
  func aProcessThatDiesInBetweenLeavesWholeStores(
    step: SaveStep
  ) async throws {
    let worker = try StoreWorkerProcess(["die", folder.url.path, step.rawValue])
    _ = try await worker.text()
    #expect(worker.process.terminationReason == .uncaughtSignal)
    let stores = ["batches", "negatives"].map { folder.url.appending(path: "\($0).store") }
    let counts = try [
      StoredTables.integer("SELECT count(*) FROM ZBATCH", in: stores[0]),
      StoredTables.integer("SELECT count(*) FROM ZNEGATIVE", in: stores[1]),
    ]
    switch step {
    case .begun, .locked, .written, .announced: #expect(counts == [0, 0])
    // What the documentation says: the stores that come first have it.
    case .partiallyCommitted: #expect(counts == [1, 0])
    case .committed: #expect(counts == [1, 1])
    }
  }
}
