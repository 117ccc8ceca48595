import Synchronization

/// Lets another thread end a read: the statement that runs throws, and so does each further read.
///
/// The sessions of a read are known while they are lent to it, so no other user of a connection is
/// interrupted.
package final class ReadInterruption: Sendable {
  /// That of the read which the task performs.
  @TaskLocal package static var current: ReadInterruption?

  private struct State: @unchecked Sendable {
    // Only `interrupt` is called on other threads.
    var sessions: [any SQLSession] = []
    var isRequested = false
  }

  private let state = Mutex(State())

  package init() {}

  package var isRequested: Bool { state.withLock { $0.isRequested } }

  package func request() {
    state.withLock { state in
      state.isRequested = true
      for session in state.sessions { session.interrupt() }
    }
  }

  /// - Throws: `CancellationError` if the read of this task was interrupted.
  package static func check() throws {
    if let current, current.isRequested { throw CancellationError() }
  }

  /// Runs reads of a session, which can be interrupted.
  package static func allowed<R>(in session: any SQLSession, _ body: () throws -> R) throws -> R {
    guard let current else { return try body() }
    current.state.withLock { $0.sessions.append(session) }
    defer { current.remove(session) }
    try check()
    return try body()
  }

  private func remove(_ session: any SQLSession) {
    let wasInterrupted = state.withLock { state in
      state.sessions.removeAll { $0 === session }
      return state.isRequested
    }
    if wasInterrupted { session.settleInterruption() }
  }
}
