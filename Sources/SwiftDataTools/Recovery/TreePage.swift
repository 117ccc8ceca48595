import OpenSwiftDataSQLiteEngine

/// A page of a table or an index (sqlite.org/fileformat2.html, 1.6).
struct TreePage {
  enum Kind: UInt8 {
    case interiorIndex = 2, interiorTable = 5, leafIndex = 10, leafTable = 13

    var isInterior: Bool { self == .interiorIndex || self == .interiorTable }
    var isTable: Bool { self == .interiorTable || self == .leafTable }
  }

  /// A row in a leaf: its key, and the length and offset of its record.
  struct Row {
    let key: Int64
    let length: Int
    let offset: Int
  }

  let number: Int
  let bytes: [UInt8]
  let kind: Kind
  let cells: [Int]
  /// The child page after the last cell of an interior page.
  let lastChild: Int

  /// - Returns: `nil` if the bytes cannot be a page of a tree.
  init?(_ bytes: [UInt8], number: Int, usableSize: Int) {
    let start = number == 1 ? DatabaseHeader.length : 0
    guard let kind = Kind(rawValue: bytes[start]) else { return nil }
    let count = bytes.bigEndian16(at: start + 3)
    let array = start + (kind.isInterior ? 12 : 8)
    let end = array + 2 * count
    guard end <= usableSize else { return nil }
    cells = (0..<count).map { bytes.bigEndian16(at: array + 2 * $0) }
    guard cells.allSatisfy({ $0 >= end && $0 + 4 <= usableSize }) else { return nil }
    lastChild = kind.isInterior ? bytes.bigEndian32(at: start + 8) : 0
    self.number = number
    self.bytes = bytes
    self.kind = kind
  }

  func child(_ cell: Int) -> Int { bytes.bigEndian32(at: cell) }

  /// The largest key in the child page of an interior cell of a table.
  func key(_ cell: Int) -> Int64? { bytes.varint(at: cell + 4).map { Int64(bitPattern: $0.value) } }

  func row(_ cell: Int) -> Row? {
    guard let length = bytes.varint(at: cell), length.value < 1 << 31,
      let key = bytes.varint(at: length.end)
    else { return nil }
    return Row(
      key: Int64(bitPattern: key.value), length: Int(length.value), offset: key.end)
  }
}

extension Array<UInt8> {
  /// Decodes a number of one to nine bytes, and returns the offset after it.
  func varint(at offset: Int) -> (value: UInt64, end: Int)? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard offset + index < count else { return nil }
      let byte = self[offset + index]
      if index == 8 { return (value << 8 | UInt64(byte), offset + 9) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return (value, offset + index + 1) }
    }
    return nil
  }
}
