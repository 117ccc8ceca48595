import OpenSwiftDataRowStorage

// The output of `print`, `dump` and debuggers for a model: the values in memory. Nothing is read
// from the store, no observation is tracked, and no identifier is created.

extension PersistentModel {
  /// The class, the identifier, the state and the values in memory; nothing is read from the store.
  public var debugDescription: String { _$storage.shownText }

  /// The identifier, the state and the values in memory, by name; nothing is read from the store.
  public var customMirror: Mirror {
    let storage = _$storage
    var children: [(label: String?, value: Any)] = [
      ("persistentModelID", storage.knownIdentifier as Any), ("state", storage.shownState),
    ]
    for (name, value) in storage.shownValues { children.append((name, value.reflected)) }
    return Mirror(
      self, children: children, displayStyle: .class, ancestorRepresentation: .suppressed)
  }
}

/// The value of a property, as far as it is in memory.
private enum ShownValue {
  case value(Any)
  case model(String)
  case models([String])
  /// Why there is no value to show.
  case nothing(String)

  var reflected: Any {
    switch self {
    case .value(let value): value
    case .model(let name), .nothing(let name): name
    case .models(let names): names
    }
  }

  var text: String {
    switch self {
    case .value(let value):
      (value as? String).map { String(reflecting: $0) } ?? String(describing: value)
    case .model(let name): name
    case .models(let names): "[\(names.joined(separator: ", "))]"
    case .nothing(let reason): "(\(reason))"
    }
  }
}

extension _ModelStorage {
  fileprivate var shownText: String {
    let values = shownValues.map { "\($0): \($1.text)" }
    let key = knownIdentifier.map { $0.isTemporary ? "t" : $0.primaryKey }
    return "\(descriptor.entityName)("
      + ([key, shownState].compactMap(\.self) + values).joined(separator: ", ") + ")"
  }

  fileprivate var shownState: String {
    if flags.contains(.hasNoRow) { return "deleted" }
    if flags.contains(.isDeleted) { return "to be deleted" }
    if flags.contains(.isInserted) { return "inserted" }
    if flags.contains(.isChanged) { return "changed" }
    if flags.contains(.isFault) { return partialRow == nil ? "not read" : "read in part" }
    return source == nil ? "without context" : "stored"
  }

  fileprivate var shownValues: [(name: String, value: ShownValue)] {
    descriptor.properties.enumerated().compactMap { slot, property in
      shownValue(slot, property).map { (property.name, $0) }
    }
  }

  /// - Returns: `nil` if neither the row nor a value of the property is in memory.
  private func shownValue(_ slot: Int, _ property: ModelProperty) -> ShownValue? {
    switch overlaid(slot) {
    case .unset: return knownRow(for: slot).map { shownCell($0, slot, property) }
    case .null: return .nothing("nil")
    case .model(let model): return .model(model._$storage.shownName)
    case .identifier(let identifier): return .model(identifier.shownName)
    case .toMany(let list): return shown(list)
    case .weakReferences(let partners): return .models(partners.models.map(\._$storage.shownName))
    case .boxed(let box): return .value(box.anyValue)
    case .integer, .real, .text, .blob, .uuid: return attribute(slot, property)
    }
  }

  private func shownCell(
    _ row: RowReader, _ slot: Int, _ property: ModelProperty
  ) -> ShownValue {
    switch property.form {
    case .toMany: .nothing("not read")
    case .toOne(let destination):
      row.isNull(slot)
        ? .nothing("nil") : .model("\(destination._$descriptor.entityName)/p\(row.integer(slot))")
    case .transformable: row.isNull(slot) ? .nothing("nil") : .nothing("not decoded")
    case .attribute:
      if row.isExternal(slot) {
        .nothing("in a file")
      } else {
        attribute(slot, property)
      }
    }
  }

  private func shown(_ list: _ToManyValue) -> ShownValue {
    guard let members = list.members else {
      return list.added.isEmpty
        ? .nothing("not read") : .nothing("not read, \(list.added.count) added")
    }
    return .models(members.map(\._$storage.shownName))
  }

  private func attribute(_ slot: Int, _ property: ModelProperty) -> ShownValue {
    func read<Value: Decodable>(_ type: Value.Type) -> Any { attribute(slot) as Value }
    guard let type = Swift.type(of: property.keyPath).valueType as? any Decodable.Type else {
      return .nothing("not decoded")
    }
    let value = read(type)
    return isNil(value) ? .nothing("nil") : .value(unwrapped(value))
  }

  /// `Trip/p3`
  private var shownName: String {
    knownIdentifier?.shownName ?? "\(descriptor.entityName)/t"
  }

  /// An attribute with a type that is known only at run time, from the overlay or the row.
  func attribute<Value: Decodable>(_ slot: Int) -> Value {
    let type = unwrappedType(of: Value.self) ?? Value.self
    if let scalar = type as? any _ScalarAttribute.Type {
      return anyScalar(scalar, slot) as? Value
        ?? _ModelStorage.placeholderValue(for: Value.self, slot: slot, of: self)
    }
    return anyCodable(Value.self, slot)
  }
}

extension PersistentIdentifier {
  fileprivate var shownName: String { "\(entityName)/\(isTemporary ? "t" : primaryKey)" }
}

private func isNil(_ value: Any) -> Bool {
  guard case .some(let optional) = value as? any ShownOptional else { return false }
  return optional.shownWrapped == nil
}

private func unwrapped(_ value: Any) -> Any { (value as? any ShownOptional)?.shownWrapped ?? value }

private protocol ShownOptional { var shownWrapped: Any? { get } }

extension Optional: ShownOptional {
  fileprivate var shownWrapped: Any? { self }
}
