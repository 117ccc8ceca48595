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
  private let refusedEdits: RefusedEdits
  /// The class of the last inserted model, which is usually that of the next one too.
  private var lastKnown: _ModelDescriptor?

  init(
    _ coordinator: any StoreCoordinator, _ context: ContextIdentity, _ recorder: ChangeRecorder,
    _ fixer: RelationshipFixer, _ faults: FaultResolver, _ lostReferences: LostReferences,
    _ refusedEdits: RefusedEdits
  ) {
    self.coordinator = coordinator
    self.context = context
    self.recorder = recorder
    self.fixer = fixer
    self.faults = faults
    self.lostReferences = lostReferences
    self.refusedEdits = refusedEdits
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
      if !refusedEdits.withdraw(.deletion, of: storage) {
        refusedEdits.refuseInsertionOfOtherContext(storage)
      }
      return
    }
    if let obstacle = insertNew(storage, in: source) {
      refusedEdits.refuseInsertion(of: storage, obstacle)
    }
  }

  /// - Returns: Why a save can't store the model; nil if it was inserted.
  private func insertNew(
    _ storage: _ModelStorage, in source: any _FaultSource
  ) -> SwiftDataError? {
    if let obstacle = obstacle(toInserting: storage) { return obstacle }
    findStoredPartners(of: storage, in: source)
    recorder.insert(storage, in: source)
    if storage.descriptor.relationshipSlots.isEmpty { return nil }
    var joined = [storage]
    var next = 0
    while next < joined.count {
      let current = joined[next]
      next += 1
      guard !current.descriptor.relationshipSlots.isEmpty else { continue }
      adoptRelatedModels(of: current, in: source)
      for partner in current.relationships.unsavedModels where partner._$storage.source == nil {
        let storage = partner._$storage
        if let obstacle = obstacle(toInserting: storage) {
          refusedEdits.refuseInsertion(of: storage, reachedFrom: current, obstacle)
          continue
        }
        findStoredPartners(of: storage, in: source)
        recorder.insert(storage, in: source)
        joined.append(storage)
      }
    }
    for storage in joined where !storage.descriptor.relationshipSlots.isEmpty {
      fixer.reconcile(storage)
    }
    return nil
  }

  /// - Returns: Why a save can't store a model without a row; nil if it can.
  private func obstacle(toInserting storage: _ModelStorage) -> SwiftDataError? {
    if let unknown = unknownClass(of: storage) { return unknown }
    guard storage.flags.contains(.hasNoRow), !storage.hasLastValues else { return nil }
    return refusedEdits.errorOfModelWithoutValues(storage)
  }

  /// - Returns: An error if the schema lacks the model's class.
  private func unknownClass(of storage: _ModelStorage) -> SwiftDataError? {
    let descriptor = storage.descriptor
    guard storage.hasDescribedClass else {
      return coordinator.unknown(storage.persistentModel.map { type(of: $0) } ?? descriptor.type)
    }
    if lastKnown === descriptor { return nil }
    guard coordinator.knows(descriptor) else { return coordinator.unknown(descriptor.type) }
    lastKnown = descriptor
    return nil
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
      if !isOwn { refusedEdits.refuseLinkWithinOtherContainer(of: storage, slot) }
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
      if let obstacle = insertNew(storage, in: source) {
        refusedEdits.refuseLink(of: owner, slot, to: storage, obstacle)
        return nil
      }
      return context.owns(storage) ? model : nil
    }
    let identifier = storage.identifier.resolved
    if !isReachable(identifier, of: storage) {
      refusedEdits.refuseLinkToOtherContainer(storage, of: owner, slot)
      return nil
    }
    if identifier.isTemporary {
      refusedEdits.refuseLinkToOtherContext(storage, of: owner, slot)
      return nil
    }
    if !refusedEdits.isEmpty { refusedEdits.forgetLink(of: owner, slot, to: storage) }
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
      deleteOther(storage)
      return
    }
    if storage.flags.contains(.hasNoRow), refusedEdits.withdraw(.insertion, of: storage) { return }
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
    // Inserted into the context of these models, it refers to them.
    for (slot, model) in refusedEdits.takeLinks(of: storage) {
      storage.notifyingObservers(of: slot) {
        if storage.descriptor.properties[slot].isToOne {
          storage.overlay(.model(model), at: slot)
        } else {
          storage.relationships.toManyForChange(slot).gain(model)
        }
      }
    }
  }

  /// Takes back an insertion that was refused, or refuses to delete a model of another context.
  private func deleteOther(_ storage: _ModelStorage) {
    if refusedEdits.withdraw(.insertion, of: storage) {
      lostReferences.expect()
      // A model of an unknown class that was related to others counts as edited.
      if storage.source == nil { recorder.changes.forget(storage) }
    } else if storage.source != nil {
      refusedEdits.refuseDeletionOfOtherContext(storage)
    }
  }

  private func cascadeTargets(of storage: _ModelStorage) -> [any PersistentModel] {
    storage.descriptor.relationshipSlots.flatMap { slot in
      storage.descriptor.link(slot, in: coordinator)?.deleteRule == .cascade
        ? storage.relationships.partners(slot) : []
    }
  }
}

/// What becomes of refused edits (`RefusedEdits`) until the save.
extension ModelGraph {
  private enum Outcome {
    /// The edit is made, or no longer wanted.
    case settled
    /// Its owner is to be deleted.
    case suspended
    case refused
  }

  /// Called before a save. Makes the links whose models this context can find by now.
  /// - Throws: The errors of the edits that are still refused.
  func retryRefusedEdits(in source: any _FaultSource) throws {
    var errors: [SwiftDataError] = []
    let edits = refusedEdits.all
    for edit in edits {
      switch outcome(of: edit, in: source) {
      case .settled: refusedEdits.forget(edit)
      case .suspended: continue
      case .refused:
        errors.append(edit.error)
        if edit.isHarmless { refusedEdits.forget(edit) }
      }
    }
    try withExtendedLifetime(edits) { try SwiftDataError.throwAll(errors) }
  }

  private func outcome(of edit: RefusedEdit, in source: any _FaultSource) -> Outcome {
    let storage = edit.model?._$storage
    switch edit.kind {
    case .link(let owner, let slot, let old):
      return outcome(of: owner._$storage, slot, old, to: edit.model, in: source)
    case .reachable(let owner):
      if let storage, context.owns(storage), !storage.flags.contains(.hasNoRow) { return .settled }
      let outcome = outcome(of: owner._$storage)
      let isReachable = owner._$storage.relationships.unsavedModels.contains { $0 === edit.model }
      return outcome == .refused && !isReachable ? .settled : outcome
    case .insertion:
      guard let storage, !context.owns(storage) || storage.flags.contains(.hasNoRow) else {
        return .settled
      }
      // An identifier is permanent also after the deletion.
      let isStored = !edit.isHarmless && !storage.hasLeftContext && isStoredHere(storage)
      return isStored ? .settled : .refused
    case .deletion:
      guard let storage, !storage.hasLeftContext, !storage.flags.contains(.isDeleted) else {
        return .settled
      }
      let identifier = storage.identifier.resolved
      let isDeleted = recorder.changes.deleted.contains { $0.knownIdentifier == identifier }
      return isDeleted ? .settled : .refused
    }
  }

  /// What becomes of the edits of a model.
  private func outcome(of owner: _ModelStorage) -> Outcome {
    guard context.owns(owner), !owner.flags.contains(.hasNoRow) else { return .settled }
    return owner.flags.contains(.isDeleted) ? .suspended : .refused
  }

  /// Tries to make a link again.
  /// - Parameter old: The related model when the link was refused.
  private func outcome(
    of owner: _ModelStorage, _ slot: Int, _ old: (any PersistentModel)?,
    to model: (any PersistentModel)?, in source: any _FaultSource
  ) -> Outcome {
    let outcome = outcome(of: owner)
    guard outcome == .refused else { return outcome }
    let isToOne = owner.descriptor.properties[slot].isToOne
    if isToOne, let now = owner.relationships.partner(slot),
      now !== old, now.persistentModelID != old?.persistentModelID
    {
      return .settled  // by the other side
    }
    guard let partner = model.flatMap({ own($0, in: source) }) else { return .refused }
    if isToOne {
      owner.notifyingObservers(of: slot) { fixer.setToOne(owner, slot: slot, to: partner) }
    } else {
      fixer.add(partner, to: owner, slot: slot)
    }
    return .settled
  }

  /// This context's instance of a model that it could not refer to before; nil if it still can't.
  private func own(
    _ model: any PersistentModel, in source: any _FaultSource
  ) -> (any PersistentModel)? {
    let storage = model._$storage
    if context.owns(storage) { return storage.flags.contains(.hasNoRow) ? nil : model }
    guard !storage.hasLeftContext, isStoredHere(storage) else { return nil }
    return faults.model(for: storage.identifier, in: source) as? any PersistentModel
  }

  /// Whether a store of this container has the row of another context's model.
  private func isStoredHere(_ storage: _ModelStorage) -> Bool {
    let identifier = storage.identifier.resolved
    return !identifier.isTemporary && isReachable(identifier, of: storage)
  }
}

extension RelationshipValues {
  /// Makes references of an unsaved model weak, so that its graph is freed when it has no other
  /// owner.
  func weaken(in coordinator: any StoreCoordinator) {
    weaken { slot in
      guard let link = storage.descriptor.link(slot, in: coordinator),
        let inverse = link.inverseSlot
      else { return false }
      return link.destination.properties[inverse].isToMany
    }
  }

  /// Whether the inverse of a to-many is a to-one.
  func isAnsweredByToOne(_ slot: Int, in coordinator: any StoreCoordinator) -> Bool {
    guard let link = storage.descriptor.link(slot, in: coordinator), let inverse = link.inverseSlot
    else { return false }
    return link.destination.properties[inverse].isToOne
  }
}
