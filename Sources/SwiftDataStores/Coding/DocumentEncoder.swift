import SwiftData

/// Encodes a `Codable` value as a `DocumentValue`.
///
/// Scalars have texts and numbers of their own (`DocumentScalar`). The elements of sets and of
/// dictionaries without text keys are sorted, so that equal values give equal texts.
struct DocumentEncoder: Encoder {
  /// Identifiers of this store, and those of new rows, become links.
  let storeIdentifier: String
  fileprivate let target = EncodingTarget()
  var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(storeIdentifier: String, codingPath: [any CodingKey] = []) {
    self.storeIdentifier = storeIdentifier
    self.codingPath = codingPath
  }

  /// The value of each key that a value encodes.
  /// - Throws: What the value throws while it encodes itself.
  static func values<T: Encodable>(
    of value: T, storeIdentifier: String
  ) throws -> [String: DocumentValue] {
    let encoder = DocumentEncoder(storeIdentifier: storeIdentifier)
    try value.encode(to: encoder)
    guard case .object(let values) = encoder.target.value else { return [:] }
    return values
  }

  /// - Parameter storeIdentifier: Is not needed for a value that contains no identifiers.
  /// - Throws: What the value throws while it encodes itself.
  static func value<T: Encodable>(
    of value: T, storeIdentifier: String = ""
  ) throws -> DocumentValue {
    try DocumentEncoder(storeIdentifier: storeIdentifier).encoded(value, at: [])
  }

  fileprivate func encoded<T: Encodable>(
    _ value: T, at path: @autoclosure () -> [any CodingKey]
  ) throws -> DocumentValue {
    if let scalar = value as? any DocumentScalar, let found = scalar.documentValue { return found }
    if let identifier = value as? PersistentIdentifier,
      identifier.storeIdentifier.map({ $0 == storeIdentifier }) ?? true
    {
      return .identifier(identifier)
    }
    let encoder = DocumentEncoder(storeIdentifier: storeIdentifier, codingPath: path())
    try value.encode(to: encoder)
    if let unordered = T.self as? any UnorderedCollection.Type {
      return encoder.target.value.sorted(by: unordered.stride)
    }
    return encoder.target.value
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    target.beKeyed()
    return KeyedEncodingContainer(KeyedTarget(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    target.beList()
    return ListTarget(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleTarget(encoder: self) }
}

/// The value that an encoder makes.
private final class EncodingTarget {
  private var single = DocumentValue.null
  private var keyed: [String: Part]?
  private var list: [Part]?

  private enum Part {
    case value(DocumentValue)
    case target(EncodingTarget)

    var value: DocumentValue {
      switch self {
      case .value(let value): value
      case .target(let target): target.value
      }
    }
  }

  var value: DocumentValue {
    if let keyed { return .object(keyed.mapValues(\.value)) }
    if let list { return .list(list.map(\.value)) }
    return single
  }

  var count: Int { list?.count ?? 0 }

  func beKeyed() { if keyed == nil { keyed = [:] } }

  func beList() { if list == nil { list = [] } }

  func set(_ value: DocumentValue) { single = value }

  func set(_ value: DocumentValue, for key: String) { keyed?[key] = .value(value) }

  func set(_ target: EncodingTarget, for key: String) { keyed?[key] = .target(target) }

  func append(_ value: DocumentValue) { list?.append(.value(value)) }

  func append(_ target: EncodingTarget) { list?.append(.target(target)) }
}

private struct KeyedTarget<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: DocumentEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) { encoder.target.set(.null, for: key.stringValue) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    let value = try encoder.encoded(value, at: codingPath + [key])
    encoder.target.set(value, for: key.stringValue)
  }

  // Without these the standard library throws.

  func encode(_ value: Int128, forKey key: Key) throws { set(value, key) }
  func encode(_ value: UInt128, forKey key: Key) throws { set(value, key) }

  private func set(_ value: some DocumentScalar, _ key: Key) {
    encoder.target.set(value.documentValue ?? .null, for: key.stringValue)
  }

  func nestedContainer<K: CodingKey>(
    keyedBy type: K.Type, forKey key: Key
  ) -> KeyedEncodingContainer<K> { nested(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { nested(TextKey("super")) }

  func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

  private func nested(_ key: some CodingKey) -> DocumentEncoder {
    let nested = DocumentEncoder(
      storeIdentifier: encoder.storeIdentifier, codingPath: codingPath + [key])
    encoder.target.set(nested.target, for: key.stringValue)
    return nested
  }
}

private struct ListTarget: UnkeyedEncodingContainer {
  let encoder: DocumentEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.target.count }

  func encodeNil() { encoder.target.append(.null) }

  func encode<T: Encodable>(_ value: T) throws {
    encoder.target.append(
      try encoder.encoded(value, at: codingPath + [TextKey(intValue: count)]))
  }

  func encode(_ value: Int128) { encoder.target.append(value.documentValue ?? .null) }
  func encode(_ value: UInt128) { encoder.target.append(value.documentValue ?? .null) }

  func nestedContainer<K: CodingKey>(keyedBy type: K.Type) -> KeyedEncodingContainer<K> {
    nested().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

  func superEncoder() -> any Encoder { nested() }

  private func nested() -> DocumentEncoder {
    let nested = DocumentEncoder(
      storeIdentifier: encoder.storeIdentifier,
      codingPath: codingPath + [TextKey(intValue: count)])
    encoder.target.append(nested.target)
    return nested
  }
}

private struct SingleTarget: SingleValueEncodingContainer {
  let encoder: DocumentEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() { encoder.target.set(.null) }

  func encode<T: Encodable>(_ value: T) throws {
    encoder.target.set(try encoder.encoded(value, at: codingPath))
  }

  func encode(_ value: Int128) { encoder.target.set(value.documentValue ?? .null) }
  func encode(_ value: UInt128) { encoder.target.set(value.documentValue ?? .null) }
}

/// A key that no enumeration lists.
struct TextKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ text: String) { (stringValue, intValue) = (text, nil) }

  init(stringValue: String) { self.init(stringValue) }

  init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}

extension DocumentValue {
  /// The elements of a list in the order of their texts.
  /// - Parameter stride: The number of adjacent elements that belong together.
  fileprivate func sorted(by stride: Int) -> DocumentValue {
    guard case .list(let values) = self, stride > 0, values.count.isMultiple(of: stride) else {
      return self
    }
    let groups = Swift.stride(from: 0, to: values.count, by: stride).map {
      Array(values[$0..<$0 + stride])
    }
    let ordered = groups.map { (key: $0[0].text, values: $0) }.sorted { $0.key < $1.key }
    return .list(ordered.flatMap(\.values))
  }
}
