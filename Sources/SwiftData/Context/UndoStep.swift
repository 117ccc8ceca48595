/// One undo step: the models that an event changed, with their state before it.
///
/// Holds the models, so that an undo restores the same instances.
struct UndoStep {
  private(set) var models: [EarlierModelState] = []
  private var indices: [ObjectIdentifier: Int] = [:]
  /// The gains of lists without an inverse; `nil` if there are none.
  private(set) var takenMembers: TakenMembers?
  /// The models that `newTargets` has returned.
  private var targets: Set<ObjectIdentifier> = []

  var isEmpty: Bool { models.isEmpty }

  /// The recorded state of a model.
  subscript(_ storage: _ModelStorage) -> EarlierModelState? {
    indices[ObjectIdentifier(storage)].map { models[$0] }
  }

  /// Records a model at its first change.
  mutating func note(_ storage: _ModelStorage, wasPresent: Bool, wasStored: Bool) {
    guard indices[ObjectIdentifier(storage)] == nil, let model = storage.persistentModel else {
      return
    }
    indices[ObjectIdentifier(storage)] = models.count
    models.append(
      EarlierModelState(
        model: model, storage: storage, wasPresent: wasPresent, wasStored: wasStored))
    _invariantCheck(storage)
  }

  /// Records an old value of a model that has been recorded.
  mutating func note(_ value: EarlierSlotValue, of storage: _ModelStorage, isEdit: Bool) {
    guard let index = indices[ObjectIdentifier(storage)] else { return }
    models[index].note(value, isEdit: isEdit)
    _invariantCheck(storage)
  }

  /// Records an edit of a to-many whose old value has been recorded.
  mutating func note(_ edit: ToManyEdits.Edit, of storage: _ModelStorage, _ slot: Int) {
    guard let index = indices[ObjectIdentifier(storage)] else { return }
    models[index].note(edit, slot)
    _invariantCheck(storage)
  }

  /// Records what lists without an inverse gained.
  mutating func note(_ gains: [MemberGain]) { takenMembers = TakenMembers(gains) }

  /// Records that delete rules may delete the model too.
  mutating func recordPossibleCascade(_ storage: _ModelStorage) {
    guard let index = indices[ObjectIdentifier(storage)] else { return }
    models[index].mayBeDeletedByCascade = true
  }

  /// Records the models that show the same row as one that is deleted.
  mutating func note(_ others: [any PersistentModel], besides storage: _ModelStorage) {
    guard !others.isEmpty, let index = indices[ObjectIdentifier(storage)] else { return }
    models[index].otherInstances = others
  }

  /// Records that a model refers to a deleted one through a relationship without an inverse.
  mutating func note(_ reference: ReferencesWithoutInverse.Reference) {
    guard let index = indices[ObjectIdentifier(reference.owner._$storage)] else { return }
    models[index].note(reference)
  }

  /// The models that the event deleted since the last call, and those that delete rules may delete with them.
  mutating func newTargets(isPresent: (_ModelStorage) -> Bool) -> [any PersistentModel] {
    let deleted = models.filter { $0.wasPresent && !isPresent($0.storage) }
    if deleted.isEmpty { return [] }
    let cascaded = models.filter { $0.mayBeDeletedByCascade && isPresent($0.storage) }
    return (deleted + cascaded).filter { targets.insert(ObjectIdentifier($0.storage)).inserted }
      .map(\.model)
  }

  /// Keeps what an undo has to do, compared with the current state.
  /// - Returns: The models that have their earlier state again.
  mutating func close(isPresent: (_ModelStorage) -> Bool) -> [_ModelStorage] {
    let hasDeletions = models.contains { $0.wasPresent && !isPresent($0.storage) }
    for index in models.indices {
      if !hasDeletions { models[index].forgetDeletions() }
      models[index].close(isPresent: isPresent(models[index].storage))
    }
    let unchanged = models.filter { !$0.isNeeded }.map(\.storage)
    models.removeAll { !$0.isNeeded }
    (indices, targets) = ([:], [])
    return unchanged
  }

  /// Each model has one entry, at its index; no member of a list is both gained and lost.
  private func _invariantCheck(_ storage: _ModelStorage) {
    #if OPENSWIFTDATA_INVARIANTS
      precondition(indices.count == models.count, "A model has two entries in an undo record.")
      guard let index = indices[ObjectIdentifier(storage)] else { return }
      precondition(models[index].storage === storage, "An undo record refers to another model.")
      models[index]._invariantCheck()
    #endif
  }
}

/// One model before an event.
struct EarlierModelState {
  let model: any PersistentModel
  let storage: _ModelStorage
  /// Whether the model was part of the unit of work, and not to be deleted.
  let wasPresent: Bool
  /// Whether the model was stored before an event that inserted it: a save had merged it with a row, or the event
  /// is the undo of a deletion.
  let wasStored: Bool
  /// Whether delete rules may delete the model together with one that the event deleted.
  fileprivate(set) var mayBeDeletedByCascade = false
  private(set) var attributes: [(slot: Int, value: _SlotValue, isDerived: Bool)] = []
  private(set) var toOnes: [(slot: Int, partner: (any PersistentModel)?)] = []
  private(set) var toManys: [ToManyEdits] = []
  /// Models that the event deleted and did not relate to this one. The save of the deletion empties the
  /// relationships.
  private(set) var references: [(slot: Int, target: any PersistentModel)] = []
  /// The models that showed the same row when the event deleted the model. They leave the context with it.
  fileprivate(set) var otherInstances: [any PersistentModel] = []
  fileprivate private(set) var isNeeded = true
  private var knownSlots = SlotSet()
  private var editedSlots = SlotSet()

  fileprivate init(
    model: any PersistentModel, storage: _ModelStorage, wasPresent: Bool, wasStored: Bool
  ) {
    self.model = model
    self.storage = storage
    self.wasPresent = wasPresent
    self.wasStored = wasStored
  }

  func knows(_ slot: Int, asEdit isEdit: Bool) -> Bool {
    if isEdit { return editedSlots.contains(slot) }
    return knownSlots.contains(slot) && !toManys.contains { $0.slot == slot && !$0.hasWhole }
  }

  /// Whether the event itself, and not a delete rule after it, changes a slot.
  func isEdited(_ slot: Int) -> Bool { !mayBeDeletedByCascade || editedSlots.contains(slot) }

  fileprivate mutating func note(_ value: EarlierSlotValue, isEdit: Bool) {
    if isEdit { editedSlots.insert(value.slot) }
    let isKnown = knownSlots.contains(value.slot)
    knownSlots.insert(value.slot)
    switch value {
    case .attribute(let slot, let value, let isDerived):
      if !isKnown { attributes.append((slot, value, isDerived)) }
    case .toOne(let slot, let partner): if !isKnown { toOnes.append((slot, partner)) }
    case .toMany(let slot):
      if !isKnown { toManys.append(ToManyEdits(slot)) }
      guard !isEdit, let index = toManys.firstIndex(where: { $0.slot == slot }) else { return }
      toManys[index].recordAllMembers(storage)
    }
  }

  fileprivate mutating func note(_ reference: ReferencesWithoutInverse.Reference) {
    references.append((reference.slot, reference.target))
  }

  fileprivate mutating func note(_ edit: ToManyEdits.Edit, _ slot: Int) {
    guard let index = toManys.firstIndex(where: { $0.slot == slot }) else { return }
    toManys[index].note(edit)
  }

  /// No deletion of the event is left.
  fileprivate mutating func forgetDeletions() {
    mayBeDeletedByCascade = false
    references = []
  }

  /// Forgets references that the event itself has set.
  private mutating func removeOwnReferences() {
    let gained = Dictionary(
      uniqueKeysWithValues: toManys.map { edits in
        (edits.slot, Set(edits.gained.map { ObjectIdentifier($0) }))
      })
    references.removeAll { slot, target in
      toOnes.contains { $0.slot == slot && $0.partner !== target }
        || gained[slot]?.contains(ObjectIdentifier(target)) == true
    }
  }

  /// Each edited slot is known, and each list has one entry.
  fileprivate func _invariantCheck() {
    #if OPENSWIFTDATA_INVARIANTS
      precondition(editedSlots.subtracting(knownSlots).isEmpty, "An edit has no old value.")
      for toMany in toManys {
        precondition(
          knownSlots.contains(toMany.slot) && toManys.count { $0.slot == toMany.slot } == 1,
          "A list is in an undo record twice.")
        toMany._invariantCheck()
      }
    #endif
  }

  fileprivate mutating func close(isPresent: Bool) {
    guard wasPresent else {
      isNeeded = isPresent
      return
    }
    for index in toManys.indices { toManys[index].close(storage) }
    guard isPresent else { return }
    if !references.isEmpty { removeOwnReferences() }
    attributes.removeAll { storage.explicitValue($0.slot).isSame(as: $0.value) }
    guard !mayBeDeletedByCascade else { return }
    toOnes.removeAll { storage.relationships.partner($0.slot) === $0.partner }
    toManys.removeAll { $0.isUnchanged }
    isNeeded =
      !attributes.isEmpty || !toOnes.isEmpty || !toManys.isEmpty || !references.isEmpty
  }
}

/// The value of a slot before an event.
enum EarlierSlotValue {
  /// - `isDerived`: whether it may be made from a stand-in.
  case attribute(Int, _SlotValue, isDerived: Bool)
  case toOne(Int, (any PersistentModel)?)
  /// Recorded edit by edit, see `ToManyEdits`.
  case toMany(Int)

  init(_ storage: _ModelStorage, _ slot: Int) {
    self =
      switch storage.descriptor.properties[slot].form {
      case .toOne: EarlierSlotValue(toOne: storage, slot)
      case .toMany: .toMany(slot)
      case .attribute, .transformable:
        .attribute(slot, storage.explicitValue(slot), isDerived: storage.isDerived(slot))
      }
  }

  /// An undo lets a to-one that could not be read have the value of the row.
  private init(toOne storage: _ModelStorage, _ slot: Int) {
    let partner = storage.relationships.partner(slot)
    let isUnread =
      partner == nil && storage.overlaid(slot).isSame(as: .unset) && storage.readsStandIn(slot)
    self = isUnread ? .attribute(slot, .unset, isDerived: false) : .toOne(slot, partner)
  }

  var slot: Int {
    switch self {
    case .attribute(let slot, _, _), .toOne(let slot, _), .toMany(let slot): slot
    }
  }
}
