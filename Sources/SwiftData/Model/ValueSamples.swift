import Foundation

/// Values of a type that differ from each other in one part: a stored property of a structure, at any depth, or
/// an associated value of an enum.
///
/// Structures are made without their initialisers, which may refuse a value or stop the program: the memory of each
/// stored property gets a value of the property's type. An enum with associated values decodes itself; its
/// associated values are given to it as they are.
///
/// There are no values of types with lists or classes: a position in a list that it does not have may stop the
/// program.
package enum ValueSamples {
  /// The values of a type, of which the first is the base of the others; empty if a part has none.
  package static func values<T>(of type: T.Type) -> [T] {
    TypeReflection.isReliable ? samples(of: type, in: []).map(\.value) : []
  }

  fileprivate struct Sample<T> {
    var value: T
    /// Whether all parts are nil. In an optional such a value is stored as nil.
    var isEmpty = false
  }

  /// With more cases of an enum, and more values of a structure, the others are left out.
  private static let (mostCases, mostValues) = (32, 256)

  /// - Parameter enclosing: The types of which the values are parts; one that contains itself has no samples.
  fileprivate static func samples<T>(
    of type: T.Type, in enclosing: [ObjectIdentifier]
  ) -> [Sample<T>] {
    let identity = ObjectIdentifier(type)
    guard !enclosing.contains(identity) else { return [] }
    let inside = enclosing + [identity]
    if let scalar = type as? any ScalarCoding.Type {
      return scalar.scalarType.samples.compactMap { scalar.init(storedValue: $0) as? T }
        .map { Sample(value: $0) }
    }
    if let sampled = type as? any SampledType.Type {
      return sampled.samples(in: inside) as? [Sample<T>] ?? []
    }
    if let cases = TypeReflection.values(of: type) {
      return cases.prefix(mostCases).map { Sample(value: $0.value) }
    }
    switch TypeReflection.kind(of: type) {
    case .structure: return structures(type, in: inside)
    case .enumeration: return enumerations(type, in: inside)
    case .reference, .other: return []
    }
  }

  // MARK: Parts

  /// The samples of a part, whose type is not known to the compiler.
  private struct Part {
    let values: [Any]
    let areEmpty: [Bool]
    /// Initialises memory with a sample.
    let write: (_ index: Int, _ memory: UnsafeMutableRawPointer) -> Void
    let size: Int

    init<T>(_ type: T.Type, in enclosing: [ObjectIdentifier]) {
      let samples = ValueSamples.samples(of: type, in: enclosing)
      values = samples.map { $0.value as Any }
      areEmpty = samples.map(\.isEmpty)
      size = MemoryLayout<T>.size
      write = { $1.initializeMemory(as: T.self, to: samples[$0].value) }
    }
  }

  /// - Returns: `nil` if one of the types has no samples.
  private static func parts(
    _ types: [any Any.Type], in enclosing: [ObjectIdentifier]
  ) -> [Part]? {
    func part<T>(_ type: T.Type) -> Part { Part(type, in: enclosing) }
    let parts = types.map { _openExistential($0, do: part) }
    return parts.allSatisfy { !$0.values.isEmpty } ? parts : nil
  }

  /// Makes a value of the first samples of all parts, and others in which one part has another sample.
  private static func combining<T>(
    _ parts: [Part], _ make: (_ choices: [Int]) -> T?
  ) -> [Sample<T>] {
    let base = parts.map { _ in 0 }
    var all = [base]
    for index in parts.indices {
      for choice in parts[index].values.indices.dropFirst() {
        var choices = base
        choices[index] = choice
        all.append(choices)
      }
    }
    return all.prefix(mostValues).compactMap { choices in
      make(choices).map { value in
        Sample(
          value: value,
          isEmpty: !parts.isEmpty && zip(parts, choices).allSatisfy { $0.areEmpty[$1] })
      }
    }
  }

  // MARK: Types with parts

  private static func structures<T>(
    _ type: T.Type, in enclosing: [ObjectIdentifier]
  ) -> [Sample<T>] {
    let fields = TypeReflection.fields(of: type)
    let size = MemoryLayout<T>.size
    // Those of the standard library have offsets and addresses, of which only some are valid together.
    if String(reflecting: type).hasPrefix("Swift.") { return [] }
    guard let parts = parts(fields.map(\.type), in: enclosing), size == 0 || !fields.isEmpty,
      zip(fields, parts).allSatisfy({ $0.offset + $1.size <= size })
    else { return [] }
    return combining(parts) { choices in
      let memory = UnsafeMutableRawPointer.allocate(
        byteCount: max(size, 1), alignment: MemoryLayout<T>.alignment)
      defer { memory.deallocate() }
      memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
      for (index, choice) in choices.enumerated() {
        parts[index].write(choice, memory + fields[index].offset)
      }
      return memory.assumingMemoryBound(to: T.self).move()
    }
  }

  private static func enumerations<T>(
    _ type: T.Type, in enclosing: [ObjectIdentifier]
  ) -> [Sample<T>] {
    guard let decodable = type as? any Decodable.Type, let cases = TypeReflection.cases(of: type)
    else { return [] }
    var samples: [Sample<T>] = []
    for enumCase in cases {
      guard let parts = parts(enumCase.payload, in: enclosing) else { return [] }
      let found: [Sample<T>] = combining(parts) { choices in
        let values = zip(parts, choices).map { $0.values[$1] }
        return try? decodable.init(from: CaseDecoder(name: enumCase.name, values: values)) as? T
      }
      if found.isEmpty { return [] }
      samples += found
    }
    return samples
  }
}

// MARK: - Special types

/// Types whose values are not made in memory, without their generic parameters.
private protocol SampledType {
  static func samples(in enclosing: [ObjectIdentifier]) -> Any
}

extension Optional: SampledType {
  fileprivate static func samples(in enclosing: [ObjectIdentifier]) -> Any {
    let present = ValueSamples.samples(of: Wrapped.self, in: enclosing).filter { !$0.isEmpty }
    return present.map { ValueSamples.Sample<Wrapped?>(value: $0.value) }
      + [ValueSamples.Sample<Wrapped?>(value: nil, isEmpty: true)]
  }
}

extension Duration: SampledType {
  fileprivate static func samples(in enclosing: [ObjectIdentifier]) -> Any {
    [1, 2, -1].map { ValueSamples.Sample<Duration>(value: .seconds($0)) }
  }
}

extension ScalarType {
  /// Small values without zero, with which an `==` can count; some that a lenient `==` takes for equal.
  fileprivate var samples: [_StoredValue] {
    switch self {
    case .int, .int8, .int16, .int32, .int64: [.integer(1), .integer(2), .integer(-1)]
    case .uint, .uint8, .uint16, .uint32, .uint64: [.integer(1), .integer(2), .integer(3)]
    case .bool: [.integer(1), .integer(0)]
    case .double, .date: [.real(1), .real(1.0.nextUp), .real(2), .real(-1)]
    case .float: [.real(1), .real(Double(Float(1).nextUp)), .real(2), .real(-1)]
    case .decimal:
      [.integer(1), .blob(Data("1.00000000000000000001".utf8)), .integer(2), .integer(-1)]
    case .string: ["ab", "AB", "ab ", "äb", "abc"].map { .text($0) }
    case .url:
      ["https://a.example/a", "https://A.example/a", "https://a.example/b"].map { .text($0) }
    case .uuid: [1, 2].map { .blob(Data(repeating: 0, count: 15) + [$0]) }
    case .data: [[1], [2], [1, 1]].map { .blob(Data($0)) }
    }
  }
}

// MARK: - Enums

/// Gives an enum the name of a case and its associated values.
private struct CaseDecoder: Decoder {
  let name: String
  let values: [Any]

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let keys = TypeReflection.values(of: type)?.filter { $0.name == name }.map(\.value)
    return KeyedDecodingContainer(CaseContainer(values: values, allKeys: keys ?? []))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoSample() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NoSample() }
}

/// A container with the case as its only key, or with the associated values in the order of their keys.
private struct CaseContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let values: [Any]
  let allKeys: [Key]

  var codingPath: [any CodingKey] { [] }

  func contains(_ key: Key) -> Bool { allKeys.contains { $0.stringValue == key.stringValue } }

  func decodeNil(forKey key: Key) throws -> Bool {
    (try value(key) as? any OptionalValue)?.isNil ?? false
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard let value = try value(key) as? T else { throw NoSample() }
    return value
  }

  func nestedContainer<K: CodingKey>(
    keyedBy type: K.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<K> {
    let keys = TypeReflection.values(of: type)?.map(\.value)
    return KeyedDecodingContainer(CaseContainer<K>(values: values, allKeys: keys ?? []))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw NoSample()
  }

  func superDecoder() throws -> any Decoder { throw NoSample() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw NoSample() }

  private func value(_ key: Key) throws -> Any {
    guard let index = allKeys.firstIndex(where: { $0.stringValue == key.stringValue }),
      values.indices.contains(index)
    else { throw NoSample() }
    return values[index]
  }
}

private struct NoSample: Error {}
