import OpenSwiftDataCSQLite
package import Foundation

/// The result of an SQL function.
package enum FunctionResult: Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)

  /// The statement fails with this message.
  case failure(String)

  func deliver(to context: OpaquePointer?) {
    switch self {
    case .null: sqlite3_result_null(context)
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value): sqlite3_result_double(context, value)
    case .text(var value):
      value.withUTF8 { utf8 in
        guard let base = utf8.baseAddress else {
          return csqlite_result_text_copy(context, "", 0)
        }
        base.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
          csqlite_result_text_copy(context, $0, UInt64(utf8.count))
        }
      }
    case .blob(let value):
      value.withUnsafeBytes { bytes in
        if let base = bytes.baseAddress {
          csqlite_result_blob_copy(context, base, UInt64(bytes.count))
        } else {
          sqlite3_result_zeroblob(context, 0)
        }
      }
    case .failure(let message): sqlite3_result_error(context, message, -1)
    }
  }
}
