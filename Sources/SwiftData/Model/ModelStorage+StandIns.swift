import OpenSwiftDataRowStorage

/// Placeholder values of properties for which the row has no value that they can show. Called by
/// the getters that `@Model` generates.
extension _ModelStorage {
  /// The value of a property whose stored value is missing or does not fit its type: nil, the
  /// default of the declaration, or a `PlaceholderValue` of the type.
  @usableFromInline
  static func placeholderValue<V>(for type: V.Type, slot: Int, of storage: _ModelStorage?) -> V {
    storage?.noteUnreadable(slot)
    if let optional = type as? any OptionalValue.Type, let none = optional.makeNil() as? V {
      return none
    }
    if let value = storage?.descriptor.properties[slot].defaultValue as? V { return value }
    if let value = PlaceholderValue.value(of: type) { return value }
    let model = storage?.descriptor.entityName ?? "A model"
    let property = storage?.descriptor.properties[slot].name ?? "property"
    let identifier = storage?.knownIdentifier.map { " of \($0)" } ?? ""
    preconditionFailure(
      "\(model).\(property)\(identifier) has no value of type \(type), and the type has no "
        + "stand-in value. Declare the property with a default value, or as optional.")
  }

  /// The value of a required scalar without a stored value: NaN, or the default of its declaration.
  @usableFromInline
  func missing<V: _ScalarAttribute>(_ slot: Int) -> V {
    if let nan: V = storedNaN(slot) { return nan }
    noteUnreadable(slot)
    return descriptor.properties[slot].defaultValue as? V ?? V._empty
  }

  /// NaN for a required floating-point number, or a raw value of that type, whose column is null in a
  /// stored row: SQLite keeps NaN as null.
  @usableFromInline
  func storedNaN<V: _ScalarAttribute>(_ slot: Int) -> V? {
    let property = descriptor.properties[slot]
    guard row != nil || partialRowHas(slot), !property.isEphemeral, !property.isOptional else {
      return nil
    }
    switch property.form {
    case .attribute(.scalar(let type)), .attribute(.rawValue(let type)):
      return type.storesNaNAsNull ? V._unwrap(.real(.nan)) : nil
    case .attribute(.composite), .attribute(.encoded), .transformable, .toOne, .toMany: return nil
    }
  }

  /// Reports a property that reads as a placeholder value, or as nil although a value is stored.
  @usableFromInline
  func noteUnreadable(_ slot: Int) {
    let property = descriptor.properties[slot]
    guard !property.isEphemeral, let reason = unreadableReason(slot, property) else { return }
    note(slot, reason)
  }

  /// Reports a property that reads as nil, as a placeholder value or as an empty list, because the store can't
  /// be read.
  func noteUnreadableStore(_ slot: Int) { note(slot, .unreadableStore) }

  private func note(_ slot: Int, _ reason: UnreadableValue.Reason) {
    guard let identifier = knownIdentifier, !identifier.isTemporary else { return }
    let value = UnreadableValue(
      entityName: descriptor.entityName, propertyName: descriptor.properties[slot].name,
      persistentModelID: identifier, reason: reason)
    // A model that is being deinitialised may be read on another thread than its context's.
    guard let source, !isDeinitialising else { return UnreadableValueLog.note(value) }
    source._note(value)
    didReturnStandIn(slot, reason)
  }

  /// Whether the store may have a value for a property that has none over the row, and that reads as
  /// nil or a stand-in.
  func readsStandIn(_ slot: Int) -> Bool {
    guard let row = knownRow(for: slot) else { return flags.contains(.isFault) }
    return row.isExternal(slot) || !isNull(slot, in: row)
  }

  /// Whether a row has no value in any column of a property.
  private func isNull(_ slot: Int, in row: RowReader) -> Bool {
    let leaves = descriptor.properties[slot].leafCells
    return leaves.isEmpty ? row.isNull(slot) : leaves.allSatisfy(row.isNull)
  }

  private func unreadableReason(
    _ slot: Int, _ property: ModelProperty
  ) -> UnreadableValue.Reason? {
    switch overlaid(slot) {
    case .unset: break
    case .null: return property.isOptional ? nil : .missingValue
    case .identifier: return relationships.partner(slot) == nil ? .missingRow : nil
    default: return nil
    }
    guard let known = knownRow(for: slot) else {
      if property.isOptional { return nil }
      if flags.contains(.hasNoRow) { return .missingRow }
      return flags.contains(.isFault) ? .unreadableStore : .missingValue
    }
    if known.isExternal(slot) {
      if hasReturnedStandIn(slot) { return .unreadableStore }
      return hasContentOutside(known, slot) ? .unsuitableValue : .missingFile
    }
    if isNull(slot, in: known) { return property.isOptional ? nil : .missingValue }
    // A key is stored, but the row that it refers to does not exist.
    if property.isToOne, relationships.partner(slot) == nil { return .missingRow }
    return .unsuitableValue
  }
  /// Whether the file of a value that can't be shown exists.
  private func hasContentOutside(_ known: RowReader, _ slot: Int) -> Bool {
    let content = try? known.externalContent(slot, page)
    return content != nil
  }
}
