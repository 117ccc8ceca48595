package import Foundation

/// Reads and writes binary property lists. Reading arbitrary bytes gives a value or an error.
package enum BinaryPlist {
  /// Deeper lists are rejected, because values are read and written recursively.
  static let deepest = 256
  /// The maximum number of values. Objects can be shared, so a few bytes may expand without limit.
  private static let largest = 1 << 24

  package static func decode(_ data: Data) throws(FormatError) -> PropertyList {
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(FormatError) in
        var reader = Reader(table: try PlistTable(bytes))
        return try reader.value(reader.table.top, depth: 0).value
      }
    }
    return try result.get()
  }

  private struct Reader {
    let table: PlistTable
    private var known: [Int: (value: PropertyList, size: Int)] = [:]
    private var open: Set<Int> = []

    init(table: PlistTable) {
      self.table = table
    }

    /// A value, and the number of values that it contains.
    mutating func value(
      _ index: Int, depth: Int
    ) throws(FormatError) -> (value: PropertyList, size: Int) {
      if let found = known[index] { return found }
      guard depth < deepest, open.insert(index).inserted else { throw PlistTable.damaged }
      let object = try table.object(index)
      var size = 1
      let value: PropertyList
      switch object.kind {
      case .array:
        var elements: [PropertyList] = []
        elements.reserveCapacity(object.count)
        for place in 0..<object.count {
          elements.append(try part(place, of: object, &size, depth))
        }
        value = .array(elements)
      case .dictionary:
        var entries: [String: PropertyList] = [:]
        for place in 0..<object.count {
          guard case .string(let key) = try part(place, of: object, &size, depth) else {
            throw PlistTable.damaged
          }
          entries[key] = try part(object.count + place, of: object, &size, depth)
        }
        value = .dictionary(entries)
      default: value = try scalar(object)
      }
      open.remove(index)
      known[index] = (value, size)
      return (value, size)
    }

    private mutating func part(
      _ place: Int, of object: PlistTable.Object, _ size: inout Int, _ depth: Int
    ) throws(FormatError) -> PropertyList {
      let part = try value(table.reference(place, of: object), depth: depth + 1)
      size += part.size
      guard size <= largest else { throw PlistTable.damaged }
      return part.value
    }

    private func scalar(_ object: PlistTable.Object) throws(FormatError) -> PropertyList {
      switch object.kind {
      case .bool(let flag): return .bool(flag)
      case .integer: return try integer(object)
      case .real:
        let bits = table.number(object)
        return .real(
          object.count == 4
            ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
            : Double(bitPattern: bits))
      case .date: return .date(Double(bitPattern: table.number(object)))
      case .data: return .data(Data(table.content(object)))
      case .uid:
        guard let place = Int(exactly: table.number(object)) else { throw PlistTable.damaged }
        return .uid(place)
      case .ascii, .utf16, .array, .dictionary:
        guard let text = table.text(object) else { throw PlistTable.damaged }
        return .string(text)
      }
    }

    /// Integers of up to four bytes are unsigned; sixteen bytes hold what does not fit into eight.
    private func integer(_ object: PlistTable.Object) throws(FormatError) -> PropertyList {
      guard object.count == 16 else {
        return .integer(Int64(bitPattern: table.number(object)))
      }
      let high = table.content(object).prefix(8)
      let low = table.content(object).suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
      if high.allSatisfy({ $0 == 0xFF }), low > UInt64(Int64.max) {
        return .integer(Int64(bitPattern: low))
      }
      guard high.allSatisfy({ $0 == 0 }) else { throw PlistTable.damaged }
      return low <= UInt64(Int64.max) ? .integer(Int64(low)) : .unsigned(low)
    }
  }
}
