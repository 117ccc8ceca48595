import OpenSwiftDataCSQLite
package import Foundation

// Parameters are numbered from 1. SQLite copies text and bytes, except borrowed ones.

extension Statement {
  @inlinable
  package func bind(_ value: Int64, at index: Int32) throws {
    let code = sqlite3_bind_int64(handle, index, value)
    if code != SQLITE_OK { throw failure(code) }
  }

  @inlinable
  package func bind(_ value: Double, at index: Int32) throws {
    let code = sqlite3_bind_double(handle, index, value)
    if code != SQLITE_OK { throw failure(code) }
  }

  /// Binds the whole text, including NUL characters.
  @inlinable
  package func bind(_ value: String, at index: Int32) throws {
    var value = value
    let code = value.withUTF8 { utf8 in
      guard let base = utf8.baseAddress else {
        // A null pointer would bind NULL instead of "".
        return csqlite_bind_text_copy(handle, index, "", 0)
      }
      return base.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
        csqlite_bind_text_copy(handle, index, $0, UInt64(utf8.count))
      }
    }
    if code != SQLITE_OK { throw failure(code) }
  }

  @inlinable
  package func bind(bytes value: UnsafeRawBufferPointer, at index: Int32) throws {
    let code =
      if let base = value.baseAddress {
        csqlite_bind_blob_copy(handle, index, base, UInt64(value.count))
      } else {
        // A null pointer would bind NULL instead of an empty blob.
        sqlite3_bind_zeroblob(handle, index, 0)
      }
    if code != SQLITE_OK { throw failure(code) }
  }

  /// Binds UTF-8 text in memory that exists until the statement is reset. A later reset or binding
  /// does not read it.
  @inlinable
  package func bind(borrowedText text: UnsafeRawBufferPointer, at index: Int32) throws {
    guard let base = text.baseAddress else { return try bind("", at: index) }
    // No destructor means SQLITE_STATIC.
    let code = sqlite3_bind_text64(
      handle, index, base.assumingMemoryBound(to: CChar.self), UInt64(text.count), nil,
      UInt8(SQLITE_UTF8))
    if code != SQLITE_OK { throw failure(code) }
  }

  /// Binds bytes in memory that exists until the statement is reset.
  @inlinable
  package func bind(borrowedBytes bytes: UnsafeRawBufferPointer, at index: Int32) throws {
    guard let base = bytes.baseAddress else { return try bind(bytes: bytes, at: index) }
    let code = sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), nil)
    if code != SQLITE_OK { throw failure(code) }
  }

  @inlinable
  package func bind(_ value: Data, at index: Int32) throws {
    try value.withUnsafeBytes { try bind(bytes: $0, at: index) }
  }

  @inlinable
  package func bindNull(at index: Int32) throws {
    let code = sqlite3_bind_null(handle, index)
    if code != SQLITE_OK { throw failure(code) }
  }
}
