import Foundation

/// Writes key paths as properties by name.
extension QueryWriter {
  /// A property of a row or of a value.
  /// - Parameters:
  ///   - keyPath: A key path of one or several steps.
  ///   - root: The row or value.
  ///   - type: The type of the root.
  ///   - valueType: The type of the property.
  static func property(
    _ keyPath: AnyKeyPath, of root: QueryExpression, _ type: any Any.Type,
    as valueType: any Any.Type
  ) throws -> QueryExpression {
    if root.isOpaque { throw Undescribed("a property of a value that only its type can read") }
    if let model = type as? any PersistentModel.Type {
      return try property(keyPath, of: root, model._$descriptor)
    }
    if type == Date.self {
      switch keyPath {
      case \Date.timeIntervalSinceReferenceDate: return .call(.secondsSince2001, [root])
      case \Date.timeIntervalSince1970: return .call(.secondsSince1970, [root])
      default: break
      }
    }
    // A value with a raw value is described as that.
    if let raw = type as? any RawRepresentable.Type, PlainTypes.valueType(of: type) != nil,
      ScalarTerm.readsRawValue(keyPath, of: raw)
    {
      return root
    }
    let names = KeyPathText(keyPath).components
    guard case .composite(let leaves)? = try? storageForm(of: type), !names.isEmpty,
      !names.contains(where: { $0.hasPrefix("<") })
    else { throw Undescribed("a computed property") }
    return try part(names, of: root, leaves, as: valueType)
  }

  /// A property at the end of a path from a row.
  private static func property(
    _ keyPath: AnyKeyPath, of root: QueryExpression, _ descriptor: _ModelDescriptor
  ) throws -> QueryExpression {
    if let slot = descriptor.slot(for: keyPath) {
      return try property(descriptor.properties[slot], of: root)
    }
    if keyPath.isModelIdentifier { return root }
    var steps = KeyPathComponent.all(of: keyPath)[...]
    guard !steps.isEmpty else { throw Undescribed("a key path that cannot be read") }
    var (written, descriptor) = (root, descriptor)
    while let step = steps.popFirst() {
      guard let slot = descriptor.slot(of: step, from: descriptor) else {
        throw Undescribed("a property that is not stored")
      }
      let found = descriptor.properties[slot]
      written = try property(found, of: written)
      if steps.isEmpty { break }
      switch found.form {
      case .toOne(let destination): descriptor = destination._$descriptor
      case .attribute(.composite(let leaves)):
        let names = try steps.map { step in
          guard case .stored(let name) = step else { throw Undescribed("a computed property") }
          return name
        }
        return try part(names, of: written, leaves, as: type(of: keyPath).valueType)
      default: throw Undescribed("a computed property")
      }
    }
    return written
  }

  private static func property(
    _ property: ModelProperty, of root: QueryExpression
  ) throws -> QueryExpression {
    if property.isEphemeral { throw Undescribed("a property that is not stored") }
    return .property(property.name, PlainTypes.kind(of: property), of: root)
  }

  /// A stored property of a composite value.
  private static func part(
    _ names: [String], of root: QueryExpression, _ leaves: [CompositeLeaf],
    as valueType: any Any.Type
  ) throws -> QueryExpression {
    // A value that encodes itself as a single value has no parts.
    guard let leaf = leaves.first(where: { $0.path.starts(with: names) }),
      leaf.codingPath.count == leaf.path.count
    else { throw Undescribed("a property that is not stored") }
    var written = root
    for (depth, key) in leaf.codingPath.prefix(names.count).enumerated() {
      let isLast = depth == names.count - 1
      written = .property(key, isLast ? PlainTypes.kind(of: valueType) : .composite, of: written)
    }
    return written
  }

  // MARK: Order

  /// An element of an order.
  static func order<T: PersistentModel>(
    _ descriptor: SortDescriptor<T>
  ) throws -> DataStoreQuery.Order {
    guard let keyPath = descriptor.keyPath else {
      throw Undescribed("a sort descriptor without a key path")
    }
    let path = KeyPathName.name(of: keyPath)
    do {
      let written = try property(keyPath, of: .row, T._$descriptor)
      if written.isOpaque { throw Undescribed("a value that only its type can read") }
      let type = type(of: keyPath).valueType
      let isText = (unwrappedType(of: type) ?? type) is any StringProtocol.Type
      return DataStoreQuery.Order(
        try PlainTypes.order(of: type, forSorting: true).applied(to: written),
        isAscending: descriptor.order == .forward,
        textComparison: isText ? try textComparison(of: descriptor.stringComparator) : nil)
    } catch var error as Undescribed {
      error.part = error.part ?? path
      throw error
    }
  }

  private static func textComparison(
    of comparator: String.StandardComparator?
  ) throws -> DataStoreQuery.TextComparison {
    guard let comparator else { return .lexical }
    let collation: String?
    do {
      collation = try SQLCollation.name(of: comparator)
    } catch {
      throw Undescribed("an unknown text order")
    }
    switch collation {
    case nil: return .lexical
    case "swift_localized": return .localized
    default: return .localizedStandard
    }
  }
}
