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
    /// How many bytes of the record are in the leaf; the others are in overflow pages.
    let localLength: Int
  }

  let number: Int
  let bytes: [UInt8]
  let kind: Kind
  let cells: [Int]
  /// The child page after the last cell of an interior page.
  let lastChild: Int
  /// Whether the page may have had other cells: the sizes of its parts do not add up. Pages of indexes are
  /// not checked, because their tables have all that is in them.
  let isUnbalanced: Bool
  private let usableSize: Int

  /// If the number of cells in the header is damaged, the one is taken that fits the sizes of the parts.
  /// - Returns: `nil` if the bytes cannot be a page of a tree.
  init?(_ bytes: [UInt8], number: Int, usableSize: Int) {
    let start = number == 1 ? DatabaseHeader.length : 0
    guard let kind = Kind(rawValue: bytes[start]) else { return nil }
    let array = start + (kind.isInterior ? 12 : 8)
    let stated = bytes.bigEndian16(at: start + 3)
    let size = { Self.size(ofCell: $0, kind, bytes, usableSize) }
    let balance =
      kind.isTable
      ? PageBalance(bytes, start: start, array: array, usableSize: usableSize, size: size) : nil
    let balanced = balance?.count(stated: stated)
    let count = balanced?.count ?? stated
    let end = array + 2 * count
    guard end <= usableSize else { return nil }
    cells = (0..<count).map { bytes.bigEndian16(at: array + 2 * $0) }
    guard cells.allSatisfy({ $0 >= end && $0 + 4 <= usableSize }) else { return nil }
    lastChild = kind.isInterior ? bytes.bigEndian32(at: start + 8) : 0
    isUnbalanced = kind.isTable && balanced?.isCertain != true
    self.number = number
    self.bytes = bytes
    self.kind = kind
    self.usableSize = usableSize
  }

  func child(_ cell: Int) -> Int { bytes.bigEndian32(at: cell) }

  /// The largest key in the child page of an interior cell of a table.
  func key(_ cell: Int) -> Int64? { bytes.varint(at: cell + 4).map { Int64(bitPattern: $0.value) } }

  func row(_ cell: Int) -> Row? { Self.row(cell, bytes, usableSize) }

  private static func row(_ cell: Int, _ bytes: [UInt8], _ usableSize: Int) -> Row? {
    guard let length = bytes.varint(at: cell), length.value < 1 << 31,
      let key = bytes.varint(at: length.end)
    else { return nil }
    return Row(
      key: Int64(bitPattern: key.value), length: Int(length.value), offset: key.end,
      localLength: localLength(ofRecord: Int(length.value), usableSize))
  }

  private static func localLength(ofRecord length: Int, _ usableSize: Int) -> Int {
    guard length > usableSize - 35 else { return length }
    let least = (usableSize - 12) * 32 / 255 - 23
    let most = least + (length - least) % (usableSize - 4)
    return most <= usableSize - 35 ? most : least
  }

  /// The bytes that a cell of a table takes; `nil` if it can't be one.
  private static func size(
    ofCell cell: Int, _ kind: Kind, _ bytes: [UInt8], _ usableSize: Int
  ) -> Int? {
    guard kind == .leafTable else { return bytes.varint(at: cell + 4).map { $0.end - cell } }
    return row(cell, bytes, usableSize).map { row in
      let overflow = row.localLength < row.length ? 4 : 0
      return max(row.offset + row.localLength + overflow - cell, 4)
    }
  }
}

/// The sizes of the parts of a page. In a sound one the cells, the free blocks and the fragments fill the
/// content area (sqlite.org/fileformat2.html, 1.6).
private struct PageBalance {
  private let bytes: [UInt8]
  private let array: Int
  private let content: Int
  /// What the cells must take.
  private let room: Int
  private let size: (Int) -> Int?

  /// - Returns: `nil` if the content area or its free blocks can't be right.
  init?(
    _ bytes: [UInt8], start: Int, array: Int, usableSize: Int, size: @escaping (Int) -> Int?
  ) {
    let stated = bytes.bigEndian16(at: start + 5)
    content = stated == 0 ? 65536 : stated
    guard content >= array, content <= usableSize else { return nil }
    var room = usableSize - content - Int(bytes[start + 7])
    var last = content - 1
    var block = bytes.bigEndian16(at: start + 1)
    while block > 0 {
      guard block > last, block + 4 <= usableSize else { return nil }
      let length = bytes.bigEndian16(at: block + 2)
      guard length >= 4, block + length <= usableSize else { return nil }
      room -= length
      last = block + length - 1
      block = bytes.bigEndian16(at: block)
    }
    self.bytes = bytes
    self.array = array
    self.room = room
    self.size = size
  }

  /// The number of cells that take the room: the stated one if it does, or else the only one.
  /// - Returns: Also whether the number is certain. A smaller one is not if a cell follows: the start of the
  ///   content area may be damaged, and not the number. `nil` if no number fits.
  func count(stated: Int) -> (count: Int, isCertain: Bool)? {
    var fitting: [Int] = []
    var taken = 0
    for count in 0... {
      if taken == room { fitting.append(count) }
      guard taken < room, array + 2 * count + 2 <= content else { break }
      guard pointer(count) >= content, let size = size(pointer(count)) else { break }
      taken += size
    }
    if fitting.contains(stated) { return (stated, true) }
    guard fitting.count == 1 else { return nil }
    let found = fitting[0]
    guard found < stated, isCell(found), pointer(found) < content else { return (found, true) }
    return ((found..<stated).allSatisfy(isCell) ? stated : found, false)
  }

  private func pointer(_ index: Int) -> Int { bytes.bigEndian16(at: array + 2 * index) }

  private func isCell(_ index: Int) -> Bool {
    let end = array + 2 * index + 2
    guard end <= bytes.count, pointer(index) >= end, let size = size(pointer(index)) else {
      return false
    }
    return pointer(index) + size <= bytes.count
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
