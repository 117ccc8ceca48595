/// A value of a row.
package enum RecordValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

/// Decodes records (sqlite.org/fileformat2.html, 2.1).
struct RecordDecoder {
  /// The text encoding from the header of the database.
  let encoding: Int

  /// - Returns: `nil` unless the record is exactly as long as its own header says.
  func values(_ record: [UInt8]) -> [RecordValue]? {
    guard let length = record.varint(at: 0), length.value <= UInt64(record.count) else {
      return nil
    }
    var (header, body) = (length.end, Int(length.value))
    let headerEnd = body
    var values: [RecordValue] = []
    while header < headerEnd {
      guard let type = record.varint(at: header), type.value < 1 << 32,
        let size = Self.size(of: Int(type.value)), body + size <= record.count
      else { return nil }
      values.append(value(Int(type.value), record[body..<body + size]))
      header = type.end
      body += size
    }
    return header == headerEnd && body == record.count ? values : nil
  }

  private static func size(of type: Int) -> Int? {
    switch type {
    case 0, 8, 9: 0
    case 1...4: type
    case 5: 6
    case 6, 7: 8
    case 10, 11: nil
    default: (type - 12) / 2
    }
  }

  private func value(_ type: Int, _ bytes: ArraySlice<UInt8>) -> RecordValue {
    switch type {
    case 0: return .null
    case 8: return .integer(0)
    case 9: return .integer(1)
    case 1...6:
      var value = Int64(Int8(bitPattern: bytes.first ?? 0))
      for byte in bytes.dropFirst() { value = value << 8 | Int64(byte) }
      return .integer(value)
    case 7:
      return .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
    default:
      return type % 2 == 0 ? .blob(Array(bytes)) : .text(text(bytes))
    }
  }

  private func text(_ bytes: ArraySlice<UInt8>) -> String {
    guard encoding == 2 || encoding == 3 else { return String(decoding: bytes, as: UTF8.self) }
    let first = bytes.startIndex
    let units = stride(from: first, to: bytes.endIndex - 1, by: 2).map { index in
      let (low, high) = encoding == 2 ? (index, index + 1) : (index + 1, index)
      return UInt16(bytes[low]) | UInt16(bytes[high]) << 8
    }
    return String(decoding: units, as: UTF16.self)
  }
}
