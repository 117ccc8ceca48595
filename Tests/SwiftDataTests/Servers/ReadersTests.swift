import Foundation
import SwiftData
import Synchronization
import Testing

@Suite struct ReadersTests {
  private typealias Person = Office.Person

  /// How many reads run at the same time.
  private final class Load: Sendable {
    private let state = Mutex((running: 0, most: 0))

    var most: Int { state.withLock { $0.most } }

    func begin() {
      state.withLock { state in
        state.running += 1
        state.most = max(state.most, state.running)
      }
    }

    func end() { state.withLock { $0.running -= 1 } }
  }

  @Test func readsRunAtTheSameTime() async throws {
    let folder = try TemporaryFolder()
    try Office.fill(folder.store, people: 10)
    let readers = ModelReaders(try Office.container(folder.store), count: 3)
    let load = Load()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<30 {
        group.addTask {
          try await readers.read { context in
            load.begin()
            Thread.sleep(forTimeInterval: 0.005)
            let count = try context.fetch(FetchDescriptor<Person>()).count
            load.end()
            return count
          }
        }
      }
      for try await count in group { #expect(count == 10) }
    }
    #expect((2...3).contains(load.most))
  }

  @Test func aReadSeesEarlierSavesAndOneState() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let readers = ModelReaders(container)
    #expect(readers.count == 3)
    let context = ModelContext(container)
    for number in 0..<50 {
      context.insert(Person(email: "\(number)"))
      try context.save()
      let counts = try await readers.read { reader in
        let first = try reader.fetchCount(FetchDescriptor<Person>())
        let writer = ModelContext(reader.container)
        writer.insert(Office.Member(name: "\(number)"))
        try writer.save()
        let members = try reader.fetchCount(FetchDescriptor<Office.Member>())
        return (first, members)
      }
      #expect(counts.0 == number + 1 && counts.1 == number)
    }
  }

  /// The file of a value stays until the reads that see it have ended.
  @Test func aReadSeesLargeValuesThatAreReplacedMeanwhile() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    _ = try Office.portrayed(0, in: ModelContext(container))
    let readers = ModelReaders(container)
    let descriptor = FetchDescriptor<Person>()
    let found = try await readers.read { context in
      let before = try context.fetch(descriptor).first?.portrait
      let writer = ModelContext(container)
      for byte in [1, 2] as [UInt8] {
        try writer.fetch(descriptor).first?.portrait = External.bytes(byte)
        try writer.save()
      }
      return try [before, context.fetch(descriptor).first?.portrait]
    }
    #expect(found == [External.bytes(0), External.bytes(0)])
    #expect(folder.valueNames.count == 1)
    #expect(
      try await readers.read { try $0.fetch(descriptor).first?.portrait } == External.bytes(2))
  }

  @Test func whatAReadSetsEndsWithIt() async throws {
    let readers = ModelReaders(try Office.container(), count: 1)
    try await readers.read { context in
      context.author = "ada"
      context.name = "report"
      context.uniquenessPolicy = .refuse
      context.conflictPolicy = .refuse
      context.autosaveEnabled = true
      context.reportsUnsavedChanges = false
      context.undoManager = UndoManager()
    }
    try await readers.read { context in
      #expect(context.author == nil && context.name == nil)
      #expect(context.uniquenessPolicy == .upsert && context.conflictPolicy == .laterSaveWins)
      #expect(!context.autosaveEnabled && context.undoManager == nil)
      #expect(context.reportsUnsavedChanges)
    }
  }

  @Test func aReadRunsNoStatementsOfItsOwn() async throws {
    let folder = try TemporaryFolder()
    try Office.fill(folder.store, people: 3)
    let statements = Mutex<[String]>([])
    let container = try Office.container(folder.store) { configuration in
      configuration.statementLog = StatementLog { event in
        guard case .statement(let statement) = event else { return }
        statements.withLock { $0.append(statement.sql) }
      }
    }
    let readers = ModelReaders(container, count: 1)
    for _ in 0..<3 {
      statements.withLock { $0 = [] }
      let count = try await readers.read { try $0.fetch(FetchDescriptor<Person>()).count }
      #expect(count == 3)
      let words = statements.withLock { $0.map { $0.prefix { $0 != " " } } }
      #expect(words == ["BEGIN", "SELECT", "COMMIT"])
    }
  }

  private func savedDesk(in context: ModelContext) throws -> Office.Desk {
    let (desk, person) = (Office.Desk(room: "A", number: 0), Person(email: "a"))
    person.name = "0"
    desk.owner = person
    context.insert(desk)
    try context.save()
    return desk
  }

  /// An earlier read has read the owner too, as the partner of a relationship.
  @Test func modelsOfEarlierReadsShowTheStateOfTheRead() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    _ = try savedDesk(in: ModelContext(container))
    let readers = ModelReaders(container, count: 1)
    for number in 1...10 {
      let seen = try await readers.read { reader in
        // The first read of this thread comes later.
        let (container, saved) = (reader.container, DispatchSemaphore(value: 0))
        Thread.detachNewThread {
          let writer = ModelContext(container)
          for desk in (try? writer.fetch(FetchDescriptor<Office.Desk>())) ?? [] {
            desk.number = number
            desk.owner?.name = "\(number)"
          }
          #expect(throws: Never.self) { try writer.save() }
          saved.signal()
        }
        saved.wait()
        let desk = try #require(try reader.fetch(FetchDescriptor<Office.Desk>()).first)
        return (desk.number, desk.owner?.name)
      }
      #expect(seen.1 == "\(seen.0)")
    }
  }

  /// Another container is to the store what another process is. Each model leads to the other one.
  @Test(arguments: [false, true])
  func modelsOfEarlierReadsShowWhatOtherContainersSaved(prefetches: Bool) async throws {
    let folder = try TemporaryFolder()
    let readers = ModelReaders(try Office.container(folder.store), count: 1)
    let writer = ModelContext(try Office.container(folder.store))
    let desk = try savedDesk(in: writer)
    for number in 1...20 {
      desk.number = number
      desk.owner?.name = "\(number)"
      try writer.save()
      let desks = try await readers.read { reader in
        var descriptor = FetchDescriptor<Office.Desk>()
        if prefetches { descriptor.relationshipKeyPathsForPrefetching = [\.owner] }
        let desk = try #require(try reader.fetch(descriptor).first)
        return (desk.number, desk.owner?.name, desk.owner?.desks.map(\.number))
      }
      #expect(desks.0 == number && desks.1 == "\(number)" && desks.2 == [number])
      let persons = try await readers.read { reader in
        var descriptor = FetchDescriptor<Person>()
        if prefetches { descriptor.relationshipKeyPathsForPrefetching = [\.desks] }
        let person = try #require(try reader.fetch(descriptor).first)
        return (person.name, person.desks.map(\.number), person.desks.first?.owner?.name)
      }
      #expect(persons.0 == "\(number)" && persons.1 == [number] && persons.2 == "\(number)")
    }
  }

  @Test func changesAreDiscarded() async throws {
    let container = try Office.container()
    let readers = ModelReaders(container)
    #expect(readers.count == 1)
    await #expect(throws: SwiftDataError.modelValidationFailure) {
      try await readers.read { $0.insert(Person(email: "a")) }
    }
    let count = try await readers.read { context in
      (context.hasChanges, try context.fetchCount(FetchDescriptor<Person>()))
    }
    #expect(!count.0 && count.1 == 0)
  }

  @Test func aCancelledReadDoesNotWait() async throws {
    let readers = ModelReaders(try Office.container(), count: 1)
    let hold = DispatchSemaphore(value: 0)
    let holder = Task {
      try await readers.read { _ in
        hold.wait()
        return 1
      }
    }
    try await Task.sleep(for: .milliseconds(50))
    let waiting = Task { try await readers.read { _ in 2 } }
    try await Task.sleep(for: .milliseconds(20))
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    hold.signal()
    #expect(try await holder.value == 1)
    #expect(try await readers.read { _ in 3 } == 3)
  }

  /// The read before them does not end meanwhile.
  @Test func readsDoNotWaitLongerThanTheLimit() async throws {
    let readers = ModelReaders(
      try Office.container(), count: 1, waitingAtMost: .milliseconds(50))
    try await occupying({ hold in try await readers.read { _ in hold() } }) {
      for _ in 0..<2 {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<10 {
            group.addTask {
              let error = await #expect(throws: SwiftDataError.self) {
                try await readers.read { _ in 1 }
              }
              #expect(error == .storeReadFailure && error?.reason == .busy)
              #expect(error?.description.contains("waitingAtMost of the ModelReaders") == true)
            }
          }
        }
      }
    }
    #expect(try await readers.read { _ in 2 } == 2)
  }

  @Test func waitsForOtherReadsAreReported() async throws {
    let recorder = StatementRecorder()
    let container = try recorder.container([Person.self])
    let readers = ModelReaders(container, count: 1, waitingAtMost: .milliseconds(100))
    #expect(try await readers.read { _ in 1 } == 1)
    #expect(recorder.waits.isEmpty)
    try await occupying({ hold in try await readers.read { _ in hold() } }) {
      await #expect(throws: SwiftDataError.self) { try await readers.read { _ in 1 } }
      let wait = try #require(recorder.waits.last)
      #expect(recorder.waits.count == 1 && wait.reason == .reader && wait.isTimedOut)
      #expect(wait.duration >= .milliseconds(100))
    }

    let patient = ModelReaders(container, count: 1)
    let late = Mutex<Task<Int, any Error>?>(nil)
    try await occupying({ hold in try await patient.read { _ in hold() } }) {
      let cancelled = Task { try await patient.read { _ in 1 } }
      late.withLock { $0 = Task { try await patient.read { _ in 2 } } }
      // Time to join the queue.
      try await Task.sleep(for: .milliseconds(300))
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      #expect(recorder.waits.map(\.isTimedOut) == [true, false])
    }
    #expect(try await late.withLock(\.self)?.value == 2)
    #expect(recorder.waits.map(\.isTimedOut) == [true, false, false])
    #expect(recorder.waits.allSatisfy { $0.reason == .reader && $0.duration > .zero })
  }

  /// A message about the wait has the fields of its request.
  @Test func aWaitIsReportedInTheTaskOfTheRead() async throws {
    let numbers = Mutex<[Int]>([])
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.statementLog = StatementLog { event in
      if case .wait = event { numbers.withLock { $0.append(Request.number) } }
    }
    let container = try ModelContainer(for: Person.self, configurations: configuration)
    let readers = ModelReaders(container, count: 1, waitingAtMost: .milliseconds(100))
    let writer = ModelWriter(container, waitingAtMost: .milliseconds(100))
    try await occupying({ hold in try await readers.read { _ in hold() } }) {
      await Request.$number.withValue(1) {
        _ = await #expect(throws: SwiftDataError.self) { try await readers.read { _ in 1 } }
      }
    }
    try await occupying({ hold in try await writer.write { _ in hold() } }) {
      await Request.$number.withValue(2) {
        _ = await #expect(throws: SwiftDataError.self) { try await writer.write { _ in 1 } }
      }
    }
    #expect(numbers.withLock(\.self) == [1, 2])
  }

  @Test func aCancelledReadThatWaitsWithALimitIsCancelled() async throws {
    let readers = ModelReaders(try Office.container(), count: 1, waitingAtMost: .seconds(3600))
    try await occupying({ hold in try await readers.read { _ in hold() } }) {
      let waiting = Task { try await readers.read { _ in 1 } }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
    }
  }

  @Test func aLimitKeepsNoContainerAfterTheReads() async throws {
    weak var container: ModelContainer?
    func read() async throws {
      let strong = try Office.container()
      container = strong
      let readers = ModelReaders(strong, count: 1, waitingAtMost: .seconds(3600))
      try await occupying({ hold in try await readers.read { _ in hold() } }) {
        let waiting = Task { try await readers.read { _ in 1 } }
        // Time to join the queue, so that the limit is watched.
        try await Task.sleep(for: .milliseconds(300))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
      }
    }
    try await read()
    // Other threads release their last references shortly after the reads.
    for _ in 0..<2_000 where container != nil { try await Task.sleep(for: .milliseconds(5)) }
    #expect(container == nil)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .zero, .seconds(-5)])
  func aWaitMayHaveAnyLimit(limit: Duration) async throws {
    let readers = ModelReaders(try Office.container(), count: 1, waitingAtMost: limit)
    var answered = 0
    for number in 0..<20 {
      async let first = readers.read { _ in number }
      async let second = readers.read { _ in number }
      // On busy cores a read may wait longer than a short limit.
      do { answered += try await first == number ? 1 : 0 } catch SwiftDataError.storeReadFailure {}
      do { answered += try await second == number ? 1 : 0 } catch SwiftDataError.storeReadFailure {}
    }
    #expect(answered > 0 && (limit < .seconds(1) || answered == 40))
  }

  /// The task is cancelled while it reads.
  @Test func aCancelledReadEnds() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let context = ModelContext(container)
    for number in 0..<2_000 { context.insert(Person(email: "\(number)")) }
    try context.save()
    let readers = ModelReaders(container, count: 1)
    let begun = AsyncStream<Void>.makeStream()
    let reading = Task {
      try await readers.read { context -> Int in
        begun.continuation.finish()
        while true { _ = try context.fetchCount(FetchDescriptor<Person>()) }
      }
    }
    for await _ in begun.stream {}
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(try await readers.read { try $0.fetchCount(FetchDescriptor<Person>()) } == 2_000)
  }

  /// The code of a user can't know that a list is empty only because its task was cancelled.
  @Test func aCancelledReadSeesTrueValuesUntilItThrows() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let context = ModelContext(container)
    let person = Person(email: "a")
    context.insert(person)
    person.desks = [Office.Desk(room: "r", number: 1)]
    try context.save()
    let seen = Numbers()
    let reading = Task {
      try await ModelReaders(container, count: 1).read { context -> Int in
        let person = try #require(try context.fetch(FetchDescriptor<Person>()).first)
        withUnsafeCurrentTask { $0?.cancel() }
        seen.add(person.desks.count)
        seen.add(person.desks.first?.owner === person ? 1 : 0)
        seen.add(person.desks.first?.number ?? 0)
        return try context.fetchCount(FetchDescriptor<Person>())
      }
    }
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(seen.numbers == [1, 1, 1])
  }

  /// Its result was made without what it could not read.
  @Test func aCancelledReadThatIgnoresItsErrorsHasNoResult() async throws {
    let container = try Office.container()
    let reading = Task {
      try await ModelReaders(container, count: 1).read { context -> Int in
        withUnsafeCurrentTask { $0?.cancel() }
        return (try? context.fetchCount(FetchDescriptor<Person>())) ?? -1
      }
    }
    await #expect(throws: CancellationError.self) { try await reading.value }
  }

  @Test func aTaskOfACancelledReadGoesOn() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let tasks = Mutex<Task<Int, any Error>?>(nil)
    let goOn = DispatchSemaphore(value: 0)
    let reading = Task {
      try await ModelReaders(container, count: 1).read { context -> Int in
        let task = Task {
          try await onThread {
            goOn.wait()
            return try ModelContext(container).fetchCount(FetchDescriptor<Person>())
          }
        }
        tasks.withLock { $0 = task }
        withUnsafeCurrentTask { $0?.cancel() }
        return try context.fetchCount(FetchDescriptor<Person>())
      }
    }
    await #expect(throws: CancellationError.self) { try await reading.value }
    goOn.signal()
    #expect(try await tasks.withLock(\.self)?.value == 0)
  }

  /// The reads that have run.
  private final class Numbers: Sendable {
    private let all = Mutex<[Int]>([])

    var numbers: [Int] { all.withLock { $0 } }

    func add(_ number: Int) { all.withLock { $0.append(number) } }
  }

  private enum Request { @TaskLocal static var number = 0 }

  @Test func aReadBelongsToItsTask() async throws {
    let readers = ModelReaders(try Office.container(), count: 2)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...20 {
        group.addTask {
          try await Request.$number.withValue(number) {
            let seen = try await readers.read { _ in Request.number }
            #expect(seen == number)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// The reader is free when the closure has returned, whatever its caller does then.
  @Test func theCallerGoesOnElsewhere() async throws {
    let readers = ModelReaders(try Office.container(), count: 1)
    let (begun, hold) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let caller = Task {
      _ = try await readers.read { _ in 1 }
      begun.signal()
      blockThread(until: hold)
    }
    try await onThread { begun.wait() }
    #expect(try await readers.read { _ in 2 } == 2)
    hold.signal()
    try await caller.value
  }

  @Test func cancelledReadsDoNotDisturbOthers() async throws {
    let readers = ModelReaders(try Office.container(), count: 1)
    let hold = DispatchSemaphore(value: 0)
    let done = Numbers()
    let holder = Task { try await readers.read { _ in hold.wait() } }
    try await Task.sleep(for: .milliseconds(50))
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<20 {
      tasks.append(Task { try await readers.read { _ in done.add(number) } })
      try await Task.sleep(for: .milliseconds(2))
    }
    for number in stride(from: 0, to: 20, by: 3) { tasks[number].cancel() }
    for number in stride(from: 0, to: 20, by: 3) {
      await #expect(throws: CancellationError.self) { try await tasks[number].value }
    }
    hold.signal()
    try await holder.value
    for number in 0..<20 where number % 3 != 0 { try await tasks[number].value }
    #expect(done.numbers.sorted() == (0..<20).filter { $0 % 3 != 0 })
    #expect(try await readers.read { _ in 3 } == 3)
  }

  @Test func theHistoryHasASize() throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let empty = try #require(container.historySize().first)
    #expect(empty.transactionCount == 0 && empty.changeCount == 0 && empty.byteCount == 0)
    #expect(empty.oldest == nil)
    let context = ModelContext(container)
    for number in 0..<3 {
      context.insert(Person(email: "\(number)"))
      context.insert(Person(email: "other \(number)"))
      try context.save()
    }
    let size = try #require(container.historySize().first)
    #expect(size.transactionCount == 3 && size.changeCount == 6)
    #expect(size.byteCount > 3 * 100)
    #expect(abs(size.oldest?.timeIntervalSinceNow ?? 100) < 60)
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try container.historySize().first?.transactionCount == 0)
  }
}

/// As a calculation that takes long.
private func blockThread(until semaphore: DispatchSemaphore) { semaphore.wait() }
