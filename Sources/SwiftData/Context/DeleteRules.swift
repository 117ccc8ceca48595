/// Applies delete rules in memory, before the store sees anything: for stores that implement the
/// public protocol, which have neither rules nor a lock. A store with transactions applies the
/// rules to its rows (`RowDeletion`). Called by `SavePreparation`.
///
/// Processes a queue of deleted models: cascade appends to it, nullify clears the inverse, deny
/// makes a failure. Related models are read one level of the queue at a time. At last relationships without an
/// inverse lose the deleted models (`LinksToDeleted`). The changes in memory are undone if the save fails.
struct DeleteRules {
  private let source: any _FaultSource
  private let stores: ContextStores
  private let context: ContextIdentity
  private let recorder: ChangeRecorder
  private let graph: ModelGraph
  private let fixer: RelationshipFixer
  private let prefetcher: Prefetcher
  private var undoings: [RelationshipFixer.Undoing] = []

  init(
    _ source: any _FaultSource, _ stores: ContextStores, _ context: ContextIdentity,
    _ recorder: ChangeRecorder, _ graph: ModelGraph, _ fixer: RelationshipFixer,
    _ prefetcher: Prefetcher
  ) {
    self.source = source
    self.stores = stores
    self.context = context
    self.recorder = recorder
    self.graph = graph
    self.fixer = fixer
    self.prefetcher = prefetcher
  }

  /// - Returns: The deletions that a rule denies.
  mutating func apply() -> [SwiftDataError] {
    undoings = []
    // For models that another context deleted, that context has applied the rules.
    if recorder.changes.deleted.isEmpty
      || stores.coordinator.ports.allSatisfy(\.isTransactional)
    {
      return []
    }
    var queue = recorder.rowsToDelete.filter {
      !$0.flags.contains(.hasNoRow) && stores.port(of: $0)?.isTransactional == false
    }
    var next = 0
    var denials: [(storage: _ModelStorage, slot: Int)] = []
    var level = 0
    while next < queue.count {
      if next == level {
        loadRelatedModels(of: queue[next...])
        level = queue.count
      }
      let storage = queue[next]
      next += 1
      for slot in storage.descriptor.relationshipSlots {
        guard let link = storage.descriptor.link(slot, in: stores.coordinator) else { continue }
        switch link.deleteRule {
        case .noAction: continue
        case .nullify: nullify(storage, slot, link)
        case .deny:
          if storage.flags.contains(.isDeleted) { denials.append((storage, slot)) }
        case .cascade:
          for partner in storage.relationships.partners(slot) {
            let partner = partner._$storage
            guard context.owns(partner), partner.flags.isDisjoint(with: [.isDeleted, .hasNoRow])
            else { continue }
            cascade(partner)
            queue.append(partner)
          }
        }
      }
    }
    var links = LinksToDeleted(source, stores, context, recorder, fixer, prefetcher)
    let left = links.empty(to: queue)
    undoings += links.undoings
    return denials.compactMap { denial($0.storage, $0.slot) } + left
  }

  /// Reads the related models that the rules need, one statement per relationship.
  private func loadRelatedModels(of storages: ArraySlice<_ModelStorage>) {
    guard storages.count > 1 else { return }
    for group in Dictionary(grouping: storages, by: { ObjectIdentifier($0.descriptor) }).values {
      let descriptor = group[0].descriptor
      for slot in descriptor.relationshipSlots {
        guard let link = descriptor.link(slot, in: stores.coordinator),
          link.deleteRule != .noAction,
          link.deleteRule != .nullify || link.inverseSlot != nil
        else { continue }
        prefetcher.loadRelatedModels(of: group, slot: slot, descriptor)
      }
    }
  }

  /// Undoes what `apply` changed in memory.
  mutating func undo() {
    for undoing in undoings.reversed() { undoing() }
    undoings = []
  }

  private mutating func cascade(_ storage: _ModelStorage) {
    let wasNew = storage.flags.contains(.isInserted)
    let model = storage.model
    graph.deleteAlone(storage)
    undoings.append { [source, graph, recorder] in
      if wasNew {
        graph.insert(storage, in: source)
      } else {
        recorder.restoreDeleted(storage)
      }
      withExtendedLifetime(model) {}
    }
  }

  private mutating func nullify(_ storage: _ModelStorage, _ slot: Int, _ link: RelationshipLink) {
    guard let inverse = link.inverseSlot else { return }
    for partner in storage.relationships.partners(slot) {
      let partner = partner._$storage
      guard context.owns(partner), partner.flags.isDisjoint(with: [.isDeleted, .hasNoRow]) else {
        continue
      }
      if partner.descriptor.properties[inverse].isToMany {
        undoings.append(fixer.remove(storage, from: partner, slot: inverse))
      } else {
        undoings.append(fixer.empty(partner, slot: inverse, of: storage))
      }
    }
  }

  private func denial(_ storage: _ModelStorage, _ slot: Int) -> SwiftDataError? {
    let blocking = storage.relationships.partners(slot)
      .filter { $0._$storage.flags.isDisjoint(with: [.isDeleted, .hasNoRow]) }
      .map(\.persistentModelID.description)
    if blocking.isEmpty { return nil }
    let more = blocking.count > 5 ? " and \(blocking.count - 5) more" : ""
    return SwiftDataError.modelValidationFailure.with(
      "The delete rule .deny prevents the deletion of \(storage.identifier), because the "
        + "relationship still has \(blocking.prefix(5).joined(separator: ", "))\(more). Delete or "
        + "unlink them first.", entity: storage.descriptor.entityName,
      property: storage.descriptor.properties[slot].name,
      because: .deletionDenied(
        entity: storage.descriptor.entityName, property: storage.descriptor.properties[slot].name))
  }
}
