/// The first 100 bytes of a database file (sqlite.org/fileformat2.html, 1.3).
package struct DatabaseHeader: Hashable, Sendable {
  package static let length = 100
  private static let magic = Array("SQLite format 3\0".utf8)

  package let pageSize: Int
  package let writeVersion: Int
  package let readVersion: Int
  /// The unused bytes at the end of each page.
  package let reservedBytes: Int
  /// The number of pages; `nil` if the last writer did not record it.
  package let pageCount: Int?
  package let firstFreePage: Int
  package let schemaFormat: Int
  /// 1 is UTF-8, 2 and 3 are UTF-16; 0 in an empty database.
  package let encoding: Int
  /// Whether pages record their parents, as in files that can shrink.
  package let hasPointerMap: Bool

  /// Sets the bytes to zero that differ between a database and its copy: the counters of commits (1.3.7)
  /// and of changes of the schema (1.3.9), and the version of SQLite.
  static func removeCounters(_ bytes: inout [UInt8]) {
    for offset in [24..<28, 40..<44, 92..<100].joined() where offset < bytes.count {
      bytes[offset] = 0
    }
  }

  package static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

  /// - Returns: `nil` for bytes that SQLite cannot have written.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.length, Self.begins(bytes) else { return nil }
    let size = bytes.bigEndian16(at: 16)
    pageSize = size == 1 ? 65536 : size
    writeVersion = Int(bytes[18])
    readVersion = Int(bytes[19])
    reservedBytes = Int(bytes[20])
    let count = bytes.bigEndian32(at: 28)
    // The count is valid only if both change counters are equal (1.3.7).
    pageCount = count > 0 && bytes[24..<28] == bytes[92..<96] ? count : nil
    firstFreePage = bytes.bigEndian32(at: 32)
    schemaFormat = bytes.bigEndian32(at: 44)
    hasPointerMap = bytes.bigEndian32(at: 52) != 0
    encoding = bytes.bigEndian32(at: 56)
    guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0,
      pageSize - reservedBytes >= 480, encoding <= 3, writeVersion > 0, readVersion > 0
    else { return nil }
  }

  /// Whether commits go to a log beside the file.
  package var usesLog: Bool { readVersion == 2 }

  /// Whether versions or formats are newer than this SQLite supports.
  package var isOfNewerFormat: Bool {
    readVersion > 2 || writeVersion > 2 || schemaFormat > 4
  }
}

extension Array<UInt8> {
  package func bigEndian16(at offset: Int) -> Int {
    Int(self[offset]) << 8 | Int(self[offset + 1])
  }

  package func bigEndian32(at offset: Int) -> Int {
    Int(self[offset]) << 24 | Int(self[offset + 1]) << 16 | Int(self[offset + 2]) << 8
      | Int(self[offset + 3])
  }
}
