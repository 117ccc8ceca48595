/// Gives a placeholder value for everything that a type decodes.
struct PlaceholderDecoder: Decoder {
  let placeholderValue: PlaceholderValue
  /// The case chosen for an enum with associated values.
  let chosenCase: String?

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    var keys: [Key] = []
    if let chosenCase, let cases = TypeReflection.values(of: type) {
      keys = cases.filter { $0.name == chosenCase }.map(\.value)
    }
    return KeyedDecodingContainer(
      PlaceholderKeyedContainer(placeholderValue: placeholderValue, allKeys: keys))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    PlaceholderUnkeyedContainer(placeholderValue: placeholderValue)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    PlaceholderSingleValueContainer(placeholderValue: placeholderValue)
  }
}

private struct PlaceholderKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let placeholderValue: PlaceholderValue
  let allKeys: [Key]

  var codingPath: [any CodingKey] { [] }
  private var decoder: PlaceholderDecoder {
    PlaceholderDecoder(placeholderValue: placeholderValue, chosenCase: nil)
  }

  init(placeholderValue: PlaceholderValue, allKeys: [Key]) {
    self.placeholderValue = placeholderValue
    self.allKeys = allKeys
  }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) throws -> Bool { true }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try placeholderValue.part(type)
  }

  func nestedContainer<K: CodingKey>(
    keyedBy type: K.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<K> {
    try decoder.container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder.unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { decoder }
  func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
}

private struct PlaceholderUnkeyedContainer: UnkeyedDecodingContainer {
  let placeholderValue: PlaceholderValue
  private(set) var currentIndex = 0

  init(placeholderValue: PlaceholderValue) { self.placeholderValue = placeholderValue }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { placeholderValue.listCount }
  var isAtEnd: Bool { currentIndex >= placeholderValue.listCount }
  private var decoder: PlaceholderDecoder {
    PlaceholderDecoder(placeholderValue: placeholderValue, chosenCase: nil)
  }

  mutating func decodeNil() throws -> Bool { false }

  // A type that decodes a fixed number of elements gets all of them.
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    currentIndex += 1
    return try placeholderValue.part(type)
  }

  mutating func nestedContainer<K: CodingKey>(
    keyedBy type: K.Type
  ) throws -> KeyedDecodingContainer<K> {
    currentIndex += 1
    return try decoder.container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    currentIndex += 1
    return try decoder.unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { decoder }
}

private struct PlaceholderSingleValueContainer: SingleValueDecodingContainer {
  let placeholderValue: PlaceholderValue

  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { false }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try placeholderValue.part(type) }
}
