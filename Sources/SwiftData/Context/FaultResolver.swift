import OpenSwiftDataRowStorage

/// Reads what a model requests and has not read yet: its row, a related model, its members.
///
/// A storage asks its `source`, the `ContextCore`, which creates a resolver. Registered instances
/// come first, then the store; `Materializer` turns rows into models. If a store can't be read, the
/// model stays as it is and asks again at the next access.
///
/// A model that is being deinitialised still reads its own row, but no other model is created for
/// it: its relationships lead only to models in memory. A model created for it would be released
/// with it, and could request another one in its own deinitialiser.
///
/// The resolver has no state. It changes the context and the requesting storage, both of which are
/// used on one thread.
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
      core.failedReads.note(error)
      storage.failFilling()  // the row may still exist: the next read tries again
      return
    }
    if let snapshot = found {
      if storage.rowView.partialRowDiffers(from: snapshot.row, storage.descriptor) {
        storage.notifyingObserversOfAll {
          storage.overlay.dropDecodedAttributes(storage.descriptor)
          snapshot.fill(storage)
        }
      } else {
        snapshot.fill(storage)
      }
      if let model = storage.model { core.recentModels.keep(model) }
    } else {
      storage.loseRow()
      core.lostReferences.expect()
    }
  }

  /// Reads the current row; a row that no longer exists or can't be read changes nothing.
  func reread(_ storage: _ModelStorage) {
    guard let identifier = storage.knownIdentifier, !identifier.isTemporary,
      let fresh = try? snapshot(for: identifier)
    else { return }
    core.materializer.update(storage, with: fresh)
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
    return mayReferToDeletedRow(storage, slot) ? existing(model) : model
  }

  /// The model of a to-one relationship that is known by identifier.
  func partner(_ identifier: PersistentIdentifier, of storage: _ModelStorage) -> AnyObject? {
    existing(registeredOrFault(for: identifier.resolved, asking: storage))
  }

  private func registeredOrFault(
    for identifier: PersistentIdentifier, asking storage: _ModelStorage
  ) -> AnyObject? {
    if let known = core.registered(identifier)?.model { return known }
    return storage.isDeinitialising ? nil : fault(for: identifier)
  }

  /// Whether a row can still refer to a deleted model. A deletion changes no other row if the
  /// relationship has no inverse, or if the inverse has the rule `.noAction`.
  private func mayReferToDeletedRow(_ storage: _ModelStorage, _ slot: Int) -> Bool {
    guard let link = storage.descriptor.link(slot, in: coordinator),
      let inverse = link.inverseSlot
    else { return true }
    return link.destination.link(inverse, in: coordinator)?.deleteRule == .noAction
  }

  private func existing(_ model: AnyObject?) -> AnyObject? {
    guard let storage = (model as? any PersistentModel)?._$storage else { return nil }
    if storage.flags.contains(.isFault), storage.partialRow == nil { fill(storage) }
    return storage.flags.contains(.hasNoRow) ? nil : model
  }

  /// The model with an identifier; nil if no store has its row.
  func model(for identifier: PersistentIdentifier) -> AnyObject? {
    existing(fault(for: identifier))
  }

  /// The model with an identifier, whose row may not have been read or may not exist.
  func fault(for identifier: PersistentIdentifier) -> AnyObject? {
    let identifier = identifier.resolved
    if let known = core.registered(identifier)?.model { return known }
    if identifier.isTemporary { return nil }
    let fault = core.materializer.makeFault(identifier)
    if let fault { core.recentModels.keep(fault) }
    return fault
  }

  func toMany(_ storage: _ModelStorage, slot: Int) -> [any PersistentModel] {
    let value: _ToManyValue?
    if case .toMany(let known) = storage.overlaid(slot) { value = known } else { value = nil }
    if let members = value?.members { return Array(members) }
    if storage.isDeinitialising { return value.map { Array($0.added) } ?? [] }
    // If the store can't be read, the members stay unknown and the next read tries again.
    guard var members = storedMembers(storage, slot: slot) else {
      return value.map { Array($0.added) } ?? []
    }
    if let value { members = value.ordered(members) }
    if let value, value.isChanged { return Array(value.load(members)) }
    members = core.changes.withoutReassigned(
      members, of: storage,
      inverse: storage.descriptor.link(slot, in: coordinator)?.inverseSlot)
    if let value, value.order != nil { return Array(value.load(members)) }
    storage.overlay(.toMany(_ToManyValue(loaded: members)), at: slot)
    return members
  }

  /// - Returns: nil if the store can't be read.
  private func storedMembers(_ storage: _ModelStorage, slot: Int) -> [any PersistentModel]? {
    guard let identifier = storage.knownIdentifier, !identifier.isTemporary,
      let port = core.port(of: storage)
    else { return [] }
    let snapshots = core.failedReads.noting {
      try port.members(
        of: identifier, slot: slot, descriptor: storage.descriptor, core.editingState)
    }
    return snapshots?.compactMap(core.materializer.materialize)
  }

  /// A model for an identifier without a row.
  func placeholder(for identifier: PersistentIdentifier) -> any PersistentModel {
    func make<M: PersistentModel>(_ type: M.Type) -> any PersistentModel {
      Materialization.makeModel(type, over: .withoutRow(identifier, type._$descriptor))
    }
    let type =
      coordinator.modelType(forEntity: identifier.entityName) ?? coordinator.anyModelType
    return make(type)
  }
}
