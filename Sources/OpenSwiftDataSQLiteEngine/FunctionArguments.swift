import OpenSwiftDataCSQLite
package import Foundation

/// The arguments of one call of an SQL function; valid until the function returns.
package struct FunctionArguments {
  package let count: Int

  private let values: UnsafeMutablePointer<OpaquePointer?>?

  init(count: Int, values: UnsafeMutablePointer<OpaquePointer?>?) {
    self.count = count
    self.values = values
  }

  private subscript(index: Int) -> OpaquePointer? {
    precondition(index >= 0 && index < count, "FunctionArguments: no argument \(index)")
    return values?[index]
  }

  package func storageClass(_ index: Int) -> StorageClass {
    StorageClass(rawValue: sqlite3_value_type(self[index])) ?? .null
  }

  package func isNull(_ index: Int) -> Bool {
    storageClass(index) == .null
  }

  package func int64(_ index: Int) -> Int64 {
    sqlite3_value_int64(self[index])
  }

  package func double(_ index: Int) -> Double {
    sqlite3_value_double(self[index])
  }

  package func string(_ index: Int) -> String {
    let value = self[index]
    let start = sqlite3_value_text(value)
    return String(
      decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))),
      as: UTF8.self)
  }

  package func data(_ index: Int) -> Data {
    withBytes(index) { Data($0) }
  }

  package func withBytes<R>(
    _ index: Int, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    let value = self[index]
    let start = sqlite3_value_blob(value)
    return try body(
      UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
  }
}
