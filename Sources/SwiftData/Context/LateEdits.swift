/// Edits and insertions that are made while a save of the context writes. They stay unsaved.
///
/// A store that waits in a run loop, a statement log or the coding of a value may run code of the app in the
/// middle of a save.
///
/// 1. *Record*: from the collection of the changes on, each edit is noted (`EditWatchers`). It changes
///    the model as any other edit does.
/// 2. If the save fails, it has no effect on the unsaved changes, and nothing more is needed.
/// 3. *Take*: before the save is finalised, the edited values are noted. Models that were only inserted or
///    edited meanwhile are not part of the save and stay pending.
/// 4. *Restore*: afterwards the models of the save become faults of their stored rows, and the edits
///    are made again. Watchers have seen them already, and observers see no difference.
///
/// Costs a save two calls, and memory only if there are such edits. Used on the thread of the context.
final class LateEdits {
  private struct Edited {
    /// Retains the model, which may have no other owner once it counts as saved.
    let model: AnyObject?
    let storage: _ModelStorage
    var slots = SlotSet()
    var lists: [ToManyEdits] = []
  }

  private(set) var isRecording = false
  private var hasInsertions = false
  private var edited: [ObjectIdentifier: Edited] = [:]
  private var order: [ObjectIdentifier] = []
  /// The number of `gainsWithoutInverse` before.
  private var gainCount = 0

  /// The changes that the next save collects.
  func begin(_ changes: ChangeTracker) {
    end()
    gainCount = changes.gainsWithoutInverse.count
    isRecording = true
  }

  func end() {
    isRecording = false
    guard hasInsertions || !order.isEmpty else { return }
    hasInsertions = false
    (edited, order) = ([:], [])
  }

  // MARK: Recording

  func noteInsertion() { hasInsertions = true }

  func note(_ storage: _ModelStorage, slot: Int) {
    let identity = ObjectIdentifier(storage)
    if edited[identity] == nil {
      edited[identity] = Edited(model: storage.model, storage: storage)
      order.append(identity)
    }
    edited[identity]?.slots.insert(slot)
  }

  /// Called after `note` of the list.
  func note(_ edit: ToManyEdits.Edit, of storage: _ModelStorage, slot: Int) {
    guard var entry = edited[ObjectIdentifier(storage)] else { return }
    let index = entry.lists.firstIndex { $0.slot == slot } ?? entry.lists.endIndex
    if index == entry.lists.endIndex { entry.lists.append(ToManyEdits(slot)) }
    entry.lists[index].note(edit)
    edited[ObjectIdentifier(storage)] = entry
  }

  // MARK: The end of the save

  /// What was changed since `begin`, with its current values.
  struct Taken {
    fileprivate struct Model {
      /// Retains the model.
      let model: AnyObject?
      let storage: _ModelStorage
      var values: [(slot: Int, value: _SlotValue)] = []
      let lists: [ToManyEdits]
      let displaced: [Int: PersistentIdentifier]
    }

    fileprivate var models: [Model] = []
    fileprivate let gains: [MemberGain]
  }

  /// Ends the recording.
  /// - Returns: `nil` if nothing was changed.
  func take(_ changes: ChangeTracker) -> Taken? {
    defer { end() }
    guard hasInsertions || !order.isEmpty else { return nil }
    let gains = changes.gainsWithoutInverse.dropFirst(gainCount)
    var taken = Taken(gains: Array(gains))
    for entry in order.compactMap({ edited[$0] }) {
      let storage = entry.storage
      let displaced = changes.displacedLinks(of: storage).filter { entry.slots.contains($0.key) }
      var model = Taken.Model(
        model: entry.model, storage: storage, lists: entry.lists, displaced: displaced)
      for slot in 0..<storage.descriptor.slotCount
      where entry.slots.contains(slot) && !storage.descriptor.properties[slot].isToMany {
        model.values.append((slot, storage.explicitValue(slot)))
      }
      taken.models.append(model)
    }
    return taken
  }
}

extension LateEdits.Taken {
  /// Called when the changes of the save count as stored.
  func restore(with recorder: ChangeRecorder, in context: ContextIdentity) {
    for model in models {
      // The others were not part of the save, or their store has not committed.
      if context.has(model.storage), model.storage.flags.isDisjoint(with: .isPending) {
        restore(model, with: recorder)
      }
      for (slot, identifier) in model.displaced {
        recorder.changes.noteDisplacement(of: model.storage, slot, from: identifier.resolved)
      }
    }
    for gain in gains { recorder.changes.noteGain(gain) }
  }

  private func restore(_ model: Model, with recorder: ChangeRecorder) {
    let storage = model.storage
    storage.becomeFault()
    for (slot, value) in model.values {
      if case .unset = value { continue }
      guard recorder.repeatChange(storage, slot: slot) else { continue }
      storage.overlay(value, at: slot)
    }
    for list in model.lists {
      guard recorder.repeatChange(storage, slot: list.slot) else { continue }
      let members = storage.relationships.toManyForChange(list.slot)
      for member in list.lost { _ = members.lose(member) }
      for member in list.gained where !members.holds(member) { members.gain(member) }
    }
  }
}
