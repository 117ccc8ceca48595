import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

/// Reads from a streaming standby of a real server.
@Suite(.enabled(if: PostgresServer.isAvailable), .serialized)
final class PostgresReplicaTests: Sendable {
  let server: PostgresServer
  let standby: PostgresStandby
  let database: MemoDatabase
  let readURL: String
  let warnings = Warnings()

  final class Warnings: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock(\.self) }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  init() throws {
    server = try PostgresServer()
    standby = try PostgresStandby(of: server, port: 5433)
    database = try MemoDatabase(server)
    readURL = standby.address(like: database.url)
    // Creates the tables, which the standby then has.
    _ = try database.container()
    try PostgresReplicaTests.wait { try self.standbyHas(0) }
  }

  deinit { server.stop() }

  private static func wait(_ condition: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(20)
    while try !condition() {
      if ContinuousClock.now > end { throw PostgresServer.Failure(description: "not within 20 s") }
      Thread.sleep(forTimeInterval: 0.005)
    }
  }

  /// Whether the standby has the tables and at least this many memos.
  private func standbyHas(_ count: Int64) throws -> Bool {
    let connection = try standby.connect()
    try connection.execute("SET search_path = \(database.schema)")
    let hasTable = try connection.prepare("SELECT count(to_regclass('\"Z_DELETEDHISTORY\"'))")
    guard try hasTable.integer() == 1 else { return false }
    return try connection.prepare("SELECT count(*) FROM \"ZMEMO\"").integer() ?? 0 >= count
  }

  private func container(
    _ configure: (inout PostgresConfiguration) -> Void = { _ in }
  ) throws -> ModelContainer {
    try database.container(readURLs: [readURL], configure)
  }

  /// Reads until the standby answers: it is connected in the background.
  private func waitForStandby(_ container: ModelContainer) throws {
    let before = container.standbyReads
    try PostgresReplicaTests.wait {
      _ = try container.texts()
      return container.standbyReads > before
    }
  }

  @Test func fetchesGoToTheStandbyAndSavesToThePrimary() throws {
    let container = try container()
    try container.add("a")
    try waitForStandby(container)
    let before = container.standbyReads
    for _ in 0..<50 { #expect(try container.texts() == ["a"]) }
    #expect(container.standbyReads == before + 50)
    let texts = try standby.connect().prepare(
      "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT % FROM \"ZMEMO\"%'")
    #expect(try texts.integer() ?? 0 > 0)
  }

  /// It has transactions with the same numbers and other contents.
  @Test func aPromotedStandbyIsNotRead() throws {
    try WarningLog.$receiver.withValue({ [warnings] in warnings.add($0) }) {
      let container = try container()
      try container.add("a")
      try waitForStandby(container)
      try standby.promote()
      let other = try ModelContainer(
        for: Memo.self, configurations: PostgresConfiguration(url: readURL))
      for number in 0..<5 { try other.add("other \(number)") }
      for number in 0..<3 {
        try container.add("own \(number)")
        #expect(try container.texts().filter { $0.hasPrefix("own") }.count == number + 1)
        #expect(try !container.texts().contains("other 0"))
      }
      #expect(warnings.all.contains { $0.contains("it is no standby") }, "\(warnings.all)")
    }
  }

  @Test func aTokenIsIncludedInLaterReads() throws {
    let container = try container()
    try waitForStandby(container)
    try standby.pauseReplay()
    try database.container().add("new")
    let token = try container.lastHistoryToken()
    #expect(try container.texts() == ["new"])
    let later = try ModelContext(container).fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    #expect(later.isEmpty)
    try standby.resumeReplay()
  }

  /// Tokens come from clients, for example in cookies.
  @Test func aForgedTokenDoesNotKeepReadsFromTheStandby() throws {
    try WarningLog.$receiver.withValue({ [warnings] in warnings.add($0) }) {
      let container = try container()
      try container.add("a")
      try waitForStandby(container)
      let token = try container.lastHistoryToken()
      let text = String(decoding: try JSONEncoder().encode(token), as: UTF8.self)
      let number = try #require(text.matches(of: /[0-9]+/).last).output
      let forged = text.replacing(":\(number)", with: ":\(Int64.max)")
      #expect(forged != text)
      let before = container.standbyReads
      for _ in 0..<10 {
        container.includeInReads(
          try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(forged.utf8)))
        #expect(try container.texts() == ["a"])
      }
      #expect(container.standbyReads == before + 10)
      #expect(warnings.all == [])
    }
  }

  @Test func aSaveIsReadAtOnce() throws {
    let container = try container()
    try waitForStandby(container)
    for number in 1...200 {
      try container.add("\(number)", number: number)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Memo>()) == number)
    }
  }

  @Test func aSaveIsReadWhileTheStandbyLags() throws {
    let container = try WarningLog.$receiver.withValue({ self.warnings.add($0) }) {
      let container = try self.container()
      try waitForStandby(container)
      try standby.pauseReplay()
      for number in 1...20 {
        try container.add("\(number)")
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Memo>()) == number)
      }
      return container
    }
    #expect(warnings.all.count == 1)
    #expect(warnings.all.first?.contains("has not replayed") == true)
    try standby.resumeReplay()
    try waitForStandby(container)
    #expect(try container.texts().count == 20)
  }

  /// A standby that lags shows old rows to a container that does not know newer ones, but never goes
  /// back behind what it has shown.
  @Test func readsDoNotGoBackInTime() throws {
    let (reader, writer) = (try container(), try database.container())
    try waitForStandby(reader)
    try standby.pauseReplay()
    try writer.add("a")
    let known = try writer.lastHistoryToken()
    #expect(try writer.transactions().last?.token == known)
    // Not known here yet.
    #expect(try reader.texts() == [])
    reader.includeInReads(known)
    #expect(try reader.texts() == ["a"])
    try writer.add("b")
    for _ in 0..<3 { #expect(try reader.texts().count >= 1) }
    try standby.resumeReplay()
    try PostgresReplicaTests.wait { try reader.texts() == ["a", "b"] }
  }

  @MainActor @Test func anObserverReadsWhatItWasNotifiedOf() async throws {
    let (reader, writer) = (try container(), try database.container())
    try waitForStandby(reader)
    let observer = try ResultsObserver<Memo, Never>(
      sortBy: [SortDescriptor(\.text)], modelContext: ModelContext(reader))
    try standby.pauseReplay()
    try writer.add("a")
    try await eventually("the memo") { observer.results.map(\.text) == ["a"] }
    try standby.resumeReplay()
  }

  @Test func readsInsideATransactionSeeItsChanges() throws {
    let container = try container()
    try waitForStandby(container)
    let context = ModelContext(container)
    try context.transaction {
      context.insert(Memo("a"))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Memo>()) == 1)
    }
    #expect(try container.texts() == ["a"])
  }

  /// The models have lost a property without values. So the migration writes no history, and their rows can be
  /// read from the old tables too.
  @Test func aStandbyThatLagsBehindAMigrationIsNotRead() throws {
    let migrated = try MemoDatabase(server)
    do {
      let schema = Schema([NotedMemo.Memo.self])
      let context = ModelContext(
        try ModelContainer(
          for: schema, configurations: [PostgresConfiguration(url: migrated.url)]))
      context.insert(NotedMemo.Memo("a"))
      try context.save()
    }
    let replica = try standby.connect()
    try PostgresReplicaTests.wait {
      let table = "to_regclass('\(migrated.schema).\"ATRANSACTION\"')"
      guard try replica.prepare("SELECT count(\(table))").integer() == 1 else { return false }
      return try replica.prepare("SELECT count(*) FROM \(migrated.schema).\"ATRANSACTION\"")
        .integer() ?? 0 > 0
    }
    try standby.pauseReplay()
    let container = try WarningLog.$receiver.withValue({ self.warnings.add($0) }) {
      let container = try migrated.container(
        readURLs: [standby.address(like: migrated.url)]
      ) { $0.allowsMigrationLosses = true }
      // Longer than the time within which a change of the tables is noticed.
      let end = ContinuousClock.now + .seconds(1)
      while ContinuousClock.now < end { #expect(try container.texts() == ["a"]) }
      #expect(container.standbyReads == 0)
      return container
    }
    try standby.resumeReplay()
    try waitForStandby(container)
    try container.add("b")
    #expect(try container.texts() == ["a", "b"])
  }

  /// A container whose tables another one has migrated learns that from the primary server.
  @Test func aMigrationByOthersIsNoticedByReadsFromTheStandby() throws {
    let container = try container()
    try container.add("a")
    try waitForStandby(container)
    let later = Schema([NotedMemo.Memo.self])
    _ = try ModelContainer(
      for: later, configurations: [PostgresConfiguration(url: database.url)])
    let error = #expect(throws: SwiftDataError.storeReadFailure) {
      let end = ContinuousClock.now + .seconds(20)
      while ContinuousClock.now < end { _ = try container.texts() }
    }
    #expect(error?.description.contains("was migrated by another process") == true)
  }

  /// Another program may add entities of its own.
  @Test func aStandbyWithANewDescriptionOfTheSameEntitiesIsRead() throws {
    let container = try container()
    try container.add("a")
    try waitForStandby(container)
    try server.connect().execute(
      "UPDATE \(database.schema).\"Z_METADATA\" SET \"Z_VERSION\" = \"Z_VERSION\"")
    let count = container.standbyReads
    let end = ContinuousClock.now + .seconds(1)
    while ContinuousClock.now < end {
      let context = ModelContext(container)
      let texts = try context.snapshot { try context.fetch(FetchDescriptor<Memo>()).map(\.text) }
      #expect(texts == ["a"])
    }
    #expect(container.standbyReads > count)
    try container.add("b")
    #expect(try container.texts() == ["a", "b"])
  }

  @Test func theHistoryIsReadFromThePrimary() throws {
    let (reader, writer) = (try container(), try database.container())
    try waitForStandby(reader)
    try standby.pauseReplay()
    try writer.add("a")
    #expect(try reader.transactions().count == 1)
    // What the history has shown can be fetched.
    #expect(try reader.texts() == ["a"])
    try standby.resumeReplay()
  }

  @Test func aStandbyThatDiesIsReplacedByThePrimaryAndComesBack() throws {
    try WarningLog.$receiver.withValue({ self.warnings.add($0) }) {
      let container = try container()
      try container.add("a")
      try waitForStandby(container)
      try standby.stop()
      for _ in 0..<50 { #expect(try container.texts() == ["a"]) }
      try container.add("b")
      #expect(try container.texts() == ["a", "b"])
      #expect(warnings.all.count == 1)
      try standby.start()
      try waitForStandby(container)
      #expect(try container.texts() == ["a", "b"])
      #expect(warnings.all.count == 2)
    }
  }

  /// A container that reaches the standby through a proxy.
  private func container(
    through proxy: PostgresProxy, _ limit: Duration = .seconds(60)
  ) throws -> ModelContainer {
    let container = try database.container(readURLs: [proxy.address(like: readURL)]) {
      $0.statementTimeout = limit
    }
    try container.add("a")
    try waitForStandby(container)
    return container
  }

  /// The machine is off, so that not even a refusal comes back.
  @Test func anUnreachableStandbyDelaysNoRead() throws {
    let proxy = try PostgresProxy(to: server.socketFolder, port: 5433)
    let container = try container(through: proxy)
    proxy.set(.drop)
    try standby.connect().execute(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
      """)
    try PostgresReplicaTests.wait { proxy.openConnections.isEmpty }
    // The first read meets the loss.
    #expect(try container.texts() == ["a"])
    // Several reads end while one connection is being opened.
    var reads: [Int: Int] = [:]
    try PostgresReplicaTests.wait {
      let before = proxy.openConnections
      let texts = try container.texts()
      #expect(texts == ["a"])
      for number in proxy.openConnections.intersection(before) {
        reads[number, default: 0] += 1
      }
      return reads.values.contains { $0 > 2 }
    }
    proxy.set(.forward)
    try waitForStandby(container)
    #expect(try container.texts() == ["a"])
  }

  /// It accepts a connection, and then does not answer.
  @Test func aStandbyThatDoesNotAnswerDelaysNoOtherOne() throws {
    let proxies = try (0..<2).map { _ in
      try PostgresProxy(to: server.socketFolder, port: 5433)
    }
    proxies[0].set(.dropFrom("Z_METADATA"))
    let container = try database.container(readURLs: proxies.map { $0.address(like: readURL) }) {
      $0.statementTimeout = .seconds(15)
    }
    try PostgresReplicaTests.wait { proxies.allSatisfy { !$0.openConnections.isEmpty } }
    #expect(proxies[0].openConnections == [1])
    proxies[0].set(.forward)
    withExtendedLifetime(container) {}
  }

  /// The statement gets no answer, and the request to cancel it neither.
  @Test func aReadOfAStandbyThatStopsAnsweringRunsOnThePrimary() throws {
    let proxy = try PostgresProxy(to: server.socketFolder, port: 5433)
    let container = try container(through: proxy, .seconds(2))
    proxy.set(.drop)
    for _ in 0..<20 { #expect(try container.texts() == ["a"]) }
    proxy.set(.forward)
    try waitForStandby(container)
    #expect(try container.texts() == ["a"])
  }

  /// A standby keeps locks that the primary server has released, if it does not replay that.
  @Test func aReadThatWaitsForALockOfAStandbyRunsOnThePrimary() throws {
    let container = try database.container(readURLs: [readURL]) {
      $0.statementTimeout = .seconds(2)
    }
    try container.add("a")
    try waitForStandby(container)
    let administrator = try server.connect()
    try administrator.execute(
      "BEGIN; LOCK TABLE \(database.schema).\"ZMEMO\" IN ACCESS EXCLUSIVE MODE")
    let locks = try standby.connect().prepare(
      """
      SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' \
      AND relation = '\(database.schema)."ZMEMO"'::regclass
      """)
    try PostgresReplicaTests.wait { try locks.integer() == 1 }
    try standby.pauseReplay()
    try administrator.execute("COMMIT")
    #expect(try container.texts() == ["a"])
    // Later reads do not wait for the lock again, also after the shortest pause.
    Thread.sleep(forTimeInterval: 0.3)
    let before = container.standbyReads
    for _ in 0..<10 { #expect(try container.texts() == ["a"]) }
    #expect(container.standbyReads == before)
    try standby.resumeReplay()
  }

  @Test func aContainerOpensWhileTheStandbyIsDown() throws {
    try standby.stop()
    let container = try container()
    try container.add("a")
    #expect(try container.texts() == ["a"])
    try standby.start()
    try waitForStandby(container)
  }

  /// The standby is connected in the background, which takes long here.
  @MainActor @Test func aClosedContainerKeepsNoConnectionToAStandby() async throws {
    let proxy = try PostgresProxy(to: server.socketFolder)
    proxy.set(.slow(seconds: 0.3))
    let late = proxy.address(like: database.url) + " application_name=late"
    let container = try database.container(readURLs: [late])
    let connections = try server.connect().prepare(
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'late'")
    try await eventually("the connection begins") { try connections.integer() == 1 }
    try await container.close()
    try await eventually("it ends") { try connections.integer() == 0 }
    withExtendedLifetime(container) {}
  }

  @Test func aPromotedStandbyGoesOnAnswering() throws {
    let container = try container()
    try container.add("a")
    try waitForStandby(container)
    try standby.promote()
    #expect(try container.texts() == ["a"])
    // It does not get what the old primary commits now.
    try container.add("b")
    #expect(try container.texts() == ["a", "b"])
  }

  /// The address of the standby led to the store when the container was opened.
  @Test func anAddressThatLeadsToAnotherStoreLaterIsNotRead() throws {
    let other = try MemoDatabase(server)
    try other.container().add("other")
    let administrator = try server.connect()
    try administrator.execute(
      """
      CREATE ROLE reader LOGIN SUPERUSER; ALTER ROLE reader SET search_path = \(database.schema)
      """)
    let url = "host=\(server.socketFolder) user=reader dbname=postgres"
    try WarningLog.$receiver.withValue({ self.warnings.add($0) }) {
      let container = try database.container(readURLs: [url])
      try container.add("a")
      try waitForStandby(container)
      try administrator.execute(
        """
        ALTER ROLE reader SET search_path = \(other.schema);
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'
        """)
      // After the time for which a check holds.
      Thread.sleep(forTimeInterval: 0.2)
      for _ in 0..<10 { #expect(try container.texts() == ["a"]) }
      try container.add("b")
      #expect(try container.texts() == ["a", "b"])
    }
  }

  @Test func aStandbyOfAnotherDatabaseIsNotUsed() throws {
    let other = try MemoDatabase(server)
    try other.container().add("other")
    let container = try WarningLog.$receiver.withValue({ self.warnings.add($0) }) {
      try database.container(readURLs: [other.url])
    }
    try container.add("a")
    for _ in 0..<20 {
      #expect(try container.texts() == ["a"])
      Thread.sleep(forTimeInterval: 0.02)
    }
  }
}

/// Memos with one more property.
private enum NotedMemo {
  @Model final class Memo {
    var text: String
    var number: Int
    var note: String?

    init(_ text: String) {
      self.text = text
      number = 0
    }
  }
}

extension ModelContainer {
  /// How many reads a standby has answered.
  fileprivate var standbyReads: Int {
    stores.compactMap { ($0 as? PostgresStore)?.standbyReadCount }.reduce(0, +)
  }
}
