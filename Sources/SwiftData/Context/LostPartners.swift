/// Relationships in memory that name models which have left the context: deleted by another context,
/// or removed before their first save.
extension ContextCore {
  /// Takes models without a row out of the lists of relationships that are in memory.
  func dropGoneMembers() {
    var dropped: [AnyObject] = []  // freed after the walk, because that changes the identity map
    identities.forEach { storage in
      guard storage.overlay != nil else { return }
      for slot in storage.descriptor.relationshipSlots {
        guard case .object(let object) = storage.overlaid(slot), let value = object as? ToManyValue
        else { continue }
        dropped += value.drop { $0.flags.contains(.isGone) }
      }
    }
    withExtendedLifetime(dropped) {}
  }

  /// Pending models no longer name models that have left the context: deleted by another one, or
  /// removed before their first save. Relationships change as if a stored model had been deleted.
  func dropLostPartners() {
    guard hasLostModels else { return }
    func isLost(_ storage: _ModelStorage) -> Bool {
      storage.flags.contains(.isGone) || storage.source == nil
    }
    for storage in Array(changes.inserted) + Array(changes.changed) {
      if storage.flags.contains(.isGone) {
        // Of a model that only gained or lost members nothing is left to save.
        let names = storage.descriptor.names(of: storage.changedSlots, includingToMany: false)
        if names.isEmpty { changes.unchange(storage) }
        continue
      }
      for slot in storage.descriptor.relationshipSlots {
        guard case .object(let object) = storage.overlaid(slot) else { continue }
        if let value = object as? ToManyValue {
          storage.notifyingObservers(of: slot) { _ = value.drop(where: isLost) }
        } else if let model = object as? any PersistentModel, isLost(model._$storage) {
          storage.notifyingObservers(of: slot) { storage.overlay(.null, at: slot) }
        }
      }
    }
  }
}

extension ToManyValue {
  /// - Returns: The members that were dropped.
  fileprivate func drop(where isLost: (_ModelStorage) -> Bool) -> [AnyObject] {
    func isLostMember(_ member: AnyObject) -> Bool {
      (member as? any PersistentModel).map { isLost($0._$storage) } ?? false
    }
    let lost = ((members ?? []) + added + removed).filter(isLostMember)
    guard !lost.isEmpty else { return [] }
    members?.removeAll(where: isLostMember)
    added.removeAll(where: isLostMember)
    removed.removeAll(where: isLostMember)
    return lost
  }
}
