import Foundation

/// Writes a binary property list, object by object. The number of objects must be known first,
/// because it determines the size of references.
struct PlistWriter {
  private var bytes: [UInt8] = []
  private var offsets: [Int] = []
  private let referenceSize: Int

  init(objectCount: Int, capacity: Int = 0) {
    referenceSize = Self.size(of: UInt64(max(objectCount - 1, 0)))
    bytes.reserveCapacity(capacity)
    bytes.append(contentsOf: PlistTable.magic)
    offsets.reserveCapacity(objectCount)
  }

  /// The number of bytes needed for a number: 1, 2, 4 or 8.
  static func size(of number: UInt64) -> Int {
    switch number {
    case 0...0xFF: 1
    case 0...0xFFFF: 2
    case 0...0xFFFF_FFFF: 4
    default: 8
    }
  }

  mutating func bool(_ value: Bool) {
    begin(value ? 0x09 : 0x08)
  }

  mutating func integer(_ value: Int64) {
    let bits = UInt64(bitPattern: value)
    let size = value < 0 ? 8 : Self.size(of: bits)
    begin(0x10 | UInt8(size.trailingZeroBitCount))
    append(bits, size)
  }

  mutating func unsigned(_ value: UInt64) {
    begin(0x14)
    append(0, 8)
    append(value, 8)
  }

  mutating func real(_ value: Double) {
    begin(0x23)
    append(value.bitPattern, 8)
  }

  mutating func date(_ value: Double) {
    begin(0x33)
    append(value.bitPattern, 8)
  }

  mutating func uid(_ place: Int) {
    let size = Self.size(of: UInt64(place))
    begin(0x80 | UInt8(size - 1))
    append(UInt64(place), size)
  }

  mutating func data(_ value: Data) {
    begin(0x40, count: value.count)
    bytes.append(contentsOf: value)
  }

  mutating func string(_ value: String) {
    if value.utf8.allSatisfy({ $0 < 0x80 }) {
      begin(0x50, count: value.utf8.count)
      bytes.append(contentsOf: value.utf8)
    } else {
      begin(0x60, count: value.utf16.count)
      for unit in value.utf16 { append(UInt64(unit), 2) }
    }
  }

  mutating func array(_ references: [Int]) {
    begin(0xA0, count: references.count)
    for reference in references { append(UInt64(reference), referenceSize) }
  }

  mutating func dictionary(keys: [Int], values: [Int]) {
    begin(0xD0, count: keys.count)
    for key in keys { append(UInt64(key), referenceSize) }
    for value in values { append(UInt64(value), referenceSize) }
  }

  /// The complete property list; its top object is the first one that was written.
  mutating func finish() -> Data {
    let table = bytes.count
    let offsetSize = Self.size(of: UInt64(table))
    for offset in offsets { append(UInt64(offset), offsetSize) }
    bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)])
    append(UInt64(offsets.count), 8)
    append(0, 8)
    append(UInt64(table), 8)
    return Data(bytes)
  }

  private mutating func begin(_ marker: UInt8) {
    offsets.append(bytes.count)
    bytes.append(marker)
  }

  private mutating func begin(_ marker: UInt8, count: Int) {
    guard count >= 0x0F else { return begin(marker | UInt8(count)) }
    begin(marker | 0x0F)
    let size = Self.size(of: UInt64(count))
    bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
    append(UInt64(count), size)
  }

  @inline(__always)
  private mutating func append(_ number: UInt64, _ size: Int) {
    for shift in stride(from: 8 * (size - 1), through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
  }
}
