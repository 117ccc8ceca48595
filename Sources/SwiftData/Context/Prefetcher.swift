import Foundation
import OpenSwiftDataRowStorage

/// Reads related models in advance, so that following the relationships reads no more: one
/// statement per relationship, whatever the number of models.
///
/// Prefetched models are retained by the models that they were read for.
struct Prefetcher {
  let materializer: Materializer
  /// The context of the models.
  let source: any _FaultSource
  let failedReads: FailedReads
  let stores: ContextStores

  var editingState: EditingState { stores.editingState }

  private var coordinator: any StoreCoordinator { stores.coordinator }

  func prefetch<T: PersistentModel>(_ keyPaths: [PartialKeyPath<T>], of models: [T]) {
    guard !keyPaths.isEmpty, !models.isEmpty,
      let port = coordinator.port(forEntity: T._$descriptor.entityName)
    else { return }
    var tree = PrefetchTree()
    for keyPath in keyPaths { tree.add(keyPath, from: T._$descriptor, in: coordinator) }
    prefetch(tree, of: storages(of: models), T._$descriptor, port)
    withExtendedLifetime(models) {}
  }

  /// Reads the models on some paths, for models whose relationships are about to be followed.
  func prefetch<T: PersistentModel>(_ paths: [RelationshipPath], of models: [T]) {
    guard models.count > 1, let port = coordinator.port(forEntity: T._$descriptor.entityName)
    else { return }
    var tree = PrefetchTree()
    for path in paths { tree.add(path.steps[...], from: T._$descriptor, in: coordinator) }
    prefetch(tree, of: storages(of: models), T._$descriptor, port)
    withExtendedLifetime(models) {}
  }

  /// In generic code, `map` with a key path costs as much as reading the row.
  private func storages<T: PersistentModel>(of models: [T]) -> [_ModelStorage] {
    var storages: [_ModelStorage] = []
    storages.reserveCapacity(models.count)
    for index in models.indices { storages.append(models[index]._$storage) }
    return storages
  }

  /// Reads the related models of models of one class.
  func loadRelatedModels(of storages: [_ModelStorage], slot: Int, _ descriptor: _ModelDescriptor) {
    guard let port = coordinator.port(forEntity: descriptor.entityName) else { return }
    if descriptor.properties[slot].isToMany {
      prefetchToMany(storages, slot, descriptor, port)
    } else if let destination = descriptor.link(slot, in: coordinator)?.destination {
      prefetchToOne(storages, slot, destination, port)
    }
  }

  private func prefetch(
    _ tree: PrefetchTree, of storages: [_ModelStorage], _ descriptor: _ModelDescriptor,
    _ port: any StorePort
  ) {
    for (slot, branch) in tree.branches.sorted(by: { $0.key < $1.key }) {
      guard let destination = descriptor.link(slot, in: coordinator)?.destination else {
        continue
      }
      if descriptor.properties[slot].isToMany {
        prefetchToMany(storages, slot, descriptor, port)
      } else {
        prefetchToOne(storages, slot, destination, port)
      }
      if branch.branches.isEmpty { continue }
      // Prefetched models are retained by the models that they were read for.
      let next = loadedRelatedModels(of: storages, slot)
      if !next.isEmpty { prefetch(branch, of: next, destination, port) }
    }
  }

  private func loadedRelatedModels(of storages: [_ModelStorage], _ slot: Int) -> [_ModelStorage] {
    var seen: Set<ObjectIdentifier> = []
    var partners: [_ModelStorage] = []
    for storage in storages {
      for partner in storage.relationships.loadedModels(slot)
      where seen.insert(ObjectIdentifier(partner)).inserted {
        partners.append(partner._$storage)
      }
    }
    return partners
  }

  private func prefetchToOne(
    _ storages: [_ModelStorage], _ slot: Int, _ destination: _ModelDescriptor,
    _ port: any StorePort
  ) {
    var links: [(storage: _ModelStorage, identifier: PersistentIdentifier)] = []
    links.reserveCapacity(storages.count)
    var missing: [PersistentIdentifier] = []
    var scope: IdentifierScope?
    for storage in storages {
      guard let identifier = toOneIdentifier(of: storage, slot, port, &scope) else { continue }
      links.append((storage, identifier))
      if missing.last != identifier, needsRow(identifier) { missing.append(identifier) }
    }
    missing.sort()
    missing.removeRepeats()
    var fetched: [AnyObject] = []
    if !missing.isEmpty {
      func load<M: PersistentModel>(_ type: M.Type) -> [AnyObject] {
        let rows = failedReads.noting {
          try port.rows(
            at: .identifiers(missing), in: missing.indices, of: destination, slots: nil,
            editingState)
        }
        return rows.map { materializer.materialize($0, as: type, in: source) } ?? []
      }
      fetched = load(destination.type)
    }
    for (storage, identifier) in links {
      guard let partner = materializer.registered(identifier)?.storage.persistentModel else {
        continue
      }
      storage.overlay(.model(partner), at: slot)
    }
    withExtendedLifetime(fetched) {}
  }

  /// Whether the row of an identifier has not been read yet.
  private func needsRow(_ identifier: PersistentIdentifier) -> Bool {
    if identifier.isTemporary { return false }
    return materializer.registered(identifier)?.storage.flags.contains(.isFault) ?? true
  }

  /// The identifier of a to-one relationship's model, if the model is not held already.
  /// - Parameter scope: The scope of links that contain no entity number, once it is known.
  private func toOneIdentifier(
    of storage: _ModelStorage, _ slot: Int, _ port: any StorePort, _ scope: inout IdentifierScope?
  ) -> PersistentIdentifier? {
    switch storage.relationships.value(slot) {
    case .identifier(let identifier): return identifier.resolved
    case .unset:
      guard storage.row != nil || storage.partialRowHas(slot),
        let row = storage.readableRow(for: slot), !row.isNull(slot)
      else { return nil }
      let key = row.integer(slot)
      let isShared = PackedKey(word: key).entity <= 0
      if isShared, let scope { return PersistentIdentifier(scope: scope, key: key) }
      let identifier = port.destination(of: storage.descriptor, slot: slot, key: key)
      if isShared { scope = identifier?.id.scope }
      return identifier
    case .model, .null, .toMany, .weakReferences: return nil
    }
  }

  private func prefetchToMany(
    _ storages: [_ModelStorage], _ slot: Int, _ descriptor: _ModelDescriptor,
    _ port: any StorePort
  ) {
    let unloaded = storages.filter { storage in
      guard case .unset = storage.overlaid(slot) else { return false }
      return storage.knownIdentifier?.isTemporary == false
    }
    let owners = unloaded.compactMap(\.knownIdentifier)
    guard
      let found = failedReads.noting({
        try port.members(ofAll: owners, slot: slot, descriptor: descriptor, editingState)
      })
    else { return }
    let models = materializer.members(of: found.rows, in: source)
    let changes = materializer.changes
    let inverse = changes.isEmpty ? nil : descriptor.link(slot, in: coordinator)?.inverseSlot
    for (storage, range) in zip(unloaded, found.ranges) {
      let members = models[range]
      let current =
        inverse == nil
        ? members
        : changes.withoutReassigned(Array(members), of: storage, inverse: inverse)[...]
      storage.overlay(.toMany(_ToManyValue(loaded: current)), at: slot)
    }
  }
}

extension [PersistentIdentifier] {
  /// Removes each identifier that follows an equal one.
  fileprivate mutating func removeRepeats() {
    var count = Swift.min(1, self.count)
    for index in indices.dropFirst() where self[index] != self[count - 1] {
      swapAt(count, index)
      count += 1
    }
    removeLast(self.count - count)
  }
}

/// The relationships to prefetch, by slot, and the relationships that follow them; paths with the
/// same beginning share it.
struct PrefetchTree {
  private(set) var branches: [Int: PrefetchTree] = [:]

  /// Adds the relationships along a key path, as in `\.artist?.country`.
  ///
  /// After a to-many, a step to one of its members, as in `\.stops.first?.hotel`, means all of
  /// them. A path ends where it leaves the relationships.
  mutating func add(
    _ keyPath: AnyKeyPath, from descriptor: _ModelDescriptor, in coordinator: any StoreCoordinator
  ) {
    if let slot = descriptor.slot(for: keyPath) {
      branches[slot] = branches[slot] ?? PrefetchTree()
    } else {
      let steps = KeyPathComponent.all(of: keyPath)
      add(steps[...], from: descriptor, declaredAs: descriptor, in: coordinator)
    }
  }

  /// Adds relationships, up to one that only a subclass has.
  mutating func add(
    _ steps: ArraySlice<RelationshipPath.Step>, from descriptor: _ModelDescriptor,
    in coordinator: any StoreCoordinator
  ) {
    guard let step = steps.first, step.owner === descriptor,
      let destination = descriptor.link(step.slot, in: coordinator)?.destination
    else { return }
    branches[step.slot, default: PrefetchTree()]
      .add(steps.dropFirst(), from: destination, in: coordinator)
  }

  private mutating func add(
    _ steps: ArraySlice<KeyPathComponent>, from descriptor: _ModelDescriptor,
    declaredAs declared: _ModelDescriptor, in coordinator: any StoreCoordinator
  ) {
    guard let step = steps.first, let slot = descriptor.slot(of: step, from: declared),
      let next = descriptor.properties[slot].destination?._$descriptor,
      let destination = descriptor.link(slot, in: coordinator)?.destination
    else { return }
    let isToMany = descriptor.properties[slot].isToMany
    branches[slot, default: PrefetchTree()]
      .add(
        steps.dropFirst(isToMany ? 2 : 1), from: destination, declaredAs: next, in: coordinator)
  }
}
