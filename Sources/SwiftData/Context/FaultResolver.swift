import OpenSwiftDataRowStorage

/// Reads what a model requests and has not read yet: its row, a related model, its members.
///
/// A storage asks its `source`, the context, which passes itself on as the context of new models
/// (`ContextCore+FaultSource`). Registered instances come first, then the store; `Materializer`
/// turns rows into models. If a store can't be read, the model stays as it is and asks again at the
/// next access.
///
/// A model that is being deinitialised still reads its own row, but no other model is created for
/// it: its relationships lead only to models in memory. A model created for it would be released
/// with it, and could request another one in its own deinitialiser.
///
/// What it changes is used on the thread of the context, also `reached`, its only state.
final class FaultResolver {
  private let stores: ContextStores
  private let materializer: Materializer
  private let failedReads: FailedReads
  private let lostReferences: LostReferences
  private let feed: ExternalChangeFeed
  /// The last to-one relationship that has led to a model without a row. Usually the model is used next, so that
  /// the log can name the relationship.
  private var reached: (identifier: PersistentIdentifier, owner: _ModelDescriptor, slot: Int)?

  init(
    _ stores: ContextStores, _ materializer: Materializer, _ failedReads: FailedReads,
    _ lostReferences: LostReferences, _ feed: ExternalChangeFeed
  ) {
    self.stores = stores
    self.materializer = materializer
    self.failedReads = failedReads
    self.lostReferences = lostReferences
    self.feed = feed
  }

  private var coordinator: any StoreCoordinator { stores.coordinator }

  func fill(_ storage: _ModelStorage) {
    storage.beginFilling()
    guard let identifier = storage.knownIdentifier else { return }
    let found: DefaultSnapshot?
    do {
      found = try ReadInterruption.suspended { try stores.snapshot(for: identifier) }
      if let note = stores.port(of: identifier)?.log?.noteFault {
        note(faultRead(of: storage, identifier))
      }
    } catch {
      failedReads.note(error)
      storage.failFilling()  // the row may still exist: the next read tries again
      return
    }
    if let snapshot = found {
      if storage.rowView.partialRowDiffers(from: snapshot.row, storage.descriptor) {
        if feed.conflictPolicy == .refuse {
          // The caller may have read the old values. An edit that follows is made on them.
          let view = storage.rowView
          feed.recordExternalChange(
            identifier, view.partialSlotsDiffering(from: snapshot.row, storage.descriptor),
            read: DefaultSnapshot(
              persistentIdentifier: identifier, descriptor: storage.descriptor, page: view.page,
              row: view.partialRow))
        }
        storage.notifyingObserversOfAll {
          storage.overlay.dropDecodedAttributes(storage.descriptor)
          snapshot.fill(storage)
        }
      } else {
        snapshot.fill(storage)
      }
      if let model = storage.model { materializer.recent.keep(model) }
    } else {
      storage.loseRow()
      lostReferences.expect()
    }
  }

  private func faultRead(
    of storage: _ModelStorage, _ identifier: PersistentIdentifier
  ) -> FaultRead {
    let entity = storage.descriptor.entityName
    defer { reached = nil }
    if storage.partialRow != nil { return .missingProperties(entity: entity) }
    guard let reached, reached.identifier == identifier else {
      return .row(entity: entity, relationship: nil)
    }
    return .row(entity: entity, relationship: reached.owner.declaredName(reached.slot))
  }

  /// Reads the current row; a row that no longer exists or can't be read changes nothing.
  func reread(_ storage: _ModelStorage) {
    guard let identifier = storage.knownIdentifier, !identifier.isTemporary,
      let fresh = try? ReadInterruption.suspended({ try stores.snapshot(for: identifier) })
    else { return }
    materializer.update(storage, with: fresh)
  }

  func toOne(_ storage: _ModelStorage, slot: Int, in source: any _FaultSource) -> AnyObject? {
    guard let row = storage.readableRow(for: slot), !row.isNull(slot),
      let identifier = stores.port(of: storage)?.destination(
        of: storage.descriptor, slot: slot, key: row.integer(slot))
    else { return nil }
    let model = registeredOrFault(for: identifier, asking: storage, slot, in: source)
    return held(mayReferToDeletedRow(storage, slot) ? existing(model) : model, by: storage, slot)
  }

  /// The model of a to-one relationship that is known by identifier.
  func partner(
    _ identifier: PersistentIdentifier, of storage: _ModelStorage, slot: Int,
    in source: any _FaultSource
  ) -> AnyObject? {
    let found = existing(
      registeredOrFault(for: identifier.resolved, asking: storage, slot, in: source))
    return held(found, by: storage, slot)
  }

  /// The model of a to-one relationship. If the context has been closed, nothing else keeps it, so the model
  /// that asks does. One that holds models itself might lead back.
  private func held(_ found: AnyObject?, by storage: _ModelStorage, _ slot: Int) -> AnyObject? {
    guard !feed.isOpen, let partner = found as? any PersistentModel,
      storage.flags.isDisjoint(with: [.isPending, .hasNoRow]), !storage.isDeinitialising
    else { return found }
    let other = partner._$storage
    if other !== storage, !other.overlay.retainsModels(in: other.descriptor.relationshipSlots) {
      storage.overlay(.model(partner), at: slot)
    }
    return found
  }

  /// The model of a to-one relationship, also if the model itself has no context; nil if its row does not
  /// exist.
  func storedPartner(
    _ slot: Int, of storage: _ModelStorage, in source: any _FaultSource
  ) -> (any PersistentModel)? {
    let found =
      switch storage.relationships.value(slot) {
      case .model(let partner): partner as AnyObject
      case .identifier(let identifier): partner(identifier, of: storage, slot: slot, in: source)
      case .unset: existing(toOne(storage, slot: slot, in: source))
      case .null, .toMany, .weakReferences: nil as AnyObject?
      }
    return found as? any PersistentModel
  }

  private func registeredOrFault(
    for identifier: PersistentIdentifier, asking storage: _ModelStorage, _ slot: Int,
    in source: any _FaultSource
  ) -> AnyObject? {
    if let known = materializer.registered(identifier) {
      if known.storage.flags.contains(.isFault) { reached = (identifier, storage.descriptor, slot) }
      return known.model
    }
    if storage.isDeinitialising { return nil }
    reached = (identifier, storage.descriptor, slot)
    return fault(for: identifier, in: source)
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
  func model(for identifier: PersistentIdentifier, in source: any _FaultSource) -> AnyObject? {
    existing(fault(for: identifier, in: source))
  }

  /// The model with an identifier, whose row may not have been read or may not exist.
  func fault(
    for identifier: PersistentIdentifier, in source: any _FaultSource
  ) -> (any PersistentModel)? {
    let identifier = identifier.resolved
    if let known = materializer.registered(identifier)?.storage.persistentModel { return known }
    if identifier.isTemporary { return nil }
    let fault = materializer.makeFault(identifier, in: source)
    if let fault { materializer.recent.keep(fault) }
    return fault
  }

  func toMany(
    _ storage: _ModelStorage, slot: Int, in source: any _FaultSource
  ) -> [any PersistentModel] {
    let value: _ToManyValue?
    if case .toMany(let known) = storage.overlaid(slot) { value = known } else { value = nil }
    if let members = value?.members { return Array(members) }
    if storage.isDeinitialising { return value.map { Array($0.added) } ?? [] }
    // If the store can't be read, the members stay unknown and the next read tries again.
    guard let rows = storedMembers(storage, slot: slot) else {
      storage.noteUnreadableStore(slot)
      return value.map { Array($0.added) } ?? []
    }
    var members = rows.snapshots.map { materializer.materialize($0, in: source) }
    if let value { members = value.ordered(members) }
    // Also of a list with changes: another writer may have added a member that is to leave with a change of its own.
    members = materializer.changes.withoutReassigned(
      members, of: storage,
      inverse: storage.descriptor.link(slot, in: coordinator)?.inverseSlot)
    if let value, value.isChanged || value.order != nil { return Array(value.load(members)) }
    let state = materializer.changes.isEmpty ? rows.state : nil
    storage.overlay(.toMany(_ToManyValue(loaded: members, in: state)), at: slot)
    return members
  }

  /// - Returns: nil if the store can't be read.
  private func storedMembers(_ storage: _ModelStorage, slot: Int) -> FetchedRows? {
    guard let identifier = storage.knownIdentifier, !identifier.isTemporary,
      let port = stores.port(of: storage)
    else { return .snapshots([]) }
    return failedReads.noting {
      let members = try ReadInterruption.suspended {
        try port.members(
          of: identifier, slot: slot, descriptor: storage.descriptor, stores.editingState)
      }
      port.log?.noteFault?(.members(relationship: storage.descriptor.declaredName(slot)))
      return members
    }
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
