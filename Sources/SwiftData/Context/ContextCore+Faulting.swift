import OpenSwiftDataRowStorage

extension ContextCore: _FaultSource {
  func _fill(_ storage: _ModelStorage) {
    storage.flags.remove(.isFault)
    guard let identifier = storage.knownIdentifier else { return }
    let found: DefaultSnapshot?
    do {
      found = try snapshot(for: identifier)
    } catch {
      storage.flags.insert(.isFault)  // not known to be gone: the next read tries again
      return
    }
    if let snapshot = found {
      if storage.partialRowDiffers(from: snapshot.row) {
        storage.notifyingObserversOfAll {
          storage.dropDecodedAttributes()
          take(snapshot, into: storage)
        }
      } else {
        take(snapshot, into: storage)
      }
      if let model = storage.model { keepRecent(model) }
    } else {
      storage.flags.insert(.isGone)
    }
  }

  private func take(_ snapshot: DefaultSnapshot, into storage: _ModelStorage) {
    storage.page = snapshot.page
    storage.row = snapshot.row
    storage.partialRow = nil
    if snapshot.cells != nil { storage.takeCells(of: snapshot) }
  }

  private func snapshot(for identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    guard let store = coordinator.store(forEntity: identifier.entityName) else { return nil }
    if let store = store as? any RelationshipFetching {
      return try store.snapshot(for: identifier)
    }
    return try StoreRequests(core: self).snapshots(for: [identifier], in: store).first
  }

  func _toOne(_ storage: _ModelStorage, slot: Int) -> AnyObject? {
    guard let row = storage.readableRow(for: slot), !row.isNull(slot),
      let store = store(of: storage) as? any RelationshipFetching,
      let identifier = store.destination(
        of: storage.descriptor, slot: slot, key: row.integer(slot))
    else { return nil }
    let model = fault(for: identifier)
    return mayDangle(storage, slot) ? existing(model) : model
  }

  /// Whether a row can still name a partner that was deleted: the deletion changes no row where the
  /// relationship has no inverse, or where the inverse has the rule `.noAction`.
  private func mayDangle(_ storage: _ModelStorage, _ slot: Int) -> Bool {
    guard let link = storage.descriptor.link(slot, in: coordinator),
      let inverse = link.inverseSlot
    else { return true }
    return link.destination.link(inverse, in: coordinator)?.deleteRule == .noAction
  }

  private func existing(_ model: AnyObject?) -> AnyObject? {
    guard let storage = (model as? any PersistentModel)?._$storage else { return nil }
    if storage.flags.contains(.isFault), storage.partialRow == nil { _fill(storage) }
    return storage.flags.contains(.isGone) ? nil : model
  }

  /// The model with an identifier; nil where no store has its row.
  func _model(for identifier: PersistentIdentifier) -> AnyObject? {
    existing(fault(for: identifier))
  }

  /// The model with an identifier, whose row may not have been read or may not exist.
  func fault(for identifier: PersistentIdentifier) -> AnyObject? {
    let identifier = identifier.resolved
    if let known = registered(identifier)?.model { return known }
    if identifier.isTemporary { return nil }
    let fault = makeFault(identifier)
    if let fault { keepRecent(fault) }
    return fault
  }

  func _toMany(_ storage: _ModelStorage, slot: Int) -> [AnyObject] {
    let value: ToManyValue?
    if case .object(let object) = storage.overlaid(slot) {
      value = object as? ToManyValue
    } else {
      value = nil
    }
    if let members = value?.members { return members }
    // Where the store can't be read the members stay unknown, and the next read asks again.
    guard var members = storedMembers(storage, slot: slot) else { return value?.added ?? [] }
    if let value { members = value.ordered(members) }
    if let value, value.isChanged {
      let removed = Set(value.removed.map(ObjectIdentifier.init))
      members.removeAll { removed.contains(ObjectIdentifier($0)) }
      let known = Set(members.map(ObjectIdentifier.init))
      members += value.added.filter { !known.contains(ObjectIdentifier($0)) }
      value.members = members
    } else {
      members = withoutMovedAway(members, from: storage, slot: slot)
      if let value, value.order != nil {
        value.members = members
      } else {
        storage.overlay(.object(ToManyValue(loaded: members)), at: slot)
      }
    }
    return members
  }

  /// - Returns: nil when the store can't be read.
  private func storedMembers(_ storage: _ModelStorage, slot: Int) -> [AnyObject]? {
    guard let identifier = storage.knownIdentifier, !identifier.isTemporary,
      let store = store(of: storage) as? any RelationshipFetching
    else { return [] }
    let snapshots = try? store.members(of: identifier, slot: slot, descriptor: storage.descriptor)
    return snapshots?.compactMap(materialize)
  }

  /// Stored members whose to-one side has been changed since they were stored.
  func withoutMovedAway(
    _ members: [AnyObject], from storage: _ModelStorage, slot: Int
  ) -> [AnyObject] {
    guard !changes.isEmpty,
      let inverse = storage.descriptor.link(slot, in: coordinator)?.inverseSlot
    else { return members }
    return members.filter { object in
      guard let member = (object as? any PersistentModel)?._$storage,
        !member.descriptor.properties[inverse].isToMany, member.changedSlots.contains(inverse)
      else { return true }
      return member.partner(inverse) === storage.model
    }
  }

  func _willChange(_ storage: _ModelStorage, slot: Int) {
    if !storage.flags.isDisjoint(with: [.isFault, .isGone]) {
      if storage.flags.contains(.isFault) { _fill(storage) }
      if storage.flags.contains(.isGone) { refuseEdit(of: storage, slot) }
    }
    if isWatched { noteEdit(of: storage, slot: slot) }
    changes.change(storage)
    storage.changedSlots.insert(slot)
  }

  func _setToOne(_ storage: _ModelStorage, slot: Int, to model: (any PersistentModel)?) {
    if storage.source == nil { insert(storage) }
    guard let model else {
      return RelationshipFixer(core: self).setToOne(storage, slot: slot, to: nil)
    }
    guard let partner = adopted(model, by: storage, slot) else { return }
    RelationshipFixer(core: self).setToOne(storage, slot: slot, to: partner)
  }

  func _setToMany(_ storage: _ModelStorage, slot: Int, to models: [any PersistentModel]?) {
    if storage.source == nil { insert(storage) }
    let partners = (models ?? []).compactMap { adopted($0, by: storage, slot) }
    RelationshipFixer(core: self).setToMany(storage, slot: slot, to: partners)
  }

  func _forget(_ storage: _ModelStorage) {
    unregister(storage)
  }
}
