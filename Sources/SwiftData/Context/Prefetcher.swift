import Foundation
import OpenSwiftDataRowStorage

/// Reads related models in advance, so that following the relationships reads no more: one
/// statement per relationship, whatever the number of models. A server gets the statements of one fetch
/// together.
///
/// Prefetched models are retained by the models that they were read for, unless a path leads back to these
/// (`Prefetcher+PathsBack.swift`).
struct Prefetcher {
  let materializer: Materializer
  /// The context of the models.
  let source: any _FaultSource
  let failedReads: FailedReads
  let stores: ContextStores

  var editingState: EditingState { stores.editingState }

  /// Runs the statements of one operation, which see one state of the store.
  func readingOneState<R>(of port: any StorePort, _ body: () throws -> R) throws -> R {
    try port.snapshot(for: editingState, .oneOperation, canRepeat: { true }, body)
  }

  var coordinator: any StoreCoordinator { stores.coordinator }

  /// - Parameter ahead: Rows that the store has read together with the models.
  func prefetch<T: PersistentModel>(
    _ tree: PrefetchTree, of models: [T], _ ahead: ReadAhead? = nil
  ) {
    guard !tree.branches.isEmpty, !models.isEmpty,
      let port = coordinator.port(forEntity: T._$descriptor.entityName)
    else { return }
    prefetch(tree, of: storages(of: models), T._$descriptor, port, ahead)
    withExtendedLifetime(models) {}
  }

  /// Reads the models on some paths, for models whose relationships are about to be followed.
  func prefetch<T: PersistentModel>(_ paths: [RelationshipPath], of models: [T]) {
    guard models.count > 1, let port = coordinator.port(forEntity: T._$descriptor.entityName)
    else { return }
    var tree = PrefetchTree()
    for path in paths { tree.add(path.steps[...], from: T._$descriptor, in: coordinator) }
    prefetch(tree, of: storages(of: models), T._$descriptor, port, nil)
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
    if let branch = pending(slot, of: storages, descriptor, port) {
      read([branch], from: port, nil, nil)
    }
  }

  private func prefetch(
    _ tree: PrefetchTree, of storages: [_ModelStorage], _ descriptor: _ModelDescriptor,
    _ port: any StorePort, _ ahead: ReadAhead?
  ) {
    let visited = leadsBack(tree, from: descriptor) ? Visited() : nil
    prefetch(tree, of: storages, descriptor, port, ahead, visited, back: nil)
    if let visited { materializer.recent.keepTogether(visited.owners) }
  }

  /// - Parameter back: The many-to-many relationship through which the models were reached.
  private func prefetch(
    _ tree: PrefetchTree, of storages: [_ModelStorage], _ descriptor: _ModelDescriptor,
    _ port: any StorePort, _ ahead: ReadAhead?, _ visited: Visited?, back: Int?
  ) {
    visited?.models.formUnion(storages.lazy.map(ObjectIdentifier.init))
    let slots = tree.slots.filter { $0 != back && descriptor.link($0, in: coordinator) != nil }
    if port.readsRelatedModelsTogether {
      read(
        slots.compactMap { pending($0, of: storages, descriptor, port) }, from: port, ahead, visited
      )
    } else {
      for slot in slots {
        guard let branch = pending(slot, of: storages, descriptor, port) else { continue }
        read([branch], from: port, nil, visited)
      }
    }
    for slot in slots {
      guard let branch = tree.branches[slot], !branch.branches.isEmpty,
        let link = descriptor.link(slot, in: coordinator)
      else { continue }
      let isToMany = descriptor.properties[slot].isToMany
      // Prefetched models are retained by the models that they were read for.
      var next = loadedRelatedModels(of: storages, slot)
      if visited != nil, !isToMany {
        next += releasedPartners(of: storages, slot, port, besides: next)
      }
      if next.isEmpty { continue }
      let back = link.inverseSlot.flatMap {
        isToMany && link.destination.properties[$0].isToMany ? $0 : nil
      }
      prefetch(branch, of: next, link.destination, port, nil, visited, back: back)
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

  // MARK: Reading

  /// Models that one relationship leads to and that are not held yet.
  private enum Pending {
    case partners(
      slot: Int, links: [(storage: _ModelStorage, identifier: PersistentIdentifier)],
      missing: [PersistentIdentifier], _ModelDescriptor)
    case members(slot: Int, of: [_ModelStorage], _ModelDescriptor)

    var slot: Int {
      switch self {
      case .partners(let slot, _, _, _), .members(let slot, _, _): slot
      }
    }

    /// `nil` if all models are in memory.
    var request: RelatedModels? {
      switch self {
      case .partners(_, _, let missing, let destination):
        missing.isEmpty ? nil : .partners(missing, destination)
      case .members(let slot, let owners, let descriptor):
        .members(of: owners.compactMap(\.knownIdentifier), slot: slot, descriptor)
      }
    }
  }

  /// `nil` if there is nothing to read, or no store has the models.
  private func pending(
    _ slot: Int, of storages: [_ModelStorage], _ descriptor: _ModelDescriptor,
    _ port: any StorePort
  ) -> Pending? {
    if descriptor.properties[slot].isToMany { return pendingMembers(storages, slot, descriptor) }
    guard let destination = descriptor.link(slot, in: coordinator)?.destination else { return nil }
    return pendingPartners(storages, slot, destination, port)
  }

  /// - Parameter ahead: What need not be read any more.
  private func read(
    _ branches: [Pending], from port: any StorePort, _ ahead: ReadAhead?, _ visited: Visited?
  ) {
    let requests = branches.map(\.request)
    var answers = zip(branches, requests).map { branch, request in
      request.flatMap { ahead?.answer($0, branch.slot) }
    }
    let rest = requests.indices.filter { requests[$0] != nil && answers[$0] == nil }
    if !rest.isEmpty {
      let found = failedReads.noting {
        try port.related(rest.compactMap { requests[$0] }, editingState)
      }
      for (index, answer) in zip(rest, found ?? []) { answers[index] = answer }
    }
    for (branch, answer) in zip(branches, answers) {
      switch branch {
      case .partners(let slot, let links, _, let destination):
        setPartners(of: links, slot, destination, answer?.rows, visited)
      case .members(let slot, let owners, let descriptor):
        if let answer { setMembers(of: owners, slot, descriptor, answer, visited) }
      }
    }
  }

  private func pendingPartners(
    _ storages: [_ModelStorage], _ slot: Int, _ destination: _ModelDescriptor,
    _ port: any StorePort
  ) -> Pending {
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
    return .partners(slot: slot, links: links, missing: missing, destination)
  }

  private func setPartners(
    of links: [(storage: _ModelStorage, identifier: PersistentIdentifier)], _ slot: Int,
    _ destination: _ModelDescriptor, _ rows: FetchedRows?, _ visited: Visited?
  ) {
    func materialized<M: PersistentModel>(_ type: M.Type) -> [AnyObject] {
      rows.map { materializer.materialize($0, as: type, in: source) } ?? []
    }
    let fetched = materialized(destination.type)
    let inverse = links.first?.storage.descriptor.link(slot, in: coordinator)?.inverseSlot
    for (storage, identifier) in links {
      guard let partner = materializer.registered(identifier)?.storage.persistentModel else {
        continue
      }
      // Models that retain each other would never be released.
      if let inverse {
        let relationships = partner._$storage.relationships
        if visited?.models.contains(ObjectIdentifier(partner._$storage)) == true,
          let model = storage.persistentModel, relationships.holds(model, inverse)
        {
          continue
        }
        relationships.releaseModels(inverse)
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
  func toOneIdentifier(
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

  private func pendingMembers(
    _ storages: [_ModelStorage], _ slot: Int, _ descriptor: _ModelDescriptor
  ) -> Pending? {
    let unloaded = storages.filter { storage in
      guard case .unset = storage.overlaid(slot) else { return false }
      return storage.knownIdentifier?.isTemporary == false
    }
    return unloaded.isEmpty ? nil : .members(slot: slot, of: unloaded, descriptor)
  }

  private func setMembers(
    of owners: [_ModelStorage], _ slot: Int, _ descriptor: _ModelDescriptor,
    _ found: FetchedMembers, _ visited: Visited?
  ) {
    let models = materializer.members(of: found.rows, in: source, shown: visited?.models ?? [])
    let changes = materializer.changes
    let state = changes.isEmpty ? found.rows.state : nil
    let inverse =
      changes.isEmpty && visited == nil
      ? nil : descriptor.link(slot, in: coordinator)?.inverseSlot
    for (storage, range) in zip(owners, found.ranges) {
      let members = models[range]
      let current =
        inverse == nil
        ? members
        : changes.withoutReassigned(Array(members), of: storage, inverse: inverse)[...]
      if let inverse, let visited, !release(storage, inverse, by: current, visited) { continue }
      storage.overlay(.toMany(_ToManyValue(loaded: current, in: state)), at: slot)
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

  init() {}

  init<T: PersistentModel>(
    _ keyPaths: [PartialKeyPath<T>], of type: T.Type, in coordinator: any StoreCoordinator
  ) {
    for keyPath in keyPaths { add(keyPath, from: type._$descriptor, in: coordinator) }
  }

  /// The slots of the first relationships, in ascending order.
  var slots: [Int] { branches.keys.sorted() }

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
