/// Breaks circles of models that retain each other when their context is closed. Nothing would free them
/// after that.
///
/// Models that the app still holds keep the other related models that are in memory, so that what a fetch has
/// prefetched is not read again. Models with unsaved changes, which are lost now, keep none.
///
/// 1. If the classes of the held models lead to no circle, nothing is released.
/// 2. Otherwise a walk in depth first follows the held models. A relationship that leads back to a model of the
///    path is released: a list is read again, a to-one is found by its identifier. To-ones are followed before
///    lists, so that a circle of both loses the list.
struct RetainingCircles {
  private enum Visit { case none, onPath, done }

  private struct Step {
    let node: Int
    /// The nodes that it leads to, with the slot of the relationship.
    var targets: [(slot: Int, node: Int)]
  }

  private let holders: [_ModelStorage]
  private var nodes: [ObjectIdentifier: Int] = [:]
  private var visits: [Visit]

  static func release(among models: [RetainedModel], in coordinator: any StoreCoordinator) {
    var holders: [_ModelStorage] = []
    for model in models {
      let storage = model.storage
      guard storage.flags.isDisjoint(with: [.isPending, .hasNoRow]) else {
        storage.relationships.releaseModels()
        continue
      }
      storage.relationships.releaseChangedLists()
      if storage.overlay.retainsModels(in: storage.descriptor.relationshipSlots) {
        holders.append(storage)
      }
    }
    withExtendedLifetime(models) {
      guard mayContainCircle(holders, coordinator) else { return }
      var circles = RetainingCircles(holders)
      circles.release()
    }
  }

  private init(_ holders: [_ModelStorage]) {
    // A walk that begins at a list would lose the to-ones that lead back.
    self.holders =
      holders.filter(\.relationships.holdsToOne) + holders.filter { !$0.relationships.holdsToOne }
    visits = Array(repeating: .none, count: holders.count)
    for (node, storage) in self.holders.enumerated() { nodes[ObjectIdentifier(storage)] = node }
  }

  /// Whether the classes of the held models lead back to each other.
  private static func mayContainCircle(
    _ holders: [_ModelStorage], _ coordinator: any StoreCoordinator
  ) -> Bool {
    struct Kind: Hashable {
      let owner: ObjectIdentifier
      let slot: Int
    }
    var known: Set<Kind> = []
    var edges: [String: Set<String>] = [:]
    for storage in holders {
      let descriptor = storage.descriptor
      for slot in storage.relationships.holdingSlots
      where known.insert(Kind(owner: ObjectIdentifier(descriptor), slot: slot)).inserted {
        guard let link = descriptor.link(slot, in: coordinator) else { return true }
        edges[root(of: descriptor, coordinator), default: []].insert(
          root(of: link.destination, coordinator))
      }
    }
    // Without the classes that lead nowhere, again and again, only circles and what leads to them are left.
    while let (name, _) = edges.first(where: { $0.value.isDisjoint(with: edges.keys) }) {
      edges[name] = nil
    }
    return !edges.isEmpty
  }

  private static func root(
    of descriptor: _ModelDescriptor, _ coordinator: any StoreCoordinator
  ) -> String {
    let name = descriptor.entityName
    return coordinator.schema.entitiesByName[name]?.rootEntity.name ?? name
  }

  private mutating func release() {
    for start in holders.indices where visits[start] == .none {
      var path = [step(to: start)]
      while let last = path.indices.last {
        guard let (slot, node) = path[last].targets.popLast() else {
          visits[path.removeLast().node] = .done
          continue
        }
        switch visits[node] {
        case .none: path.append(step(to: node))
        case .onPath: holders[path[last].node].relationships.releaseModels(slot)
        case .done: continue
        }
      }
    }
  }

  private mutating func step(to node: Int) -> Step {
    visits[node] = .onPath
    let relationships = holders[node].relationships
    let slots = relationships.holdingSlots
    let properties = holders[node].descriptor.properties
    var targets: [(slot: Int, node: Int)] = []
    // The last ones are followed first.
    for isToMany in [true, false] {
      for slot in slots where properties[slot].isToMany == isToMany {
        relationships.forEachHeldModel(slot) { model in
          guard let target = nodes[ObjectIdentifier(model._$storage)] else { return }
          targets.append((slot, target))
        }
      }
    }
    return Step(node: node, targets: targets)
  }
}

extension RelationshipValues {
  /// The relationships that retain models.
  fileprivate var holdingSlots: [Int] {
    storage.descriptor.relationshipSlots.filter { slot in
      switch value(slot) {
      case .model: true
      case .toMany(let list): list.members != nil
      case .unset, .null, .identifier, .weakReferences: false
      }
    }
  }

  fileprivate var holdsToOne: Bool {
    holdingSlots.contains { !storage.descriptor.properties[$0].isToMany }
  }

  fileprivate func forEachHeldModel(_ slot: Int, _ body: (any PersistentModel) -> Void) {
    switch value(slot) {
    case .model(let partner): body(partner)
    case .toMany(let list): list.members?.forEach(body)
    case .unset, .null, .identifier, .weakReferences: return
    }
  }

  /// Lists with changes are read again.
  fileprivate func releaseChangedLists() {
    for slot in storage.descriptor.relationshipSlots {
      guard case .toMany(let list) = value(slot), list.isChanged || list.isReordered else {
        continue
      }
      storage.overlay(.unset, at: slot)
    }
  }
}
