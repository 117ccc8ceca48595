import Foundation
import OpenSwiftDataPostgresEngine
import SwiftData

/// A value in the form that both databases can store.
enum CopiedValue {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case decimal(Decimal)
  case text(String)
  case bytes(Data)

  /// A rough number of bytes.
  var size: Int {
    switch self {
    case .null, .boolean, .integer, .real: 8
    case .decimal: 20
    case .text(let text): text.utf8.count
    case .bytes(let bytes): bytes.count
    }
  }

  /// A value of a deleted row, which has no type but its own.
  init(preserved value: _StoredValue) {
    self =
      switch value {
      case .null: .null
      case .integer(let value): .integer(value)
      case .real(let value): .real(value)
      case .text(let value): .text(value)
      case .blob(let value): .bytes(value)
      }
  }

  /// The value for the history.
  var preserved: _StoredValue {
    switch self {
    case .null: .null
    case .boolean(let value): .integer(value ? 1 : 0)
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .decimal(let value): value.storedValue
    case .text(let value): .text(value)
    case .bytes(let value): .blob(value)
    }
  }

  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
}

/// The position of a row: its key, or both keys of a link.
struct CopiedKey: Hashable {
  var first: Int64
  var second: Int64 = 0
}

/// A checksum of rows in their order, 128 bits. Detects mistakes, not forgeries.
struct RowChecksum {
  private var first: UInt64 = 0x243F_6A88_85A3_08D3
  private var second: UInt64 = 0x1319_8A2E_0370_7344

  var text: String {
    [first, second].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  private mutating func mix(_ word: UInt64) {
    first = (first ^ word) &* 0x9E37_79B9_7F4A_7C15
    first ^= first &>> 32
    second = (second &+ word) &* 0xC2B2_AE3D_27D4_EB4F
    second ^= second &>> 29
  }

  mutating func add(_ row: [CopiedValue]) {
    for value in row { add(value) }
  }

  private mutating func add(_ value: CopiedValue) {
    switch value {
    case .null: mix(0)
    case .boolean(let value): mix(value ? 2 : 1)
    case .integer(let value):
      mix(3)
      mix(UInt64(bitPattern: value))
    case .real(let value):
      // SQLite stores NaN as null, and zero without a sign.
      if value.isNaN { return mix(0) }
      mix(4)
      mix((value == 0 ? 0 : value).bitPattern)
    case .decimal(let value): add(5, Data(value.description.utf8))
    case .text(let text): add(6, Data(text.utf8))
    case .bytes(let bytes): add(7, bytes)
    }
  }

  private mutating func add(_ kind: UInt64, _ bytes: Data) {
    mix(kind)
    mix(UInt64(bytes.count))
    bytes.withUnsafeBytes { bytes in
      var index = 0
      while index + 8 <= bytes.count {
        mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
        index += 8
      }
      var rest: UInt64 = 0
      while index < bytes.count {
        rest = rest &<< 8 | UInt64(bytes[index])
        index += 1
      }
      mix(rest)
    }
  }
}
