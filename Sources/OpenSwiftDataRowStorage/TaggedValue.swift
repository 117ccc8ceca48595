/// The content of a column whose value may be stored outside the row.
///
/// The first byte is a tag: 1 precedes the value, 2 precedes the name of the file with the value;
/// the name may end with a zero byte. Other programs may have written a value without a tag.
/// Content that begins with any other byte is such a value, and so is a 2 that no name follows. A 1
/// is always taken as a tag.
package enum TaggedValue {
  /// The value itself.
  case value(UnsafeRawBufferPointer)
  /// The name of the file that holds the value.
  case name(UnsafeRawBufferPointer)

  package static let valueTag: UInt8 = 1
  package static let nameTag: UInt8 = 2
  /// The longest file name; anything longer is not a name.
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

  /// Letters, digits, `-`, `_` and `.`, so a name cannot lead to another folder.
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
