/// Inserts models with all new models that are related to them, adds related models of other
/// contexts, and deletes models before the save.
///
/// Called by `ModelContext.insert` and `delete`, by the setters of relationships (through
/// `_FaultSource`, for new related models), by `DeleteRules` and by `UndoApplication`.
/// `ModelLifeCycle.swift` explains the states. Belongs to one context and is used on its thread
/// only.
final class ModelGraph {
  private let coordinator: any StoreCoordinator
  private let context: ContextIdentity
  private let recorder: ChangeRecorder
  private let fixer: RelationshipFixer
  private let faults: FaultResolver
  private let lostReferences: LostReferences
  private let pendingErrors: PendingErrors
  /// The class of the last inserted model, which is usually that of the next one too.
  private var lastKnown: _ModelDescriptor?

  init(
    _ coordinator: any StoreCoordinator, _ context: ContextIdentity, _ recorder: ChangeRecorder,
    _ fixer: RelationshipFixer, _ faults: FaultResolver, _ lostReferences: LostReferences,
    _ pendingErrors: PendingErrors
  ) {
    self.coordinator = coordinator
    self.context = context
    self.recorder = recorder
    self.fixer = fixer
    self.faults = faults
    self.lostReferences = lostReferences
    self.pendingErrors = pendingErrors
  }

  // MARK: Insertion

  /// Adds a model, and all new models reachable from it, to the unit of work of `source`.
  ///
  /// The graph is traversed twice: first every reachable new model is added, then both sides of
  /// their relationships are made consistent.
  func insert(_ storage: _ModelStorage, in source: any _FaultSource) {
    guard storage.canBeTracked else { return }
    // The row of a fault may no longer exist.
    let flags = context.owns(storage) ? storage.flagsWithRow : storage.flags
    if storage.source != nil, !flags.contains(.hasNoRow) {
      if context.owns(storage) {
        if storage.flags.contains(.isDeleted) {
          recorder.undoDeletion(of: storage)
          recorder.changes.clearConflictsIfUnchanged(of: storage)
        }
        return
      }
      pendingErrors.rejectModelOfOtherContext(storage)
      return
    }
    guard canBeNew(storage) else { return }
    findStoredPartners(of: storage, in: source)
    recorder.insert(storage, in: source)
    if storage.descriptor.relationshipSlots.isEmpty { return }
    var joined = [storage]
    var next = 0
    while next < joined.count {
      let current = joined[next]
      next += 1
      guard !current.descriptor.relationshipSlots.isEmpty else { continue }
      adoptRelatedModels(of: current, in: source)
      for partner in current.relationships.unsavedModels where partner._$storage.source == nil {
        let storage = partner._$storage
        guard canBeNew(storage) else { continue }
        findStoredPartners(of: storage, in: source)
        recorder.insert(storage, in: source)
        joined.append(storage)
      }
    }
    for storage in joined where !storage.descriptor.relationshipSlots.isEmpty {
      fixer.reconcile(storage)
    }
  }

  /// Whether a save can store a model without a row; if not, the next save throws.
  private func canBeNew(_ storage: _ModelStorage) -> Bool {
    guard knows(storage) else { return false }
    if storage.flags.contains(.hasNoRow), !storage.hasLastValues {
      pendingErrors.rejectModelWithoutValues(storage)
      return false
    }
    return true
  }

  /// Whether the schema contains the model's class; if not, the next save throws.
  private func knows(_ storage: _ModelStorage) -> Bool {
    let descriptor = storage.descriptor
    guard storage.hasDescribedClass else {
      if let model = storage.persistentModel {
        pendingErrors.note(coordinator.unknown(type(of: model)))
      }
      return false
    }
    if lastKnown === descriptor { return true }
    if coordinator.knows(descriptor) {
      lastKnown = descriptor
      return true
    }
    pendingErrors.note(coordinator.unknown(descriptor.type))
    return false
  }

  /// Looks up the models to which a model refers by identifier, or by a key in its last row, before it is
  /// inserted again. Those that were deleted meanwhile have no row that the save could refer to, so the
  /// relationships become nil.
  private func findStoredPartners(of storage: _ModelStorage, in source: any _FaultSource) {
    guard storage.flags.contains(.hasNoRow) else { return }
    let store = storage.identifier.storeIdentifier
    let isOwn = coordinator.ports.contains { $0.identifier == store }
    for slot in storage.descriptor.relationshipSlots
    where storage.relationships.refersWithoutModel(slot) {
      let partner = isOwn ? faults.storedPartner(slot, of: storage, in: source) : nil
      if !isOwn { pendingErrors.rejectLinkToOtherContainer(of: storage, slot) }
      storage.notifyingObservers(of: slot) {
        storage.overlay(partner.map { .model($0) } ?? .null, at: slot)
      }
    }
  }

  // MARK: Related models of other contexts

  /// Returns `model` as a model of this context. A new model is inserted; a model of another
  /// context is found by identifier.
  func adopted(
    _ model: any PersistentModel, by owner: _ModelStorage, _ slot: Int, in source: any _FaultSource
  ) -> (any PersistentModel)? {
    let storage = model._$storage
    guard storage.canBeTracked else { return nil }
    if context.owns(storage) {
      if storage.flags.contains(.hasNoRow) { lostReferences.expect() }
      return model
    }
    if storage.source == nil {
      insert(storage, in: source)
      return context.owns(storage) ? model : nil
    }
    let identifier = storage.identifier.resolved
    if !isReachable(identifier, of: storage) {
      pendingErrors.rejectModelOfOtherContainer(storage, in: owner, slot)
      return nil
    }
    if identifier.isTemporary {
      pendingErrors.rejectModelOfOtherContext(storage, in: owner, slot)
      return nil
    }
    return faults.model(for: identifier, in: source) as? any PersistentModel
  }

  /// Whether a model belongs to this container, or to another container that has the same store
  /// open.
  private func isReachable(
    _ identifier: PersistentIdentifier, of storage: _ModelStorage
  ) -> Bool {
    guard let source = storage.source as? any StoreOwning, source.coordinator !== coordinator else {
      return true
    }
    return coordinator.ports.contains { $0.identifier == identifier.storeIdentifier }
  }

  /// Replaces related models of an inserted model that belong to another context by this context's
  /// instances of their rows. One that its context has not saved has no row, so the next save
  /// throws.
  private func adoptRelatedModels(of storage: _ModelStorage, in source: any _FaultSource) {
    for slot in storage.descriptor.relationshipSlots {
      switch storage.relationships.value(slot) {
      case .weakReferences(let partners): hold(partners, of: storage, slot, in: source)
      case .toMany(let value):
        guard value.added.contains(where: belongsToOtherContext) else { continue }
        let members = (value.members ?? value.added).compactMap { member in
          belongsToOtherContext(member)
            ? adopted(member, by: storage, slot, in: source) : member
        }
        value.replaceAll(members)
      case .model(let partner): takeOver(partner, slot, of: storage, in: source)
      case .unset, .null, .identifier: continue
      }
    }
  }

  /// Holds the related models of a graph that is inserted again.
  private func hold(
    _ partners: _WeakReferences, of storage: _ModelStorage, _ slot: Int, in source: any _FaultSource
  ) {
    if storage.descriptor.properties[slot].isToMany {
      storage.overlay(.toMany(_ToManyValue(members: partners.models)), at: slot)
    } else if let partner = partners.models.first {
      storage.overlay(.model(partner), at: slot)
      takeOver(partner, slot, of: storage, in: source)
    } else {
      storage.overlay(.null, at: slot)
    }
  }

  private func takeOver(
    _ partner: any PersistentModel, _ slot: Int, of storage: _ModelStorage,
    in source: any _FaultSource
  ) {
    guard belongsToOtherContext(partner) else { return }
    let own = adopted(partner, by: storage, slot, in: source)
    storage.overlay(own.map { .model($0) } ?? .null, at: slot)
  }

  private func belongsToOtherContext(_ model: any PersistentModel) -> Bool {
    model._$storage.source != nil && !context.owns(model._$storage)
  }

  // MARK: Deletion

  /// Marks a model for deletion. A model that was never saved leaves the context immediately, with
  /// the models that its delete rules cascade to. The save applies the delete rules of stored
  /// models.
  func delete(_ storage: _ModelStorage) {
    guard storage.canBeTracked else { return }
    guard context.owns(storage) else {
      if storage.source != nil { pendingErrors.rejectModelOfOtherContext(storage) }
      return
    }
    var going = [storage]
    var partners: [any PersistentModel] = []
    var next = 0
    while next < going.count {
      let current = going[next]
      next += 1
      guard context.owns(current) else { continue }
      if current.flags.contains(.isInserted) {
        let reached = cascadeTargets(of: current)
        partners += reached
        going += reached.map { $0._$storage }
      }
      deleteAlone(current)
    }
    withExtendedLifetime(partners) {}
  }

  /// Marks one stored model for deletion, or removes one new model, without applying delete rules.
  /// Other instances of its row are marked too.
  func deleteAlone(_ storage: _ModelStorage) {
    guard recorder.delete(storage) else { return }
    lostReferences.expect()
    fixer.unlink(storage)
    storage.leaveContext()
  }

  private func cascadeTargets(of storage: _ModelStorage) -> [any PersistentModel] {
    storage.descriptor.relationshipSlots.flatMap { slot in
      storage.descriptor.link(slot, in: coordinator)?.deleteRule == .cascade
        ? storage.relationships.partners(slot) : []
    }
  }
}

extension RelationshipValues {
  /// Makes references of an unsaved model weak, so that its graph is freed when it has no other
  /// owner.
  func weaken(in coordinator: any StoreCoordinator) {
    weaken { isManyToMany($0, in: coordinator) }
  }

  /// Whether the inverse of a to-many is a to-many too.
  func isManyToMany(_ slot: Int, in coordinator: any StoreCoordinator) -> Bool {
    guard let link = storage.descriptor.link(slot, in: coordinator), let inverse = link.inverseSlot
    else { return false }
    return link.destination.properties[inverse].isToMany
  }
}
