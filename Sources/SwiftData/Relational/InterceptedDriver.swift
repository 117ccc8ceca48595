import OpenSwiftDataSQLSyntax
import Synchronization

/// A driver that asks an interceptor before each statement of another driver.
struct InterceptedDriver: SQLDriver {
  private let base: any SQLDriver
  private let sessions: InterceptedSessions

  init(_ base: any SQLDriver, _ interceptor: any StatementInterceptor) {
    self.base = base
    sessions = InterceptedSessions(interceptor)
  }

  var capabilities: SQLCapabilities { base.capabilities }

  var externalValues: (any ExternalValueStore)? { base.externalValues }

  var readerCount: Int { base.readerCount }

  var writerCount: Int { base.writerCount }

  func read<R>(for reader: EditingState.ID?, _ body: (any SQLSession) throws -> R) throws -> R {
    try base.read(for: reader) { try body(sessions.session(over: $0)) }
  }

  func snapshot<R>(
    for reader: EditingState.ID?, canRepeat: () -> Bool, _ body: () throws -> R
  ) throws -> R { try base.snapshot(for: reader, canRepeat: canRepeat, body) }

  func readingPrimary<R>(for reader: EditingState.ID?, _ body: () throws -> R) throws -> R {
    try base.readingPrimary(for: reader, body)
  }

  func includeInReads(_ number: Int64) { base.includeInReads(number) }

  func didCommit(_ number: Int64?) { base.didCommit(number) }

  func write<R>(
    for writer: EditingState.ID?, else consequence: String,
    _ body: (any SQLSession) throws -> R
  ) throws -> R {
    try base.write(for: writer, else: consequence) { try body(sessions.session(over: $0)) }
  }

  func leaseWriter(
    for writer: EditingState.ID?, within limit: Duration?
  ) throws -> any SQLWriterLease {
    InterceptedLease(base: try base.leaseWriter(for: writer, within: limit), sessions: sessions)
  }

  var numberAllocator: (any NumberAllocator)? { base.numberAllocator }

  func reclaimSpace(limit: Int?) { base.reclaimSpace(limit: limit) }
}

/// The sessions over those of the other driver. Each is one object for the whole life of its
/// session, as readers of the session's stamps expect.
private final class InterceptedSessions: Sendable {
  private let interceptor: any StatementInterceptor
  private let known = Mutex<[ObjectIdentifier: Entry]>([:])

  /// Safe: the reference is compared only, and used by the thread that has the session.
  private struct Entry: @unchecked Sendable {
    let session: InterceptedSession
  }

  init(_ interceptor: any StatementInterceptor) { self.interceptor = interceptor }

  func session(over base: any SQLSession) -> InterceptedSession {
    known.withLock { known in
      // The object at this address may be a later session.
      if let entry = known[ObjectIdentifier(base)], entry.session.known === base {
        return entry
      }
      let entry = Entry(session: InterceptedSession(base, interceptor))
      known[ObjectIdentifier(base)] = entry
      return entry
    }.session
  }
}

private final class InterceptedLease: SQLWriterLease {
  private let base: any SQLWriterLease
  private let sessions: InterceptedSessions

  init(base: any SQLWriterLease, sessions: InterceptedSessions) {
    self.base = base
    self.sessions = sessions
  }

  func use<R>(_ body: (any SQLSession) throws -> R) throws -> R {
    try base.use { try body(sessions.session(over: $0)) }
  }

  func end() { base.end() }
}
