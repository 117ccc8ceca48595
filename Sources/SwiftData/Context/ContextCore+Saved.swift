/// How a save updates the models in memory, after the stores have committed.
///
/// Called by `SaveSession.finalise`.
extension ContextCore {
  /// Replaces a temporary identifier by the permanent one, in place.
  /// - Returns: Whether the identifier now leads to this model. If not, `becomeDuplicate` follows
  ///   once all models of the save have their identifiers.
  func makePermanent(_ storage: _ModelStorage, _ permanent: PersistentIdentifier) -> Bool {
    keepEncodedIdentity(of: storage)
    storage.becomeStored(as: permanent)
    if let known = registered(permanent), known.storage !== storage { return false }
    identities.insert(storage)
    return true
  }

  /// Called when an upsert wrote a row that another instance already shows. The identifier still
  /// leads to that instance, which takes the saved values; the new model becomes a duplicate. Lists
  /// of relationships that may have contained the row are read again.
  func becomeDuplicate(_ storage: _ModelStorage, of permanent: PersistentIdentifier) {
    guard let known = registered(permanent) else { return identities.insert(storage) }
    for instance in identities.duplicates(of: permanent) { instance.storage.refault() }
    forgetLists(around: known.storage)
    known.storage.refault()
    identities.insertDuplicate(storage, of: permanent)
  }

  /// A row that an upsert updated keeps a to-one relationship that the new model left empty. It is
  /// read from the row on first use.
  func forgetEmptyToOnes(of storage: _ModelStorage) {
    for slot in storage.descriptor.relationshipSlots {
      guard case .null = storage.overlaid(slot) else { continue }
      storage.overlay(.unset, at: slot)
      storage.expectRow()
    }
  }

  /// Called after a row was deleted: all its instances leave the context.
  func finishDeletion(of storage: _ModelStorage) {
    let others = otherInstances(of: storage)
    identities.remove(storage)
    storage.acceptChanges()
    storage.becomeDetached()
    recentModels.forgetExternalValues(of: storage)
    for other in others {
      identities.remove(other.storage)
      other.storage.notifyingObserversOfAll { other.storage.becomeDetached() }
    }
  }

  /// Discards the inverse values of the models that a row referred to before an upsert, which may
  /// have changed them.
  private func forgetLists(around storage: _ModelStorage) {
    for slot in storage.descriptor.relationshipSlots {
      guard let inverse = storage.descriptor.link(slot, in: coordinator)?.inverseSlot,
        !storage.descriptor.properties[slot].isToMany,
        let partner = storage.relationships.partner(slot)
      else { continue }
      let other = partner._$storage
      guard other.flags.isDisjoint(with: [.isChanged, .isInserted]) else { continue }
      if other.descriptor.properties[inverse].isToMany {
        other.notifyingObservers(of: inverse) { other.overlay(.unset, at: inverse) }
      } else {
        other.refault()
      }
    }
  }

  /// Gives a model the values that its store changed itself.
  func reregister(_ snapshot: DefaultSnapshot) {
    guard let storage = registered(snapshot.persistentIdentifier)?.storage else { return }
    storage.notifyingObserversOfAll {
      snapshot.refresh(storage)
    }
  }

  /// Whether lists without an inverse may contain the deleted models.
  func mayLeaveDeletedMembers(_ deleted: [_ModelStorage]) -> Bool {
    guard !deleted.isEmpty else { return false }
    return coordinator.schema.entities.contains { entity in
      entity.relationships.contains { !$0.isToOneRelationship && $0.inverseName == nil }
    }
  }
}
