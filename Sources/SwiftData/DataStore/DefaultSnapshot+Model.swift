import OpenSwiftDataRowStorage

extension DefaultSnapshot {
  /// The values of a changed or new model.
  /// - Parameter isForColumns: Whether the store has a column for each part of a value.
  /// - Throws: `SwiftDataError.modelValidationFailure` when a value can't be encoded.
  init(_ storage: _ModelStorage, changedSlots: SlotSet = .all, isForColumns: Bool = false) throws {
    try self.init(storage, changedSlots: changedSlots, isForColumns: isForColumns) { throw $0 }
  }

  /// A snapshot in which only some of the values in memory are in their stored form.
  /// - Throws: `SwiftDataError.modelValidationFailure` when one of them can't be encoded.
  init(_ storage: _ModelStorage, storing slots: SlotSet) throws {
    try self.init(storage, changedSlots: slots, storing: slots) { throw $0 }
  }

  /// The values that a model has in memory, without reading its row.
  init(known storage: _ModelStorage) {
    self.init(storage, changedSlots: .all, completes: false) { _ in }
  }

  /// The values of a model, without those that can't be encoded.
  init(lenient storage: _ModelStorage, changedSlots: SlotSet = .all) {
    self.init(storage, changedSlots: changedSlots) { _ in }
  }

  private init(
    _ storage: _ModelStorage, changedSlots: SlotSet, completes: Bool = true,
    storing slots: SlotSet = .all, isForColumns: Bool = false, onFailure: (any Error) throws -> Void
  ) rethrows {
    if completes { storage.completePartialRow() }
    let descriptor = storage.descriptor
    var cells = storage.overlay.values
    var toManys: [ToManySnapshot] = []
    var holders: [(slot: Int, value: _SlotValue)] = []
    if !descriptor.slotsToConvert.isEmpty, cells != nil {
      let leafCount = descriptor.layout.kinds.count - descriptor.slotCount
      if leafCount > 0 { cells?.append(contentsOf: repeatElement(.unset, count: leafCount)) }
      for slot in descriptor.slotsToConvert where slots.contains(slot) {
        let value = storage.overlaid(slot)
        if case .unset = value { continue }
        let encodedCount = NewIdentifiers.encodedCount
        do {
          let isExact = try DefaultSnapshot.convert(
            value, slot: slot, of: descriptor, isForColumns, into: &cells, &toManys)
          if !isExact { storage.noteInexactParts() }
        } catch {
          try onFailure(error)
        }
        if NewIdentifiers.encodedCount != encodedCount,
          NewIdentifiers.areMissing(in: value, slot, of: descriptor)
        {
          holders.append((slot, value))
        }
      }
    }
    self.init(
      persistentIdentifier: storage.identifier, descriptor: descriptor, page: storage.page,
      row: storage.row, cells: cells, toManys: toManys,
      changedSlots: changedSlots, identifierValues: IdentifierValues(holders))
  }

  /// - Returns: Whether the cells of a composite give back the value.
  static func convert(
    _ value: _SlotValue, slot: Int, of descriptor: _ModelDescriptor, _ isForColumns: Bool,
    into cells: inout ContiguousArray<_SlotValue>?, _ toManys: inout [ToManySnapshot]
  ) throws -> Bool {
    let property = descriptor.properties[slot]
    switch property.form {
    case .attribute(.composite(let leaves)):
      let (values, isExact) = try ValueEncoding.composite(
        value, leaves: leaves, property: property, entityName: descriptor.entityName,
        isForColumns: isForColumns)
      cells?[slot] = .null
      for (cell, value) in zip(property.leafCells, values) { cells?[cell] = _SlotValue(value) }
      return isExact
    case .attribute(.encoded), .transformable:
      cells?[slot] = _SlotValue(
        try ValueEncoding.encoded(
          value, property: property, entityName: descriptor.entityName))
    case .attribute:
      cells?[slot] = _SlotValue(ValueEncoding.scalar(value))
    case .toOne:
      switch value.relationship {
      case .model(let model): cells?[slot] = .identifier(model._$storage.identifier)
      case .unset, .null, .identifier: break
      case .toMany, .weakReferences: cells?[slot] = .null
      }
    case .toMany:
      cells?[slot] = .unset
      if case .toMany(let list) = value { toManys.append(list.snapshot(slot)) }
    }
    return true
  }

  // MARK: Back to a model

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
          storage.overlay(.toMany(_ToManyValue(loaded: models, in: nil)), at: slot)
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

extension _ToManyValue {
  func snapshot(_ slot: Int) -> ToManySnapshot {
    func identifiers(_ models: ModelList) -> [PersistentIdentifier] {
      models.map { $0._$storage.identifier }
    }
    return ToManySnapshot(
      slot: slot, members: members.map(identifiers), added: identifiers(added),
      removed: identifiers(removed))
  }
}

extension _SlotValue {
  package init(_ value: _StoredValue) {
    switch value {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .text(let value): self = .text(value)
    case .blob(let value): self = .blob(value)
    }
  }
}
