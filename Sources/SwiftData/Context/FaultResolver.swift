import OpenSwiftDataRowStorage

/// Answers a model that asks for what was not read yet: its row, its partner, its members.
///
/// A storage asks its `source`, the `ContextCore`, which makes a resolver for the answer. Registered
/// instances come first, then the store; rows become models through the `Materializer`. Where a
/// store can't be read the model stays as it is and asks again next time.
///
/// A model that is being deinitialised reads its own row still, but no other model is made for it: its
/// relationships lead to what is in memory. Models that are made for one that goes would go
/// with it, and ask in turn.
///
/// The resolver has no state of its own. What it changes belongs to the context and to the storage
/// that asks, and is guarded by the rule that both are used on one thread.
struct FaultResolver {
  let core: ContextCore

  private var coordinator: any StoreCoordinator { core.coordinator }

  func fill(_ storage: _ModelStorage) {
    storage.beginFilling()
    guard let identifier = storage.knownIdentifier else { return }
    let found: DefaultSnapshot?
    do {
      found = try snapshot(for: identifier)
    } catch {
      core.noteFailedRead(error)
      storage.failFilling()  // not known to be gone: the next read tries again
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
      if let model = storage.model { core.keepRecent(model) }
    } else {
      storage.becomeLost()
      core.hasLostModels = true
    }
  }

  /// Takes the row as it is now; one that is gone or can't be read changes nothing.
  func reread(_ storage: _ModelStorage) {
    guard let identifier = storage.knownIdentifier, !identifier.isTemporary,
      let fresh = try? snapshot(for: identifier)
    else { return }
    core.update(storage, with: fresh)
  }

  private func take(_ snapshot: DefaultSnapshot, into storage: _ModelStorage) {
    storage.show(page: snapshot.page, row: snapshot.row)
    if snapshot.cells != nil { storage.takeCells(of: snapshot) }
  }

  private func snapshot(for identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    try coordinator.port(forEntity: identifier.entityName)?
      .snapshot(for: identifier, core.editingState)
  }

  func toOne(_ storage: _ModelStorage, slot: Int) -> AnyObject? {
    guard let row = storage.readableRow(for: slot), !row.isNull(slot),
      let identifier = core.port(of: storage)?.destination(
        of: storage.descriptor, slot: slot, key: row.integer(slot))
    else { return nil }
    let model = registeredOrFault(for: identifier, asking: storage)
    return mayDangle(storage, slot) ? existing(model) : model
  }

  /// The partner of a to-one that is known by its identifier.
  func partner(_ identifier: PersistentIdentifier, of storage: _ModelStorage) -> AnyObject? {
    existing(registeredOrFault(for: identifier.resolved, asking: storage))
  }

  private func registeredOrFault(
    for identifier: PersistentIdentifier, asking storage: _ModelStorage
  ) -> AnyObject? {
    if let known = core.registered(identifier)?.model { return known }
    return storage.isGoing ? nil : fault(for: identifier)
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
    if storage.flags.contains(.isFault), storage.partialRow == nil { fill(storage) }
    return storage.flags.contains(.isGone) ? nil : model
  }

  /// The model with an identifier; nil where no store has its row.
  func model(for identifier: PersistentIdentifier) -> AnyObject? {
    existing(fault(for: identifier))
  }

  /// The model with an identifier, whose row may not have been read or may not exist.
  func fault(for identifier: PersistentIdentifier) -> AnyObject? {
    let identifier = identifier.resolved
    if let known = core.registered(identifier)?.model { return known }
    if identifier.isTemporary { return nil }
    let fault = core.makeFault(identifier)
    if let fault { core.keepRecent(fault) }
    return fault
  }

  func toMany(_ storage: _ModelStorage, slot: Int) -> [any PersistentModel] {
    let value: _ToManyValue?
    if case .toMany(let known) = storage.overlaid(slot) { value = known } else { value = nil }
    if let members = value?.members { return Array(members) }
    if storage.isGoing { return value.map { Array($0.added) } ?? [] }
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
      let port = core.port(of: storage)
    else { return [] }
    let snapshots = core.noteFailedRead {
      try port.members(
        of: identifier, slot: slot, descriptor: storage.descriptor, core.editingState)
    }
    return snapshots?.compactMap(core.materialize)
  }

  /// Stored members whose to-one side has been changed since they were stored.
  func withoutMovedAway(
    _ members: [any PersistentModel], from storage: _ModelStorage, slot: Int
  ) -> [any PersistentModel] {
    guard !core.changes.isEmpty,
      let inverse = storage.descriptor.link(slot, in: coordinator)?.inverseSlot
    else { return members }
    return members.filter { model in
      let member = model._$storage
      guard !member.descriptor.properties[inverse].isToMany, member.changedSlots.contains(inverse)
      else { return true }
      return member.partner(inverse) === storage.model
    }
  }

  /// A model for an identifier that leads nowhere.
  func placeholder(for identifier: PersistentIdentifier) -> any PersistentModel {
    func make<M: PersistentModel>(_ type: M.Type) -> any PersistentModel {
      Materialization.makeModel(type, over: .gone(identifier, type._$descriptor))
    }
    let type =
      coordinator.modelType(forEntity: identifier.entityName) ?? coordinator.anyModelType
    return make(type)
  }
}
