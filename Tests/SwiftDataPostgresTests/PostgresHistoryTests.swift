import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

/// The history with several containers on one database.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresHistoryTests {
  let database: MemoDatabase
  let mine: ModelContainer
  let theirs: ModelContainer

  init() throws {
    database = try MemoDatabase()
    mine = try database.container()
    theirs = try database.container()
  }

  @Test func transactionsOfAllContainersAreInTheOrderOfCommits() throws {
    for number in 0..<6 {
      try (number % 2 == 0 ? mine : theirs).add("\(number)", author: number % 2 == 0 ? "a" : "b")
    }
    let found = try theirs.transactions()
    #expect(found.map(\.author) == ["a", "b", "a", "b", "a", "b"])
    #expect(found.map(\.transactionIdentifier).sorted() == found.map(\.transactionIdentifier))
    #expect(try mine.transactions(after: found[3].token).map(\.author) == ["a", "b"])
    let encoded = try JSONEncoder().encode(found[4].token)
    let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: encoded)
    #expect(try mine.transactions(after: token).count == 1)
  }

  @Test func aTokenOfAnotherStoreIsRefused() throws {
    let other = try MemoDatabase().container()
    try other.add("a")
    try mine.add("a")
    let token = try #require(try other.transactions().last?.token)
    #expect(throws: SwiftDataError.historyTokenExpired) { try mine.transactions(after: token) }
  }

  @Test func aTokenBeforeDeletedHistoryIsExpired() throws {
    for number in 0..<5 { try mine.add("\(number)") }
    let tokens = try mine.transactions().map(\.token)
    let end = tokens[2]
    try theirs.deleteTransactions(through: end)
    #expect(throws: SwiftDataError.historyTokenExpired) { try mine.transactions(after: tokens[1]) }
    #expect(try mine.transactions(after: tokens[2]).count == 2)
    #expect(try mine.transactions().count == 2)
  }

  @Test func afterAllHistoryWasDeletedOldTokensAreExpiredAndTheLastOneIsNot() throws {
    for number in 0..<3 { try mine.add("\(number)") }
    let tokens = try mine.transactions().map(\.token)
    try theirs.deleteTransactions()
    #expect(throws: SwiftDataError.historyTokenExpired) { try mine.transactions(after: tokens[1]) }
    #expect(try mine.transactions(after: tokens[2]).isEmpty)
    try theirs.add("later")
    #expect(try mine.transactions(after: tokens[2]).count == 1)
    #expect(try mine.transactions(after: tokens[2])[0].token > tokens[2])
  }

  /// The texts are found once, and are equal in Swift.
  @Test func theBytesOfAnAuthorAreKept() throws {
    let container = try database.container()
    let spellings = ["Jos\u{E9}", "Jose\u{301}"]
    for number in 0..<6 { try container.add("\(number)", author: spellings[number % 2]) }
    let found = try container.transactions().map { Array(($0.author ?? "").utf8) }
    #expect(found == (0..<6).map { Array(spellings[$0 % 2].utf8) })
  }

  @Test func anAuthorThatCannotBeStoredIsNamed() throws {
    let container = try MemoDatabase().container()
    for author in ["a\u{0}b", TestDatabase.incompressibleText(20_000)] {
      let error = #expect(throws: SwiftDataError.storeWriteFailure) {
        try container.add("a", author: author)
      }
      #expect(error?.reason == .invalidValue(entity: nil, property: "author"))
      #expect(error?.description.contains("The author or the name of the context") == true)
    }
    try container.add("b", author: "b")
    #expect(try container.texts() == ["b"])
  }

  /// Deleting some transactions after a token leaves the token valid, as in the default store.
  @Test func deletingTheTransactionsOfAnAuthorLeavesTokensValid() throws {
    try mine.add("0", author: "me")
    try mine.add("1", author: "you")
    try mine.add("2", author: "me")
    let token = try mine.transactions()[0].token
    try ModelContext(theirs).deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "you" }))
    #expect(try mine.transactions(after: token).map(\.author) == ["me"])
  }

  /// A number that a rolled-back transaction or a crash left out is not a deleted transaction.
  @Test func aMissingNumberDoesNotExpireATokenBeforeIt() throws {
    for number in 0..<3 { try mine.add("\(number)") }
    let tokens = try mine.transactions().map(\.token)
    try theirs.deleteTransactions(through: tokens[2])
    try PostgresServer.shared.connect().execute(
      "SET search_path = \(database.schema); "
        + "UPDATE \"Z_PRIMARYKEY\" SET \"Z_MAX\" = \"Z_MAX\" + 5 WHERE \"Z_ENT\" = 16002")
    try theirs.add("after the gap")
    #expect(try mine.transactions(after: tokens[2]).count == 1)
    #expect(throws: SwiftDataError.historyTokenExpired) { try mine.transactions(after: tokens[1]) }
  }

  @Test func theStoreProvidesItsHistoryThroughThePublicProtocol() throws {
    let schema = Schema([Memo.self])
    let store = try PostgresStore(
      PostgresConfiguration(schema: schema, url: database.url), migrationPlan: nil)
    try mine.add("a", author: "me")
    let found = try store.fetchHistory(HistoryDescriptor())
    #expect(found.map(\.author) == ["me"])
    try store.deleteHistory(HistoryDescriptor())
    #expect(try mine.transactions().isEmpty)
  }

  @Test func tombstonesNameDeletedModels() throws {
    let context = ModelContext(mine)
    let memo = Memo("a")
    context.insert(memo)
    try context.save()
    let identifier = memo.persistentModelID
    context.delete(memo)
    try context.save()
    let last = try #require(try theirs.transactions().last)
    guard case .delete(let deletion) = last.changes.first else {
      Issue.record("no deletion")
      return
    }
    #expect(deletion.changedPersistentIdentifier == identifier)
  }

  // MARK: Retention

  @Test func oldHistoryIsPrunedWhileSeveralContainersSave() async throws {
    let database = database
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          let container = try database.container {
            $0.historyRetention = HistoryRetention(maximumCount: 20)
          }
          for number in 0..<40 { try container.add("\(writer)", number: number) }
        }
      }
      try await group.waitForAll()
    }
    let rest = try mine.transactions()
    // A limit may be exceeded by a sixteenth, and each container prunes at its own times.
    #expect(rest.count >= 20)
    #expect(rest.count <= 60)
    #expect(rest.allSatisfy { $0.changes.count == 1 })
    #expect(try mine.texts().count == 160)
    let tokens = rest.map(\.token)
    #expect(try mine.transactions(after: tokens[0]).count == rest.count - 1)
  }

  /// A unit of work holds the lock that saves share. Other saves would wait behind a step of the pruning.
  @Test func pruningWaitsShortlyForAUnitOfWork() async throws {
    let limits = Mutex<[String]>([])
    let container = try database.container {
      $0.historyRetention = HistoryRetention(maximumCount: 1)
      $0.statementLog = StatementLog { event in
        guard case .statement(let statement) = event,
          statement.sql.hasPrefix("SET LOCAL lock_timeout = ")
        else { return }
        limits.withLock { $0.append(statement.sql) }
      }
    }
    let unit = try PostgresServer.shared.connect()
    try unit.execute(
      "SET search_path = \(database.schema); BEGIN; "
        + "LOCK TABLE \"Z_PRIMARYKEY\" IN ROW EXCLUSIVE MODE")
    for number in 0..<3 { try container.add("\(number)") }
    #expect(limits.withLock(\.first) == "SET LOCAL lock_timeout = 100")
    #expect(try mine.transactions().count == 3)
    try unit.execute("ROLLBACK")
    try await eventually("the history is pruned") {
      try container.add("later")
      return try mine.transactions().count == 1
    }
  }

  @Test func historyIsPrunedByAgeAndSize() throws {
    for number in 0..<40 { try mine.add("\(number)") }
    let connection = try PostgresServer.shared.connect()
    try connection.execute("SET search_path = \(database.schema)")
    try connection.execute("UPDATE \"ATRANSACTION\" SET \"ZTIMESTAMP\" = \"ZTIMESTAMP\" - 100")
    let byAge = try database.container {
      $0.historyRetention = HistoryRetention(maximumAge: 50)
    }
    try byAge.add("later")
    #expect(try mine.transactions().count == 1)
    for number in 0..<40 { try mine.add("\(number)") }
    let bySize = try database.container {
      $0.historyRetention = HistoryRetention(maximumSize: 2000)
    }
    try bySize.add("last")
    #expect((1...20).contains(try mine.transactions().count))
  }

  @Test func theHistoryOfADeletedAuthorLeavesNoTexts() throws {
    try mine.add("a", author: "somebody")
    try theirs.deleteTransactions()
    let connection = try PostgresServer.shared.connect()
    try connection.execute("SET search_path = \(database.schema)")
    #expect(try connection.prepare("SELECT count(*) FROM \"ATRANSACTIONSTRING\"").integer() == 0)
    #expect(try connection.prepare("SELECT count(*) FROM \"ACHANGE\"").integer() == 0)
  }

  // MARK: Size

  /// One save of 100,000 models, read with its changes.
  @Test func aLongHistoryIsReadWithBoundedMemory() throws {
    let context = ModelContext(mine)
    for number in 0..<100_000 { context.insert(Memo("m", number: number)) }
    try context.save()
    let clock = ContinuousClock()
    var count = 0
    let before = residentBytes()
    let time = try clock.measure {
      count = try theirs.transactions().reduce(0) { $0 + $1.changes.count }
    }
    print(
      "100,000 changes: \(time), \((residentBytes() - before) / 1_048_576) MB more while they are used"
    )
    #expect(count == 100_000)
    #expect(time < .seconds(60))
  }
}

extension ModelContainer {
  fileprivate func deleteTransactions(through token: DefaultHistoryToken? = nil) throws {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token { descriptor.predicate = #Predicate { $0.token <= token } }
    try ModelContext(self).deleteHistory(descriptor)
  }
}

/// The largest memory of the process so far, in bytes.
private func residentBytes() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
  return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) * 1024
}
