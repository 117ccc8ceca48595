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
    let statement = try Connection(path: url.path).prepare(sql)
    var texts: [String] = []
    while try statement.step() { texts.append(statement.string(0)) }
    return texts
  }
}
