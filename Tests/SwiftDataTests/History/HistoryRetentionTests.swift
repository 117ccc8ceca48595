import Foundation
import SwiftData
import Synchronization
import Testing

/// What a retention leaves of the history, and when.
struct HistoryRetentionTests {
  private func store(_ retention: HistoryRetention?) throws -> HistoryStore {
    try HistoryStore(Library.types) { $0.historyRetention = retention }
  }

  private func save(_ count: Int, in context: ModelContext) throws {
    for index in 0..<count {
      context.insert(Shelf(label: "\(index)"))
      try context.save()
    }
  }

  private func engine(_ context: ModelContext) throws -> RelationalStore {
    try #require(context.container.stores.first as? DefaultStore).engine
  }

  @Test func theNewestStay() throws {
    let store = try store(HistoryRetention(maximumCount: 5))
    for count in 1...12 {
      try save(1, in: store.context)
      #expect(try store.numbers() == Array(max(1, count - 4)...count))
    }
    #expect(
      try store.lines("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002") == ["12"])
    try store.context.delete(model: Shelf.self)
    #expect(try store.numbers() == Array(9...13))
    #expect(try store.lines("SELECT count(*) FROM ATRANSACTIONSTRING") == ["1"])
  }

  @Test func aLimitIsExceededByASixteenthAtMost() throws {
    let store = try store(HistoryRetention(maximumCount: 48))
    var counts: [Int] = []
    for _ in 0..<120 {
      try save(1, in: store.context)
      counts.append(try store.numbers().count)
    }
    #expect(counts.max() == 51)
    #expect(counts.dropFirst(60).min() == 48)
  }

  @Test func oldTransactionsGo() throws {
    let store = try store(nil)
    try save(6, in: store.context)
    try store.execute("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 7200 WHERE Z_PK < 4")
    let context = try store.reopened { $0.historyRetention = HistoryRetention(maximumAge: 3600) }
    try save(1, in: context)
    #expect(try store.numbers() == [4, 5, 6, 7])
    // A clock that was wrong: what is behind an old transaction is not older.
    try store.execute("UPDATE ATRANSACTION SET ZTIMESTAMP = 0 WHERE Z_PK = 6")
    let other = try store.reopened { $0.historyRetention = HistoryRetention(maximumAge: 3600) }
    try save(1, in: other)
    #expect(try store.numbers() == [4, 5, 6, 7, 8])
  }

  /// The pruning that leaves nothing is not the last one.
  @Test func aHistoryThatWasRemovedAsAWholeIsPrunedAgain() throws {
    let store = try store(HistoryRetention(maximumAge: 0))
    for _ in 0..<3 {
      try save(1, in: store.context)
      #expect(try store.numbers() == [])
    }
  }

  @Test func theSizeIsTheOneOfTheTables() throws {
    let limit = 60_000
    let store = try store(HistoryRetention(maximumSize: limit))
    let context = store.context
    let shelves = (0..<40).map { Shelf(label: "\($0)") }
    for shelf in shelves { context.insert(shelf) }
    for round in 0..<150 {
      for shelf in shelves { shelf.label = "\(round)" }
      try context.save()
    }
    let size = try store.lines(
      """
      SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema
      WHERE tbl_name IN ('ACHANGE', 'ATRANSACTION'))
      """
    ).compactMap { Double($0) }
    let ratio = (size.first ?? 0) / Double(limit)
    #expect(ratio > 0.6 && ratio < 1.6, "\(ratio)")
    #expect(try store.numbers().last == 150)
  }

  @Test func aLongHistoryGoesInSmallSteps() throws {
    let store = try store(nil)
    for _ in 0..<10 {
      for index in 0..<300 { store.context.insert(Shelf(label: "\(index)")) }
      try store.context.save()
    }
    let context = try store.reopened { $0.historyRetention = HistoryRetention(maximumCount: 1) }
    var steps: [[Int]] = []
    for _ in 0..<5 {
      try save(1, in: context)
      steps.append(try store.numbers())
    }
    // Three transactions of 300 changes each time; then those that were added meanwhile.
    #expect(steps[0] == Array(4...11))
    #expect(steps[1] == Array(7...12))
    #expect(steps[2] == Array(10...13))
    #expect(steps[3] == Array(11...14))
    #expect(steps[4] == [15])
  }

  @Test func whatAnObserverHasNotReadStays() throws {
    let store = try store(HistoryRetention(maximumCount: 2))
    let holds = try engine(store.context).holds
    let (slow, fast) = (holds.begin(at: 0), holds.begin(at: 0))
    holds.move(fast, to: 3)
    try save(5, in: store.context)
    #expect(try store.numbers() == [1, 2, 3, 4, 5])
    holds.move(slow, to: 2)
    try save(2, in: store.context)
    #expect(try store.numbers() == [3, 4, 5, 6, 7])
    // A deletion that was asked for does not wait.
    try store.context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.transactionIdentifier == 3 }))
    #expect(try store.numbers() == [4, 5, 6, 7])
    holds.end(slow)
    holds.end(fast)
    try save(2, in: store.context)
    #expect(try store.numbers() == [8, 9])
  }

  @Test func aFollowerKeepsTransactionsAfterItsLastOne() throws {
    let store = try store(HistoryRetention(maximumCount: 2))
    try save(1, in: store.context)
    let engine = try engine(store.context)
    let all = HistoryFilter(entities: nil, authors: [])
    let follower = try #require(try engine.historyFollower(after: nil, all))
    try save(1, in: store.context)
    #expect(try follower.hasNewTransactions())
    try save(5, in: store.context)
    #expect(try store.numbers() == [3, 4, 5, 6, 7])
    #expect(try follower.hasNewTransactions())
    try save(2, in: store.context)
    #expect(try store.numbers() == [8, 9])
  }

  /// A limit that is none keeps everything.
  @Test(arguments: [
    HistoryRetention(maximumCount: .max), HistoryRetention(maximumSize: .max),
    HistoryRetention(maximumAge: .infinity),
    HistoryRetention(maximumAge: .greatestFiniteMagnitude, maximumCount: .max, maximumSize: .max),
  ]) func theLargestNumbersAreNoLimits(retention: HistoryRetention) throws {
    let store = try store(retention)
    for _ in 0..<3 { try save(5, in: store.context) }
    let all = HistoryDescriptor<DefaultHistoryTransaction>()
    #expect(try store.context.fetchHistory(all).count == 15)
  }

  @Test(arguments: [
    ("maximumAge", HistoryRetention(maximumAge: -1)),
    ("maximumAge", HistoryRetention(maximumAge: .nan)),
    ("maximumCount", HistoryRetention(maximumCount: -1)),
    ("maximumSize", HistoryRetention(maximumSize: .min)),
  ]) func impossibleLimitsAreRefusedAtOpening(name: String, retention: HistoryRetention) throws {
    let error = thrownError { _ = try store(retention) }
    #expect(error == .loadIssueModelContainer)
    #expect(error?.description.contains("historyRetention.\(name)") == true, "\(error as Any)")
  }

  @Test func aSaveDoesNotFailWithThePruning() throws {
    let store = try store(nil)
    try save(3, in: store.context)
    try store.execute(
      """
      CREATE TRIGGER keeps BEFORE DELETE ON ATRANSACTION WHEN old.Z_PK = 2
      BEGIN SELECT RAISE(ABORT, 'kept'); END
      """)
    let context = try store.reopened { $0.historyRetention = HistoryRetention(maximumCount: 1) }
    try save(2, in: context)
    #expect(try store.numbers() == [1, 2, 3, 4, 5])
    #expect(try store.lines("SELECT count(*) FROM ZSHELF") == ["5"])
  }

  @Test func nothingIsReadWhileNothingIsDue() throws {
    let statements = Mutex<[String]>([])
    func count(_ retention: HistoryRetention?) throws -> Int {
      let store = try HistoryStore(Library.types) { configuration in
        configuration.historyRetention = retention
        configuration.statementLog = StatementLog { event in
          if case .statement(let statement) = event {
            statements.withLock { $0.append(statement.sql) }
          }
        }
      }
      // The first save prunes, and the one after it reads the end of the history again.
      try save(2, in: store.context)
      statements.withLock { $0 = [] }
      try save(10, in: store.context)
      return statements.withLock { $0.count }
    }
    let without = try count(nil)
    #expect(without > 10)
    #expect(
      try count(HistoryRetention(maximumAge: 3600, maximumCount: 100, maximumSize: 1_000_000))
        == without)
  }

  @Test func twoContainersPruneOneFile() async throws {
    let store = try store(HistoryRetention(maximumCount: 4))
    let other = try store.reopened { $0.historyRetention = HistoryRetention(maximumCount: 6) }
    for _ in 0..<10 {
      try save(1, in: store.context)
      try save(1, in: other)
    }
    let containers = [store.context.container, other.container]
    await withTaskGroup(of: Void.self) { group in
      for container in containers {
        group.addTask {
          let context = ModelContext(container)
          for index in 0..<40 {
            context.insert(Shelf(label: "\(index)"))
            do { try context.save() } catch { Issue.record(error) }
          }
        }
      }
    }
    try save(1, in: store.context)
    let numbers = try store.numbers()
    #expect(numbers == Array(98...101))
    #expect(try store.lines("SELECT count(*) FROM ZSHELF") == ["101"])
  }
}
