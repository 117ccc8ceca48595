package import Foundation

extension ConnectionPool {
  /// The writer, lent for longer than one call: from writing a save until its commit.
  ///
  /// The thread that took the lease owns the writer until `end`.
  package final class Lease {
    package let connection: Connection
    private let onEnd: () -> Void
    private var isEnded = false

    init(connection: Connection, onEnd: @escaping () -> Void) {
      self.connection = connection
      self.onEnd = onEnd
    }

    /// Returns the connection; a second call does nothing.
    package func end() {
      guard !isEnded else { return }
      isEnded = true
      onEnd()
    }

    deinit { end() }
  }

  /// Lends the writing connection until the lease ends.
  /// - Parameters:
  ///   - owner: The context that writes.
  ///   - limit: How long to wait for another thread; `nil` for the pool's own limit.
  package func leaseWriter(
    for owner: UUID? = nil, within limit: Duration? = nil
  ) throws -> Lease {
    let seat = try enterForWriting(for: owner, within: limit)
    do {
      let connection = try connection(at: seat)
      let isFirst = noteWriting(at: seat, on: connection, for: owner)
      return Lease(connection: connection) {
        if isFirst { self.forgetWriting(at: seat) }
        self.leave(seat)
      }
    } catch {
      leave(seat)
      throw error
    }
  }
}
