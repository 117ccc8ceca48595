import Foundation

/// What a description may say of the values of a Swift type.
enum PlainTypes {
  /// The type of a single value or of a raw value, without an optional; `nil` for other types.
  static func valueType(of type: any Any.Type) -> DataStoreQuery.ValueType? {
    let type = unwrappedType(of: type) ?? type
    if let scalar = type as? any ScalarCoding.Type { return .init(scalar.scalarType) }
    func raw<R: RawRepresentable>(_ type: R.Type) -> DataStoreQuery.ValueType? {
      (R.RawValue.self as? any ScalarCoding.Type).map { .init($0.scalarType) }
    }
    return (type as? any (RawRepresentable & Codable).Type).flatMap { raw($0) }
  }

  /// The kind of a property of a model.
  static func kind(of property: ModelProperty) -> DataStoreQuery.PropertyKind {
    switch property.form {
    case .toOne(let destination): .toOne(destination._$descriptor.entityName)
    case .toMany(let destination): .toMany(destination._$descriptor.entityName)
    case .transformable: .opaque
    case .attribute(.scalar(let type)), .attribute(.rawValue(let type)): .attribute(.init(type))
    case .attribute(.composite(let leaves)): hasParts(leaves) ? .composite : .opaque
    case .attribute(.encoded): kindOfList(property.valueType) ?? .opaque
    }
  }

  /// The kind of a part of a composite value.
  static func kind(of type: any Any.Type) -> DataStoreQuery.PropertyKind {
    if let single = valueType(of: type) { return .attribute(single) }
    let type = unwrappedType(of: type) ?? type
    if let list = kindOfList(type) { return list }
    if case .composite(let leaves)? = try? storageForm(of: type), hasParts(leaves) {
      return .composite
    }
    return .opaque
  }

  private static func kindOfList(_ type: any Any.Type) -> DataStoreQuery.PropertyKind? {
    (type as? any ListType.Type).map { $0.isDictionary ? .dictionary : .list }
  }

  /// A type that encodes itself as a single value has one leaf without a name.
  private static func hasParts(_ leaves: [CompositeLeaf]) -> Bool {
    leaves.first.map { !$0.path.isEmpty } ?? false
  }

  // MARK: Equality

  /// Whether plain values are equal where the values of the type are.
  static func hasEquality(_ type: any Any.Type) -> Bool {
    let type = unwrappedType(of: type) ?? type
    if !CaseEquality.isThatOfRawValues(type) { return false }
    if valueType(of: type) != nil || type == PersistentIdentifier.self
      || type is any PersistentModel.Type || type is any StringProtocol.Type
      || type == ComparisonResult.self || type == Character.self
    {
      return true
    }
    if type is any RelationshipCollection.Type { return false }
    if let list = type as? any ListType.Type { return hasEquality(list.elementType) }
    guard case .composite(let leaves)? = try? storageForm(of: type), hasParts(leaves) else {
      return false
    }
    let haveEquality = leaves.allSatisfy { leaf in
      switch leaf.form {
      case .enumCase, .rawValue: true
      case .scalar: leaf.valueType is any ScalarCoding.Type
      case .encoded: false
      }
    }
    return haveEquality && PartEquality.isThatOfParts(type)
  }

  // MARK: Order

  /// How the values of a type are ordered.
  enum Order {
    /// As plain values are.
    case natural
    /// By their position in a list. Values with the same position are together.
    case ranked([[DataStoreValue]])

    func applied(to expression: QueryExpression) -> QueryExpression {
      guard case .ranked(let groups) = self else { return expression }
      let values = groups.map { $0.count == 1 ? $0[0] : .list($0) }
      return .call(.rank, [expression, .value(.list(values))])
    }
  }

  /// - Parameter forSorting: Whether rows are sorted, which stores also do by values that have no
  ///   order in Swift.
  static func order(of type: any Any.Type, forSorting: Bool = false) throws -> Order {
    let type = unwrappedType(of: type) ?? type
    if let scalar = type as? any ScalarCoding.Type {
      switch scalar.scalarType {
      case .url: throw Undescribed("an order of values that have no order")
      case .bool, .data: if forSorting { return .natural }
      default: return .natural
      }
    }
    if type == PersistentIdentifier.self || type is any StringProtocol.Type { return .natural }
    if let comparable = type as? any (Comparable & Encodable).Type,
      let groups = try sortedCases(of: comparable)
    {
      let numbers = groups.compactMap { group in
        if case .integer(let number) = group[0], group.count == 1 { number } else { nil }
      }
      return numbers.count == groups.count && numbers == numbers.sorted()
        ? .natural : .ranked(groups)
    }
    throw Undescribed("an order that the type of the values defines")
  }

  /// The cases of an enumeration, by their own order; `nil` for other types.
  private static func sortedCases<T: Comparable & Encodable>(
    of type: T.Type
  ) throws -> [[DataStoreValue]]? {
    try CaseOrder.groups(of: type)?.map { try $0.map { try DataStoreValue(encoding: $0.value) } }
  }
}

extension DataStoreQuery.ValueType {
  init(_ type: ScalarType) {
    self =
      switch type {
      case .int: .int
      case .int8: .int8
      case .int16: .int16
      case .int32: .int32
      case .int64: .int64
      case .uint: .uint
      case .uint8: .uint8
      case .uint16: .uint16
      case .uint32: .uint32
      case .uint64: .uint64
      case .bool: .bool
      case .double: .double
      case .float: .float
      case .string: .string
      case .date: .date
      case .uuid: .uuid
      case .data: .data
      case .url: .url
      case .decimal: .decimal
      }
  }
}
