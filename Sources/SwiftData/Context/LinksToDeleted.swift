/// Empties the relationships without an inverse that lead to models which a save deletes. No relationship of
/// these models leads to the owners, so the stores are asked for them: one request for each class that has such
/// relationships. Then the owners are among the changed models of the save.
///
/// Called by `DeleteRules`, for stores that implement the public protocol. Some of them do this themselves for
/// their rows (`LinkClearing`); then only links to new models are left, which a rule has removed before their
/// first save. `DeleteRules` undoes the changes in memory if the save fails.
struct LinksToDeleted {
  private typealias Link = (owner: _ModelDescriptor, slot: Int, link: RelationshipLink)

  private let source: any _FaultSource
  private let stores: ContextStores
  private let context: ContextIdentity
  private let changes: ChangeTracker
  private let fixer: RelationshipFixer
  private let materializer: Materializer
  private let failedReads: FailedReads
  private(set) var undoings: [RelationshipFixer.Undoing] = []
  /// The deleted models that matter to the store of an owner.
  private var targets: [PersistentIdentifier: _ModelStorage] = [:]
  /// Required relationships that lead to deleted models: the owners and these, by slot.
  private var left: [Int: [String]] = [:]

  init(
    _ source: any _FaultSource, _ stores: ContextStores, _ context: ContextIdentity,
    _ recorder: ChangeRecorder, _ fixer: RelationshipFixer, _ prefetcher: Prefetcher
  ) {
    self.source = source
    self.stores = stores
    self.context = context
    self.fixer = fixer
    changes = recorder.changes
    materializer = prefetcher.materializer
    failedReads = prefetcher.failedReads
  }

  /// - Returns: The deletions that would leave a required relationship without its model.
  mutating func empty(to deleted: [_ModelStorage]) -> [SwiftDataError] {
    let all = stores.coordinator.links.withoutInverse
    if all.isEmpty || deleted.isEmpty { return [] }
    // New ones have left the context.
    let new = deleted.filter { $0.source == nil }
    let (classes, newClasses) = (deleted.descriptors, new.descriptors)
    var rest = all.filter { link in
      guard let port = port(of: link.owner), !port.isTransactional else { return false }
      return (port.leavesLinksToContext ? classes : newClasses)
        .contains { $0.isKind(of: link.link.destination) }
    }[...]
    if rest.isEmpty { return [] }
    func byIdentifier(_ models: [_ModelStorage]) -> [PersistentIdentifier: _ModelStorage] {
      Dictionary(models.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    }
    let (allTargets, newTargets) = (byIdentifier(deleted), byIdentifier(new))
    var failures: [SwiftDataError] = []
    while let owner = rest.first?.owner {
      let links = rest.prefix { $0.owner === owner }
      rest = rest.dropFirst(links.count)
      guard let port = port(of: owner) else { continue }
      targets = port.leavesLinksToContext ? allTargets : newTargets
      left = [:]
      emptyUnsaved(links, of: owner)
      // No row leads to a new model.
      if port.leavesLinksToContext, new.count < deleted.count {
        emptyStored(links, of: owner, in: port)
      }
      failures += links.compactMap(failure)
    }
    return failures
  }

  private func port(of owner: _ModelDescriptor) -> (any StorePort)? {
    stores.coordinator.port(forEntity: owner.entityName)
  }

  /// Relationships that were set since the last save.
  private mutating func emptyUnsaved(_ links: ArraySlice<Link>, of owner: _ModelDescriptor) {
    for storage in changes.inserted(of: owner, having: []) + changes.changed(of: owner)
    where context.has(storage) {
      for (_, slot, link) in links where storage.changedSlots.contains(slot) {
        switch storage.relationships.value(slot) {
        case .model(let partner):
          if let target = targets[partner._$storage.identifier] {
            empty(storage, slot, link, of: target)
          }
        case .identifier(let identifier):
          if let target = targets[identifier.resolved] { empty(storage, slot, link, of: target) }
        case .toMany(let list):
          let members = Array(list.members ?? list.added)
          for member in members {
            guard let target = targets[member._$storage.identifier] else { continue }
            empty(storage, slot, link, of: target)
          }
        case .unset, .null, .weakReferences: continue
        }
      }
    }
  }

  /// Relationships as the store has them. The owners take the rows, because a store may replace the whole row by
  /// what the save sends.
  private mutating func emptyStored(
    _ links: ArraySlice<Link>, of owner: _ModelDescriptor, in port: any StorePort
  ) {
    let (wanted, slots) = (Set(targets.keys), links.map(\.slot))
    let rows = failedReads.noting {
      try ReadInterruption.suspended {
        try port.rows(of: owner, leadingTo: wanted, through: slots, stores.editingState)
      }
    }
    for row in rows ?? [] {
      if let known = materializer.registered(row.persistentIdentifier), !context.has(known.storage)
      {
        continue
      }
      let model = materializer.materialize(row, in: source)
      let storage = model._$storage
      for (_, slot, link) in links where isAsStored(slot, of: storage) {
        for identifier in row.relatedIdentifiers(slot) {
          if let target = targets[identifier] { empty(storage, slot, link, of: target) }
        }
      }
      withExtendedLifetime(model) {}
    }
  }

  /// Whether the members of a relationship are those of the row, without unsaved removals.
  private func isAsStored(_ slot: Int, of storage: _ModelStorage) -> Bool {
    guard storage.changedSlots.contains(slot) else { return true }
    if case .toMany(let list) = storage.relationships.value(slot) { return list.members == nil }
    return false
  }

  private mutating func empty(
    _ storage: _ModelStorage, _ slot: Int, _ link: RelationshipLink, of target: _ModelStorage
  ) {
    if link.isRequired {
      // `Validation` finds what a new model leaves.
      if target.source == nil { return }
      left[slot, default: []].append("\(storage.identifier) to \(target.identifier)")
    } else if !link.isToMany {
      undoings.append(fixer.empty(storage, slot: slot, of: target))
    } else if let model = target.persistentModel {
      if case .toMany(let list) = storage.relationships.value(slot), list.hasRemoved(model) {
        return
      }
      undoings.append(fixer.remove(target, from: storage, slot: slot))
    }
  }

  private func failure(_ link: Link) -> SwiftDataError? {
    left[link.slot].map {
      .requiredLinksLeft($0, of: link.owner.entityName, link.link.name)
    }
  }
}
