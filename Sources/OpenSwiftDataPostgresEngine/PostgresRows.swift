package import Foundation
import OpenSwiftDataCPostgres

/// The rows of a result while they arrive. Columns are numbered from 0.
package final class PostgresRows {
  private let connection: PostgresConnection
  private let handle: OpaquePointer
  private let description: StatementDescription
  private let deadline: Deadline
  /// The part of the result that holds the current row.
  private(set) var part: OpaquePointer?
  private(set) var row: Int32 = -1
  private var rowCount: Int32 = 0
  /// The columns as the server sent them with the rows.
  private(set) var types: [PostgresType] = []
  /// The number of rows in the parts that were received.
  private(set) var receivedRows = 0
  private var isAtEnd = false
  private var tag = ""

  init(
    _ connection: PostgresConnection, _ handle: OpaquePointer,
    _ description: StatementDescription, _ deadline: Deadline
  ) {
    self.connection = connection
    self.handle = handle
    self.description = description
    self.deadline = deadline
  }

  package var columnCount: Int { types.isEmpty ? description.columns.count : types.count }

  /// Moves to the next row; `false` if there is none.
  package func next() throws -> Bool {
    row += 1
    if row < rowCount { return true }
    return try nextPart()
  }

  private func nextPart() throws -> Bool {
    clear()
    while !isAtEnd {
      guard let result = try connection.nextResult(handle, deadline, description.sql) else {
        isAtEnd = true
        return false
      }
      do {
        try connection.check(result, description.sql)
        if cpostgres_is_part(PQresultStatus(result)) == 0 {
          tag = PQcmdTuples(result).map { String(cString: $0) } ?? ""
        }
        if types.isEmpty { try readTypes(result) }
      } catch {
        PQclear(result)
        throw error
      }
      if PQntuples(result) > 0 {
        (part, row, rowCount) = (result, 0, PQntuples(result))
        receivedRows += Int(rowCount)
        return true
      }
      PQclear(result)
    }
    return false
  }

  private func readTypes(_ result: OpaquePointer) throws {
    let count = PQnfields(result)
    if count == 0 { return }
    types = (0..<count).map { PostgresType(rawValue: PQftype(result, $0)) }
    guard count == description.columns.count,
      (0..<count).allSatisfy({ PQfformat(result, $0) == 1 })
    else {
      throw connection.failure(
        .invalidAnswer, "the rows have other columns than the statement", sql: description.sql)
    }
  }

  /// Reads the rest of the rows, so that errors after the last row that was used are reported too.
  func finish() throws {
    while try next() {}
    description.lastRowCount = receivedRows
  }

  func clear() {
    if let part { PQclear(part) }
    part = nil
    (row, rowCount) = (-1, 0)
  }

  func end() {
    clear()
    isAtEnd = true
  }

  /// The number of rows that the statement changed or returned; known after the last row.
  package var changedRows: Int { Int(tag) ?? 0 }

  // MARK: Values of the current row

  package func isNull(_ column: Int) -> Bool {
    part.map { PQgetisnull($0, row, Int32(column)) != 0 } ?? true
  }

  /// The binary form of a value, valid until the next row; empty for null.
  package func bytes(_ column: Int) -> UnsafeRawBufferPointer {
    guard let part, let start = PQgetvalue(part, row, Int32(column)) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    let count = Int(PQgetlength(part, row, Int32(column)))
    if count > PostgresConnection.largeMessage { noteLargeValue() }
    return UnsafeRawBufferPointer(start: start, count: count)
  }

  func noteLargeValue() { connection.hasLargeBuffers = true }

  package func type(_ column: Int) -> PostgresType { types[column] }

  package func integer(_ column: Int) throws -> Int64? {
    try isNull(column) ? nil : number(column)
  }

  private func number(_ column: Int) throws -> Int64 {
    guard let value = try PostgresDecoding.integer(bytes(column), types[column]) else {
      throw failure(column, as: "an integer")
    }
    return value
  }

  package func double(_ column: Int) throws -> Double? {
    if isNull(column) { return nil }
    guard let value = try PostgresDecoding.double(bytes(column), types[column]) else {
      throw failure(column, as: "a floating-point number")
    }
    return value
  }

  package func decimal(_ column: Int) throws -> Decimal? {
    if isNull(column) { return nil }
    guard types[column] == .numeric, let value = try NumericCoding.decode(bytes(column)) else {
      throw failure(column, as: "a decimal number")
    }
    return value
  }

  package func text(_ column: Int) throws -> String? {
    if isNull(column) { return nil }
    guard types[column].isText, let text = String(validating: bytes(column), as: UTF8.self) else {
      throw failure(column, as: "a text")
    }
    return text
  }

  package func data(_ column: Int) throws -> Data? {
    if isNull(column) { return nil }
    guard types[column] == .bytea || types[column] == .uuid else {
      throw failure(column, as: "bytes")
    }
    return Data(bytes(column))
  }

  /// The value in the form that its type has.
  package func value(_ column: Int) throws -> PostgresValue {
    if isNull(column) { return .null }
    guard let value = try PostgresDecoding.value(bytes(column), types[column]) else {
      throw failure(column, as: "a value")
    }
    return value
  }

  func failure(_ column: Int, as what: String) -> PostgresError {
    var error = connection.failure(
      .value,
      "a value of the type \(types[column]) with \(bytes(column).count) bytes cannot be read as \(what)",
      sql: description.sql)
    error.column = description.columns[column].name
    return error
  }
}
