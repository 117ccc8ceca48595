import Foundation

extension ModelContext {
  /// The undo manager that records the changes of this context; nil by default, which records
  /// nothing.
  ///
  /// Insertions, deletions, and edits of attributes and relationships are one step of the undo
  /// manager per event. An event ends with ``processPendingChanges()``, with a save, when the
  /// manager opens or closes a group, and before it undoes or redoes. On the main actor and in
  /// model actors it also ends when the actor's code is suspended next, such as at an `await`.
  ///
  /// ```swift
  /// context.undoManager = UndoManager()
  /// trip.name = "Porto"
  /// context.undoManager?.undo()
  /// ```
  ///
  /// An undo is a change like any other and has to be saved. It can go back past a save: models
  /// whose deletion was saved are inserted again, as the same instances with new identifiers.
  /// ``rollback()`` removes all steps of the context from the manager. Several contexts may share a
  /// manager.
  public var undoManager: UndoManager? {
    get { undoRecorder?.manager }
    set {
      let known = undoRecorder
      guard newValue !== known?.manager else { return }
      if let known {
        known.end()
        core.watchers.remove(known)
      }
      guard let newValue else { return }
      core.watchers.add(
        UndoRecorder(
          self, core.changes, core.identity, core.coordinator, core.isolation, manager: newValue))
    }
  }

  var undoRecorder: UndoRecorder? { core.watchers.first(UndoRecorder.self) }

  /// Restores the state before an event; called by the `UndoRecorder`.
  /// - Parameter merged: The inserted models whose rows were stored before.
  /// - Parameter didInsertAgain: Called with a model that is inserted again, and the models that showed the same
  ///   row before its deletion.
  func apply(
    _ step: UndoStep, keeping merged: MergedModels,
    _ didInsertAgain: @escaping (any PersistentModel, [any PersistentModel]) -> Void
  ) {
    core.undoApplication(step, keeping: merged, didInsertAgain).run()
  }

  /// The other models that show the row of a model.
  func otherInstances(of storage: _ModelStorage) -> [any PersistentModel] {
    core.identities.otherInstances(of: storage).compactMap(\.storage.persistentModel)
  }

  /// Gives a model the attributes and to-one relationships that were set in another one, which has no context.
  /// - Parameter values: The values of the other one before.
  func repeatEdits(
    of other: any PersistentModel, since values: ContiguousArray<_SlotValue>?,
    at storage: _ModelStorage
  ) {
    let other = other._$storage
    guard other.source == nil, other.descriptor === storage.descriptor else { return }
    for (slot, property) in storage.descriptor.properties.enumerated() where !property.isToMany {
      let before = values.flatMap { slot < $0.count ? $0[slot] : nil } ?? .unset
      let now = other.overlaid(slot)
      if now.isSame(as: before) || property.isEphemeral { continue }
      if !property.isToOne {
        if hasOnlyRead(other, slot, since: values) { continue }
        storage.notifyingObservers(of: slot) {
          core.recorder.willChange(storage, slot: slot)
          storage.overlay(now, at: slot)
        }
        continue
      }
      switch now.relationship {
      case .model(let partner):
        if case .model(let known) = before.relationship, known === partner { continue }
        core._setToOne(storage, slot: slot, to: partner)
      case .null: core._setToOne(storage, slot: slot, to: nil)
      case .unset, .identifier, .toMany, .weakReferences: continue
      }
    }
  }

  /// Whether an attribute of a row was decoded, and not set.
  private func hasOnlyRead(
    _ storage: _ModelStorage, _ slot: Int, since values: ContiguousArray<_SlotValue>?
  ) -> Bool {
    let slots = SlotSet(slot)
    guard case .boxed = storage.overlaid(slot),
      let new = try? DefaultSnapshot(storage, storing: slots),
      let old = storage.withValues(values, { try? DefaultSnapshot(storage, storing: slots) })
    else { return false }
    let cells = [slot] + storage.descriptor.properties[slot].leafCells
    return cells.allSatisfy { old.value($0).isSame(as: new.value($0)) }
  }

  /// Makes models without a row instances of the row of another one.
  func show(_ storage: _ModelStorage, by models: [any PersistentModel]) {
    for other in models.map(\._$storage)
    where other.source == nil && other.flags.contains(.hasNoRow) {
      core.transaction?.note(shown: other)
      other.notifyingObserversOfAll {
        other.becomeRestored(in: core, as: storage.identifier)
        core.identities.insertDuplicate(other, of: storage.identifier)
      }
    }
  }

  /// The model in memory with an identifier.
  func known(_ identifier: PersistentIdentifier) -> _ModelStorage? {
    core.identities.model(for: identifier)?.storage
  }

  /// Whether a save runs, and has called this code.
  var isSaving: Bool { core.stores.isSaving }

  /// Does something after the running save.
  func postpone(_ work: @escaping () -> Void) { core.postpone(work) }

  /// The model with an identifier, which may not be in memory.
  func fault(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
    core.faults.fault(for: identifier, in: core)
  }

  /// The relationships without an inverse that refer to deleted models.
  func references(
    to deleted: [any PersistentModel]
  ) -> [ReferencesWithoutInverse.Reference] {
    ReferencesWithoutInverse(
      core, core.identity, core.stores, core.materializer, core.failedReads
    ).references(to: deleted)
  }

  /// Ends an undo event: changes since the last one become one step of ``undoManager``. Then
  /// applies what other contexts saved.
  ///
  /// Inverse relationships and the lists of changes are always up to date, so nothing else is done.
  public func processPendingChanges() {
    core.watchers.endEvent()
    core.externalChanges.applyNew()
    core.watchers.didProcessPendingChanges()
  }
}
