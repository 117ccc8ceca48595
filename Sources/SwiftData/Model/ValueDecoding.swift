import Foundation

/// Makes property values out of stored ones, with the type known only at run time.
enum ValueDecoding {
  static func composite(
    _ type: any Decodable.Type, leaves: [CompositeLeaf], values: [_StoredValue]
  ) -> (any Decodable)? {
    func restore<T: Decodable>(_ type: T.Type) -> (any Decodable)? {
      try? CompositeCoding.restore(type, leaves: leaves, values: values)
    }
    return restore(type)
  }

  /// Decodes a value that was encoded whole: JSON of ours, or a keyed archive of Apple's.
  static func encoded(_ type: any Decodable.Type, bytes: Data) -> (any Decodable)? {
    func decode<T: Decodable>(_ type: T.Type) -> (any Decodable)? {
      if bytes.starts(with: Array("bplist00".utf8)) {
        return KeyedArchive.value(in: bytes) as? T
      }
      return try? EncodedCoding.decode(type, from: bytes)
    }
    return decode(type)
  }

  static func scalar(_ type: any Decodable.Type, _ value: _StoredValue) -> (any Decodable)? {
    (type as? any ScalarCoding.Type)?.make(value) as? any Decodable
  }

  static func transformed<V>(_ type: V.Type, property: ModelProperty, bytes: Data) -> V? {
    guard case .transformable(let name) = property.form else { return nil }
    if let name, let transformer = ValueTransformer.named(name) {
      return try? transformer.value(V.self, fromStored: bytes)
    }
    let wrapped = unwrappedType(of: type) ?? type
    guard let decodable = wrapped as? any Decodable.Type else { return nil }
    return encoded(decodable, bytes: bytes) as? V
  }
}

extension ScalarCoding {
  fileprivate static func make(_ value: _StoredValue) -> Any? { Self(storedValue: value) }
}

/// Property lists that Core Data writes for arrays of strings and of data.
enum KeyedArchive {
  /// The array or dictionary at the archive's root; an archive of data holds JSON of an empty one.
  static func value(in bytes: Data) -> Any? {
    let classes: [AnyClass] = [
      NSArray.self, NSDictionary.self, NSString.self, NSData.self, NSNumber.self, NSDate.self,
    ]
    guard let root = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: bytes)
    else { return nil }
    if let strings = root as? NSArray { return strings.compactMap { $0 as? String } }
    if let data = root as? Data, let strings = try? JSONDecoder().decode([String].self, from: data)
    {
      return strings
    }
    return root
  }
}

extension LeafForm {
  /// The value, or an empty one in place of null: what a required part without a value reads as.
  func filled(_ value: _StoredValue) -> _StoredValue {
    guard value.isNull, case .scalar(let type) = self else { return value }
    return type.traits.empty
  }
}
