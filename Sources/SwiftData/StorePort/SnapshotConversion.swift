import Foundation
import OpenSwiftDataRowStorage

extension SnapshotPort {
  /// Converts a snapshot of the store to a `DefaultSnapshot`. Encoded values are matched to
  /// properties by name; values that are not encoded stay unset.
  func converted(_ snapshot: Store.Snapshot) throws -> DefaultSnapshot {
    if let snapshot = snapshot as? DefaultSnapshot { return snapshot.withRow }
    let identifier = snapshot.persistentIdentifier
    guard let descriptor = types[identifier.entityName]?._$descriptor else {
      throw SwiftDataError.unknownSchema.with(
        "The store \(store.configuration.name) returned a snapshot of an entity that the container "
          + "does not have.", entity: identifier.entityName)
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
    return try DefaultSnapshot(values.keyed ?? [:], identifier, descriptor).withRow
  }
}

extension DefaultSnapshot {
  /// - Throws: `SwiftDataError.storeReadFailure` if a value does not match its property.
  fileprivate init(
    _ values: [String: EncodedValue], _ identifier: PersistentIdentifier,
    _ descriptor: _ModelDescriptor
  ) throws {
    let storage = _ModelStorage(descriptor)
    storage.identify(as: identifier)
    var fixed: [Int: _SlotValue] = [:]
    var toManys: [ToManySnapshot] = []
    for (slot, property) in descriptor.properties.enumerated() {
      guard let value = values[property.name] else { continue }
      func unfit() -> SwiftDataError {
        SwiftDataError.storeReadFailure.with(
          "The store returned a value of another type than the property has.",
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
    self.init(
      persistentIdentifier: identifier, descriptor: descriptor, page: nil, row: nil, cells: cells,
      toManys: toManys, changedSlots: .all)
  }

  /// Converts this snapshot to the store's type. The store's snapshot reads backing data, whose
  /// relationships refer to the models of the saving context.
  func exported<S: DataStoreSnapshot>(as type: S.Type, _ source: any _FaultSource) -> S {
    func make<M: PersistentModel>(_ type: M.Type) -> S {
      let storage = _ModelStorage(descriptor)
      storage.becomeExported(as: persistentIdentifier, page: page, row: row)
      putCells(into: storage)
      for slot in descriptor.relationshipSlots {
        if let members = memberIdentifiers(slot) {
          let models = members.compactMap { source._fault(for: $0) as? any PersistentModel }
          storage.overlay(.toMany(_ToManyValue(loaded: models)), at: slot)
        } else if let partner = relatedIdentifiers(slot).first,
          let model = source._fault(for: partner) as? any PersistentModel
        {
          storage.overlay(.model(model), at: slot)
        }
      }
      // The model owns the identifier, so this storage must not end it when it is released.
      defer { storage.forgetIdentifier() }
      var related: [PersistentIdentifier: any BackingData] = [:]
      return S(from: _ManagedBackingData<M>(storage), relatedBackingDatas: &related)
    }
    return make(descriptor.type)
  }
}

/// Relationships of a snapshot, by identifier.
extension DefaultSnapshot {
  /// The members of a to-many relationship, if the snapshot contains all of them.
  func memberIdentifiers(_ slot: Int) -> [PersistentIdentifier]? {
    toMany(slot)?.members
  }

  /// The related models of a to-one or to-many relationship.
  func relatedIdentifiers(_ slot: Int) -> [PersistentIdentifier] {
    if let members = memberIdentifiers(slot) { return members }
    guard case .identifier(let identifier)? = changedValue(slot) else { return [] }
    return [identifier]
  }

  /// The to-many relationships whose members are not all in the snapshot.
  var unknownToManySlots: [Int] {
    descriptor.relationshipSlots.filter {
      descriptor.properties[$0].isToMany && memberIdentifiers($0) == nil
    }
  }

  /// Completes a to-many relationship with the members in the store.
  mutating func fillMembers(of slot: Int, stored: [PersistentIdentifier]) {
    let change = toMany(slot)
    let (added, removed) = (change?.added ?? [], change?.removed ?? [])
    let lost = Set(removed)
    let kept = stored.filter { !lost.contains($0) }
    let known = Set(kept)
    let members = kept + added.filter { !known.contains($0) }
    let filled = ToManySnapshot(slot: slot, members: members, added: added, removed: removed)
    self = DefaultSnapshot(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: page, row: row,
      cells: cells, toManys: toManys.filter { $0.slot != slot } + [filled],
      changedSlots: changedSlots)
  }
}
