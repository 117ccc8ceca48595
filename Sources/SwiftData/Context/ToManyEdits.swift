/// What an event does to a to-many: enough to undo it, at a cost that grows with the event and not
/// with the number of members.
///
/// 1. `RelationshipFixer` reports each member that is added or removed, with its position before
///    the removal, and each new order.
/// 2. A deleted model is recorded with all its members, because the save drops them.
/// 3. An undo adds and removes members; the positions, in reverse order of the edits, restore the
///    order.
struct ToManyEdits {
  enum Edit {
    case gained(any PersistentModel)
    case lost(any PersistentModel, ModelList.Position)
    /// Another order, recorded as the list before it.
    case reordered(ModelList)
  }

  let slot: Int
  /// Members that the event added and did not remove again, and the opposite.
  private(set) var gained = ModelList()
  private(set) var lost = ModelList()
  private var edits: [Edit] = []
  /// Whether adding and removing members alone may not restore the order.
  private var mayBeReordered = false
  /// All members at some point of the event, and the number of edits before it.
  private var whole: (members: ModelList, editCount: Int)?

  init(_ slot: Int) { self.slot = slot }

  var hasWhole: Bool { whole != nil }

  var isUnchanged: Bool { gained.isEmpty && lost.isEmpty && !mayBeReordered }

  // MARK: Noting

  mutating func note(_ edit: Edit) {
    edits.append(edit)
    switch edit {
    case .gained(let model):
      if lost.remove(model) != nil {
        mayBeReordered = true  // it came back after the other members
      } else if !gained.contains(model) {
        gained.append(model)
      }
    case .lost(let model, _):
      if gained.remove(model) == nil, !lost.contains(model) { lost.append(model) }
    case .reordered: mayBeReordered = true
    }
    _invariantCheck()
  }

  /// No member was both gained and lost.
  func _invariantCheck() {
    #if OPENSWIFTDATA_INVARIANTS
      gained._invariantCheck()
      lost._invariantCheck()
      guard gained.count <= 64 else { return }
      precondition(
        !gained.contains { model in lost.contains { $0 === model } },
        "A member was both added and removed.")
    #endif
  }

  mutating func recordAllMembers(_ storage: _ModelStorage) {
    guard whole == nil else { return }
    if case .toMany(let value) = storage.overlaid(slot) {
      whole = value.members.map { ($0, edits.count) }
    } else if storage.flags.contains(.isInserted) {
      whole = (ModelList(), edits.count)
    }
  }

  /// Determines whether the event changed the order, if it left the same members.
  mutating func close(_ storage: _ModelStorage) {
    guard mayBeReordered, gained.isEmpty, lost.isEmpty else { return }
    guard case .toMany(let value) = storage.overlaid(slot), let members = value.members else {
      return
    }
    var before = members
    restoreOrder(of: &before)
    mayBeReordered = !before.isSame(as: members)
  }

  // MARK: Undoing

  /// All members before the event, of a model that was deleted.
  var membersBefore: ModelList {
    guard let whole else { return lost }
    var list = whole.members
    for edit in edits[..<whole.editCount].reversed() {
      switch edit {
      case .gained(let model): list.remove(model)
      case .lost(let model, let position):
        if !list.contains(model) { list.insert(model, at: position) }
      case .reordered(let before): list = before
      }
    }
    return list
  }

  /// Whether members have to be moved to their positions after they were added again.
  var needsOrder: Bool { mayBeReordered || !lost.isEmpty }

  /// Whether members that an undo does not add change their positions too.
  var movesOthers: Bool { mayBeReordered }

  /// Gives members the order from before the event.
  func restoreOrder(of list: inout ModelList) {
    for edit in edits.reversed() {
      switch edit {
      case .gained: continue
      case .lost(let model, let position): list.move(model, to: position)
      case .reordered(let before): list.arrange(like: before)
      }
    }
  }

  /// Calls `move` with each removed member and its position, the last one first.
  func restorePositions(_ move: (any PersistentModel, ModelList.Position) -> Void) {
    for case .lost(let model, let position) in edits.reversed() { move(model, position) }
  }
}

extension ModelList {
  /// Puts the models in the order of `others`; models that are not in it come last.
  mutating func arrange(like others: ModelList) {
    var rest = self
    let known = others.filter { rest.remove($0) != nil }
    self = ModelList(known + rest)
  }
}
