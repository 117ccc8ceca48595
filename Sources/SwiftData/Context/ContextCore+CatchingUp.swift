import Foundation
import OpenSwiftDataRowStorage

/// Taking over what other contexts of the container saved.
///
/// 1. The journal says which rows were changed, deleted or may be gone.
/// 2. Those that models of this context show are read anew, in a few statements.
/// 3. Models take their fresh rows and tell their observers; unsaved changes stay on top.
/// 4. Models without a row are deleted from here on, keep their last values and leave the lists of
///    relationships.
///
/// This runs where the context may do as it likes: before a fetch and a save, in
/// `processPendingChanges`, and for the main context in a job of the main actor.
extension ContextCore {
  func wakesForSaves(_ wake: @escaping @Sendable () -> Void) { savesElsewhere.wake(wake) }

  func catchUp() {
    guard let note = savesElsewhere.take() else { return }
    takeOver(note)
  }

  /// - Returns: The models whose rows are gone.
  @discardableResult
  func takeOver(_ note: SaveJournal.Note) -> [_ModelStorage] {
    guard face != nil else { return [] }
    var outdated = OutdatedModels()
    for (identifier, slots) in note.updated { find(identifier) { outdated.insert($0, slots) } }
    for identifier in note.deleted { find(identifier) { outdated.insertGone($0) } }
    if note.isEverything || !note.swept.isEmpty {
      let swept = note.swept.compactMap { coordinator.modelType(forEntity: $0)?._$descriptor }
      identities.forEach { storage in
        if note.isEverything || swept.contains(where: storage.descriptor.isKind(of:)) {
          outdated.insert(storage, nil)
        }
      }
    }
    do {
      try refresh(&outdated)
    } catch {
      savesElsewhere.putBack(note)
      return []
    }
    guard !outdated.gone.isEmpty else { return [] }
    hasLostModels = true
    for storage in outdated.gone { leave(storage) }
    dropGoneMembers()
    return withExtendedLifetime(outdated) { outdated.gone }
  }

  /// Calls `body` with every model that shows a row.
  private func find(_ identifier: PersistentIdentifier, _ body: (_ModelStorage) -> Void) {
    if let storage = registered(identifier) { body(storage) }
    for storage in twins[identifier] { body(storage) }
  }

  private func refresh(_ outdated: inout OutdatedModels) throws {
    let models = outdated.models
    for (name, group) in Dictionary(grouping: models, by: \.storage.descriptor.entityName) {
      guard let port = coordinator.port(forEntity: name),
        let descriptor = coordinator.modelType(forEntity: name)?._$descriptor
      else { continue }
      let identifiers = Set(group.compactMap(\.storage.knownIdentifier))
      var found: [PersistentIdentifier: DefaultSnapshot] = [:]
      for chunk in Array(identifiers).chunked(by: 5000) {
        let rows = try port.rows(
          at: .identifiers(chunk), in: chunk.indices, of: descriptor, slots: nil, editingState)
        for snapshot in rows.snapshots {
          found[snapshot.persistentIdentifier] = snapshot
        }
      }
      for model in group {
        if let snapshot = model.storage.knownIdentifier.flatMap({ found[$0] }) {
          take(snapshot, for: model.storage, model.slots)
        } else {
          outdated.insertGone(model.storage)
        }
      }
    }
  }

  /// - Parameter slots: What was changed; nil when nobody said.
  private func take(
    _ snapshot: DefaultSnapshot, for storage: _ModelStorage, _ slots: SlotSet?
  ) {
    let changed = slots ?? storage.slots(differingFrom: snapshot)
    let isPending = !storage.flags.isDisjoint(with: [.isChanged, .isDeleted])
    let kept = isPending ? storage.changedSlots : SlotSet()
    if isPending, let identifier = storage.knownIdentifier {
      let lost = storage.flags.contains(.isDeleted) ? changed : changed.intersection(kept)
      savesElsewhere.contest(identifier, lost)
    }
    storage.notifyingObservers(of: changed.subtracting(kept)) {
      storage.takeFresh(snapshot, changed: changed, keeping: kept)
    }
  }

  /// A model whose row another context deleted.
  ///
  /// It stays in this context, so that an edit of it makes the next save throw.
  private func leave(_ storage: _ModelStorage) {
    unregister(storage)
    storage.notifyingObserversOfAll {
      storage.flags.remove(.isFault)
      storage.flags.insert(.isGone)
    }
  }

  /// Takes models without a row out of the lists of relationships that are in memory.
  func dropGoneMembers() {
    // Freed after the walk, because that changes the identity map.
    var dropped: [any PersistentModel] = []
    identities.forEach { storage in
      guard storage.overlay != nil else { return }
      for slot in storage.descriptor.relationshipSlots {
        guard case .toMany(let value) = storage.overlaid(slot) else { continue }
        dropped += value.dropAll { $0._$storage.flags.contains(.isGone) }
      }
    }
    withExtendedLifetime(dropped) {}
  }

  /// Pending models no longer name models that have left the context: deleted by another one, or
  /// dropped before their first save. Their relationships are as if a saved one had been deleted.
  func dropLostPartners() {
    guard hasLostModels else { return }
    func isLost(_ storage: _ModelStorage) -> Bool {
      storage.flags.contains(.isGone) || storage.source == nil
    }
    for storage in Array(changes.inserted) + Array(changes.changed) {
      if storage.flags.contains(.isGone) {
        // Of a model that only gained or lost members nothing is left to save.
        let names = storage.descriptor.names(of: storage.changedSlots, includingToMany: false)
        if names.isEmpty { changes.unchange(storage) }
        continue
      }
      for slot in storage.descriptor.relationshipSlots {
        switch storage.overlaid(slot) {
        case .toMany(let value):
          storage.notifyingObservers(of: slot) {
            _ = value.dropAll { isLost($0._$storage) }
          }
        case .model(let partner):
          guard isLost(partner._$storage) else { continue }
          storage.notifyingObservers(of: slot) { storage.overlay(.null, at: slot) }
        case .unset, .null, .identifier, .weakPartners: continue
        case .integer, .real, .text, .blob, .uuid, .boxed: continue
        }
      }
    }
  }
}

/// The models that show rows which were saved elsewhere, kept alive while they are brought up to
/// date.
private struct OutdatedModels {
  private(set) var models: [(storage: _ModelStorage, slots: SlotSet?, model: AnyObject)] = []
  private(set) var gone: [_ModelStorage] = []
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

  mutating func insertGone(_ storage: _ModelStorage) {
    guard let model = storage.model, !storage.flags.contains(.isGone) else { return }
    gone.append(storage)
    owners.append(model)
  }
}

extension Array {
  fileprivate func chunked(by size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
