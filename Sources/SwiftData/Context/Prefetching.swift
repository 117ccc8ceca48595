import Foundation
import RowStorage

/// Reads the models that relationships lead to, so that walking them reads no more: one statement
/// per relationship, whatever the number of models.
///
/// What was read is held by the models it was read for.
extension ContextCore {
  func prefetch<T: PersistentModel>(_ keyPaths: [PartialKeyPath<T>], of models: [T]) {
    guard
      let store = coordinator.store(forEntity: T._$descriptor.entityName)
        as? any RelationshipFetching
    else { return }
    for keyPath in keyPaths {
      guard let slot = T._$descriptor.slot(for: keyPath) else { continue }
      let storages = models.map(\._$storage).filter { storage in
        if case .unset = storage.overlaid(slot) { return storage.row != nil }
        return false
      }
      switch T._$descriptor.properties[slot].form {
      case .toMany: prefetchToMany(storages, slot, T._$descriptor, store)
      case .toOne: prefetchToOne(storages, slot, store)
      case .attribute, .transformable: continue
      }
    }
  }

  private func prefetchToOne(
    _ storages: [_ModelStorage], _ slot: Int, _ store: any RelationshipFetching
  ) {
    var wanted: [PersistentIdentifier: [_ModelStorage]] = [:]
    for storage in storages {
      guard let row = storage.reader, !row.isNull(slot),
        let identifier = store.destination(
          of: storage.descriptor, slot: slot, key: row.integer(slot))
      else { continue }
      wanted[identifier, default: []].append(storage)
    }
    let missing = wanted.keys.filter { registered($0)?.row == nil }
    var fetched: [AnyObject] = []
    for (_, identifiers) in Dictionary(grouping: missing, by: \.entityName) {
      let snapshots = (try? StoreRequests(core: self).snapshots(for: identifiers, in: store)) ?? []
      fetched += snapshots.compactMap(materialize)
    }
    for (identifier, storages) in wanted {
      guard let partner = registered(identifier)?.model else { continue }
      for storage in storages { storage.overlay(.object(partner), at: slot) }
    }
    withExtendedLifetime(fetched) {}
  }

  private func prefetchToMany(
    _ storages: [_ModelStorage], _ slot: Int, _ descriptor: _ModelDescriptor,
    _ store: any RelationshipFetching
  ) {
    let owners = storages.compactMap { $0.knownIdentifier?.rowKey }
    guard
      let found = try? store.members(ofAll: owners, slot: slot, descriptor: descriptor)
    else { return }
    for storage in storages {
      guard let key = storage.knownIdentifier?.rowKey else { continue }
      let members = (found[key] ?? []).compactMap(materialize)
      let value = ToManyValue(
        loaded: withoutMovedAway(members, from: storage, slot: slot))
      storage.overlay(.object(value), at: slot)
    }
  }
}
