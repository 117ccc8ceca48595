import Foundation
import OpenSwiftDataSQLiteEngine

/// Looks at a store file from outside, as another program would.
enum SQLiteFile {
  static func execute(_ sql: String, in url: URL) throws {
    try Connection(path: url.path).execute(sql)
  }

  static func integer(_ sql: String, in url: URL) throws -> Int64 {
    try Connection(path: url.path).integer(sql) ?? -1
  }

  static func text(_ sql: String, in url: URL) throws -> String? {
    try Connection(path: url.path).text(sql)
  }

  static func data(_ sql: String, in url: URL) throws -> Data {
    let statement = try Connection(path: url.path).prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.data(0) : Data()
  }

  static func texts(_ sql: String, in url: URL) throws -> [String] {
    // Functions that list columns prepare statements of their own while they run.
    let connection = try Connection(path: url.path)
    return try withExtendedLifetime(connection) {
      let statement = try connection.prepare(sql)
      defer { statement.reset() }
      var texts: [String] = []
      while try statement.step() { texts.append(statement.string(0)) }
      return texts
    }
  }
}
