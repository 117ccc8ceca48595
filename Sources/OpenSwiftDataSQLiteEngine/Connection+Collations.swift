import OpenSwiftDataCSQLite
package import Foundation

extension Connection {
  /// Registers a collation, which SQL uses as `COLLATE name`.
  package func register(
    collation name: String, _ compare: @escaping (String, String) -> ComparisonResult
  ) throws {
    let box = Unmanaged.passRetained(CollationBox(compare))
    let code = sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, box.toOpaque(),
      { data, leftCount, left, rightCount, right in
        guard let data else { return 0 }
        let box = Unmanaged<CollationBox>.fromOpaque(data).takeUnretainedValue()
        let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
        let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
        return Int32(
          box.compare(
            String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self)
          ).rawValue)
      },
      { data in
        if let data { Unmanaged<CollationBox>.fromOpaque(data).release() }
      })
    if code != SQLITE_OK {
      // Unlike with functions, SQLite does not release the box when this call fails.
      box.release()
      throw SQLiteError(database: handle, resultCode: code, path: path)
    }
  }
}

private final class CollationBox {
  let compare: (String, String) -> ComparisonResult

  init(_ compare: @escaping (String, String) -> ComparisonResult) {
    self.compare = compare
  }
}
