/// What a column has of a value that may be kept outside of the row.
///
/// The first byte is a tag: 1 stands before the value, 2 before the name of the file that has it, which
/// may end with a zero byte. A value of a program that knows no tags is taken as it is, as far as that
/// can be told: what follows a 2 and is no name is such a value, what follows a 1 never is.
package enum TaggedValue {
  /// The value itself.
  case value(UnsafeRawBufferPointer)
  /// The name of the value.
  case name(UnsafeRawBufferPointer)

  package static let valueTag: UInt8 = 1
  package static let nameTag: UInt8 = 2
  /// Longer names are none of a file.
  package static let longestName = 255

  package init(_ bytes: UnsafeRawBufferPointer) {
    switch bytes.first {
    case TaggedValue.valueTag:
      self = .value(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
    case TaggedValue.nameTag:
      let ending = bytes.count > 1 && bytes.last == 0 ? 1 : 0
      let name = UnsafeRawBufferPointer(rebasing: bytes.dropFirst().dropLast(ending))
      self = TaggedValue.isName(name) ? .name(name) : .value(bytes)
    default: self = .value(bytes)
    }
  }

  /// Letters, digits, and between them what UUIDs and extensions have: nothing leads to another folder.
  private static func isName(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first, first != UInt8(ascii: "."), bytes.count <= longestName else {
      return false
    }
    return bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
  }
}
