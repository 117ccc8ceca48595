/// The first 32 bytes of a write-ahead log (sqlite.org/fileformat2.html, 4.1).
package struct LogHeader: Hashable, Sendable {
  package static let length = 32

  package let pageSize: Int
  /// Repeated in each frame that is valid since the log was last reset.
  package let salts: ArraySlice<UInt8>
  /// The byte order for computing the checksums.
  package let isBigEndian: Bool
  /// The initial value for the checksums of the frames.
  package let checksum: LogChecksum

  package enum Reading: Hashable, Sendable {
    case header(LogHeader)
    /// SQLite treats the log as empty: nothing was ever committed to it, or a power failure came
    /// before its header was written.
    case unwritten
    /// Not a log, or a log in a newer format.
    case foreign, newer
  }

  package static func read(_ bytes: [UInt8]) -> Reading {
    guard bytes.count >= length, bytes.contains(where: { $0 != 0 }) else { return .unwritten }
    let magic = bytes.bigEndian32(at: 0)
    guard magic & ~1 == 0x377F_0682 else { return .foreign }
    let isBigEndian = magic & 1 == 1
    var checksum = LogChecksum()
    checksum.add(bytes[0..<24], isBigEndian: isBigEndian)
    guard checksum == LogChecksum(bytes, at: 24) else { return .unwritten }
    guard bytes.bigEndian32(at: 4) == 3_007_000 else { return .newer }
    return .header(
      LogHeader(
        pageSize: bytes.bigEndian32(at: 8), salts: bytes[16..<24], isBigEndian: isBigEndian,
        checksum: checksum))
  }
}

/// The running checksum of a log (sqlite.org/fileformat2.html, 4.2).
package struct LogChecksum: Hashable, Sendable {
  private var first: UInt32 = 0
  private var second: UInt32 = 0

  package init() {}

  package init(_ bytes: [UInt8], at offset: Int) {
    first = UInt32(bytes.bigEndian32(at: offset))
    second = UInt32(bytes.bigEndian32(at: offset + 4))
  }

  /// Adds a multiple of eight bytes.
  package mutating func add(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
    bytes.withUnsafeBytes { bytes in
      func word(_ offset: Int) -> UInt32 {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
      }
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        first = first &+ word(offset) &+ second
        second = second &+ word(offset + 4) &+ first
      }
    }
  }
}
