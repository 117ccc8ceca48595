import Foundation

/// A collection without an order, which JSON contains as a list: in the order of the memory.
protocol UnorderedCollection {
  /// The number of consecutive elements of the list that belong together.
  static var listedTogether: Int { get }
}

extension Set: UnorderedCollection {
  static var listedTogether: Int { 1 }
}

/// With keys that are neither texts nor integers, keys and values are listed in turn.
extension Dictionary: UnorderedCollection {
  static var listedTogether: Int { 2 }
}

extension UnorderedCollection {
  /// Sorts compact JSON of such a collection by its bytes, so that equal collections have equal bytes.
  static func sorted(_ json: Data) -> Data {
    let bytes = Array(json)
    guard bytes.first == UInt8(ascii: "["), bytes.count > 2 else { return json }
    let groups = groups(in: bytes).sorted { $0.lexicographicallyPrecedes($1) }
    return Data("[".utf8) + Data(groups.joined(separator: ",".utf8)) + Data("]".utf8)
  }

  private static func groups(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var groups: [ArraySlice<UInt8>] = []
    var (start, depth, elements) = (1, 0, 0)
    var (isText, isEscaped) = (false, false)
    for (index, byte) in bytes.enumerated().dropFirst().dropLast() {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "\""): isText.toggle()
      case _ where isText: break
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        elements += 1
        guard elements.isMultiple(of: listedTogether) else { break }
        groups.append(bytes[start..<index])
        start = index + 1
      default: break
      }
    }
    groups.append(bytes[start..<(bytes.count - 1)])
    return groups
  }
}
