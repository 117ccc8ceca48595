/// Relationships in memory that name models which have left the context: deleted by another context,
/// or removed before their first save.
extension ContextCore {
  /// Takes models without a row out of the lists of relationships that are in memory.
  func dropGoneMembers() {
    var dropped: [any PersistentModel] = []
    let models = identities.models(where: { $0.overlay != nil })
    for storage in models.lazy.map(\.storage) {
      for slot in storage.descriptor.relationshipSlots {
        guard case .toMany(let value) = storage.overlaid(slot) else { continue }
        dropped += value.dropAll { $0._$storage.flags.contains(.isGone) }
      }
    }
    withExtendedLifetime((models, dropped)) {}
  }

  /// Takes models without a row out of some lists of one model.
  func dropGoneMembers(of storage: _ModelStorage, _ slots: SlotSet) {
    for slot in storage.descriptor.relationshipSlots where slots.contains(slot) {
      guard case .toMany(let value) = storage.overlaid(slot),
        value.members?.contains(where: { $0._$storage.flags.contains(.isGone) }) == true
      else { continue }
      var dropped: [any PersistentModel] = []
      storage.notifyingObservers(of: slot) {
        dropped = value.dropAll { $0._$storage.flags.contains(.isGone) }
      }
      withExtendedLifetime(dropped) {}
    }
  }

  /// Called before a save: nothing that is pending concerns models that have left the context.
  func dropLostModels() {
    guard hasLostModels else { return }
    for storage in Array(changes.changed) where storage.flags.contains(.isGone) {
      discardEdits(of: storage)
    }
    dropLostPartners()
  }

  /// Pending models no longer name models that have left the context: deleted by another one, or
  /// removed before their first save. Relationships change as if a stored model had been deleted.
  /// A required partner stays, and stays readable; the save is refused.
  func dropLostPartners() {
    for storage in [changes.inserted, changes.changed, changes.deleted].flatMap(Array.init)
    where !storage.flags.contains(.isGone) {
      for slot in storage.descriptor.relationshipSlots {
        switch storage.overlaid(slot) {
        case .toMany(let value):
          storage.notifyingObservers(of: slot) { _ = value.dropAll { $0._$storage.isLost } }
        case .model(let partner):
          guard partner._$storage.isLost, storage.descriptor.properties[slot].isOptional
          else { continue }
          // A partner that never had a row was removed by this context itself.
          if !storage.flags.contains(.isDeleted), storage.changedSlots.contains(slot),
            !partner._$storage.identifier.isTemporary
          {
            noteDiscarded(SlotSet(slot), of: storage)
          }
          storage.notifyingObservers(of: slot) { storage.overlay(.null, at: slot) }
        case .unset, .null, .identifier, .weakPartners: continue
        case .integer, .real, .text, .blob, .uuid, .boxed: continue
        }
      }
    }
  }

  /// What is unsaved of a model whose row is gone is no longer pending; the next save that is stored
  /// announces it. The model keeps the values that it shows.
  private func discardEdits(of storage: _ModelStorage) {
    noteDiscarded(storage.changedSlots, of: storage)
    storage.changedSlots = SlotSet()
    forgetChange(of: storage)
  }

  /// An edit of a model that is known to have no row.
  func noteLostEdit(of storage: _ModelStorage, _ slot: Int) {
    hasLostModels = true
    guard storage.flags.isDisjoint(with: .isPending) else { return }
    var slots = SlotSet()
    slots.insert(slot)
    noteDiscarded(slots, of: storage)
  }

  /// Of a model that only gained or lost members nothing is lost.
  private func noteDiscarded(_ slots: SlotSet, of storage: _ModelStorage) {
    let names = storage.descriptor.names(of: slots, includingToMany: false)
    if names.isEmpty { return }
    let known = discardedEdits[storage.identifier] ?? []
    discardedEdits[storage.identifier] = known + names.filter { !known.contains($0) }
  }
}

extension _ModelStorage {
  /// Whether the model has left its context: deleted by another one, or before its first save.
  var isLost: Bool { flags.contains(.isGone) || source == nil }
}
