extension SnapshotPort {
  var isTransactional: Bool { false }
  var writesConcurrently: Bool { false }
  var countsMembers: Bool { store is any MemberCounting }

  func openSave(for editor: EditingState, _ access: WriteAccess) throws -> any OpenSave {
    SaveThroughProtocol(port: self)
  }

  func openTransaction(
    for editor: EditingState, _ access: WriteAccess, within limit: Duration?
  ) throws -> (any StoreTransaction)? { nil }

  /// Saves through the public protocol, which writes and commits in one call.
  fileprivate func save(
    _ request: SaveRequest, _ options: SaveOptions, source: any _FaultSource
  ) throws -> SaveReceipt {
    let new = request.inserted.allSnapshots
    let updated = try completed(request.updated, request.editingState)
    func exported(_ snapshots: [DefaultSnapshot]) -> [Store.Snapshot] {
      (snapshots as? [Store.Snapshot])
        ?? snapshots.map { $0.exported(as: Store.Snapshot.self, source) }
    }
    let result: DataStoreSaveChangesResult<Store.Snapshot>
    do {
      result = try store.save(
        DataStoreSaveChangesRequest(
          inserted: exported(new), updated: exported(updated),
          deleted: exported(request.deleted), editingState: request.editingState,
          refusesUpserts: options.refusesUpserts, notesEarlierLinks: options.notesEarlierLinks))
    } catch let error as DataStoreError where error.isLeftToMemory {
      throw SwiftDataError.storeWriteFailure.with(
        "The store \(name) threw DataStoreError.\(error.name) from save. The error is for fetches: a store that "
          + "can't save throws another one, with the reason.", doing: "saving")
    }
    let inserted = try new.map { try permanentIdentifier(of: $0, in: result.remappedIdentifiers) }
    var receipt = SaveReceipt(
      inserted: inserted,
      reregistered: try result.snapshotsToReregister.values.map(converted),
      token: result.historyToken)
    if !result.merged.isEmpty {
      for (index, snapshot) in new.enumerated() {
        guard let row = result.merged[snapshot.persistentIdentifier] else { continue }
        var merge = SaveConsequences.Merge(index: index, isOfNewModel: false)
        merge.earlierLinks = row?.toOnes(of: snapshot.descriptor)
        receipt.consequences.merged.append(merge)
      }
      if options.notesEarlierLinks {
        receipt.consequences.newMembers = newMembers(
          of: new + request.updated, besides: result.merged.compactMapValues(\.self),
          result.remappedIdentifiers)
      }
    }
    return receipt
  }

  /// The identifier that a save gave to a new model.
  private func permanentIdentifier(
    of snapshot: DefaultSnapshot, in remapped: [PersistentIdentifier: PersistentIdentifier]
  ) throws -> PersistentIdentifier {
    func failure(_ text: String) -> SwiftDataError {
      SwiftDataError.modelValidationFailure.with(
        "The store \(store.configuration.name) saved a new model, but returned \(text)",
        entity: snapshot.descriptor.entityName, because: .other)
    }
    guard let permanent = remapped[snapshot.persistentIdentifier] else {
      throw failure(
        "no identifier for it. It has to return one in remappedIdentifiers for each inserted "
          + "snapshot.")
    }
    if permanent.isTemporary { throw failure("a temporary identifier for it.") }
    if permanent.storeIdentifier != store.identifier {
      throw failure(
        "the identifier \(permanent) for it, which does not contain the store's own identifier.")
    }
    if permanent.entityName != snapshot.descriptor.entityName {
      throw failure("the identifier \(permanent) for it, which names another entity.")
    }
    return permanent
  }

  /// Updated models with all members of their to-many relationships, including members that the
  /// context has not loaded, because a store replaces its values by the snapshot.
  private func completed(
    _ snapshots: [DefaultSnapshot], _ editingState: EditingState
  ) throws -> [DefaultSnapshot] {
    var completed = snapshots
    var stored: [PersistentIdentifier: DefaultSnapshot] = [:]
    let incomplete = snapshots.filter { !$0.unknownToManySlots.isEmpty }
    if incomplete.isEmpty { return snapshots }
    for known in try self.snapshots(for: incomplete.map(\.persistentIdentifier), editingState) {
      stored[known.persistentIdentifier] = known
    }
    // All owners of one relationship together: a store without lists needs one query per
    // relationship.
    var missing: [Relationship: [Int]] = [:]
    for (index, snapshot) in completed.enumerated() {
      for slot in snapshot.unknownToManySlots {
        let relationship = Relationship(entity: ObjectIdentifier(snapshot.descriptor), slot: slot)
        missing[relationship, default: []].append(index)
      }
    }
    for (relationship, indices) in missing {
      let owners = indices.compactMap { stored[completed[$0].persistentIdentifier] }
      let lists = try memberIdentifiers(of: owners, slot: relationship.slot, editingState)
      for index in indices {
        completed[index].fillMembers(
          of: relationship.slot, stored: lists[completed[index].persistentIdentifier] ?? [])
      }
    }
    return completed
  }

  /// The store applies the delete rules to its rows, or throws a `DataStoreError`.
  func entitiesConcerned(byDeletionOf descriptor: _ModelDescriptor) -> Set<String>? {
    guard store is any DataStoreBatching else { return nil }
    var concerned: Set<String> = []
    var deleted = schema.hierarchy(of: descriptor.entityName)
    var waiting = Array(deleted)
    while let name = waiting.popLast() {
      concerned.insert(name)
      for entity in schema.entities {
        for relationship in entity.relationships {
          let destination = schema.hierarchy(of: relationship.destination)
          if destination.contains(name) { concerned.formUnion(schema.hierarchy(of: entity.name)) }
          guard entity.name == name else { continue }
          concerned.formUnion(destination)
          guard relationship.deleteRule == .cascade else { continue }
          waiting += destination.subtracting(deleted)
          deleted.formUnion(destination)
        }
      }
    }
    return concerned
  }

  func delete<T: PersistentModel>(
    _ request: DataStoreBatchDeleteRequest<T>, willCommit: (BatchDeletionReceipt?) -> Void
  ) throws {
    guard let store = store as? any DataStoreBatching else {
      throw DataStoreError.unsupportedFeature
    }
    willCommit(nil)
    try store.delete(request)
  }
}

extension Schema {
  /// The names of an entity, its superentities and its subentities.
  fileprivate func hierarchy(of entity: String) -> Set<String> {
    let above = lineage(of: entity).map(\.name)
    let below = entities.map(\.name).filter { name in
      lineage(of: name).contains { $0.name == entity }
    }
    return Set(above + below)
  }
}

/// A relationship of a class.
private struct Relationship: Hashable {
  let entity: ObjectIdentifier
  let slot: Int
}

/// A save of a custom store, which has committed as soon as it is written.
private struct SaveThroughProtocol<Store: DataStore>: OpenSave {
  let port: SnapshotPort<Store>

  func write(
    _ request: SaveRequest, _ options: SaveOptions,
    source: any _FaultSource
  ) throws -> SaveReceipt { try port.save(request, options, source: source) }

  func complete(_ rows: [DefaultSnapshot]) {}

  func commit() {}

  func abandon() {}
}
