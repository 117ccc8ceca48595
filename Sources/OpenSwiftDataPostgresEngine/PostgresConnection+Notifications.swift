import OpenSwiftDataCPostgres

extension PostgresConnection {
  /// Waits for notifications of the channels that the connection listens to. Nothing is sent.
  /// - Returns: Whether any has arrived; `false` after the limit. Several are one.
  /// - Throws: `PostgresError` if the connection is lost, or of kind `cancelled` after `cancel()`.
  package func waitForNotification(within limit: Duration) throws -> Bool {
    let deadline = Deadline(after: limit)
    while true {
      guard let handle, isOpen else { throw failure(.connection, "the connection is closed") }
      if takeNotifications(handle) { return true }
      if deadline.isPast { return false }
      let found = cpostgres_wait(
        PQsocket(handle), cancellation.wake.reading, CPOSTGRES_READABLE, deadline.milliseconds)
      if found < 0 { throw failure(.connection, "waiting for the socket failed") }
      if found & CPOSTGRES_WOKEN != 0, cancellation.take() {
        throw failure(.cancelled, "cancelled by the caller")
      }
      if found & CPOSTGRES_READABLE != 0, PQconsumeInput(handle) == 0 {
        let error = lastFailure(nil)
        close()
        throw error
      }
    }
  }

  private func takeNotifications(_ handle: OpaquePointer) -> Bool {
    var isAny = false
    while let notification = PQnotifies(handle) {
      PQfreemem(notification)
      isAny = true
    }
    return isAny
  }
}
