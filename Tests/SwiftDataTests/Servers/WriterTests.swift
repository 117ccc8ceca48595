import Foundation
import SwiftData
import Synchronization
import Testing

@Suite struct WriterTests {
  private typealias Person = Office.Person

  private typealias Unit<R> = @Sendable (ModelContext) throws -> R

  private struct Refused: Error {}

  /// Counts the commits of a store.
  private final class Commits: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    var log: StatementLog {
      StatementLog { [self] event in
        guard case .statement(let statement) = event, statement.sql == "COMMIT" else { return }
        state.withLock { $0 += 1 }
      }
    }
  }

  /// Runs a unit that ends when all others wait. The results are in the order of the units.
  private func group<R: Sendable>(
    _ writer: ModelWriter, _ units: [Unit<R>]
  ) async -> [Result<R, any Error>] {
    let (begun, hold) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
    let first = Task {
      try await writer.write { _ in
        begun.continuation.finish()
        hold.wait()
      }
    }
    for await _ in begun.stream {}
    let tasks = units.map { unit in Task { try await writer.write(unit) } }
    try? await Task.sleep(for: .milliseconds(30))
    // It may run again.
    for _ in 0..<2 { hold.signal() }
    var results: [Result<R, any Error>] = []
    for task in tasks { results.append(await task.result) }
    await #expect(throws: Never.self) { try await first.value }
    return results
  }

  private func emails(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.email)]))
      .map(\.email)
  }

  private func add(_ email: String) -> Unit<String> {
    { context in
      context.insert(Person(email: email))
      return email
    }
  }

  @Test func writesThatMeetShareACommit() async throws {
    let folder = try TemporaryFolder()
    try Office.fill(folder.store, people: 1)
    let commits = Commits()
    let container = try Office.container(folder.store) { $0.statementLog = commits.log }
    let history = ModelContext(container)
    let writer = ModelWriter(container)
    let before = try history.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
    let earlier = commits.count
    let increment: Unit<Int> = { context in
      let person = try #require(try context.fetch(FetchDescriptor<Person>()).first)
      person.name += "x"
      return person.name.count
    }
    let results = await group(writer, Array(repeating: increment, count: 40))
    #expect(commits.count - earlier < 20)
    // No increment is lost, and each is a save.
    #expect(try results.map { try $0.get() }.sorted() == Array(1...40))
    let after = try history.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
    #expect(after - before == 40)
    let stored = try ModelContext(try Office.container(folder.store)).fetch(
      FetchDescriptor<Person>())
    #expect(stored.map(\.name.count) == [40])
  }

  @Test func anErrorConcernsOnlyItsUnit() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let writer = ModelWriter(container) { $0.uniquenessPolicy = .refuse }
    let results = await group(
      writer,
      [
        add("a"), add("b"), add("a"),
        { @Sendable context in
          context.insert(Person(email: "c"))
          throw Refused()
        },
        { @Sendable context in
          let all = try context.fetch(FetchDescriptor<Person>())
          return all.map(\.email).sorted().joined()
        },
        add("d"),
      ])
    // The tasks may arrive in another order.
    let first = [results[0], results[2]].filter { (try? $0.get()) == "a" }
    #expect(first.count == 1)
    #expect(throws: SwiftDataError.self) { for index in [0, 2] { _ = try results[index].get() } }
    #expect(try results[1].get() == "b" && results[5].get() == "d")
    #expect(throws: Refused.self) { try results[3].get() }
    #expect(try !results[4].get().contains("c"))
    #expect(try emails(container) == ["a", "b", "d"])
    // The writer goes on.
    #expect(try await writer.write(add("e")) == "e")
    #expect(try emails(try Office.container(folder.store)) == ["a", "b", "d", "e"])
  }

  @Test func aSaveThatHasWrittenAndFailsConcernsOnlyItsUnit() async throws {
    let folder = try TemporaryFolder()
    let savepoints = Mutex(0)
    let container = try Office.container(folder.store) {
      $0.statementLog = StatementLog { event in
        guard case .statement(let statement) = event, statement.sql.hasPrefix("SAVEPOINT")
        else { return }
        savepoints.withLock { $0 += 1 }
      }
    }
    let writer = ModelWriter(container) { $0.uniquenessPolicy = .refuse }
    let context = ModelContext(container)
    context.insert(Person(email: "old"))
    try context.save()
    /// Changed rows are written first.
    let changeAndFail: Unit<String> = { context in
      let old = try #require(try context.fetch(FetchDescriptor<Person>()).first)
      old.name += "x"
      context.insert(Person(email: "old"))
      return "new"
    }
    #expect(try await group(writer, [add("a"), add("b")]).map { try $0.get() } == ["a", "b"])
    #expect(savepoints.withLock { $0 } == 0)
    let results = await group(writer, [add("c"), changeAndFail, add("d")])
    #expect(try results[0].get() == "c" && results[2].get() == "d")
    #expect(throws: SwiftDataError.self) { try results[1].get() }
    // The groups after it have savepoints.
    let before = savepoints.withLock { $0 }
    let others = await group(writer, [add("e"), changeAndFail, add("f")])
    #expect(try others[0].get() == "e" && others[2].get() == "f")
    #expect(throws: SwiftDataError.self) { try others[1].get() }
    #expect(savepoints.withLock { $0 } >= before + 3)
    #expect(try emails(container) == ["a", "b", "c", "d", "e", "f", "old"])
    let stored = ModelContext(container)
    #expect(try stored.fetch(FetchDescriptor<Person>()).allSatisfy { $0.name.isEmpty })
    let history = try stored.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.changes.count) == Array(repeating: 1, count: 7))
  }

  @Test func aUnitThatIsAloneRunsOnce() async throws {
    let folder = try TemporaryFolder()
    let writer = ModelWriter(try Office.container(folder.store))
    let runs = Mutex(0)
    await #expect(throws: Refused.self) {
      try await writer.write { context in
        runs.withLock { $0 += 1 }
        context.insert(Person(email: "a"))
        try context.save()
        throw Refused()
      }
    }
    #expect(runs.withLock { $0 } == 1)
    #expect(try emails(writer.container).isEmpty)
  }

  /// Also in a transaction that has no savepoints at first.
  @Test func aUnitMayHandleTheErrorOfItsOwnSave() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let writer = ModelWriter(container) { $0.uniquenessPolicy = .refuse }
    _ = try await writer.write(add("old"))
    let name = try await writer.write { context in
      let old = try #require(try context.fetch(FetchDescriptor<Person>()).first)
      old.name = "not stored"
      context.insert(Person(email: "old"))
      do {
        try context.save()
        return "stored"
      } catch {
        context.rollback()
      }
      context.insert(Person(email: "new"))
      try context.save()
      return old.name
    }
    #expect(name.isEmpty)
    #expect(try emails(container) == ["new", "old"])
  }

  @Test func aUnitThatHasSavedIsUndoneCompletely() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let writer = ModelWriter(container)
    let runs = Mutex(0)
    let results = await group(
      writer,
      [
        { @Sendable context in
          runs.withLock { $0 += 1 }
          context.insert(Person(email: "a"))
          return "a"
        },
        { @Sendable context in
          context.insert(Person(email: "b"))
          try context.save()
          throw Refused()
        },
        { @Sendable context in
          try context.delete(model: Person.self)
          throw Refused()
        },
        { @Sendable context in
          try? context.transaction {
            context.insert(Person(email: "c"))
            throw Refused()
          }
          return "c"
        },
        add("d"),
      ])
    #expect(try results[0].get() == "a")
    #expect(throws: Refused.self) { try results[1].get() }
    #expect(throws: Refused.self) { try results[2].get() }
    #expect(throws: Refused.self) { try results[3].get() }
    #expect(try results[4].get() == "d")
    #expect(try emails(container) == ["a", "d"])
    #expect((1...2).contains(runs.withLock { $0 }))
  }

  @Test func aLockThatIsKeptFailsAllThatWait() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let writer = ModelWriter(container, waitingAtMost: .milliseconds(20))
    let units = [add("a"), add("b"), add("c")]
    let tasks = try await onThread { () -> [Task<String, any Error>] in
      var tasks: [Task<String, any Error>] = []
      let other = ModelContext(try Office.container(folder.store))
      try other.transaction {
        other.insert(Person(email: "other"))
        try other.save()
        let done = DispatchSemaphore(value: 0)
        for unit in units {
          tasks.append(
            Task.detached { [writer] in
              defer { done.signal() }
              return try await writer.write(unit)
            })
        }
        for _ in units { done.wait() }
      }
      return tasks
    }
    for task in tasks {
      let error = await #expect(throws: SwiftDataError.self) { try await task.value }
      #expect(error?.reason.isTransient == true)
      // The option of the store has no effect on a limited wait.
      let text = error?.description ?? ""
      #expect(text.contains("raise waitingAtMost") && !text.contains("busyTimeout"), "\(text)")
      // No other unit was before them.
      #expect(error?.operation != "waiting for other units of work")
    }
    #expect(try await writer.write(add("d")) == "d")
    #expect(try emails(container) == ["d", "other"])
  }

  /// The unit before it does not end meanwhile.
  @Test func aUnitDoesNotWaitLongerThanTheLimitForOthers() async throws {
    let container = try Office.container()
    let writer = ModelWriter(container, waitingAtMost: .milliseconds(50))
    let (add, early) = (add("a"), add("early"))
    try await occupying({ hold in try await writer.write { _ in hold() } }) {
      for unit in [early, add] {
        let error = await #expect(throws: SwiftDataError.self) { try await writer.write(unit) }
        #expect(error?.reason == .busy)
      }
    }
    #expect(try await writer.write(add) == "a")
    #expect(try emails(container) == ["a"])
  }

  @Test func waitsForOtherUnitsAreReported() async throws {
    let recorder = StatementRecorder()
    let container = try recorder.container([Person.self])
    let writer = ModelWriter(container, waitingAtMost: .milliseconds(100))
    for email in ["a", "b"] { #expect(try await writer.write(add(email)) == email) }
    #expect(recorder.waits.isEmpty)
    try await occupying({ hold in try await writer.write { _ in hold() } }) {
      await #expect(throws: SwiftDataError.self) { try await writer.write { _ in 1 } }
      let wait = try #require(recorder.waits.last)
      #expect(recorder.waits.count == 1 && wait.reason == .writer && wait.isTimedOut)
      #expect(wait.duration >= .milliseconds(100))
    }

    let patient = ModelWriter(container)
    let late = Mutex<Task<String, any Error>?>(nil)
    let add = add("late")
    try await occupying({ hold in try await patient.write { _ in hold() } }) {
      let cancelled = Task { try await patient.write { _ in 1 } }
      late.withLock { $0 = Task { try await patient.write(add) } }
      // Time to join the queue.
      try await Task.sleep(for: .milliseconds(300))
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      #expect(recorder.waits.map(\.isTimedOut) == [true, false])
    }
    #expect(try await late.withLock(\.self)?.value == "late")
    #expect(recorder.waits.map(\.isTimedOut) == [true, false, false])
    #expect(recorder.waits.allSatisfy { $0.reason == .writer && $0.duration > .zero })
  }

  @Test(arguments: [Duration.seconds(Int64.max), .zero, .seconds(-5)])
  func aWaitMayHaveAnyLimit(limit: Duration) async throws {
    let container = try Office.container()
    let writer = ModelWriter(container, waitingAtMost: limit)
    var stored = 0
    for number in 0..<20 {
      async let first = writer.write(add("a \(number)"))
      async let second = writer.write(add("b \(number)"))
      // On busy cores a unit may wait longer than a short limit.
      do { stored += try await first.isEmpty ? 0 : 1 } catch SwiftDataError.storeWriteFailure {}
      do { stored += try await second.isEmpty ? 0 : 1 } catch SwiftDataError.storeWriteFailure {}
    }
    #expect(stored > 0 && (limit < .seconds(1) || stored == 40))
    #expect(try emails(container).count == stored)
  }

  @Test func aCancelledUnitThatWaitsDoesNotRun() async throws {
    let container = try Office.container()
    let writer = ModelWriter(container)
    let (first, second, third) = (add("a"), add("b"), add("c"))
    try await occupying({ hold in try await writer.write { _ in hold() } }) {
      let tasks = [first, second, third].map { unit in Task { try await writer.write(unit) } }
      tasks[1].cancel()
      await #expect(throws: CancellationError.self) { try await tasks[1].value }
    }
    #expect(try await writer.write(add("d")) == "d")
    #expect(try emails(container) == ["a", "c", "d"])
  }

  /// The unit waits for the lock of another container, which is held until its caller has its error.
  @Test func aCancelledUnitDoesNotWaitForTheLock() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let writer = ModelWriter(container)
    let (locked, hold) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
    let other = Task {
      try await onThread {
        let other = ModelContext(try Office.container(folder.store))
        try other.transaction {
          other.insert(Person(email: "other"))
          try other.save()
          locked.continuation.finish()
          hold.wait()
        }
      }
    }
    for await _ in locked.stream {}
    let (add, later) = (add("a"), add("b"))
    let waiting = Task { try await writer.write(add) }
    try await Task.sleep(for: .milliseconds(50))
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    hold.signal()
    try await other.value
    #expect(try await writer.write(later) == "b")
    #expect(try emails(container) == ["b", "other"])
  }

  @Test func whatAUnitSetsEndsWithIt() async throws {
    let container = try Office.container()
    let writer = ModelWriter(container) { $0.uniquenessPolicy = .refuse }
    try await writer.write { context in
      context.author = "ada"
      context.name = "import"
      context.uniquenessPolicy = .upsert
      context.conflictPolicy = .refuse
      context.autosaveEnabled = true
      context.autosaveErrorHandler = { _ in }
      context.reportsUnsavedChanges = false
      context.insert(Person(email: "a"))
    }
    try await writer.write { context in
      #expect(context.author == nil && context.name == nil)
      #expect(!context.autosaveEnabled && context.autosaveErrorHandler == nil)
      #expect(context.reportsUnsavedChanges)
      #expect(context.uniquenessPolicy == .refuse && context.conflictPolicy == .laterSaveWins)
      context.insert(Person(email: "b"))
    }
    let transactions = try ModelContext(container).fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(transactions.map(\.author) == ["ada", nil])
  }

  @Test(arguments: [false, true]) func aUnitDoesNotUndoOthers(fails: Bool) async throws {
    let container = try Office.container()
    let writer = ModelWriter(container)
    let first: Unit<Void> = { context in
      context.undoManager = UndoManager()
      context.insert(Person(email: "a"))
      if fails { throw Refused() }
    }
    let result = await group(writer, [first])[0]
    if fails {
      #expect(throws: Refused.self) { try result.get() }
    } else {
      try result.get()
    }
    _ = try await writer.write(add("b"))
    let undoes = try await writer.write { context in
      context.undoManager?.undo()
      return context.undoManager != nil
    }
    #expect(!undoes)
    #expect(try emails(container) == (fails ? ["b"] : ["a", "b"]))
  }

  /// A job takes changes from the history, stores what it makes of them, and deletes them there.
  @Test(arguments: [true, false]) func aFailedUnitDeletesNoHistory(throwsItself: Bool) async throws
  {
    let container = try Office.container()
    let writer = ModelWriter(container) { $0.uniquenessPolicy = .refuse }
    _ = try await writer.write(add("a"))
    let failing: Unit<String> = { context in
      try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      if throwsItself { throw Refused() }
      context.insert(Person(email: "a"))
      return ""
    }
    let results = await group(writer, [add("b"), failing, add("c")])
    #expect(throws: (any Error).self) { try results[1].get() }
    let transactions = try ModelContext(container).fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(transactions.count == 3)
    #expect(try emails(container) == ["a", "b", "c"])
  }

  @Test func aWriteIsVisibleToReadersAndObservers() async throws {
    let container = try Office.container()
    let (writer, readers) = (ModelWriter(container), ModelReaders(container))
    for number in 0..<20 {
      _ = try await writer.write(add("\(number)"))
      let count = try await readers.read { try $0.fetchCount(FetchDescriptor<Person>()) }
      #expect(count == number + 1)
    }
  }

  @Test func theEndOfTheContainerAndOfTheTask() async throws {
    let container = try Office.container()
    let writer = ModelWriter(container)
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await writer.write { _ in 1 }
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    try await container.close()
    await #expect(throws: SwiftDataError.self) { try await writer.write { _ in 1 } }
  }
}
