/// Updates the models in memory after stores have committed a save: its last step.
///
/// 1. The changes of the committed stores are removed from the `ChangeTracker`.
/// 2. Temporary identifiers become permanent, in place. An upsert may have written a row that
///    another instance shows: then the new model becomes a duplicate of it.
/// 3. Values count as stored; deleted models leave the context.
/// 4. Models show what the store changed by the rules of the schema. Values that read differently from what was
///    stored are dropped.
///
/// Created by `ContextCore.save`, called by `SaveSession`, also before the commit: models of deleted
/// rows keep their last values.
struct SavedModels {
  let stores: ContextStores
  let identities: IdentityRegistry
  let watchers: EditWatchers
  private let lostReferences: LostReferences
  private let changes: ChangeTracker
  private let recentModels: RecentlyFaultedModels
  private let unreadableValues: UnreadableValues

  init(
    _ stores: ContextStores, _ identities: IdentityRegistry, _ changes: ChangeTracker,
    _ watchers: EditWatchers, _ lostReferences: LostReferences,
    _ recentModels: RecentlyFaultedModels, _ unreadableValues: UnreadableValues
  ) {
    self.stores = stores
    self.identities = identities
    self.changes = changes
    self.watchers = watchers
    self.lostReferences = lostReferences
    self.recentModels = recentModels
    self.unreadableValues = unreadableValues
  }

  /// The caller retains the pending models meanwhile.
  /// - Parameters:
  ///   - batches: The committed ones.
  ///   - transaction: The transaction that encloses the save.
  ///   - isNoted: Whether other contexts need the changes.
  ///   - keepsOthers: Whether there are pending models that are not in the batches.
  func finalise(
    _ batches: [SaveSession.Batch], in transaction: ContextTransaction?, isNoted: Bool,
    keepingOthers keepsOthers: Bool
  ) -> SaveSession.Saved {
    var saved = SaveSession.Saved()
    var note = isNoted || watchers.wantSavedChanges ? SavedChanges(batches) : nil
    let deleted = settleChanges(of: batches, keepingOthers: keepsOthers)
    if !unreadableValues.isEmpty { forgetUnreadable(of: batches) }
    var upserted: [(storage: _ModelStorage, permanent: PersistentIdentifier, isShown: Bool)] = []
    var merged: [PersistentIdentifier] = []
    // By batch and index, whether a new model became a stored row, or may have; empty for a batch without any.
    var mayBeMerged: [[Bool]] = []
    for batch in batches {
      saved.deleted += batch.deletedStorages.map(\.identifier)
      let (storages, identifiers) = (batch.insertedStorages, batch.receipt.inserted)
      let dropped = Set(batch.receipt.consequences.dropped)
      let merges = batch.receipt.consequences.merged
      var isMerged = merges.isEmpty ? [] : [Bool](repeating: false, count: identifiers.count)
      if dropped.isEmpty, merges.isEmpty {
        // Shares the memory of the receipt.
        if saved.inserted.isEmpty {
          saved.inserted = identifiers
        } else {
          saved.inserted += identifiers
        }
      }
      identities.reserve(for: identifiers)
      for merge in merges {
        isMerged[merge.index] = true
        if dropped.contains(merge.index) { continue }
        if !merge.isOfNewModel { merged.append(identifiers[merge.index]) }
      }
      for (index, permanent) in identifiers.enumerated() {
        let storage = storages[index]
        if !dropped.isEmpty, dropped.contains(index) { continue }
        if !dropped.isEmpty || !merges.isEmpty, merges.isEmpty || !isMerged[index] {
          saved.inserted.append(permanent)
        }
        let isShown = makePermanent(storage, permanent)
        let descriptor = storage.descriptor
        if !isShown || descriptor.isConstrained && !batch.port.isTransactional {
          if isMerged.isEmpty { isMerged = [Bool](repeating: false, count: identifiers.count) }
          isMerged[index] = true
        }
        if !isShown
          || descriptor.isConstrained && (note != nil || !descriptor.relationshipSlots.isEmpty)
        {
          upserted.append((storage, permanent, isShown))
        }
      }
      mayBeMerged.append(isMerged)
    }
    noteMerges(of: batches, upserted.lazy.filter { !$0.isShown }.map(\.storage))
    // An upsert may have changed a row that other instances show. Their related models can be
    // looked up now that all models of this save have their identifiers.
    var latest: [PersistentIdentifier: _ModelStorage] = [:]
    let leaving = upserted.isEmpty ? [] : Set(deleted.map(ObjectIdentifier.init))
    for (storage, permanent, isShown) in upserted {
      if !isShown { becomeDuplicate(storage, of: permanent, &latest, besides: leaving) }
      forgetEmptyToOnes(of: storage)
    }
    // A list may name another instance of the row than the one that was edited.
    let isExact =
      transaction == nil && !identities.hasDuplicates && upserted.allSatisfy(\.isShown)
      && batches.allSatisfy(\.storedAllMembers)
    for (batch, isMerged) in zip(batches, mayBeMerged) {
      for (index, storage) in batch.insertedStorages.enumerated() {
        if !isMerged.isEmpty, isMerged[index] {
          // Its lists get the members that the row had.
          storage.notifyingObservers(of: storage.descriptor.toManySlots) { storage.acceptChanges() }
        } else {
          storage.acceptChanges()
        }
      }
      for storage in batch.updatedStorages {
        saved.updated.append(storage.identifier)
        storage.acceptChanges { slot, list in
          // Two lists that retain each other's owners would never be freed.
          list.isAsStored
            || isExact && list.members != nil
              && storage.relationships.isAnsweredByToOne(slot, in: stores.coordinator)
        }
      }
    }
    if saved.updated.isEmpty, upserted.allSatisfy(\.isShown) {
      saved.updated = merged
    } else if !merged.isEmpty {
      var known = Set(saved.updated)
      saved.updated += merged.filter { known.insert($0).inserted }
    }
    for batch in batches {
      // Other instances of the rows become faults.
      for storage in batch.updatedStorages {
        for other in identities.otherInstances(of: storage) { other.storage.refault() }
      }
      batch.forgetStored(batch.receipt.external)
    }
    for storage in deleted {
      transaction?.note(deleted: storage)
      finishDeletion(of: storage)
    }
    for batch in batches {
      show(batch, &saved, in: transaction)
      batch.showIdentifiers()
    }
    let rewritten = batches.flatMap(\.receipt.reregistered)
    for snapshot in rewritten { reregister(snapshot) }
    for batch in batches {
      for storage in batch.insertedStorages { storage.forgetInexact() }
      for storage in batch.updatedStorages { storage.forgetInexact() }
    }
    if note != nil {
      // Models that were merged with stored rows became known rows, as new ones do.
      note?.setInserted(merged.isEmpty ? saved.inserted : saved.inserted + merged)
      let identifiers = upserted.map(\.permanent) + rewritten.map(\.persistentIdentifier)
      note?.updated += identifiers.map { ($0, .all) }
    }
    saved.note = note ?? SavedChanges()
    // Edits of new models were recorded under temporary identifiers.
    saved.discarded = Dictionary(
      lostReferences.discardedEdits.map { ($0.resolved, $1) }, uniquingKeysWith: { $0 + $1 })
    lostReferences.forgetDiscardedEdits()
    return saved
  }

  // MARK: Pending changes

  /// Removes the pending changes of some batches from the lists.
  /// - Returns: The instances of deleted rows.
  private func settleChanges(
    of batches: [SaveSession.Batch], keepingOthers keepsOthers: Bool
  ) -> [_ModelStorage] {
    let isWhole = stores.coordinator.ports.count == 1
    let deleted = changes.deleted.filter { storage in
      isWhole || batches.contains { $0.port === stores.port(of: storage) }
    }
    if isWhole, !keepsOthers {
      changes.removeAll()
    } else {
      for batch in batches {
        for storage in batch.insertedStorages { changes.settle(storage) }
        for storage in batch.updatedStorages { changes.settle(storage) }
      }
      for storage in deleted { changes.settle(storage) }
    }
    if changes.isEmpty { lostReferences.expectNone() }
    changes.forgetNotes()
    return deleted
  }

  private func forgetUnreadable(of batches: [SaveSession.Batch]) {
    for batch in batches {
      let stored = batch.updatedStorages.map {
        ($0.identifier, Set<String>?.some(Set($0.descriptor.names(of: $0.changedSlots))))
      }
      unreadableValues.forget(stored + batch.deletedStorages.map { ($0.identifier, nil) })
    }
  }

  // MARK: Identifiers

  /// Replaces a temporary identifier by the permanent one, in place.
  /// - Returns: Whether the identifier now leads to this model. If not, `becomeDuplicate` follows
  ///   once all models of the save have their identifiers.
  private func makePermanent(_ storage: _ModelStorage, _ permanent: PersistentIdentifier) -> Bool {
    identities.keepEncodedIdentity(of: storage)
    storage.becomeStored(as: permanent)
    if identities.insertNew(storage) { return true }
    if let known = identities.model(for: permanent), known.storage !== storage { return false }
    identities.insert(storage)
    return true
  }

  /// Called when an upsert wrote a row that another instance already shows. The identifier still
  /// leads to that instance, which takes the saved values; the new model becomes a duplicate. Lists
  /// of relationships that may have contained the row are read again.
  /// - Parameters:
  ///   - latest: The last model that this save has merged with each row, whose values another one has
  ///     replaced since.
  ///   - leaving: The models that the save deletes.
  private func becomeDuplicate(
    _ storage: _ModelStorage, of permanent: PersistentIdentifier,
    _ latest: inout [PersistentIdentifier: _ModelStorage],
    besides leaving: Set<ObjectIdentifier>
  ) {
    guard let known = identities.model(for: permanent) else { return identities.insert(storage) }
    if let replaced = latest.updateValue(storage, forKey: permanent) {
      replaced.refault()
    } else {
      for instance in identities.duplicates(of: permanent) { instance.storage.refault() }
      forgetLists(around: known.storage, besides: leaving)
      known.storage.refault()
    }
    identities.insertDuplicate(storage, of: permanent)
  }

  /// A row that an upsert updated keeps a to-one relationship that the new model left empty. It is
  /// read from the row on first use.
  private func forgetEmptyToOnes(of storage: _ModelStorage) {
    for slot in storage.descriptor.relationshipSlots {
      guard case .null = storage.overlaid(slot) else { continue }
      storage.notifyingObservers(of: slot) {
        storage.overlay(.unset, at: slot)
        storage.expectRow()
      }
    }
  }

  /// Called after a row was deleted: all its instances leave the context.
  private func finishDeletion(of storage: _ModelStorage) {
    let others = identities.otherInstances(of: storage)
    identities.removeDeleted(storage)
    storage.notifyingObserversOfAll {
      storage.acceptChanges()
      storage.becomeDetached()
    }
    recentModels.forgetExternalValues(of: storage)
    for other in others {
      identities.remove(other.storage)
      other.storage.notifyingObserversOfAll { other.storage.becomeDetached() }
    }
  }

  /// Discards the inverse values of the models that a row referred to before an upsert, which may
  /// have changed them. Deleted ones keep their values, which an undo stores again.
  private func forgetLists(
    around storage: _ModelStorage, besides leaving: Set<ObjectIdentifier>
  ) {
    for slot in storage.descriptor.relationshipSlots {
      guard let inverse = storage.descriptor.link(slot, in: stores.coordinator)?.inverseSlot,
        !storage.descriptor.properties[slot].isToMany,
        let partner = storage.relationships.partner(slot)
      else { continue }
      let other = partner._$storage
      guard other.flags.isDisjoint(with: [.isChanged, .isInserted]),
        !leaving.contains(ObjectIdentifier(other))
      else { continue }
      if other.descriptor.properties[inverse].isToMany {
        other.notifyingObservers(of: inverse) { other.overlay(.unset, at: inverse) }
      } else {
        other.refault()
      }
    }
  }

  /// Gives a model the values that its store changed itself.
  private func reregister(_ snapshot: DefaultSnapshot) {
    guard let storage = identities.model(for: snapshot.persistentIdentifier)?.storage else {
      return
    }
    storage.notifyingObserversOfAll {
      snapshot.refresh(storage)
    }
  }

  // MARK: Effects of the rules of the schema

  /// The keys of rows whose last values an instance in memory may lack: it shows none, or some of them are in
  /// files, which another writer may have removed since the instance has read their names.
  func lackingLastValues(_ scope: IdentifierScope, _ keys: [Int64]) -> [Int64] {
    guard let table = identities.table(of: scope) else { return [] }
    func lacksValues(_ model: RetainedModel) -> Bool {
      model.storage.flags.contains(.isFault) || model.storage.showsExternalValues
    }
    return table.present(keys).filter { key in
      if table[key].map(lacksValues) == true { return true }
      guard identities.hasDuplicates else { return false }
      return identities.duplicates(of: PersistentIdentifier(scope: scope, key: key))
        .contains(where: lacksValues)
    }
  }

  /// Pending models that the schema's rules delete.
  func deletedByRules(_ batches: [SaveSession.Batch]) -> Set<ObjectIdentifier> {
    var found: Set<ObjectIdentifier> = []
    for batch in batches {
      let consequences = batch.receipt.consequences
      for index in consequences.dropped {
        found.insert(ObjectIdentifier(batch.insertedStorages[index]))
      }
      for identifier in identities.present(consequences.deleted) {
        if let live = identities.model(for: identifier) {
          found.insert(ObjectIdentifier(live.storage))
        }
      }
    }
    return found
  }

  /// Called before the commit: all instances of deleted rows keep their last values.
  func keepLastValues(_ batches: [SaveSession.Batch]) {
    for batch in batches {
      for snapshot in batch.receipt.consequences.lastValues {
        for live in identities.instances(of: snapshot.persistentIdentifier) {
          let storage = live.storage
          if storage.flags.contains(.isFault) {
            storage.show(page: snapshot.page, row: snapshot.row)
          } else if let row = snapshot.row, storage.showsExternalValues(besides: row) {
            takeRow(of: snapshot, for: storage)
          } else {
            continue
          }
          // The save is about to delete the files of the row.
          if !storage.descriptor.externalSlots.isEmpty { storage.keepExternalValues() }
        }
      }
      for identifier in identities.present(batch.receipt.consequences.deleted) {
        for live in identities.instances(of: identifier)
        where !live.storage.descriptor.externalSlots.isEmpty { live.storage.keepExternalValues() }
      }
    }
  }

  /// Gives a model the row that the save deletes, in place of an earlier one whose files are removed. Unsaved values
  /// and relationships stay.
  private func takeRow(of snapshot: DefaultSnapshot, for storage: _ModelStorage) {
    if !storage.flags.isDisjoint(with: .isPending) { changes.recordNewRow(of: storage) }
    var kept = storage.changedSlots
    for slot in storage.descriptor.relationshipSlots { kept.insert(slot) }
    snapshot.refresh(storage, changed: SlotSet(), keeping: kept)
  }

  /// Called after the commit: models show what the rules changed in their rows.
  private func show(
    _ batch: SaveSession.Batch, _ saved: inout SaveSession.Saved,
    in transaction: ContextTransaction?
  ) {
    let consequences = batch.receipt.consequences
    // The row shows whether it already referred to another model.
    let deleted = batch.displacedStorages.isEmpty ? [] : Set(consequences.deleted)
    for storage in batch.displacedStorages where !deleted.contains(storage.identifier) {
      storage.refault()
    }
    for index in consequences.dropped {
      let storage = batch.insertedStorages[index]
      if watchers.isActive { watchers.willDelete(storage) }
      storage.notifyingObserversOfAll { storage.leaveContext() }
      storage.relationships.weaken(in: stores.coordinator)
    }
    saved.deleted += consequences.deleted
    for identifier in identities.present(consequences.deleted) {
      for live in identities.instances(of: identifier) {
        if watchers.isActive { watchers.willDelete(live.storage) }
        transaction?.note(deleted: live.storage)
        finishDeletion(of: live.storage)
      }
    }
    for link in consequences.nullified + consequences.displaced { empty(link) }
    for link in consequences.answered + consequences.taken.map(\.link) {
      for live in identities.instances(of: link.identifier)
      where live.storage.flags.isDisjoint(with: .isPending) { live.storage.refault() }
    }
    let links = consequences.links
    if !links.isEmpty || !consequences.changedLists.isEmpty || !consequences.left.isEmpty {
      var known = Set(saved.updated).union(saved.inserted)
      for link in links where known.insert(link.identifier).inserted {
        saved.updated.append(link.identifier)
      }
      for list in [consequences.changedLists, consequences.left].joined() {
        let isCertain = list.isCertain || !identities.instances(of: list.identifier).isEmpty
        guard isCertain, known.insert(list.identifier).inserted else { continue }
        saved.updated.append(list.identifier)
      }
    }
    for link in consequences.displaced + consequences.taken.map(\.link) {
      guard
        let descriptor = stores.coordinator.modelType(forEntity: link.identifier.entityName)?
          ._$descriptor
      else { continue }
      let name = descriptor.properties[link.slot].name
      if saved.overwritten[link.identifier]?.contains(name) == true { continue }
      saved.overwritten[link.identifier, default: []].append(name)
    }
    for list in consequences.changedLists {
      for live in identities.instances(of: list.identifier) {
        live.storage.notifyObserversOfUnloadedLists(list.slots)
        lostReferences.dropDeletedMembers(of: live.storage, list.slots)
      }
    }
    for list in consequences.left {
      for live in identities.instances(of: list.identifier) {
        forgetMembers(of: live.storage, list.slots)
      }
    }
    if consequences.hasMissedRows
      || !batch.port.isTransactional && mayLeaveDeletedMembers(batch.deletedStorages)
    {
      lostReferences.dropDeletedMembers()
    }
  }

  /// Makes some lists of a model read their members again.
  private func forgetMembers(of storage: _ModelStorage, _ slots: SlotSet) {
    storage.notifyObserversOfUnloadedLists(slots)
    for slot in storage.descriptor.relationshipSlots where slots.contains(slot) {
      guard case .toMany = storage.overlaid(slot) else { continue }
      storage.notifyingObservers(of: slot) { storage.relationships.forgetMembers(slot) }
    }
  }

  /// Whether lists without an inverse may contain the deleted models.
  private func mayLeaveDeletedMembers(_ deleted: [_ModelStorage]) -> Bool {
    guard !deleted.isEmpty else { return false }
    return stores.coordinator.schema.entities.contains { entity in
      entity.relationships.contains { !$0.isToOneRelationship && $0.inverseName == nil }
    }
  }

  private func empty(_ link: SaveConsequences.Link) {
    for live in identities.instances(of: link.identifier) {
      let storage = live.storage
      let isInPartialRow =
        storage.partialRowHas(link.slot) && storage.flags.isDisjoint(with: .isPending)
      let isLoaded = !storage.overlay.isEmpty(besides: storage.descriptor.ephemeralSlots)
      if storage.flags.contains(.isFault), !isLoaded, !isInPartialRow { continue }
      if watchers.isActive { watchers.willEdit(storage, slot: link.slot) }
      // The next row would show the change as that of another writer.
      if isInPartialRow {
        storage.refault()
      } else {
        storage.notifyingObservers(of: link.slot) { storage.overlay(.null, at: link.slot) }
      }
    }
  }
}

extension SaveSession.Batch {
  /// Whether the store has the members of each list that the request has, and no others.
  fileprivate var storedAllMembers: Bool {
    let consequences = receipt.consequences
    return port.isTransactional && !consequences.hasMissedRows && consequences.deleted.isEmpty
      && consequences.dropped.isEmpty && consequences.taken.isEmpty
  }

  /// Models release values that the store moved out of their rows.
  fileprivate func forgetStored(_ storedSlots: ExternalValueSlots) {
    for (index, slots) in storedSlots.inserted { insertedStorages[index].forgetStored(slots) }
    for (index, slots) in storedSlots.updated { updatedStorages[index].forgetStored(slots) }
  }
}
