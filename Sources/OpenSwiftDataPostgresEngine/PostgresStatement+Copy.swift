import OpenSwiftDataCPostgres

extension PostgresStatement {
  /// Sends rows with `COPY … FROM STDIN (FORMAT binary)`: the fastest way to insert many, and the one
  /// that sends large values in parts. The parameters of this statement are the first columns.
  ///
  /// Server errors have no `rowIndex`. All rows are written or none.
  /// - Parameters:
  ///   - sql: The command.
  ///   - last: The values of the columns after the parameters, the same in all rows.
  ///   - limit: The time limit of the command.
  ///   - rows: Binds the parameters of a row and calls the function that it gets, for each row. The
  ///     function copies the values, and clears them.
  /// - Throws: `PostgresError`; the transaction must be rolled back then.
  package func copy(
    _ sql: String, last: [Int64], within limit: Duration? = nil,
    _ rows: (_ send: () throws -> Void) throws -> Void
  ) throws {
    try connection.sendDeferred()
    try connection.exchange(sql, within: limit) { handle, deadline in
      try connection.sent(PQsendQuery(handle, sql), sql)
      guard let answer = try connection.nextResult(handle, deadline, sql) else {
        throw connection.lastFailure(sql)
      }
      let status = PQresultStatus(answer)
      guard status == PGRES_COPY_IN else {
        defer { PQclear(answer) }
        throw PostgresError(result: answer, sql: sql)
      }
      PQclear(answer)
      let writer = CopyWriter(connection, handle, deadline, sql, last: last)
      do {
        parameters.clear()
        try rows {
          try described { try writer.append(parameters) }
          parameters.clear()
        }
        try writer.finish()
      } catch {
        // Ends the command, so that the connection can be used again. The server rejects the rows.
        _ = PQputCopyEnd(handle, "the client has no more rows because of an error")
        throw error
      }
      try connection.discardResults(handle, deadline, sql)
      connection.trace(sql, nil, rows: 0)
    }
  }

  /// Whether `copy` can send values of all parameters.
  package var canCopy: Bool { parameterTypes.allSatisfy(\.hasCopyForm) }
}

/// Encodes rows, and sends them in parts.
private final class CopyWriter {
  private let connection: PostgresConnection
  private let handle: OpaquePointer
  private let deadline: Deadline
  private let sql: String
  /// The encoded last columns of each row.
  private var last: [UInt8] = []
  private let lastCount: Int
  private var bytes: [UInt8] = []
  /// Whether the server has ended the command: its error is the next result.
  private var isEnded = false

  /// The size of the parts.
  private static let part = 128 << 10

  init(
    _ connection: PostgresConnection, _ handle: OpaquePointer, _ deadline: Deadline, _ sql: String,
    last values: [Int64]
  ) {
    self.connection = connection
    self.handle = handle
    self.deadline = deadline
    self.sql = sql
    lastCount = values.count
    for value in values {
      last.appendBigEndian(8 as Int32)
      last.appendBigEndian(value)
    }
    bytes.reserveCapacity(CopyWriter.part * 2)
    // The signature, no flags, and no extension of the header.
    bytes += Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + Array(repeating: 0, count: 8)
  }

  func append(_ row: ParameterBuffer) throws {
    if isEnded { return }
    bytes.appendBigEndian(Int16(row.types.count + lastCount))
    try row.forEachField { field in
      guard let field else { return bytes.appendBigEndian(-1 as Int32) }
      bytes.appendBigEndian(Int32(field.count))
      if field.count < CopyWriter.part { return bytes.append(contentsOf: field) }
      // A large value is sent from its own memory.
      try sendBytes()
      var rest = field[...]
      while !rest.isEmpty, !isEnded {
        try send(UnsafeRawBufferPointer(rebasing: rest.prefix(CopyWriter.part)))
        rest = rest.dropFirst(CopyWriter.part)
      }
    }
    bytes += last
    if bytes.count >= CopyWriter.part { try sendBytes() }
  }

  func finish() throws {
    bytes.appendBigEndian(-1 as Int16)
    try sendBytes()
    if isEnded { return }
    while true {
      let result = PQputCopyEnd(handle, nil)
      if result == 1 { break }
      guard result == 0 else { return isEnded = true }
      try flush()
    }
    try flush()
  }

  private func sendBytes() throws {
    try bytes.withUnsafeBytes { bytes in
      if !bytes.isEmpty { try send(bytes) }
    }
    bytes.removeAll(keepingCapacity: true)
  }

  private func send(_ part: UnsafeRawBufferPointer) throws {
    if isEnded { return }
    while true {
      let start = part.baseAddress?.assumingMemoryBound(to: CChar.self)
      let result = PQputCopyData(handle, start, Int32(part.count))
      if result == 1 { break }
      guard result == 0 else { return isEnded = true }
      try flush()
    }
    try flush()
  }

  /// Waits until libpq has sent what it has, so that its buffer does not grow.
  private func flush() throws { try connection.flush(handle, deadline, sql) }
}

extension PostgresType {
  /// Whether the binary form of a parameter is also that of a column in COPY.
  fileprivate var hasCopyForm: Bool {
    switch self {
    case .bigint, .integer, .smallint, .boolean, .double, .real, .numeric, .bytea, .uuid: true
    default: isText
    }
  }
}
