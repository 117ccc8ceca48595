import Foundation
import OpenSwiftDataRowStorage

extension SnapshotPort {
  /// Converts a snapshot of the store to a `DefaultSnapshot`. Encoded values are matched to
  /// properties by name; values that are not encoded stay unset.
  func converted(_ snapshot: Store.Snapshot) throws -> DefaultSnapshot {
    let identifier = snapshot.persistentIdentifier
    guard let descriptor = types[identifier.entityName]?._$descriptor else {
      throw SwiftDataError.unknownSchema.with(
        "The store \(store.configuration.name) returned a snapshot of an entity that the container "
          + "does not have.", entity: identifier.entityName)
    }
    if identifier.isTemporary || identifier.storeIdentifier != store.identifier {
      throw SwiftDataError.storeReadFailure.with(
        "The store \(store.configuration.name) returned a snapshot with "
          + (identifier.isTemporary
            ? "a temporary identifier. It has to store the copy with the permanent one."
            : "the identifier \(identifier), which does not contain the store's own identifier."),
        entity: identifier.entityName)
    }
    if let snapshot = snapshot as? DefaultSnapshot {
      guard snapshot.descriptor === descriptor else {
        throw SwiftDataError.storeReadFailure.with(
          "The store \(store.configuration.name) returned values of the class "
            + "\(snapshot.descriptor.type) under the identifier \(identifier).",
          entity: identifier.entityName)
      }
      try checkLinks(of: snapshot)
      return snapshot.withRow
    }
    let values = EncodedValue.Node()
    do {
      try snapshot.encode(to: SnapshotEncoder(node: values))
    } catch {
      throw SwiftDataError.storeReadFailure.with(
        "A snapshot of the store \(store.configuration.name) can't be read. It has to encode each "
          + "property under its name.",
        doing: "reading a snapshot", entity: identifier.entityName, underlying: error)
    }
    let converted = try decoded(values.keyed ?? [:], identifier, descriptor)
    try checkLinks(of: converted)
    return converted.withRow
  }

  /// Refuses identifiers of models that a relationship cannot lead to.
  private func checkLinks(of snapshot: DefaultSnapshot) throws {
    let descriptor = snapshot.descriptor
    for slot in descriptor.relationshipSlots {
      let property = descriptor.properties[slot]
      guard let expected = property.destination?._$descriptor.entityName else { continue }
      for other in snapshot.relatedIdentifiers(slot) where other.entityName != expected {
        if let found = types[other.entityName]?._$descriptor,
          found.lineage.contains(where: { $0.entityName == expected })
        {
          continue
        }
        throw SwiftDataError.storeReadFailure.with(
          "The store returned the identifier \(other) in a relationship to \(expected).",
          doing: "reading a snapshot", entity: descriptor.entityName, property: property.name)
      }
    }
  }

  /// A snapshot with the encoded values.
  /// - Throws: `SwiftDataError.storeReadFailure` if a value does not match its property.
  private func decoded(
    _ values: [String: EncodedValue], _ identifier: PersistentIdentifier,
    _ descriptor: _ModelDescriptor
  ) throws -> DefaultSnapshot {
    let storage = _ModelStorage(descriptor)
    storage.identify(as: identifier)
    var fixed: [Int: _SlotValue] = [:]
    var toManys: [ToManySnapshot] = []
    for (slot, property) in descriptor.properties.enumerated() {
      guard let value = values[property.name] else {
        try checkStandIn(for: property, descriptor)
        continue
      }
      func unfit() -> SwiftDataError {
        SwiftDataError.storeReadFailure.with(
          "The store returned a value that does not have the type of the property.",
          doing: "reading a snapshot", entity: descriptor.entityName, property: property.name)
      }
      switch property.form {
      case .toOne:
        guard !value.isNil else {
          fixed[slot] = .null
          continue
        }
        guard let partner = value.unwrapped(as: PersistentIdentifier.self) else { throw unfit() }
        fixed[slot] = .identifier(partner)
      case .toMany:
        guard let members = value.identifiers else { throw unfit() }
        toManys.append(
          ToManySnapshot(slot: slot, members: members, added: [], removed: []))
      case .attribute, .transformable:
        if value.isNil {
          try checkStandIn(for: property, descriptor)
          storage.overlay(.null, at: slot)
        } else if let typed = value.slotValue(of: property) {
          storage.overlay(typed, at: slot)
        } else if let stored = value.stored(as: property) {
          fixed[slot] = stored
        } else {
          throw unfit()
        }
      }
    }
    let attributes = DefaultSnapshot(lenient: storage)
    var cells =
      attributes.cells ?? ContiguousArray(repeating: .unset, count: descriptor.layout.kinds.count)
    for (slot, value) in fixed { cells[slot] = value }
    return DefaultSnapshot(
      persistentIdentifier: identifier, descriptor: descriptor, page: nil, row: nil, cells: cells,
      toManys: toManys, changedSlots: .all)
  }

  /// A required attribute without a value reads as a stand-in; there are types without one.
  private func checkStandIn(for property: ModelProperty, _ descriptor: _ModelDescriptor) throws {
    if property.isOptional || property.isEphemeral || property.destination != nil
      || property.defaultValue != nil
    {
      return
    }
    func hasStandIn<V>(_ type: V.Type) -> Bool { PlaceholderValue.value(of: type) != nil }
    if _openExistential(property.valueType, do: hasStandIn) { return }
    throw SwiftDataError.storeReadFailure.with(
      "The store returned no value for a required property without a default value.",
      doing: "reading a snapshot", entity: descriptor.entityName, property: property.name)
  }
}
