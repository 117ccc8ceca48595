import OpenSwiftDataCPostgres

extension PostgresConnection {
  /// Whether the connection is open and idle, as far as this process knows: nothing is sent. A server
  /// that has ended or restarted has closed the socket, which is seen here.
  var isAlive: Bool {
    guard let handle, isOpen, isSnapshotEnding || PQtransactionStatus(handle) == PQTRANS_IDLE else {
      return false
    }
    while cpostgres_wait(PQsocket(handle), -1, CPOSTGRES_READABLE, 0) > 0 {
      // Notices and changed settings are read here; the end of the connection makes it fail.
      if PQconsumeInput(handle) == 0 { return false }
      takeSnapshotEnd(handle)
      // Handles the messages.
      if !isSnapshotEnding && PQisBusy(handle) != 0 || !isOpen { return false }
    }
    return notices.farewell == nil
  }

  /// Reads the answer to the commit of a snapshot, if it has arrived.
  private func takeSnapshotEnd(_ handle: OpaquePointer) {
    while isSnapshotEnding, PQisBusy(handle) == 0 {
      guard let result = PQgetResult(handle) else { return isSnapshotEnding = false }
      PQclear(result)
    }
  }

  /// Asks the server for an answer.
  /// - Throws: `PostgresError`; the connection is closed if there was no answer.
  package func ping(within limit: Duration) throws {
    try exchange("SELECT", within: limit) { handle, deadline in
      try sent(PQsendQuery(handle, ""), nil)
      try discardResults(handle, deadline, nil)
    }
  }
}
