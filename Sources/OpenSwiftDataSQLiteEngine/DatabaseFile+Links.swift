import OpenSwiftDataCSQLite

extension DatabaseFile {
  /// The absolute path of a file, with symbolic links resolved as SQLite resolves them: it keeps
  /// its log beside the target of a link. The file need not exist.
  package static func resolvedPath(_ path: String) -> String {
    guard let system = sqlite3_vfs_find(nil), let resolve = system.pointee.xFullPathname else {
      return path
    }
    let capacity = Int(system.pointee.mxPathname) + 1
    var isResolved = false
    let resolved = String(unsafeUninitializedCapacity: capacity) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { buffer in
        guard let start = buffer.baseAddress else { return 0 }
        let code = resolve(system, path, Int32(capacity), start)
        // The second code means that links were resolved.
        isResolved = code == SQLITE_OK || code == SQLITE_OK | (2 << 8)
        return isResolved ? buffer.firstIndex(of: 0) ?? 0 : 0
      }
    }
    return isResolved ? resolved : path
  }
}
