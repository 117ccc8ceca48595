import Foundation

extension DataStoreValue {
  /// Creates the plain form of a value, as a snapshot has it.
  ///
  /// ```swift
  /// let value = try DataStoreValue(encoding: ["Rome", "Oslo"])
  /// let cities = try value.decoded(as: [String].self)
  /// ```
  /// - Parameter value: A value that a property can have.
  /// - Throws: An error of the value's own `encode(to:)`.
  public init(encoding value: some Encodable) throws {
    self = try Self.form(of: value)
  }

  /// The plain form of a value whose type is known only at run time; `nil` if it has none.
  static func form(ofAny value: Any) throws -> DataStoreValue? {
    switch value {
    case let optional as any OptionalValue:
      guard let value = optional.unwrappedValue else { return .null }
      return try form(ofAny: value)
    case let model as any PersistentModel: return .identifier(model.persistentModelID.resolved)
    case let text as any StringProtocol: return .string(String(text))
    case let character as Character: return .string(String(character))
    case let value as any Encodable: return try form(of: value)
    case let result as ComparisonResult: return .integer(Int64(result.rawValue))
    default: return nil
    }
  }

  static func form(of value: any Encodable) throws -> DataStoreValue {
    switch value {
    case let value as any ScalarCoding: return scalar(value)
    case let identifier as PersistentIdentifier: return .identifier(identifier.resolved)
    case let value as Int128: return decimal(value)
    case let value as UInt128: return decimal(value)
    case let optional as any OptionalValue:
      guard let value = optional.unwrappedValue else { return .null }
      if let form = try Self.form(ofAny: value) { return form }
    case let value as any RawRepresentable:
      if let raw = rawValue(of: value) { return scalar(raw) }
    case let text as any StringProtocol: return .string(String(text))
    default: break
    }
    let node = EncodedValue.Node()
    try value.encode(to: SnapshotEncoder(node: node))
    let form = try form(of: node)
    guard case .list(let elements) = form else { return form }
    if value is any UnorderedList { return .list(elements.sorted(by: precedes)) }
    return value is any KeyedList ? .list(sortedEntries(elements)) : form
  }

  /// A decimal number has room for all 128 bits.
  private static func decimal(_ value: some FixedWidthInteger) -> DataStoreValue {
    Decimal(string: value.description).map { .decimal($0) } ?? .null
  }

  private static func rawValue<V: RawRepresentable>(of value: V) -> (any ScalarCoding)? {
    value.rawValue as? any ScalarCoding
  }

  /// What a snapshot or a `Codable` value has encoded.
  static func form(of value: EncodedValue) throws -> DataStoreValue {
    switch value {
    case .null: .null
    case .value(let value): try form(of: value)
    case .node(let node): try form(of: node)
    }
  }

  private static func form(of node: EncodedValue.Node) throws -> DataStoreValue {
    if let single = node.single { return try form(of: single) }
    if let list = node.list { return .list(try list.map { try form(of: $0) }) }
    return .composite(try (node.keyed ?? [:]).mapValues { try form(of: $0) })
  }

  private static func scalar(_ value: any ScalarCoding) -> DataStoreValue {
    switch value {
    case let value as Bool: .boolean(value)
    case let value as any SignedInteger: .integer(Int64(truncatingIfNeeded: value))
    case let value as any UnsignedInteger: .unsigned(UInt64(truncatingIfNeeded: value))
    case let value as Double: .double(value)
    case let value as Float: .double(Double(value))
    case let value as Decimal: .decimal(value)
    case let value as String: .string(value)
    case let value as Data: .data(value)
    case let value as Date: .date(value)
    case let value as UUID: .uuid(value)
    case let value as URL: .url(value.absoluteURL)
    default: .null
    }
  }
}

// MARK: - Collections without an order

private protocol UnorderedList {}
extension Set: UnorderedList {}

/// A dictionary, which encodes keys that are no texts as a list of keys and values.
private protocol KeyedList {}
extension Dictionary: KeyedList {}

extension DataStoreValue {
  private static func sortedEntries(_ list: [DataStoreValue]) -> [DataStoreValue] {
    guard list.count.isMultiple(of: 2) else { return list }
    return stride(from: 0, to: list.count, by: 2)
      .sorted { precedes(list[$0], list[$1]) }
      .flatMap { [list[$0], list[$0 + 1]] }
  }

  /// An order of all values that is the same in each process.
  static func precedes(_ first: DataStoreValue, _ second: DataStoreValue) -> Bool {
    switch (first, second) {
    case (.boolean(let a), .boolean(let b)): return !a && b
    case (.integer(let a), .integer(let b)): return a < b
    case (.unsigned(let a), .unsigned(let b)): return a < b
    case (.double(let a), .double(let b)): return a.isTotallyOrdered(belowOrEqualTo: b) && a != b
    case (.decimal(let a), .decimal(let b)): return a < b
    case (.string(let a), .string(let b)): return a < b
    case (.data(let a), .data(let b)): return a.lexicographicallyPrecedes(b)
    case (.date(let a), .date(let b)): return a < b
    case (.uuid(let a), .uuid(let b)): return a.uuidString < b.uuidString
    case (.url(let a), .url(let b)): return a.absoluteString < b.absoluteString
    case (.identifier(let a), .identifier(let b)): return a < b
    case (.list(let a), .list(let b)): return a.lexicographicallyPrecedes(b, by: precedes)
    case (.composite(let a), .composite(let b)):
      func entries(_ values: [String: DataStoreValue]) -> [DataStoreValue] {
        values.sorted { $0.key < $1.key }.flatMap { [.string($0.key), $0.value] }
      }
      return entries(a).lexicographicallyPrecedes(entries(b), by: precedes)
    default: return first.caseNumber < second.caseNumber
    }
  }

  private var caseNumber: Int {
    switch self {
    case .null: 0
    case .boolean: 1
    case .integer: 2
    case .unsigned: 3
    case .double: 4
    case .decimal: 5
    case .string: 6
    case .data: 7
    case .date: 8
    case .uuid: 9
    case .url: 10
    case .identifier: 11
    case .list: 12
    case .composite: 13
    }
  }
}
