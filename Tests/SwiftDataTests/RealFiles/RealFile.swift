import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// A copy of a file that Apple's framework made.
struct RealFile {
  let folder: TemporaryFolder
  let url: URL

  init(_ name: String) throws {
    folder = try TemporaryFolder()
    url = folder.url.appending(path: "\(name).sqlite")
    let files = Bundle.module.bundleURL.appending(path: "Files")
    try Data(contentsOf: files.appending(path: url.lastPathComponent)).write(to: url)
    let log = url.lastPathComponent + "-wal"
    if let data = try? Data(contentsOf: files.appending(path: log)) {
      try data.write(to: folder.url.appending(path: log))
    }
  }

  func container(
    _ types: any PersistentModel.Type..., allowsSave: Bool = true
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(types), configurations: ModelConfiguration(url: url, allowsSave: allowsSave))
  }

  /// The texts of the first columns of all rows, `nil` for null.
  func column(_ sql: String) throws -> [String?] {
    let statement = try Connection(path: url.path).prepare(sql)
    var found: [String?] = []
    while try statement.step() { found.append(statement.isNull(0) ? nil : statement.string(0)) }
    return found
  }

  /// The numbers of the first columns of all rows.
  func numbers(_ sql: String) throws -> [Double] {
    let statement = try Connection(path: url.path).prepare(sql)
    var found: [Double] = []
    while try statement.step() { found.append(statement.double(0)) }
    return found
  }

  /// Everything that defines tables and indexes, as text.
  static func definitions(_ url: URL) throws -> [String] {
    try SQLiteFile.texts(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name", in: url)
  }

  static func metadata(_ url: URL) throws -> [String: Any] {
    let data = try SQLiteFile.data("SELECT Z_PLIST FROM Z_METADATA", in: url)
    let plist = try PropertyListSerialization.propertyList(from: data, format: nil)
    return try #require(plist as? [String: Any])
  }
}
