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
      if let model = storage.model { touch(model) }
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
    try coordinator.port(forEntity: identifier.entityName)?.snapshot(for: identifier, editingState)
  }

  func _toOne(_ storage: _ModelStorage, slot: Int) -> AnyObject? {
    guard let row = storage.readableRow(for: slot), !row.isNull(slot),
      let identifier = port(of: storage)?.destination(
        of: storage.descriptor, slot: slot, key: row.integer(slot))
    else { return nil }
    let model = fault(for: identifier)
    return mayDangle(storage, slot) ? existing(model) : model
  }

  /// Whether a row can still name a partner that was deleted: nothing tells a partner that knows
  /// nothing of this side, or whose rule is to do nothing.
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

  func _fault(for identifier: PersistentIdentifier) -> AnyObject? { fault(for: identifier) }

  /// The model with an identifier, whose row may not have been read or may be gone.
  func fault(for identifier: PersistentIdentifier) -> AnyObject? {
    let identifier = identifier.resolved
    if let known = registered(identifier)?.model { return known }
    if identifier.isTemporary { return nil }
    let fault = makeFault(identifier)
    if let fault { touch(fault) }
    return fault
  }

  func _toMany(_ storage: _ModelStorage, slot: Int) -> [any PersistentModel] {
    let value: _ToManyValue?
    if case .toMany(let known) = storage.overlaid(slot) { value = known } else { value = nil }
    if let members = value?.members { return Array(members) }
    // Where the store can't be read the members stay unknown, and the next read asks again.
    guard var members = storedMembers(storage, slot: slot) else {
      return value.map { Array($0.added) } ?? []
    }
    if let value { members = value.ordered(members) }
    if let value, value.isChanged { return Array(value.load(members)) }
    members = withoutMovedAway(members, from: storage, slot: slot)
    if let value, value.order != nil { return Array(value.load(members)) }
    storage.overlay(.toMany(_ToManyValue(loaded: members)), at: slot)
    return members
  }

  /// - Returns: nil when the store can't be read.
  private func storedMembers(_ storage: _ModelStorage, slot: Int) -> [any PersistentModel]? {
    guard let identifier = storage.knownIdentifier, !identifier.isTemporary,
      let port = port(of: storage)
    else { return [] }
    let snapshots = try? port.members(
      of: identifier, slot: slot, descriptor: storage.descriptor, editingState)
    return snapshots?.compactMap(materialize)
  }

  /// Stored members whose to-one side has been changed since they were stored.
  func withoutMovedAway(
    _ members: [any PersistentModel], from storage: _ModelStorage, slot: Int
  ) -> [any PersistentModel] {
    guard !changes.isEmpty,
      let inverse = storage.descriptor.link(slot, in: coordinator)?.inverseSlot
    else { return members }
    return members.filter { model in
      let member = model._$storage
      guard !member.descriptor.properties[inverse].isToMany, member.changedSlots.contains(inverse)
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
