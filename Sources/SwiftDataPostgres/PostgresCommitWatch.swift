import Dispatch
import Foundation
import OpenSwiftDataPostgresEngine
import SwiftData
import Synchronization

/// Notices commits to a store by polling the end of its history, and with notifications of the server
/// if the configuration wants them. Made for `RemoteCommitHub` while observers exist.
///
/// 1. `start` starts the thread "SwiftData PostgreSQL history", and a listener if there is a channel.
/// 2. `HistoryPollTiming` decides when the thread polls: one index look-up, on a connection of the
///    pool. Another end than before is reported.
/// 3. While the server does not answer, nothing is reported: observers keep what they show. The
///    first answer after that is compared with the last one before.
/// 4. If the tables no longer fit the models, because another program has migrated them, that is
///    reported once, as a commit: observers read, and get the error.
/// 5. Releasing the watch ends the threads.
final class PostgresCommitWatch: CommitWatch {
  private let polling: CommitPolling
  private let listener: CommitListener?

  /// - Parameter lastNumber: Asks the server for the number of the last transaction.
  init(
    listeningTo address: CommitListener.Address?,
    lastNumber: @escaping @Sendable () throws -> Int64
  ) {
    let polling = CommitPolling(lastNumber)
    self.polling = polling
    listener = address.map { address in
      CommitListener(address) { event in
        switch event {
        case .notified: polling.update { $0.notified(now: $1) }
        case .listens(let isListening): polling.update { $0.listens(isListening, now: $1) }
        }
      }
    }
  }

  deinit {
    listener?.end()
    polling.end()
  }

  func start(_ onCommit: @escaping @Sendable () -> Void) {
    polling.start(onCommit)
    listener?.start()
  }
}

/// The thread that polls. `state` guards all state.
private final class CommitPolling: Sendable {
  private struct State {
    var timing: HistoryPollTiming
    var known: Int64?
    var hasReportedMismatch = false
    var hasEnded = false
  }

  private let state: Mutex<State>
  private let wake = DispatchSemaphore(value: 0)
  private let start = ContinuousClock.now
  private let lastNumber: @Sendable () throws -> Int64
  private let failures = Mutex(false)

  init(_ lastNumber: @escaping @Sendable () throws -> Int64) {
    self.lastNumber = lastNumber
    state = Mutex(State(timing: HistoryPollTiming(now: .zero)))
  }

  private var now: Duration { ContinuousClock.now - start }

  func start(_ onCommit: @escaping @Sendable () -> Void) {
    let thread = Thread { [self] in run(onCommit) }
    thread.name = "SwiftData PostgreSQL history"
    thread.stackSize = 512 * 1024
    thread.start()
  }

  func update(_ change: (inout HistoryPollTiming, Duration) -> Void) {
    state.withLock { change(&$0.timing, now) }
    wake.signal()
  }

  func end() {
    state.withLock { $0.hasEnded = true }
    wake.signal()
  }

  private func run(_ onCommit: @Sendable () -> Void) {
    while let wait = state.withLock({ $0.hasEnded ? nil : $0.timing.due - now }) {
      if wait > .zero {
        _ = wake.wait(timeout: .now() + .nanoseconds(Int(wait / .nanoseconds(1))))
      } else {
        poll(onCommit)
      }
    }
  }

  private func poll(_ onCommit: () -> Void) {
    state.withLock { $0.timing.began() }
    do {
      let number = try lastNumber()
      let hasChanged = state.withLock { state in
        let hasChanged = state.known != number || state.hasReportedMismatch
        state.known = number
        state.hasReportedMismatch = false
        state.timing.polled(hasChanged: hasChanged, now: now)
        return hasChanged && !state.hasEnded
      }
      report(failing: nil)
      if hasChanged { onCommit() }
    } catch let error as SwiftDataError where error.reason == .closed {
      // The container was closed meanwhile.
    } catch let error as SwiftDataError where error.reason == .schemaMismatch {
      let isNew = state.withLock { state in
        state.timing.failed(now: now)
        defer { state.hasReportedMismatch = true }
        return !state.hasReportedMismatch && !state.hasEnded
      }
      if isNew { onCommit() }
    } catch {
      state.withLock { $0.timing.failed(now: now) }
      report(failing: error)
    }
  }

  /// Writes one line when the polls begin to fail, and one when they work again.
  private func report(failing error: (any Error)?) {
    let isNew = failures.withLock { isFailing in
      defer { isFailing = error != nil }
      return isFailing != (error != nil)
    }
    guard isNew else { return }
    WarningLog.write(
      error.map { "commits of other programs are not noticed until the database answers: \($0)" }
        ?? "commits of other programs are noticed again")
  }
}
