import OpenSwiftDataCRuntime

/// Gives an inherited property a key path of the subclass, which equals `\Subclass.property`.
///
/// Swift cannot turn a key path of a superclass into one of a subclass whose type is known only at
/// run time. Both have the same components, so a copy of the object gets the class of the other
/// one.
enum KeyPathRoot {
  /// - Returns: `nil` for a key path of another class, or one that cannot be copied.
  static func path<Root: PersistentModel>(_ keyPath: AnyKeyPath, from root: Root.Type)
    -> PartialKeyPath<Root>?
  {
    if let own = keyPath as? PartialKeyPath<Root> { return own }
    guard let declaring = type(of: keyPath).rootType as? any PersistentModel.Type,
      Root._$descriptor.lineage.contains(where: { $0.type == declaring }),
      let size = KeyPathComponent.objectSize(keyPath)
    else { return nil }
    func objectType<Value>(_ value: Value.Type) -> AnyObject.Type? {
      switch keyPath.kind {
      case .referenceWritable: ReferenceWritableKeyPath<Root, Value>.self
      case .writable: WritableKeyPath<Root, Value>.self
      case .readOnly: KeyPath<Root, Value>.self
      case .unknown: nil
      }
    }
    guard let type = _openExistential(type(of: keyPath).valueType, do: objectType) else {
      return nil
    }
    return withExtendedLifetime(keyPath) {
      let original = Unmanaged.passUnretained(keyPath).toOpaque()
      let copy = openSwiftData_copyObject(
        original, unsafeBitCast(type, to: UnsafeRawPointer.self), size)
      return Unmanaged<AnyKeyPath>.fromOpaque(copy).takeRetainedValue() as? PartialKeyPath<Root>
    }
  }
}

extension AnyKeyPath {
  fileprivate enum Kind { case readOnly, writable, referenceWritable, unknown }

  /// The class of the key path, for any root and value.
  fileprivate var kind: Kind {
    func kind<Root>(_ root: Root.Type) -> Kind {
      func kind<Value>(_ value: Value.Type) -> Kind {
        switch self {
        case is ReferenceWritableKeyPath<Root, Value>: .referenceWritable
        case is WritableKeyPath<Root, Value>: .writable
        case is KeyPath<Root, Value>: .readOnly
        default: .unknown
        }
      }
      return _openExistential(Swift.type(of: self).valueType, do: kind)
    }
    return _openExistential(Swift.type(of: self).rootType, do: kind)
  }
}
