/// Finds the models that refer to deleted ones through relationships without an inverse. A save of the deletion
/// empties these relationships, and no relationship of a deleted model leads back to them.
///
/// Called by `UndoRecorder` when an event with deletions ends, which is before their save. Reads what the
/// stores know, one statement for each relationship, and the unsaved changes. A store that does not
/// report references (`StorePort.reportsReads`) is asked once for each class.
struct ReferencesWithoutInverse {
  struct Reference {
    let owner: any PersistentModel
    let slot: Int
    let target: any PersistentModel
  }

  private let source: any _FaultSource
  private let context: ContextIdentity
  private let stores: ContextStores
  private let materializer: Materializer
  private let failedReads: FailedReads

  init(
    _ source: any _FaultSource, _ context: ContextIdentity, _ stores: ContextStores,
    _ materializer: Materializer, _ failedReads: FailedReads
  ) {
    self.source = source
    self.context = context
    self.stores = stores
    self.materializer = materializer
    self.failedReads = failedReads
  }

  func references(to targets: [any PersistentModel]) -> [Reference] {
    let links = stores.coordinator.links.withoutInverse.filter { link in
      targets.contains { $0._$storage.descriptor.isKind(of: link.link.destination) }
    }
    var known: (owner: _ModelDescriptor, rows: [DefaultSnapshot])?
    return links.flatMap { owner, slot, link in
      let wanted = targets.filter { $0._$storage.descriptor.isKind(of: link.destination) }
      let byIdentifier = Dictionary(
        wanted.map { ($0._$storage.identifier, $0) }, uniquingKeysWith: { first, _ in first })
      if known?.owner !== owner {
        let slots = links.filter { $0.owner === owner }.map(\.slot)
        known = (owner, rows(of: owner, leadingTo: targets, through: slots))
      }
      let stored = storedOwners(owner, slot, link, of: wanted, among: known?.rows ?? [])
        .filter { !$0._$storage.changedSlots.contains(slot) }
      return (stored + pendingOwners(owner, slot)).flatMap { model -> [Reference] in
        let storage = model._$storage
        guard context.has(storage) else { return [] }
        if wanted.count == 1, !storage.changedSlots.contains(slot) {
          // A list need not be read.
          return [Reference(owner: model, slot: slot, target: wanted[0])]
        }
        return storage.relationships.partners(slot).compactMap { partner in
          byIdentifier[partner._$storage.identifier].map {
            Reference(owner: model, slot: slot, target: $0)
          }
        }
      }
    }
  }

  /// The rows that refer to some of the targets, from a store that does not report reads.
  private func rows(
    of owner: _ModelDescriptor, leadingTo targets: [any PersistentModel], through slots: [Int]
  ) -> [DefaultSnapshot] {
    let identifiers = targets.map { $0._$storage.identifier }.filter { !$0.isTemporary }
    guard !identifiers.isEmpty, let port = stores.coordinator.port(forEntity: owner.entityName),
      !port.reportsReads
    else { return [] }
    return failedReads.noting {
      try ReadInterruption.suspended {
        try port.rows(
          of: owner, leadingTo: Set(identifiers), through: slots, stores.editingState)
      }
    } ?? []
  }

  /// The models whose rows refer to some of the targets.
  /// - Parameter rows: The rows of a store that does not report reads.
  private func storedOwners(
    _ owner: _ModelDescriptor, _ slot: Int, _ link: RelationshipLink,
    of targets: [any PersistentModel], among rows: [DefaultSnapshot]
  ) -> [any PersistentModel] {
    let identifiers = targets.map { $0._$storage.identifier }.filter { !$0.isTemporary }
    guard !identifiers.isEmpty, let port = stores.coordinator.port(forEntity: owner.entityName)
    else { return [] }
    func isUnread(_ identifier: PersistentIdentifier) -> Bool {
      materializer.registered(identifier)?.storage.flags.contains(.isFault) ?? true
    }
    func registered(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
      materializer.registered(identifier)?.model as? any PersistentModel
    }
    if !port.reportsReads {
      let wanted = Set(identifiers)
      return rows.filter { $0.relatedIdentifiers(slot).contains(where: wanted.contains) }
        .compactMap { row in
          isUnread(row.persistentIdentifier)
            ? materializer.materialize(row, in: source) : registered(row.persistentIdentifier)
        }
    }
    let path = RelationshipPath(
      steps: [RelationshipPath.Step(owner: owner, slot: slot)], destination: link.destination,
      reads: SlotSet())
    func read<M: PersistentModel>(_ type: M.Type) throws -> [any PersistentModel] {
      let request = DataStoreFetchRequest(
        descriptor: FetchDescriptor<M>(), editingState: stores.editingState)
      let owners = try port.identifiers(
        of: request,
        leadingTo: [RelationshipPathTargets(path: path, identifiers: identifiers)]
      ).identifiers
      let rows = try stores.rows(of: owners.filter(isUnread), owner, in: port)
      return owners.compactMap { identifier in
        if let row = rows[identifier] { return materializer.materialize(row, in: source) }
        return registered(identifier)
      }
    }
    return failedReads.noting { try ReadInterruption.suspended { try read(owner.type) } } ?? []
  }

  /// The models of a class with unsaved values of a relationship.
  private func pendingOwners(_ owner: _ModelDescriptor, _ slot: Int) -> [any PersistentModel] {
    let changes = materializer.changes
    return (changes.inserted(of: owner, having: []) + changes.changed(of: owner))
      .filter { $0.changedSlots.contains(slot) }
      .compactMap(\.persistentModel)
  }
}
