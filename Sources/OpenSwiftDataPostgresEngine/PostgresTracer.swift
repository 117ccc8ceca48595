import Foundation
import OpenSwiftDataCPostgres

/// A statement that has finished, or failed.
package struct PostgresTrace: Sendable {
  /// The text, with parameters in place of values.
  package let sql: String
  /// The time from the start of the exchange with the server, or from the end of the statement before
  /// it in the same exchange.
  package let duration: Duration
  /// The number of rows that were received.
  package let rowCount: Int
  /// The text with the bound values, if they were requested.
  package let expandedSQL: String?
  /// The code of the failure: `SQLSTATE`, or the kind of an error that the server has not reported; `nil` if the
  /// statement has succeeded.
  package let failure: String?
}

/// A wait of a thread for a connection of a pool.
package struct PostgresWait: Sendable {
  package let isForWriting: Bool
  package let duration: Duration
  /// Whether the limit of the pool ended the wait.
  package let isTimedOut: Bool
}

/// Receives what connections and pools do. Part of `ConnectionOptions`, so that each connection of a
/// store has it. Called on the thread that uses the connection.
package struct PostgresTracer: Sendable {
  let includesValues: Bool
  let note: @Sendable (PostgresTrace) -> Void
  let noteWait: @Sendable (PostgresWait) -> Void

  package init(
    includesValues: Bool = false, note: @escaping @Sendable (PostgresTrace) -> Void,
    noteWait: @escaping @Sendable (PostgresWait) -> Void = { _ in }
  ) {
    self.includesValues = includesValues
    self.note = note
    self.noteWait = noteWait
  }
}

// Statements that share an exchange share its time: each counts from the answer to the one before it, so
// that the sum is the time of the exchange. The server is asked to send each answer when it has it; otherwise
// all answers of an exchange arrive together, and the first statement has the time of all. That is so among the
// rows of a batch, which are runs of one text. Preparing a statement is not reported.
extension PostgresConnection {
  /// Whether statements are reported.
  var isTraced: Bool { tracer != nil }

  /// Whether the values of statements must be kept until they are reported.
  var tracesValues: Bool { tracer?.includesValues ?? false }

  /// Makes the server send the answer to the statement that was sent last without waiting for the next ones, if
  /// statements are reported.
  func requestTracedAnswer(_ handle: OpaquePointer, _ sql: String) throws {
    if isTraced { try sent(PQsendFlushRequest(handle), sql) }
  }

  /// Reports the statement whose answer an interrupted exchange has waited for.
  func traceInterrupted(_ sql: String?, _ interruption: Interruption) {
    trace(interruptedSQL ?? sql, nil, rows: 0, failure: "\(interruption)")
    interruptedSQL = nil
  }

  /// Reports a statement of the running exchange.
  /// - Parameters:
  ///   - values: The values, if they are to be included.
  ///   - failure: The code of its failure.
  func trace(
    _ sql: String?, _ values: @autoclosure () -> ParameterBuffer?, rows: Int,
    failure: @autoclosure () -> String? = nil
  ) {
    guard let tracer, let start = traceStart else { return }
    let now = ContinuousClock.now
    traceStart = now
    let sql = sql.map(RequiredRow.inner) ?? ""
    tracer.note(
      PostgresTrace(
        sql: sql, duration: now - start, rowCount: rows,
        expandedSQL: tracer.includesValues ? values()?.expanded(sql) ?? sql : nil,
        failure: failure()))
  }

  /// Reports the last statement of the running exchange. What fails after it is no failure of a statement.
  func traceEnd(_ sql: String) {
    trace(sql, nil, rows: 0)
    traceStart = nil
  }

  /// Reports no statements of `body`.
  package func untraced<R>(_ body: () throws -> R) rethrows -> R {
    let known = tracer
    tracer = nil
    defer { tracer = known }
    return try body()
  }
}

extension PostgresError {
  /// `SQLSTATE`, or the kind of an error that the server has not reported. A required row that is missing is
  /// that, not the division by zero that finds it.
  var code: String {
    if RequiredRow.isMissing(self) { return SQLState.noData.rawValue }
    return state?.rawValue ?? "\(kind)"
  }
}

extension ParameterBuffer {
  /// The text of a statement with these values as literals in place of its parameters.
  func expanded(_ sql: String) -> String {
    let literals = literals
    var result: [UInt8] = []
    var quote: UInt8?
    var rest = Array(sql.utf8)[...]
    while let byte = rest.popFirst() {
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else if byte == UInt8(ascii: "$") {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        if let number = Int(String(decoding: digits, as: UTF8.self)),
          literals.indices.contains(number - 1)
        {
          result += Array(literals[number - 1].utf8)
          rest = rest.dropFirst(digits.count)
          continue
        }
      }
      result.append(byte)
    }
    return String(decoding: result, as: UTF8.self)
  }

  private var literals: [String] {
    var literals: [String] = []
    withValues { count, values, lengths, formats in
      for index in 0..<Int(count) {
        guard let start = values?[index], let length = lengths?[index] else {
          literals.append("NULL")
          continue
        }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(length))
        guard formats?[index] == 1 else {
          literals.append(PostgresValue.text(String(decoding: bytes, as: UTF8.self)).literal)
          continue
        }
        let value = try? PostgresDecoding.value(bytes, types[index])
        literals.append(value?.literal ?? PostgresValue.hexadecimal(bytes))
      }
    }
    return literals
  }
}

extension PostgresValue {
  /// The value as a literal of SQL.
  fileprivate var literal: String {
    switch self {
    case .null: "NULL"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .double(let value): PostgresValue.number(value, "double precision")
    case .real(let value): PostgresValue.number(Double(value), "real")
    case .numeric(let value): value.isNaN ? "'NaN'::numeric" : "\(value)"
    case .text(let value): PostgresConnection.quoted(value, with: "'")
    case .bytes(let value): value.withUnsafeBytes { PostgresValue.hexadecimal($0) }
    case .uuid(let value): "'\(value.uuidString)'"
    case .array(let values): "ARRAY[\(values.map(\.literal).joined(separator: ", "))]"
    }
  }

  private static func number(_ value: Double, _ type: String) -> String {
    if value.isFinite { return "\(value)" }
    let name = value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity"
    return "'\(name)'::\(type)"
  }

  fileprivate static func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text = Array("'\\x".utf8)
    text.reserveCapacity(2 * bytes.count + 4)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self) + "'"
  }
}
