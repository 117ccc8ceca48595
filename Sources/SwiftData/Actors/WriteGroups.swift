import Foundation

/// Runs the units of work of a `ModelWriter`, with a context and a queue of its own.
///
/// A store with one writer at a time, or units that disturb each other:
///
/// 1. A transaction begins. It takes the write lock.
/// 2. The units that wait run one after the other, each followed by a save; those that come meanwhile
///    too, within the limits of a group.
/// 3. A unit that fails before it has written is rolled back in memory; the others go on. What it has set on
///    the context, such as an author, ends with it. So is one whose save has failed, if the group has savepoints.
///    They take a seventh of the time of a small unit, so a group has none until a unit has needed one.
/// 4. A unit that fails after it has written, or with an error that says nothing about the unit, ends the
///    transaction. Nothing is stored. If there are others, each unit runs in a transaction of its own then; so it does
///    if the connection is lost before or at the commit. If one of these transactions can't begin, the units after
///    it fail with its error, because each would wait as long.
/// 5. After the commit `didSave` is posted, for units of each author in turn. What its observers have edited is saved
///    then, for each author before the next `didSave`.
/// 6. Then all callers get their results; earlier if the saves of these edits have to wait.
///
/// A store that isolates several writers (`StorePort.writesConcurrently`): each unit has a transaction of
/// its own, beside those of the other contexts. One that another writer has disturbed runs again, and at
/// last without others (`SaveRepetition`). After that fewer contexts run units (`WriteConcurrency`). If one waits
/// in vain for a lock, those that have waited as long fail with it.
actor WriteGroups: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated var modelExecutor: any ModelExecutor { executor }
  private nonisolated let executor: DefaultSerialModelExecutor
  private let waiting: WaitingWrites
  private let index: Int
  private let limit: Duration?
  private let settings: ContextSettings
  private let prepareContext: @Sendable (ModelContext) -> Void
  /// How many of the next groups have savepoints, because a unit has failed after it had written.
  private var divisibleGroups = 0

  /// How many units one transaction may have.
  private static let largestCount = 100
  /// After this time no other unit begins in a transaction.
  private static let longestTime = Duration.milliseconds(50)

  /// After a unit that has failed after it had written, so many groups have savepoints.
  private static let groupsAfterFailure = 32

  /// So many times in a row, edits by observers of saves are saved.
  private static let longestChain = 5
  /// So long they are tried again.
  private static let longestRepetition = Duration.seconds(60)

  /// Ends the transaction of a group whose units have to run alone.
  private struct Separation: Error {
    /// The error of the last unit; `nil` if it may succeed in a transaction with savepoints.
    let error: (any Error)?
    /// Whether a savepoint would have undone the unit alone.
    let lacksSavepoint: Bool
  }

  /// What became of a unit with a transaction of its own.
  private struct Outcome {
    /// Resumes the caller.
    let answer: @Sendable () -> Void
    /// Why the transaction could not begin.
    var obstruction: (any Error)?
  }

  /// - Parameter index: The number of the context in the queue.
  init(
    _ container: ModelContainer, _ waiting: WaitingWrites, index: Int, within limit: Duration?,
    prepare: @escaping @Sendable (ModelContext) -> Void
  ) {
    modelContainer = container
    let context = ModelContext(container)
    settings = ContextSettings(context)
    executor = DefaultSerialModelExecutor(modelContext: context)
    self.waiting = waiting
    self.index = index
    self.limit = limit
    prepareContext = prepare
  }

  /// How many units a container can run at the same time.
  static func count(for container: ModelContainer) -> Int {
    sharedPort(of: container)?.writerCount ?? 1
  }

  /// The store, if it isolates several writers. Where one of several stores has committed, a unit can't run
  /// again.
  private static func sharedPort(of container: ModelContainer) -> (any StorePort)? {
    let ports = container.coordinator.ports
    return ports.count == 1 && ports[0].writesConcurrently ? ports[0] : nil
  }

  /// Runs units until none waits, on the queue of the executor. A task would visit another thread before.
  nonisolated func start() {
    executor.perform { self.assumeIsolated { $0.run() } }
  }

  private func run() {
    let shared = WriteGroups.sharedPort(of: modelContainer)
    let isUndoable = modelContainer.coordinator.ports.allSatisfy(\.isTransactional)
    var hasEnded = false
    while !hasEnded {
      var answer: (@Sendable () -> Void)?
      if let shared, !waiting.isSerial {
        answer = waiting.take(atMost: 1).first.map { run($0, .optimistic, shared.log).answer }
      } else if isUndoable {
        runGroup(shared)
      } else {
        runAlone(waiting.take(atMost: WriteGroups.largestCount), nil)
      }
      saveRemainingEdits(answer.map { [$0] } ?? [])
      // Before the caller goes on, so that its next unit comes to this context again.
      hasEnded = waiting.end(index)
      answer?()
    }
  }

  /// Each unit begins with a context that earlier ones, and observers of their saves, have not set.
  private func prepare(_ context: ModelContext) {
    settings.restore(in: context)
    prepareContext(context)
  }

  /// Saves what observers of a save, or other code that it has called, have edited, with their author. So no later
  /// unit begins with it. After an error that says nothing about the edits, such as that of a locked store, the save is
  /// repeated for a while. Edits that can't be saved are discarded, with a line on standard error.
  /// - Parameter answers: Resume the callers of stored units. They wait for these saves no longer than the limit, and
  ///   for no repetition.
  private func saveRemainingEdits(_ answers: [@Sendable () -> Void]) {
    if !modelContext.hasChanges { return }
    let answering = limit.map { limit in
      Task.detached {
        try await Task.sleep(for: limit)
        for answer in answers { answer() }
      }
    }
    defer { answering?.cancel() }
    let end = ContinuousClock.now + WriteGroups.longestRepetition
    var pause = 0.05
    var saveCount = 0
    while modelContext.hasChanges {
      let editor = modelContext.editingState
      prepare(modelContext)
      modelContext.editingState = editor
      let start = ContinuousClock.now
      do {
        guard saveCount < WriteGroups.longestChain else {
          throw SwiftDataError.storeWriteFailure.with(
            "The context was edited again after each of \(saveCount) saves in a row. Observers of didSave should "
              + "not edit it after saves of their own edits.", because: .invalidRequest)
        }
        try modelContext.save()
        saveCount += 1
      } catch let error as SwiftDataError where error.reason.isTransient && start < end {
        for answer in answers { answer() }
        // Later units would fail in the same way.
        for write in waiting.take(since: start) { write.fail(error) }
        Thread.sleep(forTimeInterval: pause)
        pause = min(2 * pause, 2)
      } catch {
        UnsavedChangesLog.noteDiscarded(modelContext.core.changes, error)
        return modelContext.rollback()
      }
    }
  }

  /// - Parameter shared: The store, if a unit can run again.
  private func runGroup(_ shared: (any StorePort)?) {
    // The first unit waits for the lock, not for other units.
    var group = waiting.take(atMost: 1)
    if group.isEmpty { return }
    var answers: [@Sendable () -> Void] = []
    var hasBegun = false
    // Observers of the saves see what the last unit has set.
    defer { settings.restore(in: modelContext) }
    do {
      try modelContext.core.transaction(
        within: limit, didPost: { saveRemainingEdits(answers) }
      ) {
        hasBegun = true
        if divisibleGroups == 0 {
          modelContext.core.transaction?.makeIndivisible()
        } else {
          divisibleGroups -= 1
        }
        let end = ContinuousClock.now + WriteGroups.longestTime
        while let write = group.last {
          answers.append(try answer(write))
          // The save has called code that edits.
          if modelContext.hasChanges { throw Separation(error: nil, lacksSavepoint: true) }
          guard group.count < WriteGroups.largestCount, ContinuousClock.now < end,
            let next = waiting.take(atMost: 1).first
          else { break }
          group.append(next)
        }
      }
    } catch let error
      where error is Separation || shared != nil && SaveRepetition.obstacle(of: error) != nil
    {
      let separation = error as? Separation
      if group.count == 1, shared == nil, let error = separation?.error {
        return group[0].fail(error)
      }
      if separation?.lacksSavepoint == true { divisibleGroups = WriteGroups.groupsAfterFailure }
      return runAlone(group, shared)
    } catch {
      for write in group { write.fail(error) }
      if !hasBegun { failWaiting(error) }
      return
    }
    for answer in answers { answer() }
    waiting.noteSuccess(of: group.count)
  }

  /// Runs a unit in the open transaction of a group.
  /// - Returns: What resumes the caller after the commit, with the result or the error.
  private func answer(_ write: WaitingWrite) throws -> @Sendable () -> Void {
    guard waiting.begin(write) else { return {} }
    let context = modelContext
    let transaction = context.core.transaction
    let count = transaction?.writeCount
    var isRun = false
    do {
      prepare(context)
      let answer = try write.run(context)
      isRun = transaction?.isRefused == false
      if isRun { try context.save() }
      // An inner transaction that has failed fails the commit.
      if let failure = transaction?.failure { throw failure }
      if isRun { return answer }
      throw Separation(error: nil, lacksSavepoint: true)
    } catch {
      guard let transaction, !transaction.isRefused, transaction.writeCount == count,
        WriteGroups.concernsOnlyItsUnit(error)
      else {
        if let separation = error as? Separation { throw separation }
        // The code of the unit may handle the error of a save of its own, which a savepoint undoes.
        let lacksSavepoint = transaction?.failure == nil && transaction?.isRefused == true
        let isFinal = !lacksSavepoint || isRun && transaction?.lacksSavepoint == false
        throw Separation(error: isFinal ? error : nil, lacksSavepoint: lacksSavepoint)
      }
      context.rollback()
      return { write.fail(error) }
    }
  }

  /// Fails the units that wait: later they would fail in the same way.
  private func failWaiting(_ error: any Error) {
    let isTimedOut = (error as? SwiftDataError)?.reason == .busy
    for write in waiting.take(atMost: .max, isTimedOut: isTimedOut) { write.fail(error) }
  }

  /// Runs units one after the other, each in a transaction of its own, until one can't begin.
  private func runAlone(_ group: [WaitingWrite], _ shared: (any StorePort)?) {
    var rest = group[...]
    while let write = rest.popFirst() {
      let outcome = shared.map { run(write, .exclusive, $0.log) } ?? runOnce(write)
      outcome.answer()
      guard let error = outcome.obstruction else { continue }
      for write in rest { write.fail(error) }
      // Who holds a lock may release it before later units have waited as long.
      if (error as? SwiftDataError)?.reason != .busy { failWaiting(error) }
      return
    }
  }

  private func runOnce(_ write: WaitingWrite) -> Outcome {
    var hasBegun = false
    do {
      return Outcome(answer: try stored(write, .exclusive, &hasBegun))
    } catch {
      return Outcome(answer: { write.fail(error) }, obstruction: hasBegun ? nil : error)
    }
  }

  /// Runs a unit in a transaction of its own, again if another writer disturbs it or the connection is lost.
  /// - Parameters:
  ///   - access: How the first attempt writes.
  ///   - log: Receives the repetitions.
  private func run(
    _ write: WaitingWrite, _ access: WriteAccess, _ log: StatementLog?
  ) -> Outcome {
    let start = ContinuousClock.now
    var repetition = SaveRepetition(access)
    while true {
      // What comes next may see an earlier state than another context has stored.
      defer { withExtendedLifetime(modelContext.core.recentModels.removeAll()) {} }
      var hasBegun = false
      do {
        let answer = try stored(write, repetition.access, &hasBegun)
        waiting.noteSuccess(of: 1)
        return Outcome(answer: answer)
      } catch {
        if SaveRepetition.obstacle(of: error) == .concurrentChange { waiting.noteDisturbance() }
        guard repetition.repeats(after: error) else {
          if (error as? SwiftDataError)?.reason == .busy {
            for other in waiting.take(since: start) { other.fail(error) }
          }
          return Outcome(answer: { write.fail(error) }, obstruction: hasBegun ? nil : error)
        }
        repetition.pause(log)
      }
    }
  }

  /// Runs a unit in a transaction of its own.
  /// - Parameter hasBegun: Whether the transaction has begun, also if this throws.
  /// - Returns: What resumes the caller. Its unit is stored.
  private func stored(
    _ write: WaitingWrite, _ access: WriteAccess, _ hasBegun: inout Bool
  ) throws -> @Sendable () -> Void {
    var answer: (@Sendable () -> Void)?
    defer { settings.restore(in: modelContext) }
    try modelContext.core.transaction(
      access, within: limit, didPost: { saveRemainingEdits(answer.map { [$0] } ?? []) }
    ) {
      hasBegun = true
      guard waiting.begin(write) else { throw CancellationError() }
      prepare(modelContext)
      answer = try write.run(modelContext)
    }
    return answer ?? {}
  }

  /// Whether the transaction is still good after an error: the database has not failed.
  private static func concernsOnlyItsUnit(_ error: any Error) -> Bool {
    guard let error = error as? SwiftDataError else { return true }
    return switch error.reason {
    case .notFound, .invalidIdentifier, .uniqueValueTaken, .conflict, .deletionDenied,
      .requiredValueMissing, .tooFewMembers, .tooManyMembers, .invalidValue:
      true
    default: false
    }
  }
}
