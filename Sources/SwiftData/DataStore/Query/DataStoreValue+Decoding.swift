import Foundation

extension DataStoreValue {
  /// Creates a value of a type from its plain form.
  ///
  /// Numbers of another kind are accepted if they are exact.
  /// - Parameter type: The type of the value.
  /// - Returns: The value.
  /// - Throws: A `DecodingError` if the plain form does not fit the type.
  public func decoded<T: Decodable>(as type: T.Type) throws -> T {
    try DataStoreValueDecoder(value: self, codingPath: []).decode(type)
  }
}

/// Decodes values from their plain form.
private struct DataStoreValueDecoder: Decoder {
  let value: DataStoreValue
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let made: Any?
    switch type {
    case let scalar as any ScalarCoding.Type: made = self.scalar(scalar)
    case let integer as any FixedWidthInteger.Type: made = self.integer(integer)
    case is PersistentIdentifier.Type:
      if case .identifier(let identifier) = value { made = identifier } else { made = nil }
    case let raw as any RawRepresentable.Type where rawScalarType(of: raw) != nil:
      made = rawRepresentable(raw)
    default: return try type.init(from: self)
    }
    guard let made = made as? T else { throw mismatch(type) }
    return made
  }

  private func rawScalarType<R: RawRepresentable>(of type: R.Type) -> (any ScalarCoding.Type)? {
    R.RawValue.self as? any ScalarCoding.Type
  }

  private func rawRepresentable<R: RawRepresentable>(_ type: R.Type) -> Any? {
    guard let scalar = rawScalarType(of: type), let raw = self.scalar(scalar) as? R.RawValue else {
      return nil
    }
    return R(rawValue: raw)
  }

  private func scalar(_ type: any ScalarCoding.Type) -> Any? {
    switch (type, value) {
    case (is Bool.Type, .boolean(let value)): value
    case (let type as any FixedWidthInteger.Type, _): integer(type)
    case (is Double.Type, _): number
    case (is Float.Type, _): number.map { Float($0) }
    case (is Decimal.Type, .decimal(let value)): value
    case (is Decimal.Type, .integer(let value)): Decimal(value)
    case (is Decimal.Type, .unsigned(let value)): Decimal(value)
    case (is String.Type, .string(let value)): value
    case (is Data.Type, .data(let value)): value
    case (is Date.Type, .date(let value)): value
    case (is UUID.Type, .uuid(let value)): value
    case (is URL.Type, .url(let value)): value
    default: nil
    }
  }

  private func integer<I: FixedWidthInteger>(_ type: I.Type) -> I? {
    switch value {
    case .integer(let value): I(exactly: value)
    case .unsigned(let value): I(exactly: value)
    case .double(let value): I(exactly: value)
    case .decimal(let value): I("\(value)")
    default: nil
    }
  }

  fileprivate func wide<I: FixedWidthInteger>(_ type: I.Type) throws -> I {
    guard let value = integer(type) else { throw mismatch(type) }
    return value
  }

  private var number: Double? {
    switch value {
    case .double(let value): value
    case .integer(let value): Double(exactly: value)
    case .unsigned(let value): Double(exactly: value)
    default: nil
    }
  }

  func mismatch(_ type: any Any.Type) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: codingPath, debugDescription: "The plain value is not a \(type).")
    return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .composite(let values) = value else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(KeyedValues(values: values, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let values) = value else { throw mismatch([Any].self) }
    return ListedValues(values: values, codingPath: codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension DataStoreValueDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { value.isNull }

  // Without these the standard library throws.

  func decode(_ type: Int128.Type) throws -> Int128 { try wide(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try wide(type) }
}

private struct KeyedValues<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let values: [String: DataStoreValue]
  let codingPath: [any CodingKey]

  var allKeys: [Key] { values.keys.sorted().compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).value.isNull }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try decoder(key).decode(type)
  }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decoder(key).wide(type) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try decoder(key).wide(type)
  }

  func nestedContainer<K: CodingKey>(
    keyedBy type: K.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<K> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  /// A superclass encodes itself into the same container.
  func superDecoder() throws -> any Decoder {
    DataStoreValueDecoder(value: .composite(values), codingPath: codingPath)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: Key) throws -> DataStoreValueDecoder {
    guard let value = values[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(
          codingPath: codingPath, debugDescription: "There is no part '\(key.stringValue)'."))
    }
    return DataStoreValueDecoder(value: value, codingPath: codingPath + [key])
  }
}

private struct ListedValues: UnkeyedDecodingContainer {
  let values: [DataStoreValue]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(values: [DataStoreValue], codingPath: [any CodingKey]) {
    self.values = values
    self.codingPath = codingPath
  }

  var count: Int? { values.count }
  var isAtEnd: Bool { currentIndex >= values.count }

  mutating func decodeNil() throws -> Bool {
    guard try next().value.isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let value = try next().decode(type)
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 { try wide(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try wide(type) }

  private mutating func wide<I: FixedWidthInteger>(_ type: I.Type) throws -> I {
    let value = try next().wide(type)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<K: CodingKey>(
    keyedBy type: K.Type
  ) throws -> KeyedDecodingContainer<K> {
    try superDecoder().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try superDecoder().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try next()
    currentIndex += 1
    return decoder
  }

  private func next() throws -> DataStoreValueDecoder {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Any.self,
        DecodingError.Context(
          codingPath: codingPath, debugDescription: "The list has no further element."))
    }
    return DataStoreValueDecoder(
      value: values[currentIndex], codingPath: codingPath + [Position(intValue: currentIndex)])
  }

  private struct Position: CodingKey {
    let position: Int

    init(intValue: Int) { position = intValue }
    init?(stringValue: String) { return nil }

    var intValue: Int? { position }
    var stringValue: String { "\(position)" }
  }
}
