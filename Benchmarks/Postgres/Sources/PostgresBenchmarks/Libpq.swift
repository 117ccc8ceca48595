import BenchmarkPostgres
import Foundation

/// What one writes by hand around libpq: prepared statements, values in binary form.
final class Libpq {
  let handle: OpaquePointer

  init(_ address: String) throws {
    guard let handle = PQconnectdb(address), PQstatus(handle) == CONNECTION_OK else {
      throw Failure("no connection")
    }
    self.handle = handle
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
  }

  deinit { PQfinish(handle) }

  func execute(_ sql: String) throws { PQclear(try checked(PQexec(handle, sql))) }

  func prepare(_ name: String, _ sql: String) throws {
    PQclear(try checked(PQprepare(handle, name, sql, 0, nil)))
  }

  /// - Returns: The result; the caller clears it.
  func checked(_ result: OpaquePointer?) throws -> OpaquePointer {
    guard let result else { throw Failure(String(cString: PQerrorMessage(handle))) }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_COPY_IN: return result
    default: throw Failure(String(cString: PQresultErrorMessage(result)))
    }
  }

  /// Runs a prepared statement with parameters in binary form.
  /// - Returns: The result; the caller clears it.
  func run(_ name: String, _ values: Values = Values()) throws -> OpaquePointer {
    try checked(
      values.withPointers { count, pointers, lengths, formats in
        PQexecPrepared(handle, name, count, pointers, lengths, formats, 1)
      })
  }

  func send(_ name: String, _ values: Values = Values()) throws {
    let sent = values.withPointers { count, pointers, lengths, formats in
      PQsendQueryPrepared(handle, name, count, pointers, lengths, formats, 1)
    }
    if sent != 1 { throw Failure(String(cString: PQerrorMessage(handle))) }
  }

  /// Passes the rows of a sent statement one after the other.
  func forEachRow(_ body: (OpaquePointer) -> Void) throws {
    PQsetSingleRowMode(handle)
    while let result = PQgetResult(handle) {
      defer { PQclear(result) }
      if PQntuples(try checked(result)) > 0 { body(result) }
    }
  }

  func copy(_ sql: String, _ bytes: () -> [UInt8]?) throws {
    PQclear(try checked(PQexec(handle, sql)))
    while let part = bytes() {
      let sent = part.withUnsafeBytes {
        PQputCopyData(handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
      }
      if sent != 1 { throw Failure("COPY failed") }
    }
    PQputCopyEnd(handle, nil)
    while let result = PQgetResult(handle) {
      defer { PQclear(result) }
      _ = try checked(result)
    }
  }
}

/// Parameters in binary form.
struct Values {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  private var nulls: Set<Int> = []

  mutating func addNull() {
    nulls.insert(ends.count)
    ends.append(bytes.count)
  }

  mutating func add(_ write: (inout [UInt8]) -> Void) {
    write(&bytes)
    ends.append(bytes.count)
  }

  mutating func add(_ value: Int) { add { $0.append(number: Int64(value)) } }
  mutating func add(_ value: String) { add { $0 += Array(value.utf8) } }

  func withPointers<R>(
    _ body: (
      Int32, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>
    ) -> R
  ) -> R {
    bytes.withUnsafeBytes { memory in
      var start = 0
      var pointers: [UnsafePointer<CChar>?] = []
      var lengths: [Int32] = []
      for (index, end) in ends.enumerated() {
        let value = nulls.contains(index) ? nil : memory.baseAddress
        pointers.append(value.map { ($0 + start).assumingMemoryBound(to: CChar.self) })
        lengths.append(Int32(end - start))
        start = end
      }
      return body(
        Int32(ends.count), pointers, lengths, Array(repeating: 1, count: ends.count))
    }
  }
}

extension [UInt8] {
  mutating func append(number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  /// A value of COPY: its length and its bytes.
  mutating func append(field number: some FixedWidthInteger) {
    append(number: Int32(MemoryLayout.size(ofValue: number)))
    append(number: number)
  }

  mutating func append(field text: String?) {
    guard var text else { return append(number: -1 as Int32) }
    text.withUTF8 {
      append(number: Int32($0.count))
      append(contentsOf: $0)
    }
  }

  mutating func append(field value: Double?) {
    guard let value else { return append(number: -1 as Int32) }
    append(field: value.bitPattern)
  }
}
