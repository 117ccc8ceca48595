/// Finds the models that refer to deleted ones through relationships without an inverse. A save of the deletion
/// empties these relationships, and no relationship of a deleted model leads back to them.
///
/// Called by `UndoRecorder` when an event with deletions ends, which is before their save. Reads what the
/// stores know, one statement for each relationship, and the unsaved changes. A store that does not
/// report references (`StorePort.reportsReads`) is asked for all rows of the class.
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
    stores.coordinator.links.withoutInverse.flatMap { owner, slot, link in
      let wanted = targets.filter { $0._$storage.descriptor.isKind(of: link.destination) }
      if wanted.isEmpty { return [Reference]() }
      let byIdentifier = Dictionary(
        wanted.map { ($0._$storage.identifier, $0) }, uniquingKeysWith: { first, _ in first })
      let stored = storedOwners(owner, slot, link, of: wanted)
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

  /// The models whose rows refer to some of the targets.
  private func storedOwners(
    _ owner: _ModelDescriptor, _ slot: Int, _ link: RelationshipLink,
    of targets: [any PersistentModel]
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
    func owners(in rows: [DefaultSnapshot]) -> [any PersistentModel] {
      rows.compactMap { row in
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
    func readAll() throws -> [any PersistentModel] {
      try owners(
        in: port.rows(
          of: owner, leadingTo: Set(identifiers), through: [slot], stores.editingState))
    }
    return failedReads.noting {
      try ReadInterruption.suspended { try port.reportsReads ? read(owner.type) : readAll() }
    } ?? []
  }

  /// The models of a class with unsaved values of a relationship.
  private func pendingOwners(_ owner: _ModelDescriptor, _ slot: Int) -> [any PersistentModel] {
    let changes = materializer.changes
    return (changes.inserted(of: owner, having: []) + changes.changed(of: owner))
      .filter { $0.changedSlots.contains(slot) }
      .compactMap(\.persistentModel)
  }
}
