@_spi(Reflection) import Swift

/// The names and types of a type's fields, read from the compiler's metadata.
///
/// Where the metadata does not have the form that is read here (`isReliable`), no type has cases.
/// Then `storageForm(of:)` refuses all types but scalars, and a predicate whose SQL depends on cases
/// is evaluated in memory.
package enum TypeReflection {
  package struct Field {
    package var name: String
    package var type: any Any.Type
    /// The number of bytes before the field in a value.
    package var offset: Int
  }

  package struct EnumCase {
    package var name: String
    /// The types of the associated values; empty if there are none.
    package var payload: [any Any.Type]
  }

  package enum Kind: Equatable {
    case structure, enumeration, reference, other
  }

  package static func kind(of type: any Any.Type) -> Kind {
    switch metadataKind(of: type) {
    case 0x200: .structure
    case 0x201, 0x202: .enumeration
    case 0, 0x203, 0x204, 0x305, 0x800...: .reference
    default: .other
    }
  }

  /// The stored properties of a struct, in their order.
  package static func fields(of type: any Any.Type) -> [Field] {
    var fields: [Field] = []
    _forEachField(of: type) { name, offset, type, _ in
      fields.append(Field(name: String(cString: name), type: type, offset: offset))
      return true
    }
    return fields
  }
}

// MARK: - Enums

// The standard library reflects values of enums, but not their types. The layout read here is part
// of the stable ABI (TypeMetadata.rst and MetadataValues.h of the Swift project).

extension TypeReflection {
  /// The cases of an enum, beginning with those that have associated values; `nil` for other types.
  package static func cases(of type: any Any.Type) -> [EnumCase]? {
    isReliable ? readCases(of: type) : nil
  }

  private static func readCases(of type: any Any.Type) -> [EnumCase]? {
    guard metadataKind(of: type) == 0x201, let metadata = pointer(to: type) else { return nil }
    let word = MemoryLayout<Int>.size
    let descriptor = (metadata + word).load(as: UnsafeRawPointer.self)
    // Both descriptors say that they describe an enum. So other memory is not read as one.
    guard descriptor.load(as: UInt32.self) & 0x1f == 18,
      let fields = target(ofRelative: descriptor + 16),
      [2, 3].contains((fields + 8).load(as: UInt16.self))
    else { return nil }
    let recordSize = Int((fields + 10).load(as: UInt16.self))
    let count = Int((fields + 12).load(as: UInt32.self))
    guard recordSize == 12 else { return nil }
    var cases: [EnumCase] = []
    for index in 0..<count {
      let record = fields + 16 + index * recordSize
      guard let name = target(ofRelative: record + 8) else { return nil }
      var payload: [any Any.Type] = []
      if let mangled = target(ofRelative: record + 4) {
        guard
          let type = _getTypeByMangledNameInContext(
            mangled.assumingMemoryBound(to: UInt8.self), UInt(length(ofMangledName: mangled)),
            genericContext: descriptor, genericArguments: metadata + 2 * word)
        else { return nil }
        payload = elements(ofTuple: type) ?? [type]
      }
      cases.append(
        EnumCase(
          name: String(cString: name.assumingMemoryBound(to: UInt8.self)), payload: payload))
    }
    return cases
  }

  /// The values of an enum without associated values, with their case names.
  package static func values<T>(of type: T.Type) -> [(name: String, value: T)]? {
    isReliable ? readValues(of: type) : nil
  }

  private static func readValues<T>(of type: T.Type) -> [(name: String, value: T)]? {
    guard let cases = readCases(of: type), cases.allSatisfy({ $0.payload.isEmpty }),
      (1...65_536).contains(cases.count), MemoryLayout<T>.size == size(ofEnumWith: cases.count)
    else { return nil }
    return cases.enumerated().map { index, enumCase in
      let number = UInt16(index).littleEndian
      let value = withUnsafeBytes(of: number) { $0.loadUnaligned(as: BitwiseCase<T>.self) }
      return (enumCase.name, value.value)
    }
  }

  /// The memory of an enum without associated values is the number of its case, in as few bytes as
  /// possible.
  private static func size(ofEnumWith count: Int) -> Int {
    count == 1 ? 0 : count <= 256 ? 1 : 2
  }

  private struct BitwiseCase<T> {
    var value: T
  }

  private static func elements(ofTuple type: any Any.Type) -> [any Any.Type]? {
    guard metadataKind(of: type) == 0x301, let metadata = pointer(to: type) else { return nil }
    let word = MemoryLayout<Int>.size
    let count = (metadata + word).load(as: Int.self)
    var elements: [any Any.Type] = []
    for index in 0..<count {
      let offset = (3 + 2 * index) * word
      elements.append((metadata + offset).load(as: Any.Type.self))
    }
    return elements
  }

  private static func metadataKind(of type: any Any.Type) -> UInt {
    pointer(to: type)?.load(as: UInt.self) ?? .max
  }

  /// A metatype of any type is the address of its metadata.
  private static func pointer(to type: any Any.Type) -> UnsafeRawPointer? {
    castIfSameSize(type as any Any.Type, to: UnsafeRawPointer.self)
  }

  private static func target(ofRelative pointer: UnsafeRawPointer) -> UnsafeRawPointer? {
    let offset = pointer.load(as: Int32.self)
    return offset == 0 ? nil : pointer + Int(offset)
  }

  /// Mangled names end with a zero byte, but symbolic references inside may contain zeros too.
  private static func length(ofMangledName name: UnsafeRawPointer) -> Int {
    var length = 0
    while true {
      switch (name + length).load(as: UInt8.self) {
      case 0: return length
      case 0x01...0x17: length += 1 + MemoryLayout<Int32>.size
      case 0x18...0x1f: length += 1 + MemoryLayout<Int>.size
      default: length += 1
      }
    }
  }
}

// MARK: - Wrappers

// A cast to a protocol looks through all conformances of the program, once for each type and protocol.
// The metadata of the two generic types that most relationships have name their argument.

extension TypeReflection {
  /// Whether a type is an `Optional` or an `Array`, and of which type.
  package enum Wrapping {
    case optional(any Any.Type)
    case array(any Any.Type)
    case neither
  }

  /// `nil` where the metadata does not have the form that is read here.
  package static func wrapping(of type: any Any.Type) -> Wrapping? {
    isReliable ? readWrapping(of: type) : nil
  }

  private static func readWrapping(of type: any Any.Type) -> Wrapping? {
    guard let metadata = pointer(to: type) else { return nil }
    let word = MemoryLayout<Int>.size
    // The arguments of a generic struct or enum follow its descriptor.
    func argument() -> any Any.Type { (metadata + 2 * word).load(as: Any.Type.self) }
    switch metadataKind(of: type) {
    case 0x202: return .optional(argument())
    case 0x200 where (metadata + word).load(as: UInt.self) == arrayDescriptor:
      return .array(argument())
    default: return .neither
    }
  }

  private static let arrayDescriptor: UInt =
    pointer(to: [Int].self).map { ($0 + MemoryLayout<Int>.size).load(as: UInt.self) } ?? 0
}

// MARK: - Check of the assumptions

extension TypeReflection {
  /// Whether the metadata has the form that is read here.
  package static var isReliable: Bool {
    isAsAssumed && !RuntimeAssumptions.refused.contains(.typeMetadata)
  }

  /// Determined once, with enums whose cases are known.
  private static let isAsAssumed: Bool = {
    guard kind(of: Plain.self) == .enumeration, kind(of: Point.self) == .structure,
      kind(of: Box.self) == .reference, kind(of: Plain?.self) == .enumeration,
      fields(of: Point.self).map(\.name) == ["x", "label"],
      fields(of: Point.self).map({ ObjectIdentifier($0.type) })
        == [ObjectIdentifier(Int.self), ObjectIdentifier(String?.self)],
      fields(of: Point.self).map({ $0.offset as Int? })
        == [MemoryLayout<Point>.offset(of: \.x), MemoryLayout<Point>.offset(of: \.label)],
      let plain = readValues(of: Plain.self), plain.map(\.name) == ["north", "south", "west"],
      plain.map(\.value) == [.north, .south, .west],
      let single = readValues(of: Single.self), single.map(\.name) == ["only"],
      let mixed = readCases(of: Mixed.self),
      mixed.map(\.name) == ["number", "pair", "nothing"],
      readValues(of: Mixed.self) == nil,
      case .optional(let wrapped) = readWrapping(of: Box?.self), wrapped == Box.self,
      case .array(let element) = readWrapping(of: [Point].self), element == Point.self,
      case .neither = readWrapping(of: Point.self), case .neither = readWrapping(of: Box.self)
    else { return false }
    return mixed.map { $0.payload.map { ObjectIdentifier($0) } }
      == [
        [ObjectIdentifier(Int.self)],
        [ObjectIdentifier(String.self), ObjectIdentifier(Point.self)],
        [],
      ]
  }()

  private enum Plain { case north, south, west }
  private enum Single { case only }
  private enum Mixed {
    case nothing
    case number(Int)
    case pair(String, Point)
  }

  private struct Point {
    var x = 0
    var label: String?
  }

  private final class Box {}
}
