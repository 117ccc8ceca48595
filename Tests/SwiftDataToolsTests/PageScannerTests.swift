import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftDataTools
import Testing

/// Whatever bytes pages have, the walk through them ends, and hands over rows or counts them as lost.
///
/// `OPENSWIFTDATA_FUZZ` is the number of damaged copies; some dozens without it.
final class PageScannerTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "pages-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private static let rounds =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_FUZZ"].flatMap(Int.init) ?? 60

  private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  /// Makes a file of small pages, so that trees are deep, with values over many pages and an index.
  private static func fill(_ path: String, encoding: String) throws {
    let connection = try Connection(path: path)
    try connection.execute(
      """
      PRAGMA page_size = 512; PRAGMA auto_vacuum = 2; PRAGMA encoding = '\(encoding)';
      CREATE TABLE a (k INTEGER PRIMARY KEY, n INTEGER, r REAL, t TEXT, b BLOB);
      CREATE INDEX i ON a (t, n);
      WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 400)
      INSERT INTO a SELECT x * 3, x * 1000003, x / 7.0, 'text é ' || x,
        CASE WHEN x % 40 = 0 THEN randomblob(3000) ELSE x'0102' END FROM c;
      INSERT INTO a VALUES (-5, -1, 0.0, '', NULL), (9223372036854775807, 1, 1.0, 'last', x'');
      DELETE FROM a WHERE k % 11 = 0
      """)
  }

  /// - Returns: The bytes of the file after its connection was closed.
  private static func filled(_ path: String, encoding: String = "UTF-8") throws -> [UInt8] {
    try fill(path, encoding: encoding)
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"]) func anyPages(_ encoding: String) throws {
    let path = folder.appending(path: "walk.db").path
    let original = try Self.filled(path, encoding: encoding)
    let copy = folder.appending(path: "copy.db").path
    var random = Random(state: UInt64(encoding.utf8.count))
    let whole = try Self.walk(path)
    #expect(whole.rows == 366 && whole.lost.isEmpty)
    for _ in 0..<Self.rounds {
      var bytes = original
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let page = Int.random(in: 0..<bytes.count / 512, using: &random) * 512
        // Headers of pages, pointers to cells, or anything.
        let reach = [12, 100, 512].randomElement(using: &random) ?? 512
        let place = page + Int.random(in: 0..<reach, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1:
          bytes[place] = [0, 1, 2, 5, 10, 13, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
        case 2: for offset in place..<min(place + 9, bytes.count) { bytes[offset] = 0xFF }
        default:
          let other = Int.random(in: 0..<bytes.count / 512, using: &random) * 512
          for offset in 0..<512 { bytes[page + offset] = original[other + offset] }
        }
      }
      if Int.random(in: 0..<10, using: &random) == 0 {
        bytes.removeLast(Int.random(in: 1..<bytes.count - 512, using: &random))
      }
      try Data(bytes).write(to: URL(fileURLWithPath: copy))
      let found = try Self.walk(copy)
      #expect(found.rows <= 4 * 400)
    }
  }

  /// A number of cells that is too small would hide rows without a trace, if the sizes of the parts of the page
  /// did not tell.
  @Test(arguments: [-3, -1, 1, 4]) func aDamagedNumberOfCells(_ difference: Int) throws {
    let path = folder.appending(path: "walk.db").path
    let original = try Self.filled(path)
    var damagedPages = 0
    for page in stride(from: 512, to: original.count, by: 512) {
      // Leaves and interior pages of tables.
      let count = Int(original[page + 3]) << 8 | Int(original[page + 4])
      guard [5, 13].contains(original[page]), count + difference >= 0 else { continue }
      damagedPages += 1
      var bytes = original
      bytes[page + 3] = UInt8((count + difference) >> 8)
      bytes[page + 4] = UInt8((count + difference) & 255)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let read = try Self.walk(path)
      if difference < 0 {
        #expect(read.rows == 366 && read.lost.isEmpty, "page \(page / 512 + 1)")
      } else {
        // What follows may be a deleted row.
        #expect(read.rows >= 366, "page \(page / 512 + 1)")
      }
      // With a fragment too many, nothing tells the true number.
      bytes[page + 7] += 1
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let doubtful = try Self.walk(path)
      #expect(doubtful.rows == 366 || !doubtful.lost.isEmpty, "page \(page / 512 + 1)")
    }
    #expect(damagedPages > 10)
  }

  /// Where a damaged start of the content area or list of free blocks makes another number of cells fit, the
  /// stated one counts.
  @Test func aDamagedStartOfTheContent() throws {
    let path = folder.appending(path: "walk.db").path
    let original = try Self.filled(path)
    var damagedPages = 0
    for page in stride(from: 512, to: original.count, by: 512)
    where [5, 13].contains(original[page]) {
      let array = page + (original[page] == 5 ? 12 : 8)
      let count = Int(original[page + 3]) << 8 | Int(original[page + 4])
      // A page of the pointer map may begin with the same byte.
      if count > 100 { continue }
      damagedPages += 1
      for cell in 0..<count {
        var bytes = original
        bytes[page + 5] = bytes[array + 2 * cell]
        bytes[page + 6] = bytes[array + 2 * cell + 1]
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(try Self.walk(path).rows == 366, "page \(page / 512 + 1), cell \(cell)")
      }
      // A free block without a length that leads to itself.
      var bytes = original
      (bytes[page + 1], bytes[page + 2]) = (1, 0xF0)
      bytes.replaceSubrange(page + 0x1F0..<page + 0x1F4, with: [1, 0xF0, 0, 0])
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      #expect(try Self.walk(path).rows <= 366)
    }
    #expect(damagedPages > 10)
  }

  private static func walk(_ path: String) throws -> (rows: Int, lost: [ClosedRange<Int64>]) {
    let pages = try DatabasePages(DatabaseFile(at: path))
    let walk = PageScanner(pages)
    var roots: [Int] = []
    _ = walk.rows(root: 1) { _, values in
      if values.count == 5, case .integer(let root) = values[3] { roots.append(Int(root)) }
      return true
    }
    var rows = 0
    var lost: [ClosedRange<Int64>] = []
    for (place, root) in roots.enumerated() {
      if place == 1 {
        _ = walk.damagedPages(ofIndex: root)
      } else {
        let losses = walk.rows(root: root) { _, _ in
          rows += 1
          return true
        }
        lost += losses.keys
      }
    }
    walk.orphanRows { _, _, _ in rows += 1 }
    _ = lost.merged().removing([.min, 0, .max])
    return (rows, lost)
  }
}
