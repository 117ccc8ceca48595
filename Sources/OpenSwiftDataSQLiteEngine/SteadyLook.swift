import Foundation

/// Looks at a database file that others may write meanwhile.
///
/// 1. The file and those beside it are looked at, then the database is read.
/// 2. A read transaction shows one state. Before it begins, and where a file can't be locked (`ReadAccess`),
///    what is seen may be of several states: then the files are looked at again, and what was read counts
///    only if they are as before.
/// 3. After some attempts the last one counts, so a file that others write without a pause ends in an error.
package struct SteadyLook {
  /// How far one attempt has come.
  package struct Progress {
    fileprivate var isSteady = false

    /// Notes that everything read from here on is of one state, unless the connection takes no locks.
    package mutating func begin(_ connection: Connection) {
      isSteady = connection.access != .immutable
    }
  }

  /// Before each further attempt, in milliseconds.
  private static let pauses = [0, 1, 2, 5, 10, 20, 50, 100, 200]

  private let path: String

  package init(path: String) { self.path = path }

  /// - Parameter body: Reads the database; called again after others have changed its files.
  /// - Throws: What `body` throws, or `SQLiteError`.
  package func run<R>(_ body: (DatabaseFile, inout Progress) throws -> R) throws -> R {
    var file = try DatabaseFile(at: path)
    for pause in SteadyLook.pauses {
      var progress = Progress()
      let result = Result { try body(file, &progress) }
      if progress.isSteady || isWaiting(result) { return try result.get() }
      let later = try DatabaseFile(at: path)
      if later == file { return try result.get() }
      file = later
      if pause > 0 { Thread.sleep(forTimeInterval: Double(pause) / 1000) }
    }
    var progress = Progress()
    return try body(file, &progress)
  }

  /// Whether a lock of others was waited for already.
  private func isWaiting<R>(_ result: Result<R, any Error>) -> Bool {
    guard case .failure(let error as SQLiteError) = result else { return false }
    return error.code == .busy || error.code == .locked
  }
}
