import Foundation
import SwiftData

/// Decodes a `Codable` value from a `DocumentValue` that `DocumentEncoder` has made.
struct DocumentDecoder: Decoder {
  let value: DocumentValue
  let context: Context
  /// Notes the members that are read.
  var read: ReadMembers?
  var codingPath: [any CodingKey] = []

  /// What all parts of one value have in common.
  final class Context {
    let storeIdentifier: String
    let userInfo: [CodingUserInfoKey: Any]

    /// - Parameter schema: Has the classes of decoded snapshots.
    init(storeIdentifier: String, schema: Schema) {
      self.storeIdentifier = storeIdentifier
      userInfo = [.swiftDataSchema: schema]
    }
  }

  var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let values) = value else { throw mismatch([String: Any].self) }
    read?.addKeys(values.keys.filter { Key(stringValue: $0) != nil })
    return KeyedDecodingContainer(KeyedSource(decoder: self, values: values))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let values) = value else { throw mismatch([Any].self) }
    return ListSource(decoder: self, values: values)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { SingleSource(decoder: self) }

  fileprivate func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: codingPath, debugDescription: "It is \(value.kind).")
    return value.isNull
      ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  fileprivate func part(_ value: DocumentValue, _ key: some CodingKey) -> DocumentDecoder {
    DocumentDecoder(
      value: value, context: context, read: read?.part(key.stringValue),
      codingPath: codingPath + [key])
  }

  fileprivate func decoded<T: Decodable>(as type: T.Type) throws -> T {
    if let read, let unordered = T.self as? any UnorderedCollection.Type {
      read.stride = unordered.stride
    }
    if let scalar = T.self as? any DocumentScalar.Type {
      if let found = scalar.read(value) as? T { return found }
      // A URL with a base is an object. Other scalars would ask this decoder for themselves again.
      guard T.self == URL.self, case .object = value else { throw mismatch(type) }
    }
    if T.self == PersistentIdentifier.self {
      if let found = try identifier() as? T { return found }
    }
    return try T(from: self)
  }

  fileprivate func scalar<T: DocumentScalar>(_ type: T.Type) throws -> T {
    guard let found = T.read(value) else { throw mismatch(type) }
    return found
  }

  /// - Returns: `nil` for an identifier of another store, which is an object.
  private func identifier() throws -> PersistentIdentifier? {
    switch value {
    case .identifier(let identifier): return identifier
    case .string(let text):
      guard let link = LinkText(text) else {
        throw DecodingError.typeMismatch(
          PersistentIdentifier.self,
          DecodingError.Context(
            codingPath: codingPath, debugDescription: "A link has the form Entity/key."))
      }
      return try link.identifier(in: context.storeIdentifier)
    case .object: return nil
    default: throw mismatch(PersistentIdentifier.self)
    }
  }
}

/// The text of a link: the name of an entity and the key of a row, such as `Author/3k9f`.
struct LinkText {
  let entity: String
  let key: String

  init?(_ text: String) {
    guard let slash = text.firstIndex(of: "/"), slash != text.startIndex else { return nil }
    entity = String(text[..<slash])
    key = String(text[text.index(after: slash)...])
    if key.isEmpty { return nil }
  }

  func identifier(in store: String) throws -> PersistentIdentifier {
    try PersistentIdentifier.identifier(for: store, entityName: entity, primaryKey: key)
  }
}

private struct KeyedSource<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: DocumentDecoder
  let values: [String: DocumentValue]

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { values.keys.sorted().compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { values[key.stringValue]?.isNull ?? true }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try part(key).decoded(as: type)
  }

  // Without these the standard library throws.

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try part(key).scalar(type) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try part(key).scalar(type)
  }

  func nestedContainer<K: CodingKey>(
    keyedBy type: K.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<K> { try part(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try part(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    decoder.part(values["super"] ?? .null, TextKey("super"))
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try part(key) }

  private func part(_ key: Key) throws -> DocumentDecoder {
    guard let value = values[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(codingPath: codingPath, debugDescription: "There is no value."))
    }
    return decoder.part(value, key)
  }
}

private struct ListSource: UnkeyedDecodingContainer {
  let decoder: DocumentDecoder
  let values: [DocumentValue]
  private(set) var currentIndex = 0

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { values.count }
  var isAtEnd: Bool { currentIndex >= values.count }

  init(decoder: DocumentDecoder, values: [DocumentValue]) {
    (self.decoder, self.values) = (decoder, values)
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, values[currentIndex].isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let part = try current(type)
    let found = try part.decoded(as: type)
    if let read = part.read, let value = found as? any Encodable {
      read.encoding = try DocumentEncoder.value(
        of: value, storeIdentifier: decoder.context.storeIdentifier
      ).stored()
    }
    currentIndex += 1
    return found
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 { try scalar(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar(type) }

  private mutating func scalar<T: DocumentScalar>(_ type: T.Type) throws -> T {
    let found = try current(type).scalar(type)
    currentIndex += 1
    return found
  }

  mutating func nestedContainer<K: CodingKey>(
    keyedBy type: K.Type
  ) throws -> KeyedDecodingContainer<K> { try next().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }

  private mutating func next() throws -> DocumentDecoder {
    defer { currentIndex += 1 }
    return try current(DocumentValue.self)
  }

  private func current(_ type: Any.Type) throws -> DocumentDecoder {
    let key = TextKey(intValue: currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        DecodingError.Context(
          codingPath: codingPath + [key], debugDescription: "The list has no more elements."))
    }
    return decoder.part(values[currentIndex], key)
  }
}

private struct SingleSource: SingleValueDecodingContainer {
  let decoder: DocumentDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.value.isNull }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decoded(as: type) }
  func decode(_ type: Int128.Type) throws -> Int128 { try decoder.scalar(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try decoder.scalar(type) }
}
