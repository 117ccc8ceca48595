import Foundation

/// Records what a context changes, and registers it with an undo manager as one step per event.
///
/// 1. The context reports each edit before it happens. The recorder keeps the old value of each
///    slot once per event, and which models were inserted and deleted.
/// 2. An event ends with `processPendingChanges()`, with a save, and whenever the manager posts a
///    checkpoint: before it undoes, redoes, or opens or closes a group. If the context belongs to
///    an actor, a separate job on the actor ends the event, as a run loop would.
/// 3. At its end the event becomes an `UndoStep`, registered with the manager.
/// 4. The manager undoes by applying the record. The resulting changes are recorded too, which
///    makes redo possible.
///
/// What delete rules do during a save is not recorded. The record of a deletion contains all
/// related models, the models that may be deleted by cascade, and those that refer to a deleted one
/// through a relationship without an inverse, so that an undo can restore them. What a save takes from a list
/// without an inverse is added to the step of the event that gave it to another owner (`TakenMembers`).
///
/// All state is guarded by the rule that a context and its undo manager belong to one thread.
final class UndoRecorder: EditWatcher {
  let manager: UndoManager
  /// Whether the current changes are not made by the user.
  private var isPaused = false
  /// Whether the event goes on until the end of a save that belongs to it: if the save fails, what it was to
  /// store is undone, and nothing of that is a step. References to deleted models are noted before the save.
  var holdsSteps = false
  private let changes: ChangeTracker
  private let identity: ContextIdentity
  private let coordinator: any StoreCoordinator
  private let isolation: ContextIsolation
  private let context: ContextReference
  private var pending = UndoStep()
  /// New models that a save merged with stored rows, which the undo of their insertion must keep.
  private var merged = MergedModels()
  /// Models that an undo has inserted again, with the others that showed the same row before its deletion.
  private var insertedAgain: [ObjectIdentifier: InsertedAgain] = [:]
  /// Models that events changed and changed back. They have no step, and count as changed.
  private var changedBack: [WeakStorage] = []
  /// The number of gains without an inverse that steps have.
  private var gainCount: Int
  /// The gains of the steps since the last save.
  private var recentGains: [WeakGains] = []
  /// The same by member, made when a save needs them.
  private var gainsByMember: [ObjectIdentifier: [MemberGain]]?
  /// Whether the open event, or steps since the last save, have inserted models.
  private var (hasInsertions, stepsHaveInsertions) = (false, false)
  private var endIsScheduled = false
  private var checkpoints: (any NSObjectProtocol)?

  init(
    _ context: ModelContext, _ changes: ChangeTracker, _ identity: ContextIdentity,
    _ coordinator: any StoreCoordinator, _ isolation: ContextIsolation, manager: UndoManager
  ) {
    self.context = ContextReference(context)
    self.changes = changes
    self.identity = identity
    self.coordinator = coordinator
    self.isolation = isolation
    self.manager = manager
    gainCount = changes.gainsWithoutInverse.count
    let recorder = RecorderReference(self)
    checkpoints = NotificationCenter.default.addObserver(
      forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
    ) { _ in recorder.recorder?.flush() }
  }

  deinit {
    if let checkpoints { NotificationCenter.default.removeObserver(checkpoints) }
  }

  /// Stops recording and removes the context's steps from the manager.
  func end() {
    if let checkpoints { NotificationCenter.default.removeObserver(checkpoints) }
    checkpoints = nil
    forgetAll()
  }

  private func forgetAll() {
    pending = UndoStep()
    merged = MergedModels()
    insertedAgain = [:]
    changedBack = []
    (gainCount, recentGains) = (changes.gainsWithoutInverse.count, [])
    (hasInsertions, stepsHaveInsertions) = (false, false)
    manager.removeAllActions(withTarget: self)
  }

  // MARK: EditWatcher

  var wantsEdits: Bool { true }

  var needsEachDeletion: Bool { true }

  func willSave() {
    if !insertedAgain.isEmpty { takeEditsOfOthers() }
    if holdsSteps, manager.isUndoRegistrationEnabled {
      let found = references(to: pending.newTargets(isPresent: identity.has))
      for reference in found { note(reference, in: &pending) }
    }
    isPaused = true
  }

  func didSave(_ saved: SavedChanges?) {
    isPaused = false
    gainsByMember = nil
    guard saved != nil else { return }
    stepsHaveInsertions = false
    changedBack = []
    // Gains that are left belong to the next step.
    (gainCount, recentGains) = (0, [])
    if !insertedAgain.isEmpty { showByOthers() }
  }

  /// The other models are edited without a context until the save, which stores the model.
  private func takeEditsOfOthers() {
    for (key, entry) in insertedAgain {
      let storage = entry.model._$storage
      guard storage.flags.contains(.isInserted) else { continue }
      for (index, other) in entry.others.enumerated() {
        context.context?.repeatEdits(of: other.model, since: other.values, at: storage)
        insertedAgain[key]?.others[index] = InsertedAgain.Other(other.model)
      }
    }
    endEvent()
  }

  /// A model may have left the context again.
  private func showByOthers() {
    for (model, others) in insertedAgain.values.map({ ($0.model, $0.others) })
    where identity.has(model._$storage) {
      let storage = model._$storage
      if storage.flags.contains(.isInserted) { continue }
      context.context?.show(storage, by: others.map(\.model))
    }
    insertedAgain = insertedAgain.filter { $0.value.model._$storage.flags.contains(.isInserted) }
  }

  func didTake(_ taking: SaveConsequences.Taking) {
    guard let context = context.context,
      let owner = context.fault(for: taking.link.identifier)
    else { return }
    let loser = owner._$storage.descriptor
    var cause: (gains: TakenMembers, gain: MemberGain)?
    // The first of several events that moved the member, after the one that gave it to this owner.
    for gains in recentGains.reversed().lazy.compactMap(\.gains) {
      if let gain = gains.gain(causing: taking, from: loser) { cause = (gains, gain) }
      if gains.hasGain(of: taking) { break }
    }
    guard let cause, let member = context.fault(for: cause.gain.member.identifier) else { return }
    cause.gains.note(TakenMembers.Loss(gain: cause.gain, member: member, owner: owner))
  }

  var needsEarlierLinks: Bool { hasInsertions || stepsHaveInsertions }

  func didMerge(
    _ storage: _ModelStorage, _ links: SaveConsequences.EarlierLinks?,
    _ newMembers: [SaveConsequences.NewMember]?
  ) {
    guard let context = context.context else { return }
    let earlier = links.map { links in
      EarlierRow(
        storage, links, newMembers, gains(of: storage),
        { storage.descriptor.link($0, in: coordinator) }, context.known)
    }
    merged.insert(storage, earlier)
  }

  private func gains(of member: _ModelStorage) -> [MemberGain] {
    if recentGains.isEmpty { return [] }
    let known =
      gainsByMember
      ?? Dictionary(grouping: recentGains.compactMap(\.gains).flatMap(\.gains)) {
        ObjectIdentifier($0.member)
      }
    gainsByMember = known
    return known[ObjectIdentifier(member)] ?? []
  }

  /// The states that the steps restore no longer exist.
  func willRollBack(_ changes: ChangeTracker) {
    forgetAll()
    // The context is about to discard its changes.
    gainCount = 0
  }

  func didUndo(_ saved: SavedChanges, of models: [_ModelStorage]) { forgetAll() }

  func willClose(losing changes: ChangeTracker) { end() }

  func willEdit(_ storage: _ModelStorage, slot: Int) {
    note(storage, slot, isEdit: true)
  }

  func didEditMembers(_ edit: ToManyEdits.Edit, of storage: _ModelStorage, slot: Int) {
    if !isPaused { pending.note(edit, of: storage, slot) }
  }

  func willInsert(_ storage: _ModelStorage) {
    note(storage)
  }

  func willDelete(_ storage: _ModelStorage) {
    guard identity.has(storage) else { return }
    note(storage)
    guard !isPaused, pending[storage]?.wasPresent == true else { return }
    noteAllRelationships(of: storage)
    noteOtherInstances(of: storage)
    if !storage.flags.contains(.isInserted) { recordCascadeTargets(with: storage) }
  }

  /// Follows cascade rules to the models that the save will delete.
  private func recordCascadeTargets(with storage: _ModelStorage) {
    var queue = [storage]
    while let next = queue.popLast() {
      for slot in next.descriptor.relationshipSlots
      where next.descriptor.link(slot, in: coordinator)?.deleteRule == .cascade {
        for partner in next.relationships.partners(slot) {
          let partner = partner._$storage
          guard identity.has(partner) else { continue }
          note(partner)
          guard let before = pending[partner], before.wasPresent, !before.mayBeDeletedByCascade
          else {
            continue
          }
          pending.recordPossibleCascade(partner)
          noteAllRelationships(of: partner)
          noteOtherInstances(of: partner)
          queue.append(partner)
        }
      }
    }
  }

  private func noteAllRelationships(of storage: _ModelStorage) {
    if storage.flags.contains(.isFault) { storage.source?._fill(storage) }
    for slot in storage.descriptor.relationshipSlots {
      if storage.descriptor.properties[slot].isToMany {
        _ = storage.relationships.loadedToMany(slot)
      }
      note(storage, slot, isEdit: false)
    }
  }

  private func noteOtherInstances(of storage: _ModelStorage) {
    let waiting = insertedAgain.isEmpty ? nil : insertedAgain[ObjectIdentifier(storage)]
    let others =
      waiting?.others.map(\.model) ?? context.context?.otherInstances(of: storage) ?? []
    pending.note(others, besides: storage)
  }

  private func note(_ storage: _ModelStorage) {
    guard !isPaused else { return }
    if pending.isEmpty { scheduleEnd() }
    let isPresent = identity.has(storage)
    if !isPresent { hasInsertions = true }
    let wasStored = !isPresent && manager.isUndoing || merged.contains(storage)
    pending.note(storage, wasPresent: isPresent, wasStored: wasStored)
  }

  /// Reads the old value before the record is changed: reading may fetch, and observers of the
  /// fetch may run any code.
  private func note(_ storage: _ModelStorage, _ slot: Int, isEdit: Bool) {
    note(storage)
    guard !isPaused, let before = pending[storage], before.wasPresent,
      !before.knows(slot, asEdit: isEdit)
    else { return }
    let value = EarlierSlotValue(storage, slot)
    pending.note(value, of: storage, isEdit: isEdit)
  }

  // MARK: Events

  /// Ends the event, in the manager too.
  func endEvent() {
    flush()
    manager.endEvent()
  }

  /// Registers what was recorded since the last call.
  private func flush() {
    guard !pending.isEmpty, !isPaused, !holdsSteps else { return }
    var step = pending
    pending = UndoStep()
    noteGains(in: &step)
    defer { hasInsertions = false }
    guard manager.isUndoRegistrationEnabled else { return }
    if hasInsertions { stepsHaveInsertions = true }
    let found = references(to: step.newTargets(isPresent: identity.has))
    for reference in found { note(reference, in: &step) }
    let unchanged = step.close(isPresent: identity.has)
    changedBack += unchanged.filter(identity.has).map { WeakStorage(storage: $0) }
    guard !step.isEmpty else { return }
    // Foundation's manager stops the program if there is no group to register in.
    let needsGroup = !manager.groupsByEvent && manager.groupingLevel == 0
    if needsGroup { manager.beginUndoGrouping() }
    manager.registerUndo(withTarget: self) { $0.apply(step) }
    if needsGroup { manager.endUndoGrouping() }
  }

  /// A save that fails leaves the gains.
  private func noteGains(in step: inout UndoStep) {
    let gains = changes.gainsWithoutInverse.dropFirst(gainCount)
    gainCount = changes.gainsWithoutInverse.count
    if gains.isEmpty { return }
    step.note(Array(gains))
    recentGains.append(WeakGains(gains: step.takenMembers))
  }

  /// Reading may run code of observers, whose edits belong to the next event, or to the one that is held.
  private func references(
    to deleted: [any PersistentModel]
  ) -> [ReferencesWithoutInverse.Reference] {
    if deleted.isEmpty || coordinator.links.withoutInverse.isEmpty { return [] }
    return context.context?.references(to: deleted) ?? []
  }

  private func note(
    _ reference: ReferencesWithoutInverse.Reference, in step: inout UndoStep
  ) {
    let owner = reference.owner._$storage
    step.note(owner, wasPresent: true, wasStored: merged.contains(owner))
    step.note(reference)
  }

  private func scheduleEnd() {
    guard !endIsScheduled, let executor = isolation.current, context.context != nil else { return }
    endIsScheduled = true
    executor.schedule { [context] in context.context?.undoRecorder?.endScheduledEvent() }
  }

  private func endScheduledEvent() {
    endIsScheduled = false
    endEvent()
  }

  private func apply(_ step: UndoStep) {
    if let context = context.context, context.isSaving {
      return context.postpone { [weak self] in self?.apply(step) }
    }
    flush()
    context.context?.apply(step, keeping: merged) { model, others in
      let others = others.map { InsertedAgain.Other($0) }
      self.insertedAgain[ObjectIdentifier(model._$storage)] = InsertedAgain(model, others)
    }
    for before in pending.models where merged.contains(before.storage) {
      for (slot, _) in before.toOnes {
        let partner = before.storage.relationships.partner(slot)
        merged.noteUndo(of: before.storage, slot, to: partner)
      }
    }
    // A model with the values of the last save needs no other save.
    let touched = pending.models.map(\.storage)
    flush()
    for storage in touched + changedBack.compactMap(\.storage) {
      changes.unchangeIfRestored(storage)
      changes.clearConflictsIfUnchanged(of: storage)
    }
    changedBack = []
  }
}

/// The step itself belongs to the manager.
private struct WeakGains {
  weak var gains: TakenMembers?
}

/// A model that an undo has inserted again.
private struct InsertedAgain {
  /// A model that showed the same row before its deletion. It shows the new row after the save.
  struct Other {
    let model: any PersistentModel
    /// Its values when the undo was made, or when its edits were taken.
    let values: ContiguousArray<_SlotValue>?

    init(_ model: any PersistentModel) {
      (self.model, values) = (model, model._$storage.overlay.values)
    }
  }

  let model: any PersistentModel
  var others: [Other]

  init(_ model: any PersistentModel, _ others: [Other]) {
    (self.model, self.others) = (model, others)
  }
}

private struct WeakStorage {
  weak var storage: _ModelStorage?
}

/// A weak reference for a notification, which is delivered on the thread of the manager.
private final class RecorderReference: @unchecked Sendable {
  private(set) weak var recorder: UndoRecorder?

  init(_ recorder: UndoRecorder) { self.recorder = recorder }
}
