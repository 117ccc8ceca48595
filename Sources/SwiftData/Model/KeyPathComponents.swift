/// The components of a key path, to split a path of several steps.
///
/// Swift has no API for this, and a step from one model to another, `\.owner?.name`, can only be
/// identified by its accessors. Their identities are read from the key path's buffer, whose form
/// (KeyPath.swift of the standard library) is part of the stable ABI. Names of stored properties
/// come from the description. A buffer of another form gives no components.
package enum KeyPathComponent: Hashable, Sendable {
  /// A property with accessors, identified by the same value in equal key paths.
  case computed(id: UInt, kind: UInt32)
  /// A stored property of a struct or a class.
  case stored(name: String)

  /// The steps of the key path without optional chaining; empty if they cannot be determined.
  package static func all(of keyPath: AnyKeyPath) -> [KeyPathComponent] {
    let identities = Buffer(keyPath).identities
    let names = KeyPathText(keyPath).components
    guard identities.count == names.count else { return [] }
    return zip(identities, names).map { identity, name in identity ?? .stored(name: name) }
  }
}

extension KeyPathComponent {
  /// The size of a key path's object in bytes; `nil` if it contains more than the names of
  /// components, so that a copy of the bytes is not a copy of the key path.
  static func objectSize(_ keyPath: AnyKeyPath) -> Int? {
    let buffer = Buffer(keyPath)
    return buffer.identities.isEmpty || buffer.hasArguments ? nil : buffer.objectSize
  }

  /// The part of a key path object after its header.
  private struct Buffer {
    /// One for each step; `nil` for stored properties. Empty if the form is unknown.
    private(set) var identities: [KeyPathComponent?] = []
    /// Whether a step has arguments, such as the index of a subscript.
    private(set) var hasArguments = false
    private(set) var objectSize = 0

    init(_ keyPath: AnyKeyPath) {
      guard MemoryLayout<Int>.size == 8 else { return }
      withExtendedLifetime(keyPath) {
        let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
        // Class, reference count, the name for key-value coding; then the size of the components.
        let header = object + 24
        let size = Int(header.load(as: UInt32.self) & 0x00ff_ffff)
        objectSize = 32 + size
        identities = read(header + 8, size: size) ?? []
      }
    }

    private mutating func read(_ start: UnsafeRawPointer, size: Int) -> [KeyPathComponent?]? {
      var found: [KeyPathComponent?] = []
      var offset = 0
      while offset + 4 <= size {
        let header = (start + offset).load(as: UInt32.self)
        let payload = header & 0x00ff_ffff
        offset += 4
        switch (header >> 24) & 0x7f {
        case 1, 3:
          // A payload of all ones in its offset means that the offset follows.
          if payload & 0x7f_ffff >= 0x7f_fffc { offset += 4 }
          found.append(nil)
        case 2:
          offset = (offset + 7) & ~7
          guard offset + 16 <= size else { return nil }
          let id = (start + offset).load(as: UInt.self)
          offset += 16
          if payload & 0x40_0000 != 0 { offset += 8 }
          if payload & 0x08_0000 != 0 {
            guard offset + 16 <= size else { return nil }
            hasArguments = true
            offset += 16 + (start + offset).load(as: Int.self)
          }
          found.append(.computed(id: id, kind: payload & 0x30_0000))
        case 4: break
        default: return nil
        }
        // The type of the step's value is between two steps.
        if offset < size { offset = ((offset + 7) & ~7) + 8 }
      }
      return found
    }
  }
}
