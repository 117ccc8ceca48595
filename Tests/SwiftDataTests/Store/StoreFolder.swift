import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData

/// A folder with a store of the library, made as a test of files needs it.
struct StoreFolder {
  let folder: TemporaryFolder

  var store: URL { folder.store }

  init() throws { folder = try TemporaryFolder() }

  /// Has the same files as another one.
  init(copying other: StoreFolder) throws { folder = try TemporaryFolder(copying: other.folder) }

  /// A store with authors that was closed: one file.
  init(authors count: Int) throws {
    try self.init()
    try StoreFolder.fill(store, count)
  }

  /// The file and the log of a store that a program is using, as they are after a crash: the first half
  /// of the authors is in the file, the others are in the log.
  init(interruptedWithAuthors count: Int) throws {
    try self.init()
    let other = try StoreFolder(authors: count / 2)
    let container = try StoreFolder.container(other.store)
    let context = ModelContext(container)
    for number in count / 2..<count { context.insert(Author(name: "Author \(number)")) }
    try context.save()
    for suffix in ["", "-wal"] { try other.copy(suffix, to: store) }
    _ = container
  }

  static func container(_ url: URL, allowsSave: Bool = true) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(Library.types),
      configurations: ModelConfiguration(url: url, allowsSave: allowsSave))
  }

  static func fill(_ url: URL, _ count: Int) throws {
    let context = ModelContext(try container(url))
    for number in 0..<count { context.insert(Author(name: "Author \(number)")) }
    try context.save()
  }

  func authors(allowsSave: Bool = true) throws -> Int {
    try ModelContext(StoreFolder.container(store, allowsSave: allowsSave))
      .fetchCount(FetchDescriptor<Author>())
  }

  func beside(_ suffix: String) -> URL { URL(fileURLWithPath: store.path + suffix) }

  func copy(_ suffix: String, to other: URL) throws {
    let place = URL(fileURLWithPath: other.path + suffix)
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.copyItem(at: beside(suffix), to: place)
  }

  /// Puts bytes at an offset of the file.
  func overwrite(_ bytes: [UInt8], at offset: Int, in suffix: String = "") throws {
    let handle = try FileHandle(forUpdating: beside(suffix))
    defer { try? handle.close() }
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: Data(bytes))
  }

  func truncate(to size: Int) throws {
    let handle = try FileHandle(forUpdating: store)
    defer { try? handle.close() }
    try handle.truncate(atOffset: UInt64(size))
  }

  var size: Int { get throws { try Data(contentsOf: store).count } }

  /// Whether the file keeps a log, as its header says.
  var usesLog: Bool { get throws { try Data(contentsOf: store)[18] == 2 } }

  /// Makes it a file with a rollback journal, as those are that an app ships.
  func leaveLog() throws { try SQLiteFile.execute("PRAGMA journal_mode = DELETE", in: store) }

  /// The bytes of all files by name.
  func content() throws -> [String: Data] {
    var content: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
      let place = folder.url.appendingPathComponent(name)
      content[name] = (try? Data(contentsOf: place)) ?? Data()
    }
    return content
  }
}
