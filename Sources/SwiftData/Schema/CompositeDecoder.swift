import Foundation

/// Provides the values of the leaves to a value's decoding.
struct CompositeSource {
  let tree: CompositeTree
  let values: [_StoredValue]

  init(_ tree: CompositeTree, _ values: [_StoredValue]) {
    self.tree = tree
    self.values = values
  }

  func isNull(at position: Int) -> Bool {
    tree.nodes[position].leaves.allSatisfy { $0 >= values.count || values[$0].isNull }
  }

  func read<T: Decodable>(
    _ type: T.Type, at position: Int, codingPath: [any CodingKey]
  ) throws -> T {
    guard let leaf = tree.nodes[position].leaf, tree.nodes[position].children.isEmpty else {
      if type == Duration.self, let duration = try readDuration(at: position, codingPath) as? T {
        return duration
      }
      return try type.init(from: decoder(at: position, codingPath))
    }
    switch tree.leaves[leaf].form {
    case .scalar:
      guard let scalar = type as? any ScalarCoding.Type else {
        return try type.init(from: decoder(at: position, codingPath))
      }
      return try readScalar(scalar, as: type, at: position, codingPath)
    case .encoded:
      return try readEncoded(type, at: position, codingPath: codingPath)
    case .rawValue:
      // As it was written, without the type's own coding.
      if let raw = type as? any RawRepresentable.Type, let value = raw.make(values[leaf]) as? T {
        return value
      }
      return try type.init(from: decoder(at: position, codingPath))
    case .enumCase:
      return try type.init(from: decoder(at: position, codingPath))
    }
  }

  func readScalar<T>(
    _ scalar: any ScalarCoding.Type, as type: T.Type, at position: Int,
    _ codingPath: [any CodingKey]
  ) throws -> T {
    guard let leaf = tree.nodes[position].leaf else { throw mismatch(type, at: nil, codingPath) }
    let isNaN = values[leaf].isNull && scalar.scalarType.storesNaNAsNull && isRequired(leaf)
    let stored = isNaN ? .real(.nan) : values[leaf]
    if let value = scalar.init(storedValue: stored) as? T { return value }
    if case .scalar(.decimal) = tree.leaves[leaf].form, let number = stored.number,
      let value = scalar.init(storedValue: number) as? T
    {
      return value
    }
    throw mismatch(type, at: leaf, codingPath)
  }

  /// A value that its column holds as JSON.
  func readEncoded<T: Decodable>(
    _ type: T.Type, at position: Int, codingPath: [any CodingKey]
  ) throws -> T {
    guard let leaf = tree.nodes[position].leaf, case .encoded = tree.leaves[leaf].form,
      let bytes = values[leaf].encodedBytes
    else { throw mismatch(type, at: tree.nodes[position].leaf, codingPath) }
    return try EncodedCoding.decode(type, from: bytes)
  }

  /// Whether a leaf belongs to a present value, so that its column is null for NaN only.
  private func isRequired(_ leaf: Int) -> Bool {
    let codingPath = tree.leaves[leaf].codingPath
    guard let depth = tree.leaves[leaf].optionalDepth else { return true }
    if depth >= codingPath.count { return false }
    return tree.leaves.indices.contains { other in
      other < values.count && !values[other].isNull
        && tree.leaves[other].codingPath.starts(with: codingPath.prefix(depth))
    }
  }

  func mismatch(
    _ type: any Any.Type, at leaf: Int?, _ codingPath: [any CodingKey]
  ) -> DecodingError {
    if let leaf, leaf < values.count, !values[leaf].isNull {
      return .typeMismatch(
        type,
        DecodingError.Context(
          codingPath: codingPath, debugDescription: "The column does not hold a \(type)."))
    }
    return .valueNotFound(
      type,
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription: "The column is empty. Make the property optional."))
  }

  private func decoder(at position: Int, _ codingPath: [any CodingKey]) -> CompositeDecoder {
    CompositeDecoder(source: self, position: position, codingPath: codingPath)
  }

  private func readDuration(at position: Int, _ codingPath: [any CodingKey]) throws -> Duration {
    guard let high = tree.nodes[position].children["high"],
      let low = tree.nodes[position].children["low"]
    else { throw mismatch(Duration.self, at: nil, codingPath) }
    let upper = try readScalar(Int64.self, as: Int64.self, at: high, codingPath)
    let lower = try readScalar(Int64.self, as: Int64.self, at: low, codingPath)
    return Duration(attoseconds: Int128(upper) << 64 | Int128(UInt64(bitPattern: lower)))
  }
}

extension _StoredValue {
  /// The number in a text: the column of a decimal is read as text.
  fileprivate var number: _StoredValue? {
    guard let text else { return nil }
    return Int64(text).map { .integer($0) } ?? Double(text).map { .real($0) }
  }
}

extension RawRepresentable {
  fileprivate static func make(_ value: _StoredValue) -> Any? {
    guard let scalar = RawValue.self as? any ScalarCoding.Type else { return nil }
    return (scalar.init(storedValue: value) as? RawValue).flatMap(Self.init(rawValue:))
  }
}

private struct CompositeDecoder: Decoder {
  var source: CompositeSource
  var position: Int
  var codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(
      CompositeKeyedDecoding<Key>(source: source, position: position, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw source.mismatch([Any].self, at: nil, codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    CompositeSingleDecoding(source: source, position: position, codingPath: codingPath)
  }
}

private struct CompositeKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  var source: CompositeSource
  var position: Int
  var codingPath: [any CodingKey]

  /// The keys that have values; for an enum this is the active case. If an enum has no values, it
  /// is the only case that may be empty.
  var allKeys: [Key] {
    let keys = source.tree.nodes[position].children.compactMap { name, child in
      source.isNull(at: child) ? nil : Key(stringValue: name)
    }
    guard keys.isEmpty else { return keys }
    let emptyCases = source.tree.emptyCases(of: position)
    return emptyCases.count == 1 ? emptyCases.compactMap(Key.init(stringValue:)) : []
  }

  /// Whether the value was encoded, as far as the columns show it: an optional value that is nil may
  /// have been.
  func contains(_ key: Key) -> Bool {
    guard let child = source.tree.child(of: position, for: key) else { return false }
    return !source.tree.nodes[child].isVisible || !source.isNull(at: child)
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    source.isNull(at: try child(for: key))
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try source.read(type, at: try child(for: key), codingPath: codingPath + [key])
  }

  // Common types avoid dynamic casts.

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try scalar(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try scalar(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try scalar(type, key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try scalar(type, key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try scalar(type, key) }

  // Without these the standard library throws. The types decode themselves with the same functions.

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try source.readEncoded(type, at: try child(for: key), codingPath: codingPath + [key])
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try source.readEncoded(type, at: try child(for: key), codingPath: codingPath + [key])
  }

  private func scalar<T: ScalarCoding & Decodable>(_ type: T.Type, _ key: Key) throws -> T {
    let position = try child(for: key)
    if let leaf = source.tree.nodes[position].leaf, case .scalar = source.tree.leaves[leaf].form,
      let value = T(storedValue: source.values[leaf])
    {
      return value
    }
    return try source.read(type, at: position, codingPath: codingPath + [key])
  }

  func nestedContainer<K: CodingKey>(
    keyedBy type: K.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<K> {
    KeyedDecodingContainer(
      CompositeKeyedDecoding<K>(
        source: source, position: try child(for: key), codingPath: codingPath + [key]))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw source.mismatch([Any].self, at: nil, codingPath + [key])
  }

  func superDecoder() throws -> any Decoder {
    throw source.mismatch((any Decoder).self, at: nil, codingPath)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    CompositeDecoder(source: source, position: try child(for: key), codingPath: codingPath + [key])
  }

  private func child(for key: Key) throws -> Int {
    guard let child = source.tree.child(of: position, for: key) else {
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(
          codingPath: codingPath, debugDescription: "No column belongs to '\(key.stringValue)'."))
    }
    return child
  }
}

private struct CompositeSingleDecoding: SingleValueDecodingContainer {
  var source: CompositeSource
  var position: Int
  var codingPath: [any CodingKey]

  func decodeNil() -> Bool { source.isNull(at: position) }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    // A scalar that has no leaf must not reach `read`: its `init(from:)` asks for itself again.
    if let scalar = type as? any ScalarCoding.Type {
      return try source.readScalar(scalar, as: type, at: position, codingPath)
    }
    return try source.read(type, at: position, codingPath: codingPath)
  }

  func decode(_ type: Int128.Type) throws -> Int128 {
    try source.readEncoded(type, at: position, codingPath: codingPath)
  }

  func decode(_ type: UInt128.Type) throws -> UInt128 {
    try source.readEncoded(type, at: position, codingPath: codingPath)
  }
}
