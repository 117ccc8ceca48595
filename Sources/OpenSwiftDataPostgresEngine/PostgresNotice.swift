import OpenSwiftDataCPostgres

/// A message of the server that is no answer to a statement, such as a warning.
package struct PostgresNotice: Sendable {
  /// `WARNING`, `NOTICE` and so on, not translated.
  package let severity: String
  package let state: SQLState?
  package let message: String
}

extension PostgresNotice {
  init(result: OpaquePointer) {
    func field(_ code: Unicode.Scalar) -> String? {
      PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
    }
    severity = field("V") ?? field("S") ?? "NOTICE"
    state = field("C").map(SQLState.init(rawValue:))
    message =
      field("M")
      ?? PQresultErrorMessage(result).map { PostgresError.oneLine(String(cString: $0)) } ?? ""
  }
}

/// Receives the notices of one connection.
final class NoticeReceiver {
  private let log: (@Sendable (PostgresNotice) -> Void)?
  /// The last reason that the server gave for ending the connection.
  private(set) var farewell: PostgresNotice?

  init(_ log: (@Sendable (PostgresNotice) -> Void)?) {
    self.log = log
  }

  /// - Parameter handle: libpq does not retain the receiver; the connection keeps both.
  func attach(to handle: OpaquePointer) {
    PQsetNoticeReceiver(
      handle,
      { context, result in
        guard let context, let result else { return }
        Unmanaged<NoticeReceiver>.fromOpaque(context).takeUnretainedValue()
          .note(PostgresNotice(result: result))
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func note(_ notice: PostgresNotice) {
    if notice.severity == "FATAL" || notice.severity == "PANIC" || notice.state?.category == "57" {
      farewell = notice
    }
    log?(notice)
  }
}
