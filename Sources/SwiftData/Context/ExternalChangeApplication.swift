import Foundation
import OpenSwiftDataRowStorage

/// Applies what other contexts of the container saved.
///
/// 1. The feed says which rows were changed, deleted or may be either.
/// 2. Those that models of this context show are read again, one statement per entity.
/// 3. Models take their fresh rows and notify their observers; unsaved changes stay on top.
/// 4. Models without a row count as deleted from here on, keep their last values and leave the lists
///    of relationships.
///
/// Runs where models may change under their user: before a fetch and a save, after a rollback, in
/// `processPendingChanges`, and for the main context in a job of the main actor.
extension ContextCore {
  /// - Parameter notify: Called from other threads after a save of another context.
  func onExternalChange(_ notify: @escaping @Sendable () -> Void) {
    externalChanges.start(notifying: notify)
  }

  func applyExternalChanges() {
    guard !isReadingSnapshot, let saved = externalChanges.take() else { return }
    ExternalChangeApplication(core: self).apply(saved)
  }
}

/// One application of external changes to the models of a context; lives as long as that.
struct ExternalChangeApplication {
  let core: ContextCore

  /// - Returns: The models whose rows were deleted.
  @discardableResult
  func apply(_ saved: SavedChanges) -> [_ModelStorage] {
    guard core.face != nil else { return [] }
    var outdated = OutdatedModels()
    for (identifier, slots) in saved.updated { find(identifier) { outdated.insert($0, slots) } }
    for identifier in saved.deleted { find(identifier) { outdated.insertDeleted($0) } }
    if saved.isEverything || !saved.invalidatedEntities.isEmpty {
      let entities = saved.invalidatedEntities.compactMap {
        core.coordinator.modelType(forEntity: $0)?._$descriptor
      }
      let models = core.identities.models {
        saved.isEverything || entities.contains(where: $0.descriptor.isKind(of:))
      }
      for model in models { outdated.insert(model.storage, nil) }
    }
    do {
      try refresh(&outdated)
      core.readFailures.forget()
    } catch {
      core.externalChanges.putBack(saved)
      // What follows the data fetches, and gets the error.
      if core.readFailures.isFirst() {
        for watcher in core.watchers.all { watcher.didApply(saved, lost: []) }
      }
      return []
    }
    leave(outdated)
    for watcher in core.watchers.all { watcher.didApply(saved, lost: outdated.lost) }
    return withExtendedLifetime(outdated) { outdated.deleted }
  }

  /// Takes note of rows that are gone without an announcement.
  /// - Returns: Whether this context had models of them.
  func applyDeletion(of identifiers: [PersistentIdentifier]) -> Bool {
    var outdated = OutdatedModels()
    for identifier in identifiers { find(identifier) { outdated.insertDeleted($0) } }
    leave(outdated)
    let saved = SavedChanges(deleted: identifiers)
    for watcher in core.watchers.all { watcher.didApply(saved, lost: outdated.lost) }
    return withExtendedLifetime(outdated) { !outdated.deleted.isEmpty }
  }

  private func leave(_ outdated: OutdatedModels) {
    if outdated.deleted.isEmpty { return }
    core.hasLostModels = true
    for storage in outdated.deleted { leave(storage) }
    core.dropGoneMembers()
    core.dropLostPartners()
    core.identities._invariantCheck(in: core)
  }

  /// Calls `body` with every model that shows a row.
  private func find(_ identifier: PersistentIdentifier, _ body: (_ModelStorage) -> Void) {
    for live in core.identities.instances(of: identifier, in: core) { body(live.storage) }
  }

  private func refresh(_ outdated: inout OutdatedModels) throws {
    let models = outdated.models
    for (name, group) in Dictionary(grouping: models, by: \.storage.descriptor.entityName) {
      guard let port = core.coordinator.port(forEntity: name),
        let descriptor = core.coordinator.modelType(forEntity: name)?._$descriptor
      else { continue }
      let identifiers = Set(group.compactMap(\.storage.knownIdentifier))
      var found: [PersistentIdentifier: DefaultSnapshot] = [:]
      for chunk in Array(identifiers).chunked(by: 5000) {
        let rows = try port.rows(
          at: .identifiers(chunk), in: chunk.indices, of: descriptor, slots: nil,
          core.editingState)
        for snapshot in rows.snapshots {
          found[snapshot.persistentIdentifier] = snapshot
        }
      }
      for model in group {
        if let snapshot = model.storage.knownIdentifier.flatMap({ found[$0] }) {
          take(snapshot, for: model.storage, model.slots)
        } else {
          outdated.insertDeleted(model.storage)
        }
      }
    }
  }

  /// - Parameter slots: What was changed; nil when the log doesn't say.
  private func take(
    _ snapshot: DefaultSnapshot, for storage: _ModelStorage, _ slots: SlotSet?
  ) {
    let changed = slots ?? storage.slots(differingFrom: snapshot)
    let isPending = !storage.flags.isDisjoint(with: [.isChanged, .isDeleted])
    let kept = isPending ? storage.changedSlots : SlotSet()
    if isPending { core.changes.noteFreshRow(of: storage) }
    if isPending, let identifier = storage.knownIdentifier {
      let lost = storage.flags.contains(.isDeleted) ? changed : changed.intersection(kept)
      core.externalChanges.contest(identifier, lost)
      core.externalChanges.noteChangeUnderEdits(identifier, changed)
    }
    if !core.unreadableValues.isEmpty {
      let names = Set(storage.descriptor.names(of: changed))
      core.forgetUnreadable([(snapshot.persistentIdentifier, names)])
    }
    storage.notifyingObservers(of: changed.subtracting(kept)) {
      storage.takeFresh(snapshot, changed: changed, keeping: kept)
    }
  }

  /// A model whose row another context deleted.
  ///
  /// It stays in this context, so that the next save can tell which edits of it are lost.
  private func leave(_ storage: _ModelStorage) {
    core.identities.remove(storage)
    storage.notifyingObserversOfAll { storage.becomeLost() }
  }
}

/// The models that show rows which other contexts saved, kept alive while these are read again.
private struct OutdatedModels {
  private(set) var models: [(storage: _ModelStorage, slots: SlotSet?, model: AnyObject)] = []
  private(set) var deleted: [_ModelStorage] = []
  /// The same, and those of which that was known.
  private(set) var lost: [_ModelStorage] = []
  private var places: [ObjectIdentifier: Int] = [:]
  private var owners: [AnyObject] = []

  mutating func insert(_ storage: _ModelStorage, _ slots: SlotSet?) {
    guard let model = storage.model, !storage.flags.contains(.isGone),
      storage.row != nil || storage.partialRow != nil || storage.overlay != nil
    else { return }
    if let place = places[ObjectIdentifier(storage)] {
      guard let slots else { return models[place].slots = nil }
      models[place].slots?.formUnion(slots)
    } else {
      places[ObjectIdentifier(storage)] = models.count
      models.append((storage, slots, model))
    }
  }

  mutating func insertDeleted(_ storage: _ModelStorage) {
    lost.append(storage)
    guard let model = storage.model, !storage.flags.contains(.isGone) else { return }
    deleted.append(storage)
    owners.append(model)
  }
}

extension Array {
  fileprivate func chunked(by size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
