/// Relationships in memory that name models which have left the context: deleted by another context,
/// or removed before their first save.
extension ContextCore {
  /// Takes models without a row out of the lists of relationships that are in memory.
  func dropGoneMembers() {
    var dropped: [any PersistentModel] = []
    let models = identities.models
    for storage in models.lazy.map(\.storage) where storage.overlay != nil {
      for slot in storage.descriptor.relationshipSlots {
        guard case .toMany(let value) = storage.overlaid(slot) else { continue }
        dropped += value.dropAll { $0._$storage.flags.contains(.isGone) }
      }
    }
    withExtendedLifetime((models, dropped)) {}
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
        if names.isEmpty { forgetChange(of: storage) }
        continue
      }
      for slot in storage.descriptor.relationshipSlots {
        switch storage.overlaid(slot) {
        case .toMany(let value):
          storage.notifyingObservers(of: slot) { _ = value.dropAll { isLost($0._$storage) } }
        case .model(let partner):
          guard isLost(partner._$storage) else { continue }
          storage.notifyingObservers(of: slot) { storage.overlay(.null, at: slot) }
        case .unset, .null, .identifier, .weakPartners: continue
        case .integer, .real, .text, .blob, .uuid, .boxed: continue
        }
      }
    }
  }
}
