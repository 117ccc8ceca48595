import SwiftData
import Synchronization

/// Makes statements of the stores of a recorder fail while `failing` or `crashing` runs.
///
/// 1. `begin` adds an injection with its counts.
/// 2. Each statement of the stores asks here before it runs, and counts for all injections.
/// 3. The one whose number has come throws an error in place of the statement.
/// 4. `end` removes it, and tells what was counted.
final class FaultInjector: StatementInterceptor {
  enum Effect: Sendable {
    case failure(InjectedFailure)
    /// Called at the moment of a crash; all later statements fail.
    case crash(@Sendable () throws -> Void)
  }

  /// What happened during an injection.
  struct Outcome: Sendable {
    var hasFired = false
    /// The number of saves or statements that came by.
    var count = 0
    /// An error of the code that runs at the moment of a crash.
    var error: (any Error)?
  }

  private struct Injection: Sendable {
    let point: FaultPoint
    let effect: Effect
    var begun = 0
    var outcome = Outcome()
  }

  private struct State {
    var next = 0
    var injections: [Int: Injection] = [:]
    /// After a crash the store accepts nothing.
    var hasCrashed = false
  }

  private let state = Mutex(State())

  func begin(_ point: FaultPoint, _ effect: Effect) -> Int {
    state.withLock { state in
      state.next += 1
      state.injections[state.next] = Injection(point: point, effect: effect)
      return state.next
    }
  }

  @discardableResult
  func end(_ number: Int) -> Outcome {
    state.withLock { $0.injections.removeValue(forKey: number)?.outcome } ?? Outcome()
  }

  /// An error of the code that has run at the moment of a crash.
  func error(_ number: Int) -> (any Error)? {
    state.withLock { $0.injections[number]?.outcome.error }
  }

  // MARK: Moments

  func willRun(_ sql: String, times count: Int) throws {
    let kinds = StatementKinds(of: sql)
    try pass(sql) { injection in
      guard case .statement(let number, let wanted) = injection.point,
        !wanted.isDisjoint(with: kinds)
      else { return false }
      let before = injection.outcome.count
      injection.outcome.count += count
      return before < number && number <= before + count
    }
  }

  func willBeginSave() throws {
    try pass("BEGIN") { injection in
      guard case .save(let number) = injection.point else { return false }
      injection.begun += 1
      guard case .failure(.busy) = injection.effect else { return false }
      injection.outcome.count += 1
      return injection.begun == number
    }
  }

  func willCommitSave() throws {
    try pass("COMMIT") { injection in
      guard case .save(let number) = injection.point else { return false }
      if case .failure(.busy) = injection.effect { return false }
      injection.outcome.count += 1
      return injection.outcome.count == number
    }
  }

  func willCommitTransaction() throws { try pass("COMMIT") { _ in false } }

  /// - Parameter isDue: Counts, and returns whether the injection fires now.
  private func pass(_ sql: String, _ isDue: (inout Injection) -> Bool) throws {
    let due = try state.withLock { state -> (number: Int, effect: Effect)? in
      if state.hasCrashed { throw FaultInjector.crashed(sql) }
      var found: (Int, Effect)?
      for number in state.injections.keys.sorted() {
        guard var injection = state.injections[number] else { continue }
        if isDue(&injection), !injection.outcome.hasFired, found == nil {
          injection.outcome.hasFired = true
          found = (number, injection.effect)
        }
        state.injections[number] = injection
      }
      if case (_, .crash)? = found { state.hasCrashed = true }
      return found
    }
    switch due?.effect {
    case nil: return
    case .failure(let failure): throw failure.fault.error(sql: sql, "a failure injected by a test")
    case .crash(let body):
      do {
        try body()
      } catch {
        state.withLock { $0.injections[due?.number ?? 0]?.outcome.error = error }
      }
      throw FaultInjector.crashed(sql)
    }
  }

  private static func crashed(_ sql: String) -> any Error {
    StoreFault.inputOutput.error(sql: sql, "the process has crashed, in a test")
  }
}

extension InjectedFailure {
  fileprivate var fault: StoreFault {
    switch self {
    case .diskFull: .diskFull
    case .busy: .busy
    case .inputOutput: .inputOutput
    }
  }
}
