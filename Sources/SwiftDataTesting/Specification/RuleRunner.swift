import Foundation
import Synchronization

/// Runs a rule on a thread of its own, and does not wait longer than a limit.
///
/// A thread that does not end cannot be stopped: it is left alone, with its store.
enum RuleRunner {
  static func problems(
    of rule: Rule, on trial: Trial, within limit: Duration
  ) async -> [String] {
    let end = End()
    await withCheckedContinuation { continuation in
      end.hold(continuation)
      let thread = Thread {
        trial.run(rule)
        end.reach(timedOut: false)
      }
      // Predicates are deep trees.
      thread.stackSize = 8 << 20
      thread.start()
      let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { end.reach(timedOut: true) }
    }
    if end.isTimedOut { trial.problem("The rule did not end within \(limit).") }
    return trial.problems
  }

  /// Resumes the waiting task once.
  private final class End: Sendable {
    private struct State {
      var continuation: CheckedContinuation<Void, Never>?
      var isTimedOut = false
    }

    private let state = Mutex(State())

    var isTimedOut: Bool { state.withLock { $0.isTimedOut } }

    func hold(_ continuation: CheckedContinuation<Void, Never>) {
      state.withLock { $0.continuation = continuation }
    }

    func reach(timedOut: Bool) {
      let waiting = state.withLock { state in
        defer { state.continuation = nil }
        if timedOut, state.continuation != nil { state.isTimedOut = true }
        return state.continuation
      }
      waiting?.resume()
    }
  }
}
