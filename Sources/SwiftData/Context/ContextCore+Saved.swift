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
        !storage.descriptor.properties[slot].isToMany, let partner = storage.partner(slot)
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
      storage.refresh(page: snapshot.page, row: snapshot.row)
      if snapshot.cells != nil { storage.takeCells(of: snapshot) }
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

extension _ModelStorage {
  /// Called after the overlay was stored. From then on relationships hold identifiers, not models.
  func acceptChanges() {
    changedSlots = SlotSet()
    guard overlay != nil else { return }
    for slot in descriptor.relationshipSlots {
      switch overlaid(slot) {
      case .toMany(let value):
        overlay(value.orderToSave.map { .toMany(_ToManyValue(order: $0)) } ?? .unset, at: slot)
      case .model(let partner): overlay(.identifier(partner._$storage.identifier), at: slot)
      case .unset, .null, .identifier, .weakReferences: continue
      case .integer, .real, .text, .blob, .uuid, .boxed: continue
      }
    }
  }
}

extension _ToManyValue {
  /// The order of the members, if it differs from the order in which the store lists its rows.
  fileprivate var orderToSave: [PersistentIdentifier]? {
    guard let members else { return order }
    func key(_ member: any PersistentModel) -> PersistentIdentifier {
      member._$storage.identifier.resolved
    }
    // One member appended to the old ones needs one comparison.
    if !isReordered, order == nil, added.count <= 1 {
      guard let last = members.last, let previous = members.lastButOne, added.last === last,
        let own = key(last).rowKey, let other = key(previous).rowKey, own < other
      else { return nil }
    }
    let keys = members.map(key)
    let rows = keys.compactMap(\.rowKey)
    let isListedSo = zip(rows, rows.dropFirst()).allSatisfy { $0 < $1 }
    return isListedSo ? nil : keys
  }

  /// Members in the saved order; members that are not part of it come last.
  func ordered(_ members: [any PersistentModel]) -> [any PersistentModel] {
    guard let order else { return members }
    let positions = Dictionary(
      order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let positioned = members.enumerated().map { index, member in
      (member, positions[member._$storage.identifier] ?? order.count + index)
    }
    return positioned.sorted { $0.1 < $1.1 }.map(\.0)
  }
}
