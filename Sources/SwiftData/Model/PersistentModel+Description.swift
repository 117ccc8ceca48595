import OpenSwiftDataRowStorage

// The output of `print`, `dump` and debuggers for a model: the values in memory. Nothing is read
// from the store, no observation is tracked, and no identifier is created.

extension PersistentModel {
  /// The model's own `description`; without one the class, the identifier, the state and the values in memory.
  ///
  /// For the latter nothing is read from the store.
  public var debugDescription: String {
    guard let described = self as? any CustomStringConvertible else { return shownText }
    let model = ObjectIdentifier(self)
    // A description may ask for this text: `var description: String { debugDescription }`.
    if DescribedModels.current.contains(model) { return shownText }
    return DescribedModels.$current.withValue(DescribedModels.current.union([model])) {
      described.description
    }
  }

  private var shownText: String { ShownModel(storage: _$storage).text }

  /// The identifier, the state and the values in memory, by name; nothing is read from the store.
  public var customMirror: Mirror {
    let shown = ShownModel(storage: _$storage)
    var children: [(label: String?, value: Any)] = [
      ("persistentModelID", shown.storage.knownIdentifier as Any), ("state", shown.state),
    ]
    for (name, value) in shown.values { children.append((name, value.reflected)) }
    return Mirror(
      self, children: children, displayStyle: .class, ancestorRepresentation: .suppressed)
  }
}

/// The models whose own `description` is being made.
private enum DescribedModels {
  @TaskLocal static var current: Set<ObjectIdentifier> = []
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

/// The identifier, the state and the values of a model, as far as they are in memory.
private struct ShownModel {
  let storage: _ModelStorage

  private var descriptor: _ModelDescriptor { storage.descriptor }

  var text: String {
    let values = values.map { "\($0): \($1.text)" }
    let key = storage.knownIdentifier.map { $0.isTemporary ? "t" : $0.primaryKey }
    return "\(descriptor.entityName)("
      + ([key, state].compactMap(\.self) + values).joined(separator: ", ") + ")"
  }

  var state: String {
    let flags = storage.flags
    if flags.contains(.hasNoRow) { return "deleted" }
    if flags.contains(.isDeleted) { return "to be deleted" }
    if flags.contains(.isInserted) { return "inserted" }
    if flags.contains(.isChanged) { return "changed" }
    if flags.contains(.isFault) {
      return storage.partialRow == nil ? "not read" : "partly read"
    }
    return storage.source == nil ? "without context" : "stored"
  }

  var values: [(name: String, value: ShownValue)] {
    descriptor.properties.enumerated().compactMap { slot, property in
      value(slot, property).map { (property.name, $0) }
    }
  }

  /// - Returns: `nil` if neither the row nor a value of the property is in memory.
  private func value(_ slot: Int, _ property: ModelProperty) -> ShownValue? {
    switch storage.overlaid(slot) {
    case .unset: return storage.knownRow(for: slot).map { cell($0, slot, property) }
    case .null: return .nothing("nil")
    case .model(let model): return .model(ShownModel.name(model))
    case .identifier(let identifier): return .model(identifier.shownName)
    case .toMany(let list): return shown(list)
    case .weakReferences(let partners): return .models(partners.models.map(ShownModel.name))
    case .boxed(let box): return .value(box.anyValue)
    case .integer, .real, .text, .blob, .uuid: return attribute(slot, property)
    }
  }

  private func cell(
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
    return .models(members.map(ShownModel.name))
  }

  private func attribute(_ slot: Int, _ property: ModelProperty) -> ShownValue {
    func read<Value: Decodable>(_ type: Value.Type) -> Any { storage.attribute(slot) as Value }
    guard let type = Swift.type(of: property.keyPath).valueType as? any Decodable.Type else {
      return .nothing("not decoded")
    }
    let value = read(type)
    return isNil(value) ? .nothing("nil") : .value(unwrapped(value))
  }

  /// `Trip/p3`
  private static func name(_ model: any PersistentModel) -> String {
    let storage = model._$storage
    return storage.knownIdentifier?.shownName ?? "\(storage.descriptor.entityName)/t"
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
