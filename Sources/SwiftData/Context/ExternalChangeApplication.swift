import Foundation
import OpenSwiftDataRowStorage

/// Applies changes saved by other contexts of the container.
///
/// 1. The feed provides the rows that were changed or deleted, or may have been.
/// 2. Rows that models of this context show are read again, one statement per entity.
/// 3. Models take their new rows and notify their observers; unsaved changes stay on top.
/// 4. Models without a row count as deleted from then on. They keep their last values and are
///    removed from the lists of relationships.
///
/// Runs only when models may change: before a fetch and a save, after a rollback, in
/// `processPendingChanges`, and for the main context in a job of the main actor.
final class ExternalChangeApplication {
  let feed: ExternalChangeFeed
  private let stores: ContextStores
  private let identities: IdentityRegistry
  private let changes: ChangeTracker
  private let lostReferences: LostReferences
  private let unreadableValues: UnreadableValues
  private let watchers: EditWatchers
  private let conflictCheck: ConflictCheck
  /// The entities whose rows could not be read the last time.
  private var unreadEntities: Set<String> = []

  init(
    _ feed: ExternalChangeFeed, _ stores: ContextStores, _ identities: IdentityRegistry,
    _ changes: ChangeTracker, _ lostReferences: LostReferences,
    _ unreadableValues: UnreadableValues, _ watchers: EditWatchers, _ conflictCheck: ConflictCheck
  ) {
    self.feed = feed
    self.stores = stores
    self.identities = identities
    self.changes = changes
    self.lostReferences = lostReferences
    self.unreadableValues = unreadableValues
    self.watchers = watchers
    self.conflictCheck = conflictCheck
  }

  /// Applies what other contexts saved since the last call. Does nothing in a snapshot, and in a
  /// transaction beside other writers.
  func applyNew() {
    if stores.isReadingSnapshot || stores.isBesideWriters { return }
    if let (saved, areNew) = feed.take() { apply(saved, areNew: areNew) }
  }

  /// Makes models show the state of a snapshot that has begun, after saves since `applyNew`. The snapshot
  /// may not contain all of these, so they are applied again after it.
  func applyNewInSnapshot() {
    guard let (saved, areNew) = feed.take() else { return }
    apply(saved, areNew: areNew, readsDeleted: true)
    if !feed.hasUnappliedChanges { feed.putBack(saved) }
  }

  /// If the rows of an entity can't be read, its models stay as they are, and their changes are applied later.
  /// - Parameters:
  ///   - areNew: Whether some of the changes were not applied before without success.
  ///   - readsDeleted: Whether deleted rows are read too, because the reads may see an earlier state.
  /// - Returns: The models whose rows were deleted.
  @discardableResult
  func apply(
    _ saved: SavedChanges, areNew: Bool = true, readsDeleted: Bool = false
  ) -> [_ModelStorage] {
    guard feed.isOpen else { return [] }
    var outdated = OutdatedModels()
    for (identifier, slots) in saved.updated { find(identifier) { outdated.insert($0, slots) } }
    for identifier in saved.deleted {
      find(identifier) { readsDeleted ? outdated.insert($0, nil) : outdated.insertDeleted($0) }
    }
    if saved.isEverything || !saved.invalidatedEntities.isEmpty {
      let entities = saved.invalidatedEntities.compactMap {
        stores.coordinator.modelType(forEntity: $0)?._$descriptor
      }
      let models = identities.models {
        saved.isEverything || entities.contains(where: $0.descriptor.isKind(of:))
      }
      for model in models { outdated.insert(model.storage, nil) }
    }
    // An owner that is read again drops all its lists; the others drop only members, when these leave.
    for (identifier, slots) in saved.changedLists where !outdated.models.isEmpty {
      find(identifier) { outdated.name(slots, of: $0) }
    }
    if !saved.changedListsOfEntities.isEmpty { outdated.name(saved.changedListsOfEntities) }
    let (unread, failed) = refresh(&outdated)
    // A snapshot is followed by another attempt with all changes.
    if !failed.isEmpty { feed.putBack(readsDeleted ? saved : unread) }
    let earlier = unreadEntities
    unreadEntities = failed
    leave(outdated)
    notifyObserversOfUnloadedLists(saved)
    if failed == earlier {
      // Without new changes all queries know the failure. An observer that reads again after each notification would
      // otherwise be notified forever.
      if failed.isEmpty || areNew || !outdated.lost.isEmpty {
        watchers.didApply(failed.isEmpty ? saved : .everything, lost: outdated.lost)
      }
    } else {
      // Models of any query may be outdated now, also if the changes do not concern the query. So all queries fetch:
      // they get the error, or can fetch again.
      watchers.didApply(.everything, lost: outdated.lost)
    }
    return withExtendedLifetime(outdated) { outdated.deleted }
  }

  /// Handles rows that were deleted without an announcement.
  /// - Returns: Whether this context had models of them.
  func applyDeletion(of identifiers: [PersistentIdentifier]) -> Bool {
    var outdated = OutdatedModels()
    // A new model has no row that a writer could have deleted.
    for identifier in identifiers where !identifier.isTemporary {
      find(identifier) { outdated.insertDeleted($0) }
    }
    leave(outdated)
    let saved = SavedChanges(deleted: identifiers)
    watchers.didApply(saved, lost: outdated.lost)
    return withExtendedLifetime(outdated) { !outdated.deleted.isEmpty }
  }

  /// Whether the context has models of some of the rows.
  func hasModels(of identifiers: [PersistentIdentifier]) -> Bool {
    identifiers.contains { !identities.instances(of: $0).isEmpty }
  }

  private func leave(_ outdated: OutdatedModels) {
    if outdated.deleted.isEmpty { return }
    lostReferences.expect()
    for storage in outdated.deleted { leave(storage) }
    lostReferences.dropDeletedMembers()
    lostReferences.dropReferences()
    // Nothing would release two that refer to each other.
    for storage in outdated.deleted where storage.flags.isDisjoint(with: .isPending) {
      storage.relationships.releaseAll()
    }
    identities._invariantCheck()
  }

  /// Owners of lists that lost members, where the lists are not in memory any more.
  private func notifyObserversOfUnloadedLists(_ saved: SavedChanges) {
    for (identifier, slots) in saved.changedLists {
      find(identifier) { $0.notifyObserversOfUnloadedLists(slots) }
    }
    if saved.changedListsOfEntities.isEmpty { return }
    let owners = identities.models { storage in
      storage.observers != nil && saved.changedListsOfEntities[storage.descriptor.entityName] != nil
    }
    for owner in owners {
      let slots = saved.changedListsOfEntities[owner.storage.descriptor.entityName] ?? SlotSet()
      owner.storage.notifyObserversOfUnloadedLists(slots)
    }
    withExtendedLifetime(owners) {}
  }

  /// Calls `body` with each instance of a row.
  private func find(_ identifier: PersistentIdentifier, _ body: (_ModelStorage) -> Void) {
    for live in identities.instances(of: identifier) { body(live.storage) }
  }

  /// - Returns: The changes of rows that can't be read, and their entities. They alone are tried again: models that
  ///   took their rows twice would notify their observers of values that did not change.
  private func refresh(
    _ outdated: inout OutdatedModels
  ) -> (unread: SavedChanges, entities: Set<String>) {
    var unread = SavedChanges()
    var entities: Set<String> = []
    let models = outdated.models
    for (name, group) in Dictionary(grouping: models, by: \.storage.descriptor.entityName) {
      guard let port = stores.coordinator.port(forEntity: name),
        let descriptor = stores.coordinator.modelType(forEntity: name)?._$descriptor
      else { continue }
      let identifiers = Set(group.compactMap(\.storage.knownIdentifier))
      guard let found = try? stores.rows(of: Array(identifiers), descriptor, in: port) else {
        entities.insert(name)
        for model in group { unread.insert(model.storage, model.slots) }
        continue
      }
      for model in group {
        if let snapshot = model.storage.knownIdentifier.flatMap({ found[$0] }) {
          take(snapshot, for: model.storage, model.slots)
        } else {
          outdated.insertDeleted(model.storage)
        }
      }
    }
    return (unread, entities)
  }

  /// - Parameter slots: The changed slots; nil if the log doesn't name them.
  private func take(
    _ snapshot: DefaultSnapshot, for storage: _ModelStorage, _ slots: SlotSet?
  ) {
    let isPending = !storage.flags.isDisjoint(with: [.isChanged, .isDeleted])
    let read = isPending ? changes.savedSnapshot(of: storage) : nil
    let changed = changedSlots(in: snapshot, of: storage, named: slots, read)
    let kept = isPending ? storage.changedSlots : SlotSet()
    if isPending { changes.recordNewRow(of: storage) }
    if let read, let identifier = storage.knownIdentifier {
      let lost = storage.flags.contains(.isDeleted) ? changed : changed.intersection(kept)
      feed.recordConflict(identifier, lost)
      feed.recordExternalChange(identifier, changed, read: read)
    }
    changes.forgetExternalChange(of: storage)
    if !unreadableValues.isEmpty {
      let names = Set(storage.descriptor.names(of: changed))
      unreadableValues.forget([(snapshot.persistentIdentifier, names)])
    }
    // A list with unsaved changes shows those of both.
    let hidden = kept.subtracting(storage.descriptor.toManySlots)
    let lists = lists(around: storage, snapshot, changed.subtracting(kept))
    storage.notifyingObservers(of: changed.subtracting(hidden)) {
      snapshot.refresh(storage, changed: changed, keeping: kept)
    }
    if isPending { changes.recordSavedValues(of: snapshot, under: storage) }
    for (owner, slot) in lists {
      owner.notifyObserversOfUnloadedLists(SlotSet(slot))
      guard case .toMany = owner.overlaid(slot) else { continue }
      owner.notifyingObservers(of: slot) { owner.relationships.forgetMembers(slot) }
    }
  }

  /// The row may have changes of other processes too, which the log of this one does not name.
  /// A store may keep relationships outside its rows.
  /// - Parameter read: What a pending model has last read or saved; nil for other models.
  private func changedSlots(
    in snapshot: DefaultSnapshot, of storage: _ModelStorage, named slots: SlotSet?,
    _ read: DefaultSnapshot?
  ) -> SlotSet {
    var changed = slots ?? snapshot.slotsDiffering(from: storage)
    if read == nil, storage.overlay.isEmpty, storage.reader != nil {
      if slots == nil { return changed }
      changed.formUnion(
        snapshot.slotsDiffering(from: storage).subtracting(storage.descriptor.toManySlots))
    } else if let port = stores.port(of: storage) {
      // Values that the context has set are not in the row that it has read.
      changed.formUnion(
        conflictCheck.differingSlots(read ?? DefaultSnapshot(known: storage), snapshot, port))
    }
    return changed
  }

  /// The lists in memory that a row leaves or enters with its to-one relationships. Its writer may not have known that
  /// another one had moved the row, so the save names only lists that the writer knew.
  private func lists(
    around storage: _ModelStorage, _ snapshot: DefaultSnapshot, _ changed: SlotSet
  ) -> [(owner: _ModelStorage, slot: Int)] {
    guard let row = snapshot.row, let port = stores.port(of: storage) else { return [] }
    let descriptor = storage.descriptor
    let new = RowReader(row: row, cellsOffset: descriptor.cellsOffset)
    func owner(_ row: RowReader?, _ slot: Int) -> PersistentIdentifier? {
      guard let row, !row.isNull(slot) else { return nil }
      return port.destination(of: descriptor, slot: slot, key: row.integer(slot))
    }
    return descriptor.relationshipSlots.filter(changed.contains).flatMap { slot in
      guard !descriptor.properties[slot].isToMany,
        let link = descriptor.link(slot, in: stores.coordinator), let inverse = link.inverseSlot,
        link.destination.toManySlots.contains(inverse)
      else { return [(owner: _ModelStorage, slot: Int)]() }
      // After a save of this context the row is older than the value in memory.
      let old =
        switch storage.relationships.value(slot) {
        case .identifier(let identifier): identifier.resolved
        case .model(let partner): partner._$storage.identifier.resolved
        case .unset: owner(storage.reader, slot)
        case .null, .toMany, .weakReferences: nil as PersistentIdentifier?
        }
      let now = owner(new, slot)
      if old == now { return [] }
      let owners = [old, now].compactMap(\.self).flatMap(identities.instances(of:))
      return owners.map { ($0.storage, inverse) }
    }
  }

  /// Handles a model whose row another context deleted.
  ///
  /// It stays in this context, so that the next save can report which of its edits are lost.
  private func leave(_ storage: _ModelStorage) {
    identities.removeDeleted(storage)
    storage.notifyingObserversOfAll { storage.loseRow() }
  }
}

/// The models of rows that other contexts saved, retained while the rows are read again.
private struct OutdatedModels {
  private(set) var models: [(storage: _ModelStorage, slots: SlotSet?, model: AnyObject)] = []
  private(set) var deleted: [_ModelStorage] = []
  /// The deleted models, and those that were already known to be deleted.
  private(set) var lost: [_ModelStorage] = []
  private var indices: [ObjectIdentifier: Int] = [:]
  private var owners: [AnyObject] = []

  mutating func insert(_ storage: _ModelStorage, _ slots: SlotSet?) {
    guard let model = storage.model, !storage.flags.contains(.hasNoRow),
      storage.row != nil || storage.partialRow != nil || !storage.overlay.isEmpty
    else { return }
    if let index = indices[ObjectIdentifier(storage)] {
      if let slots {
        models[index].slots?.formUnion(slots)
      } else {
        models[index].slots = nil
      }
    } else {
      indices[ObjectIdentifier(storage)] = models.count
      models.append((storage, slots, model))
    }
  }

  /// Adds changed lists of a model, if its row is read again.
  mutating func name(_ lists: SlotSet, of storage: _ModelStorage) {
    guard let index = indices[ObjectIdentifier(storage)] else { return }
    models[index].slots?.formUnion(lists)
  }

  /// Adds changed lists of models whose rows are read again, by entity.
  mutating func name(_ lists: [String: SlotSet]) {
    for index in models.indices {
      guard let own = lists[models[index].storage.descriptor.entityName] else { continue }
      models[index].slots?.formUnion(own)
    }
  }

  mutating func insertDeleted(_ storage: _ModelStorage) {
    lost.append(storage)
    guard let model = storage.model, !storage.flags.contains(.hasNoRow) else { return }
    deleted.append(storage)
    owners.append(model)
  }
}
