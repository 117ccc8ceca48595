import Foundation
import SwiftData
import Testing

/// A log that ends anywhere, or has other bytes somewhere: the transactions before that place count.
@Suite struct DamagedLogTests {
  private static let template = Result { try StoreFolder(interruptedWithAuthors: 300) }

  @Test(arguments: 1...50) func aLogThatEndsAnywhere(_ seed: Int) throws {
    let folder = try StoreFolder(copying: Self.template.get())
    var random = SeededRandom(UInt64(seed))
    let log = try Data(contentsOf: folder.beside("-wal"))
    let end = seed == 1 ? 0 : Int.random(in: 0..<log.count, using: &random)
    try log.prefix(end).write(to: folder.beside("-wal"))
    if seed % 2 == 0, end < log.count {
      // What the disk had there before.
      let junk = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }
      try (log.prefix(end) + Data(junk)).write(to: folder.beside("-wal"))
    }
    try expectWhole(folder)
  }

  @Test(arguments: 1...20) func aLogWithOtherBytes(_ seed: Int) throws {
    let folder = try StoreFolder(copying: Self.template.get())
    var random = SeededRandom(UInt64(seed))
    let count = try Data(contentsOf: folder.beside("-wal")).count
    try folder.overwrite(
      [UInt8.random(in: 0...255, using: &random), 0xFF],
      at: Int.random(in: 32..<count - 2, using: &random), in: "-wal")
    try expectWhole(folder)
  }

  private func expectWhole(_ folder: StoreFolder) throws {
    let count = try folder.authors(allowsSave: false)
    #expect(count == 150 || count == 300)
    #expect(try folder.authors() == count)
    let context = ModelContext(try StoreFolder.container(folder.store))
    context.insert(Author(name: "New"))
    try context.save()
    #expect(try folder.authors() == count + 1)
    #expect(try SQLiteFile.text("PRAGMA integrity_check", in: folder.store) == "ok")
  }
}
