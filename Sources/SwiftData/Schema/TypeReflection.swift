@_spi(Reflection) import Swift

/// The names and types of a type's fields, read from the compiler's metadata.
enum TypeReflection {
  struct Field {
    var name: String
    var type: any Any.Type
  }

  struct EnumCase {
    var name: String
    /// The types of the associated values; empty if there are none.
    var payload: [any Any.Type]
  }

  enum Kind: Equatable {
    case structure, enumeration, reference, other
  }

  static func kind(of type: any Any.Type) -> Kind {
    switch metadataKind(of: type) {
    case 0x200: .structure
    case 0x201, 0x202: .enumeration
    case 0, 0x203, 0x204, 0x305, 0x800...: .reference
    default: .other
    }
  }

  /// The stored properties of a struct, in their order.
  static func fields(of type: any Any.Type) -> [Field] {
    var fields: [Field] = []
    _forEachField(of: type) { name, _, type, _ in
      fields.append(Field(name: String(cString: name), type: type))
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
  static func cases(of type: any Any.Type) -> [EnumCase]? {
    guard metadataKind(of: type) == 0x201 else { return nil }
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    let word = MemoryLayout<Int>.size
    let descriptor = (metadata + word).load(as: UnsafeRawPointer.self)
    guard let fields = target(ofRelative: descriptor + 16) else { return nil }
    let recordSize = Int((fields + 10).load(as: UInt16.self))
    let count = Int((fields + 12).load(as: UInt32.self))
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
  static func values<T>(of type: T.Type) -> [(name: String, value: T)]? {
    guard let cases = cases(of: type), cases.allSatisfy({ $0.payload.isEmpty }),
      (1...256).contains(cases.count), MemoryLayout<T>.size == (cases.count == 1 ? 0 : 1)
    else { return nil }
    return cases.enumerated().map { index, enumCase in
      // The memory of such an enum is the number of its case, in one byte or none.
      let value = withUnsafeBytes(of: UInt8(index)) { $0.loadUnaligned(as: BitwiseCase<T>.self) }
      return (enumCase.name, value.value)
    }
  }

  private struct BitwiseCase<T> {
    var value: T
  }

  private static func elements(ofTuple type: any Any.Type) -> [any Any.Type]? {
    guard metadataKind(of: type) == 0x301 else { return nil }
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
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
    unsafeBitCast(type, to: UnsafeRawPointer.self).load(as: UInt.self)
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
