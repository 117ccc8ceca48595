import Foundation
import Observation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

/// Observers of one container notice what other containers and processes commit to the same database.
@MainActor
@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresObservationTests {
  let database: MemoDatabase

  init() throws { database = try MemoDatabase() }

  private func observer(
    _ container: ModelContainer
  ) throws -> ResultsObserver<Memo, Never> {
    try ResultsObserver(sortBy: [SortDescriptor(\.text)], modelContext: ModelContext(container))
  }

  @Test(arguments: [false, true])
  func changesOfAnotherContainerAreShown(notifies: Bool) async throws {
    let mine = try database.container { $0.notifiesCommits = notifies }
    let theirs = try database.container { $0.notifiesCommits = notifies }
    let observer = try observer(mine)
    let context = ModelContext(theirs)
    let memo = Memo("a")
    context.insert(memo)
    try context.save()
    try await eventually("the insertion") { observer.results.map(\.text) == ["a"] }
    let shown = try #require(observer.results.first)
    memo.text = "b"
    try context.save()
    try await eventually("the update") { shown.text == "b" }
    context.delete(memo)
    try context.save()
    try await eventually("the deletion") { observer.results.isEmpty }
  }

  @Test func batchDeletionsAndTransactionsAreShown() async throws {
    let (mine, theirs) = (try database.container(), try database.container())
    let observer = try observer(mine)
    let context = ModelContext(theirs)
    try context.transaction {
      for number in 0..<10 { context.insert(Memo("\(number)", number: number)) }
    }
    try await eventually("ten memos") { observer.results.count == 10 }
    try context.delete(model: Memo.self, where: #Predicate { $0.number > 3 })
    try await eventually("four memos") { observer.results.count == 4 }
  }

  @Test func aRemoteChangeIsPostedOnceWithATokenAndNotForOwnCommits() async throws {
    let (mine, theirs) = (try database.container(), try database.container())
    mine.observesRemoteChanges = true
    let tokens = Mutex<[DefaultHistoryToken]>([])
    let registration = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: mine, queue: nil
    ) { notification in
      let token = notification.userInfo?[ModelContainer.remoteChangeTokenKey]
      if let token = token as? DefaultHistoryToken { tokens.withLock { $0.append(token) } }
    }
    defer { NotificationCenter.default.removeObserver(registration) }
    try mine.add("mine")
    try theirs.add("theirs")
    try await eventually("the notification") { tokens.withLock { !$0.isEmpty } }
    let end = try #require(try mine.transactions().last?.token)
    #expect(tokens.withLock(\.self) == [end])
    try mine.add("mine again")
    try await Task.sleep(for: .milliseconds(300))
    #expect(tokens.withLock(\.count) == 1)
  }

  /// A poll may read a transaction of the container before the answer to its commit arrives.
  @Test func ownCommitsAreNotReportedWhileTheirAnswersAreOnTheWay() async throws {
    let proxy = try PostgresProxy(to: PostgresServer.shared.socketFolder)
    let mine = try ModelContainer(
      for: Memo.self,
      configurations: PostgresConfiguration(url: proxy.address(like: database.url)))
    mine.observesRemoteChanges = true
    let posts = Atomic(0)
    let registration = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: mine, queue: nil
    ) { _ in posts.add(1, ordering: .relaxed) }
    defer { NotificationCenter.default.removeObserver(registration) }
    proxy.set(.slow(seconds: 0.015))
    await withTaskGroup { group in
      for thread in 0..<3 {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              for number in 0..<20 { try? mine.add("\(thread).\(number)") }
              continuation.resume()
            }
          }
        }
      }
    }
    #expect(try mine.texts().count == 60)
    #expect(posts.load(ordering: .relaxed) == 0)
    // The watch works.
    proxy.set(.forward)
    try database.container().add("theirs")
    try await eventually("the notification") { posts.load(ordering: .relaxed) == 1 }
  }

  @Test func aHistoryObserverCountsTransactionsOfItsAuthors() async throws {
    let (mine, theirs) = (try database.container(), try database.container())
    let observer = try HistoryObserver(authors: ["server"], modelContainer: mine)
    try theirs.add("a", author: "somebody")
    try theirs.add("b", author: "server")
    try await eventually("the event") { observer.eventCounter == 1 }
    try theirs.add("c", author: "server")
    try await eventually("the next event") { observer.eventCounter == 2 }
  }

  /// Rows that a rolled-back transaction or a crash of the server leaves out of the sequence.
  @Test func missingNumbersAreNoReasonToReadEverythingAgain() async throws {
    let (mine, theirs) = (try database.container(), try database.container())
    try theirs.add("a")
    let observer = try HistoryObserver(authors: ["server"], modelContainer: mine)
    try PostgresServer.shared.connect().execute(
      "SET search_path = \(database.schema); "
        + "SELECT nextval('\"Z_KEYS_16002\"') FROM generate_series(1, 7)")
    try theirs.add("b", author: "somebody")
    try await Task.sleep(for: .milliseconds(300))
    #expect(observer.eventCounter == 0)
    try theirs.add("c", author: "server")
    try await eventually("the event") { observer.eventCounter == 1 }
  }

  @Test func deletedHistoryThatWasNotReadIsReadAgainAsModels() async throws {
    let (mine, theirs) = (try database.container(), try database.container())
    let observer = try observer(mine)
    try theirs.add("a")
    try ModelContext(theirs).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try await eventually("the memo") { observer.results.map(\.text) == ["a"] }
    try theirs.add("b")
    try await eventually("both memos") { observer.results.map(\.text) == ["a", "b"] }
  }

  /// The results stay, with an error. Observers of the history have an event, and the error with their next
  /// fetch; a sequence throws it.
  @Test func observersGetAnErrorAfterAMigration() async throws {
    let store = try MigratedServerStore()
    try store.fillV1(2)
    let context = try store.open(Library.V1.self)
    let observer = try ResultsObserver<Library.V1.Book, Never>(
      sortBy: [SortDescriptor(\.name)], modelContext: context)
    let history = try HistoryObserver(modelContainer: context.container)
    let received = Mutex(0)
    let following = Task {
      for try await transactions in context.history(since: nil) {
        received.withLock { $0 += transactions.count }
      }
    }
    let count = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
    // Then it waits for the next transaction.
    try await eventually("the first transactions") { received.withLock { $0 } == count }
    #expect(observer.results.map(\.name) == ["book 0", "book 1"])
    let before = history.eventCounter
    _ = try store.open(Library.V2.self)
    try await eventually("an error and an event") {
      observer.fetchError != nil && history.eventCounter != before
    }
    let error = try #require(observer.fetchError as? SwiftDataError)
    #expect(error.reason == .schemaMismatch)
    #expect(observer.results.map(\.name) == ["book 0", "book 1"])
    #expect(throws: SwiftDataError.storeReadFailure) {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    await #expect(throws: SwiftDataError.storeReadFailure) { try await following.value }
  }

  @Test(arguments: [false, true])
  func commitsAreNoticedAfterARestartOfTheServer(notifies: Bool) async throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let database = try MemoDatabase(server)
    let mine = try database.container { $0.notifiesCommits = notifies }
    let observer = try observer(mine)
    let theirs = try database.container { $0.notifiesCommits = notifies }
    try theirs.add("a")
    try await eventually("before the restart") { observer.results.count == 1 }
    try server.restart("immediate")
    try theirs.add("b")
    try await eventually("after the restart") { observer.results.count == 2 }
    try theirs.add("c")
    try await eventually("later") { observer.results.count == 3 }
    #expect(observer.results.map(\.text) == ["a", "b", "c"])
  }

  /// A container that was killed after its commit has not notified anybody.
  @Test func aCommitWithoutANotificationIsFoundByAPoll() async throws {
    let mine = try database.container { $0.notifiesCommits = true }
    let theirs = try database.container()
    let observer = try observer(mine)
    for number in 1...3 {
      try theirs.add("\(number)")
      try await eventually("memo \(number)") { observer.results.count == number }
    }
  }

  @Test func aListenerThatTheServerEndsConnectsAgain() async throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let database = try MemoDatabase(server)
    let mine = try database.container { $0.notifiesCommits = true }
    let theirs = try database.container { $0.notifiesCommits = true }
    let observer = try observer(mine)
    let administrator = try server.connect()
    let listeners = try administrator.prepare(
      "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE '% notifications' AND state = 'idle'"
    )
    try await eventually("the listener") { try listeners.integer() == 1 }
    try administrator.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '% notifications'"
    )
    try theirs.add("a")
    try await eventually("the memo") { observer.results.map(\.text) == ["a"] }
    try await eventually("another listener") { try listeners.integer() == 1 }
    try theirs.add("b")
    try await eventually("both memos") { observer.results.map(\.text) == ["a", "b"] }
  }

  @Test func watchesEndWithTheirObservers() async throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let mine = try MemoDatabase(server).container { $0.notifiesCommits = true }
    let listeners = try server.connect().prepare(
      "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE '% notifications'")
    mine.observesRemoteChanges = true
    try await eventually("the listener") { try listeners.integer() == 1 }
    mine.observesRemoteChanges = false
    try await eventually("no listener") { try listeners.integer() == 0 }
  }

  /// The same hub watches files.
  @Test func containersOnOneFileAreShownInTheSameWay() async throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("memos-\(UUID().uuidString).store")
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: url.path + suffix)
      }
    }
    let make = { try ModelContainer(for: Memo.self, configurations: ModelConfiguration(url: url)) }
    let (mine, theirs) = (try make(), try make())
    let observer = try observer(mine)
    try theirs.add("a")
    try await eventually("the memo") { observer.results.map(\.text) == ["a"] }
    try ModelContext(theirs).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try theirs.add("b")
    try await eventually("both memos") { observer.results.map(\.text) == ["a", "b"] }
  }

  @Test func aListenerBehindATransactionPoolerIsRefused() throws {
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try database.container {
        $0.notifiesCommits = true
        $0.usesTransactionPooling = true
      }
    }
  }
}

extension MemoDatabase {
  /// The name of the schema.
  var schema: String {
    url.split(separator: "search_path=").last.map { String($0.dropLast()) } ?? ""
  }
}

/// The second process.
final class HistoryWorker {
  private let process = Process()
  private let output = Pipe()

  init(_ arguments: [String], notifies: Bool = false) throws {
    process.executableURL = Bundle.main.executableURL.map {
      $0.deletingLastPathComponent().appendingPathComponent("OpenSwiftDataPostgresHistoryWorker")
    }
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(["OPENSWIFTDATA_NOTIFIES": notifies ? "1" : "0"]) { $1 }
    process.standardOutput = output
    try process.run()
  }

  /// The lines that it prints until its end.
  func lines() throws -> [String] {
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw PostgresServer.Failure(description: "the second process failed")
    }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
