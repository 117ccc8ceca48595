#if Observability
  import ServiceContextModule
  import SwiftData
  import Tracing

  /// A statement as a span of the running trace.
  ///
  /// A statement is known when it has finished, so the span is made then, with the times of the
  /// statement. Without a service context there is no trace to belong to, and nothing is made. The span of a statement
  /// that has failed has the status `error`, and the code of the failure.
  enum StatementSpan {
    static func record(
      _ statement: StatementLog.Statement, _ kind: StatementKind, _ store: String
    ) {
      guard let context = ServiceContext.current else { return }
      let end = DefaultTracerClock.now.nanosecondsSinceEpoch
      let (seconds, attoseconds) = statement.duration.components
      let length = UInt64(clamping: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
      let begin = DefaultTracerClock.Timestamp(
        nanosecondsSinceEpoch: end - min(length, end))
      let span = startSpan(
        kind.rawValue.uppercased(), context: context, ofKind: .client, at: begin)
      span.updateAttributes { attributes in
        attributes["db.namespace"] = store
        attributes["db.operation.name"] = kind.rawValue.uppercased()
        attributes["db.query.text"] = statement.sql
        attributes["db.response.returned_rows"] = statement.rowCount
        if let failure = statement.failure {
          attributes["db.response.status_code"] = failure
          attributes["error.type"] = failure
        }
      }
      if statement.failure != nil { span.setStatus(SpanStatus(code: .error)) }
      span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: end))
    }
  }
#endif
