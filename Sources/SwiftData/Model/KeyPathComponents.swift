/// The components of a key path, to split a path of several steps.
///
/// Swift has no API for this, and a step from one model to another, `\.owner?.name`, can only be
/// identified by its accessors. Their identities are read from the key path's buffer, whose form
/// (KeyPath.swift of the standard library) is part of the stable ABI. Names of stored properties
/// come from the description. Where the buffer has another form (`Buffer.isReliable`), all steps
/// come from the description.
package enum KeyPathComponent: Hashable, Sendable {
  /// A property with accessors, identified by the same value in equal key paths.
  case computed(id: UInt, kind: UInt32)
  /// A property with accessors, identified by its description. Equal key paths may have different
  /// descriptions, different properties never have the same.
  case described(String)
  /// A stored property of a struct or a class.
  case stored(name: String)

  /// The steps of the key path without optional chaining; empty if they cannot be determined.
  package static func all(of keyPath: AnyKeyPath) -> [KeyPathComponent] {
    let identities = Buffer.isReliable ? Buffer.identities(in: keyPath) : nil
    // To describe a key path, the runtime looks up symbols; properties with accessors need no names.
    if let identities, !identities.isEmpty, !identities.contains(nil) {
      return identities.compactMap(\.self)
    }
    let names = KeyPathText(keyPath).components
    guard let identities else {
      return names.map { $0.hasPrefix("<") ? .described($0) : .stored(name: $0) }
    }
    guard identities.count == names.count else { return [] }
    return zip(identities, names).map { identity, name in identity ?? .stored(name: name) }
  }
}

extension KeyPathComponent {
  /// The part of a key path object after its header.
  private enum Buffer {
    /// One for each step; `nil` for stored properties. Empty if the form is unknown.
    static func identities(in keyPath: AnyKeyPath) -> [KeyPathComponent?] {
      withExtendedLifetime(keyPath) {
        let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
        // Class, reference count, the name for key-value coding; then the size of the components.
        let header = object + 24
        let size = Int(header.load(as: UInt32.self) & 0x00ff_ffff)
        return read(header + 8, size: size) ?? []
      }
    }

    private static func read(_ start: UnsafeRawPointer, size: Int) -> [KeyPathComponent?]? {
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

    /// Whether key paths have the form that is read here.
    static var isReliable: Bool {
      isAsAssumed && !RuntimeAssumptions.refused.contains(.keyPathComponents)
    }

    /// Determined once, with key paths whose steps are known.
    private static let isAsAssumed: Bool = {
      guard MemoryLayout<Int>.size == 8, identities(in: \Outer.inner) == [nil],
        identities(in: \Outer.inner.text) == [nil, nil]
      else { return false }
      let (count, name) = (identities(in: \Inner.count), identities(in: \Inner.name))
      let maybe = identities(in: \Outer.maybe)
      guard count.count == 1, name.count == 1, maybe.count == 1, count[0] != nil, name[0] != nil,
        maybe[0] != nil
      else { return false }
      let appended = (\Outer.inner).appending(path: \Inner.count)
      return count != name && identities(in: \Inner.count) == count
        && identities(in: \Outer.inner.count) == [nil] + count
        && identities(in: appended) == [nil] + count
        && identities(in: \Outer.maybe?.name) == maybe + name
        && identities(in: \Outer.inner[3]).count == 2
    }()

    private struct Inner {
      var text = ""
      var name: String { text }
      var count: Int { text.count }

      subscript(index: Int) -> Int { index }
    }

    private struct Outer {
      var inner = Inner()
      var maybe: Inner? { inner }
    }
  }
}
