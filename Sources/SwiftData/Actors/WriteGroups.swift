/// Runs the units of work of a `ModelWriter`, with a context and a queue of its own.
///
/// 1. A transaction begins. It takes the write lock.
/// 2. The units that wait run one after the other, each followed by a save; those that come meanwhile
///    too, within the limits of a group.
/// 3. A unit that fails before it has written is rolled back in memory; the others go on.
/// 4. A unit that fails after it has written, or with an error that says nothing about the unit, ends the
///    transaction. Nothing is stored. Then each unit runs in a transaction of its own.
/// 5. After the commit all callers get their results.
actor WriteGroups: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated var modelExecutor: any ModelExecutor { executor }
  private nonisolated let executor: DefaultSerialModelExecutor
  private let waiting: WaitingWrites
  private let limit: Duration?
  private let prepare: @Sendable (ModelContext) -> Void

  /// How many units one transaction may have.
  private static let largestCount = 100
  /// After this time no other unit begins in a transaction.
  private static let longestTime = Duration.milliseconds(50)

  /// Ends the transaction of a group whose units have to run alone.
  private struct Separation: Error {}

  init(
    _ container: ModelContainer, _ waiting: WaitingWrites, within limit: Duration?,
    prepare: @escaping @Sendable (ModelContext) -> Void
  ) {
    modelContainer = container
    executor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
    self.waiting = waiting
    self.limit = limit
    self.prepare = prepare
  }

  /// Runs units until none waits, on the queue of the executor. A task would visit another thread before.
  nonisolated func start() {
    executor.perform { self.assumeIsolated { $0.run() } }
  }

  private func run() {
    let isUndoable = modelContainer.coordinator.ports.allSatisfy(\.isTransactional)
    repeat {
      if isUndoable {
        runGroup()
      } else {
        for write in waiting.take(atMost: WriteGroups.largestCount) { runAlone(write) }
      }
    } while !waiting.end()
  }

  private func runGroup() {
    var group: [WaitingWrite] = []
    var answers: [@Sendable () -> Void] = []
    do {
      try modelContext.core.transaction(within: limit) {
        let end = ContinuousClock.now + WriteGroups.longestTime
        while group.count < WriteGroups.largestCount, ContinuousClock.now < end,
          let write = waiting.take(atMost: 1).first
        {
          group.append(write)
          answers.append(try answer(write))
        }
      }
    } catch is Separation {
      return group.forEach(runAlone)
    } catch {
      // If the transaction did not begin, those that wait would fail later in the same way.
      if group.isEmpty { group = waiting.take(atMost: .max) }
      for write in group { write.fail(error) }
      return
    }
    for answer in answers { answer() }
  }

  /// Runs a unit in the open transaction of a group.
  /// - Returns: What resumes the caller after the commit, with the result or the error.
  private func answer(_ write: WaitingWrite) throws -> @Sendable () -> Void {
    let context = modelContext
    let count = context.core.transaction?.writeCount
    do {
      prepare(context)
      let answer = try write.run(context)
      try context.save()
      // An inner transaction that has failed fails the commit.
      if context.core.transaction?.failure != nil { throw Separation() }
      return answer
    } catch {
      guard let transaction = context.core.transaction, transaction.failure == nil,
        transaction.writeCount == count, WriteGroups.concernsOnlyItsUnit(error)
      else { throw Separation() }
      context.rollback()
      return { write.fail(error) }
    }
  }

  private func runAlone(_ write: WaitingWrite) {
    let context = modelContext
    var answer: (@Sendable () -> Void)?
    do {
      try context.core.transaction(within: limit) {
        prepare(context)
        answer = try write.run(context)
      }
      answer?()
    } catch {
      write.fail(error)
    }
  }

  /// Whether the transaction is still good after an error: the database has not failed.
  private static func concernsOnlyItsUnit(_ error: any Error) -> Bool {
    guard let error = error as? SwiftDataError else { return !(error is Separation) }
    return switch error.reason {
    case .notFound, .invalidIdentifier, .uniqueValueTaken, .conflict, .deletionDenied,
      .requiredValueMissing, .tooFewMembers, .tooManyMembers, .invalidValue:
      true
    default: false
    }
  }
}
