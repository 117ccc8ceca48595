import OpenSwiftDataCSQLite
package import Foundation

// Columns are numbered from 0. Their values are valid after `step()` returned `true`, until the
// next step.

extension Statement {
  /// The number of columns in a row.
  @inlinable
  package var columnCount: Int32 { sqlite3_column_count(handle) }

  /// The storage class of the value; call it before a getter that converts the value.
  @inlinable
  package func storageClass(_ index: Int32) -> StorageClass {
    StorageClass(rawValue: sqlite3_column_type(handle, index)) ?? .null
  }

  @inlinable
  package func isNull(_ index: Int32) -> Bool {
    sqlite3_column_type(handle, index) == SQLITE_NULL
  }

  /// The value as an integer; 0 for NULL.
  @inlinable
  package func int64(_ index: Int32) -> Int64 {
    sqlite3_column_int64(handle, index)
  }

  /// The value as a floating-point number; 0 for NULL.
  @inlinable
  package func double(_ index: Int32) -> Double {
    sqlite3_column_double(handle, index)
  }

  /// The value as text; empty for NULL. Invalid UTF-8 is repaired.
  @inlinable
  package func string(_ index: Int32) -> String {
    withText(index) { String(decoding: $0, as: UTF8.self) }
  }

  /// The value as bytes; empty for NULL.
  @inlinable
  package func data(_ index: Int32) -> Data {
    withBytes(index) { Data($0) }
  }

  /// Lends the bytes of a blob until `body` returns.
  @inlinable
  package func withBytes<R>(
    _ index: Int32, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    // The pointer comes first: asking for the length first may convert the value again.
    let start = sqlite3_column_blob(handle, index)
    return try body(
      UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index))))
  }

  /// Lends the UTF-8 bytes of a text until `body` returns.
  @inlinable
  package func withText<R>(
    _ index: Int32, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    let start = sqlite3_column_text(handle, index)
    return try body(
      UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index))))
  }
}
