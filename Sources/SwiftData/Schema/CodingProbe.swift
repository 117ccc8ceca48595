import Foundation

/// Finds the coding keys of a `Decodable` type without decoding a value: the decoder of the probe
/// throws as soon as the first container is opened.
enum CodingProbe {
  /// The coding keys of a type that decodes from a keyed container whose keys are an enum: pairs of
  /// case names and key texts. `nil` for every other type.
  static func keys(of type: any Decodable.Type) -> [Key]? {
    ask(type, activeCase: nil)
  }

  /// The coding keys of the associated values of one case of an enum.
  static func keys(of type: any Decodable.Type, case key: Key) -> [Key]? {
    ask(type, activeCase: key.text)
  }

  /// The scalar type that a type decodes as a single value; `nil` for every other type, and for one
  /// that decodes several values.
  static func singleValue(of type: any Decodable.Type) -> ScalarType? {
    if textsOfFoundation.contains(ObjectIdentifier(type)) { return .string }
    let answer = Answer()
    _ = try? type.init(from: ProbeDecoder(answer: answer, activeCase: nil))
    guard !answer.openedOtherContainer, answer.singleValues.count == 1 else { return nil }
    return (answer.singleValues[0] as? any ScalarCoding.Type)?.scalarType
  }

  /// Types of Foundation that encode themselves as a text, but also decode an older form with keys, which the
  /// probe can't distinguish from the form that they encode.
  private static let textsOfFoundation: Set<ObjectIdentifier> = Set(
    [
      Locale.Collation.self, Locale.Currency.self, Locale.LanguageCode.self,
      Locale.MeasurementSystem.self, Locale.NumberingSystem.self, Locale.Region.self,
      Locale.Script.self, Locale.Subdivision.self, Locale.Variant.self,
    ].map { (type: any Any.Type) in ObjectIdentifier(type) })

  struct Key {
    /// The name of the case, which is also the name of the property.
    var name: String
    /// The text of the key in the encoded form.
    var text: String
  }

  private static func ask(_ type: any Decodable.Type, activeCase: String?) -> [Key]? {
    let answer = Answer()
    _ = try? type.init(from: ProbeDecoder(answer: answer, activeCase: activeCase))
    return answer.keys
  }

  fileprivate final class Answer {
    var keys: [Key]?
    /// The types that were requested from single-value containers.
    var singleValues: [any Any.Type] = []
    var openedOtherContainer = false
  }

  fileprivate static func keys<K: CodingKey>(in type: K.Type) -> [Key]? {
    guard let values = TypeReflection.values(of: type) else { return nil }
    return values.map { Key(name: $0.name, text: $0.value.stringValue) }
  }
}

private struct Stop: Error {}

private struct ProbeDecoder: Decoder {
  var answer: CodingProbe.Answer
  var activeCase: String?

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<K: CodingKey>(keyedBy type: K.Type) throws -> KeyedDecodingContainer<K> {
    answer.openedOtherContainer = true
    guard let activeCase else {
      answer.keys = CodingProbe.keys(in: type)
      throw Stop()
    }
    guard let key = K(stringValue: activeCase) else { throw Stop() }
    return KeyedDecodingContainer(ProbeContainer(answer: answer, allKeys: [key]))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    answer.openedOtherContainer = true
    throw Stop()
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    ProbeSingleValue(answer: answer)
  }
}

/// Records the type that is decoded.
private struct ProbeSingleValue: SingleValueDecodingContainer {
  var answer: CodingProbe.Answer

  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool {
    answer.openedOtherContainer = true
    return false
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    answer.singleValues.append(type)
    throw Stop()
  }
}

/// The container of an enum with one key; only the nested container for it is examined.
private struct ProbeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  var answer: CodingProbe.Answer
  var allKeys: [Key]

  var codingPath: [any CodingKey] { [] }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) throws -> Bool { throw Stop() }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { throw Stop() }

  func nestedContainer<K: CodingKey>(
    keyedBy type: K.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<K> {
    answer.keys = CodingProbe.keys(in: type)
    throw Stop()
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw Stop()
  }

  func superDecoder() throws -> any Decoder { throw Stop() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw Stop() }
}
