import Dispatch
import Foundation
import Synchronization

/// A session of a store whose reads can be ended.
package protocol InterruptibleSession: AnyObject {
  /// Makes the statement that runs throw. Called on any thread while the session is lent.
  func interrupt()

  /// Called after `interrupt`: no interruption may reach what the session does next.
  func settleInterruption()
}

/// Lets another thread end a read: the statement that runs throws, and so does each further read that can
/// throw.
///
/// A read that can't throw, such as that of a relationship, is performed: the code of a user must not get
/// a value that is not in the store. The sessions of a read are known while they are lent to it, and it is
/// ignored on other threads, so nobody else is interrupted. A task that the read starts inherits its
/// task-local values.
package final class ReadInterruption: Sendable {
  @TaskLocal private static var ofTask: ReadInterruption?

  private struct State: @unchecked Sendable {
    // Only `interrupt` is called on other threads.
    var sessions: [any InterruptibleSession] = []
    var isRequested = false
    /// The number of reads that can't throw and run now.
    var suspensions = 0
    /// The thread of the read, while it runs.
    var thread: ObjectIdentifier?
  }

  private let state = Mutex(State())

  package init() {}

  package var isRequested: Bool { state.withLock { $0.isRequested } }

  /// Runs the read. Until its end, reads of this thread can be interrupted.
  package func run<R>(_ body: () throws -> R) rethrows -> R {
    let thread = ObjectIdentifier(Thread.current)
    state.withLock { $0.thread = thread }
    defer { state.withLock { $0.thread = nil } }
    return try ReadInterruption.$ofTask.withValue(self) { try body() }
  }

  package func request() {
    state.withLock { $0.isRequested = true }
    interrupt(after: .milliseconds(20))
  }

  /// A database forgets an interruption that comes before its statement. So it is repeated until the read
  /// ends.
  private func interrupt(after delay: DispatchTimeInterval) {
    let isRunning = state.withLock { state in
      if state.suspensions == 0 {
        for session in state.sessions { session.interrupt() }
      }
      return !state.sessions.isEmpty
    }
    guard isRunning else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [self] in
      interrupt(after: .milliseconds(500))
    }
  }

  /// That of the read which this thread performs.
  private static var current: ReadInterruption? {
    guard let interruption = ofTask else { return nil }
    let thread = ObjectIdentifier(Thread.current)
    return interruption.state.withLock { $0.thread == thread } ? interruption : nil
  }

  /// - Throws: `CancellationError` if the read of this thread was interrupted.
  package static func check() throws {
    guard let interruption = ofTask else { return }
    let ends = interruption.state.withLock { state in
      state.isRequested && state.suspensions == 0
        && state.thread == ObjectIdentifier(Thread.current)
    }
    if ends { throw CancellationError() }
  }

  /// Runs a read that can't throw.
  package static func suspended<R>(_ body: () throws -> R) rethrows -> R {
    guard let current else { return try body() }
    let sessions = current.state.withLock { state -> [any InterruptibleSession] in
      state.suspensions += 1
      return state.isRequested ? state.sessions : []
    }
    for session in sessions { session.settleInterruption() }
    defer { current.state.withLock { $0.suspensions -= 1 } }
    return try body()
  }

  /// Runs reads of a session, which can be interrupted.
  package static func allowed<R>(in session: any InterruptibleSession, _ body: () throws -> R)
    throws -> R
  {
    guard let current else { return try body() }
    let isKnown = current.state.withLock { state in
      let isKnown = state.sessions.contains { $0 === session }
      if !isKnown { state.sessions.append(session) }
      return isKnown
    }
    // A snapshot inside another one.
    if isKnown { return try body() }
    defer { current.remove(session) }
    try check()
    return try body()
  }

  private func remove(_ session: any InterruptibleSession) {
    let wasInterrupted = state.withLock { state in
      state.sessions.removeAll { $0 === session }
      return state.isRequested
    }
    if wasInterrupted { session.settleInterruption() }
  }
}
