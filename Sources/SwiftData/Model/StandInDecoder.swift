/// Answers every request of a type that decodes itself with a stand-in.
struct StandInDecoder: Decoder {
  let standIn: StandIn
  /// The case that an enum with associated values finds.
  let chosenCase: String?

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    var keys: [Key] = []
    if let chosenCase, let cases = TypeReflection.values(of: type) {
      keys = cases.filter { $0.name == chosenCase }.map(\.value)
    }
    return KeyedDecodingContainer(StandInKeyedDecoding(standIn: standIn, allKeys: keys))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    StandInListDecoding(standIn: standIn)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    StandInSingleDecoding(standIn: standIn)
  }
}

private struct StandInKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let standIn: StandIn
  let allKeys: [Key]

  var codingPath: [any CodingKey] { [] }
  private var decoder: StandInDecoder { StandInDecoder(standIn: standIn, chosenCase: nil) }

  init(standIn: StandIn, allKeys: [Key]) {
    self.standIn = standIn
    self.allKeys = allKeys
  }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) throws -> Bool { true }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try standIn.part(type)
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

private struct StandInListDecoding: UnkeyedDecodingContainer {
  let standIn: StandIn
  private(set) var currentIndex = 0

  init(standIn: StandIn) { self.standIn = standIn }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { standIn.listCount }
  var isAtEnd: Bool { currentIndex >= standIn.listCount }
  private var decoder: StandInDecoder { StandInDecoder(standIn: standIn, chosenCase: nil) }

  mutating func decodeNil() throws -> Bool { false }

  // A type that asks for a fixed number of elements gets them all.
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    currentIndex += 1
    return try standIn.part(type)
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

private struct StandInSingleDecoding: SingleValueDecodingContainer {
  let standIn: StandIn

  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { false }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try standIn.part(type) }
}
