import Foundation

/// The pages that were committed to a log.
package struct LogPages {
  package let pageSize: Int
  /// The number of pages of the database after the last commit.
  package private(set) var pageCount: Int?
  private var offsets: [Int: UInt64] = [:]
  private let handle: FileHandle

  /// - Returns: `nil` if there is no log that SQLite would read.
  package init?(path: String) {
    guard let handle = FileHandle(forReadingAtPath: path),
      let beginning = try? handle.read(upToCount: LogHeader.length),
      case .header(let header) = LogHeader.read([UInt8](beginning))
    else { return nil }
    self.handle = handle
    pageSize = header.pageSize
    var checksum = header.checksum
    var offset = UInt64(LogHeader.length)
    var pending: [Int: UInt64] = [:]
    let length = 24 + pageSize
    while let data = try? handle.read(upToCount: length), data.count == length {
      let frame = [UInt8](data)
      checksum.add(frame[0..<8], isBigEndian: header.isBigEndian)
      checksum.add(frame[24...], isBigEndian: header.isBigEndian)
      // A frame from before the last reset, or an incomplete one, ends the log.
      guard frame[8..<16] == header.salts, checksum == LogChecksum(frame, at: 16) else { break }
      pending[frame.bigEndian32(at: 0)] = offset + 24
      offset += UInt64(length)
      let size = frame.bigEndian32(at: 4)
      if size > 0 {
        offsets.merge(pending) { $1 }
        pending = [:]
        pageCount = size
      }
    }
  }

  package var lastPage: Int { offsets.keys.max() ?? 0 }

  package func page(_ number: Int) -> [UInt8]? {
    guard let offset = offsets[number] else { return nil }
    try? handle.seek(toOffset: offset)
    guard let data = try? handle.read(upToCount: pageSize), data.count == pageSize else {
      return nil
    }
    return [UInt8](data)
  }
}
