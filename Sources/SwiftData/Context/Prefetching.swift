import Foundation

extension ContextCore {
  /// Reads the models that relationships of `models` lead to, so that walking them reads no more.
  func prefetch<T: PersistentModel>(_ keyPaths: [PartialKeyPath<T>], of models: [T]) {
    for keyPath in keyPaths {
      guard let slot = T._$descriptor.slot(for: keyPath) else { continue }
      if T._$descriptor.properties[slot].isToMany {
        for model in models { _ = _toMany(model._$storage, slot: slot) }
      } else {
        prefetchToOne(models, slot)
      }
    }
  }

  private func prefetchToOne<T: PersistentModel>(_ models: [T], _ slot: Int) {
    var wanted: [PersistentIdentifier: _ModelStorage] = [:]
    var faults: [AnyObject] = []
    for model in models {
      guard let partner = model._$storage.partner(slot)?._$storage,
        partner.flags.contains(.isFault), let identifier = partner.knownIdentifier
      else { continue }
      wanted[identifier] = partner
      if let fault = partner.model { faults.append(fault) }
    }
    guard let first = wanted.keys.first,
      let store = coordinator.store(forEntity: first.entityName),
      let snapshots = try? StoreRequests(core: self).snapshots(
        for: Array(wanted.keys), in: store)
    else { return }
    for snapshot in snapshots {
      if let model = materialize(snapshot) { touch(model) }
    }
    withExtendedLifetime(faults) {}
  }
}
