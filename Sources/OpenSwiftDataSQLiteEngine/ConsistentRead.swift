import Foundation

/// Reads a database file that other processes may write meanwhile.
///
/// 1. The state of the file and of those beside it is recorded, then the database is read.
/// 2. A read transaction shows one state. What is read before it begins, or from a file that can't
///    be locked (`ReadAccess`), may mix several states. Then the state of the files is recorded
///    again, and the result counts only if it is unchanged.
/// 3. After some attempts the last one counts, so a file that is written without a pause ends in an
///    error.
package struct ConsistentRead {
  /// The progress of one attempt.
  package struct Progress {
    fileprivate var isConsistent = false

    /// Records that all later reads see one state, unless the connection takes no locks.
    package mutating func begin(_ connection: Connection) {
      isConsistent = connection.access != .immutable
    }
  }

  /// The pause after each failed attempt, in milliseconds.
  private static let pauses = [0, 1, 2, 5, 10, 20, 50, 100, 200]

  private let path: String

  package init(path: String) { self.path = path }

  /// - Parameter body: Reads the database; called again if other processes have changed its files.
  /// - Throws: What `body` throws, or `SQLiteError`.
  package func run<R>(_ body: (DatabaseFile, inout Progress) throws -> R) throws -> R {
    var file = try DatabaseFile(at: path)
    for pause in ConsistentRead.pauses {
      var progress = Progress()
      let result = Result { try body(file, &progress) }
      if progress.isConsistent || isWaiting(result) { return try result.get() }
      let later = try DatabaseFile(at: path)
      if later == file { return try result.get() }
      file = later
      if pause > 0 { Thread.sleep(forTimeInterval: Double(pause) / 1000) }
    }
    var progress = Progress()
    return try body(file, &progress)
  }

  /// Whether the attempt has already waited for another connection's lock.
  private func isWaiting<R>(_ result: Result<R, any Error>) -> Bool {
    guard case .failure(let error as SQLiteError) = result else { return false }
    return error.code == .busy || error.code == .locked
  }
}
