import Foundation
import SwiftData
import Synchronization

extension ReferenceStore {
  struct UnknownEntity: Error {
    let name: String
  }

  struct Duplicate: Error {}

  struct EmptySave: Error {}

  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot> {
    if defect == .refusesEmptySaves,
      request.inserted.isEmpty && request.updated.isEmpty && request.deleted.isEmpty
    {
      throw EmptySave()
    }
    return try contents.state.withLock { state in
      var next = state
      if defect == .reusesKeys { next.nextKey = next.rows.count + 1 }
      next.before = next.rows
      do {
        let remapped = try write(request, to: &next)
        state = next
        return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
      } catch {
        if defect == .savesHalfAndThrows { state = next }
        throw error
      }
    }
  }

  private func write(
    _ request: DataStoreSaveChangesRequest<Snapshot>, to state: inout ReferenceRows<Snapshot>.State
  ) throws -> [PersistentIdentifier: PersistentIdentifier] {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    var new: [(snapshot: Snapshot, permanent: PersistentIdentifier)] = []
    // The identifiers come first, because snapshots of one save may refer to each other.
    for snapshot in request.inserted {
      let known = snapshot.persistentIdentifier
      let entity = known.entityName
      guard schema.entitiesByName[entity] != nil else {
        for (snapshot, permanent) in new {
          state.put(snapshot.copy(persistentIdentifier: permanent, remappedIdentifiers: remapped))
        }
        throw UnknownEntity(name: entity)
      }
      let others = new.filter { $0.permanent.entityName == entity }.map {
        ($0.snapshot, $0.permanent)
      }
      let permanent: PersistentIdentifier
      let stored = state.order.first { $0.entityName == entity }
      if defect == .mergesNewModels, let other = others.first {
        permanent = other.1
      } else if defect == .overwritesStoredRows, let stored {
        permanent = stored
      } else if let row = row(like: snapshot, in: state, others) {
        if configuration.refusesDuplicates { throw Duplicate() }
        if request.refusesUpserts { throw SwiftDataError.uniquenessViolation }
        permanent = row
      } else {
        permanent = try newIdentifier(known, state.nextKey)
        state.nextKey += 1
      }
      remapped[known] = permanent
      new.append((snapshot, permanent))
    }
    let given = defect.map { $0.remapped(remapped, request.inserted.map(\.persistentIdentifier)) }
    let links = given ?? remapped
    let isOther = state.lastEditor.map { $0 != request.editingState.id } ?? false
    for (index, (snapshot, permanent)) in new.enumerated() {
      if defect == .dropsARow, index == 1 { continue }
      if defect == .dropsTheLastOfMany, index > 98, index == new.count - 1 { continue }
      var row = snapshot.copy(persistentIdentifier: permanent, remappedIdentifiers: links)
      if defect == .mixesContexts, isOther, let last = state.lastInserted {
        row = last.copy(persistentIdentifier: permanent, remappedIdentifiers: [:])
      }
      state.put(altered(row, before: nil))
      state.lastInserted = row
    }
    for snapshot in request.updated {
      // Another context may have deleted the row.
      guard let old = state.rows[snapshot.persistentIdentifier] else {
        if defect == .revivesDeletedRows { state.put(snapshot) }
        continue
      }
      if defect == .losesUpdates { continue }
      let row = snapshot.copy(
        persistentIdentifier: snapshot.persistentIdentifier, remappedIdentifiers: links)
      state.put(altered(row, before: old))
    }
    if defect != .keepsDeletedRows {
      for snapshot in request.deleted { state.remove(snapshot.persistentIdentifier) }
    }
    state.lastEditor = request.editingState.id
    record(
      new.map { (.insert, $0.permanent) }
        + request.updated.map { (.update, $0.persistentIdentifier) }
        + request.deleted.map { (.delete, $0.persistentIdentifier) },
      by: request.editingState.author, in: &state)
    if defect == .returnsNoIdentifiers { return [:] }
    return remapped
  }

  private func newIdentifier(
    _ temporary: PersistentIdentifier, _ key: Int
  ) throws -> PersistentIdentifier {
    if defect == .keepsTemporaryIdentifiers { return temporary }
    return try .identifier(
      for: defect == .namesAnotherStore ? "elsewhere" : identifier,
      entityName: defect == .namesAnotherEntity ? "Memo" : temporary.entityName,
      primaryKey: "row-\(key)")
  }

  /// The row with the unique values of a new model.
  private func row(
    like snapshot: Snapshot, in state: ReferenceRows<Snapshot>.State,
    _ others: [(Snapshot, PersistentIdentifier)]
  ) -> PersistentIdentifier? {
    if defect == .insertsDuplicates { return nil }
    let entity = snapshot.persistentIdentifier.entityName
    for properties in uniqueProperties(of: entity) {
      func key(_ snapshot: Snapshot) -> [String] {
        let values = snapshot.namedValues
        return properties.map { "\((values[$0] ?? nil).map { "\($0)" } ?? "nil")" }
      }
      let wanted = key(snapshot)
      if let other = others.first(where: { key($0.0) == wanted }) { return other.1 }
      if let row = state.rows.first(where: {
        $0.key.entityName == entity && key($0.value) == wanted
      }) {
        return row.key
      }
    }
    return nil
  }

  // MARK: Batches

  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    let name = Schema.entityName(for: T.self)
    let breaksRules = defect == .ignoresDeleteRulesInBatches || defect == .deletesSubclassesAlways
    // What delete rules concern is left to the context.
    guard isPlain(T.self) || breaksRules && request.predicate == nil else {
      throw DataStoreError.unsupportedFeature
    }
    if defect == .ignoresBatches { return }
    let wanted =
      request.includeSubclasses || defect == .deletesSubclassesAlways ? family(of: name) : [name]
    let predicate = defect == .ignoresPredicatesInBatches ? nil : request.predicate
    try contents.state.withLock { state in
      let found = try state.order.filter { identifier in
        guard wanted.contains(identifier.entityName), let row = state.rows[identifier] else {
          return false
        }
        return try predicate.map { try $0.evaluate(model(T.self, row)) } ?? true
      }
      state.before = state.rows
      for identifier in found { state.remove(identifier) }
      record(found.map { (.delete, $0) }, by: request.editingState.author, in: &state)
    }
  }

  // MARK: History

  static var historyType: ReferenceTransaction.Type { ReferenceTransaction.self }

  private func record(
    _ changes: [(ReferenceChangeKind, PersistentIdentifier)], by author: String?,
    in state: inout ReferenceRows<Snapshot>.State
  ) {
    if changes.isEmpty { return }
    let number = state.nextTransaction
    state.nextTransaction += 1
    let recorded = changes.enumerated().compactMap { index, change in
      defect == .forgetsDeletionsInHistory && change.0 == .delete
        ? nil
        : HistoryChange.reference(change.0, change.1, number: index, in: number, of: schema)
    }
    state.transactions.append(
      ReferenceTransaction(
        transactionIdentifier: number,
        token: ReferenceToken(number: defect == .countsTokensDown ? -number : number),
        timestamp: Date(), storeIdentifier: identifier,
        author: defect == .forgetsAuthors ? nil : author, changes: recorded))
  }

  func fetchHistory(
    _ descriptor: HistoryDescriptor<ReferenceTransaction>
  ) throws -> [ReferenceTransaction] {
    var found = contents.state.withLock { $0.transactions }
    if let predicate = descriptor.predicate, defect != .ignoresTokens {
      found = try found.filter(predicate.evaluate)
    }
    if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
    return Array(found.prefix(descriptor.fetchLimit > 0 ? Int(descriptor.fetchLimit) : .max))
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<ReferenceTransaction>) throws {
    if defect == .keepsDeletedHistory { return }
    let predicate = descriptor.predicate
    try contents.state.withLock { state in
      try state.transactions.removeAll { try predicate?.evaluate($0) ?? true }
    }
  }
}
