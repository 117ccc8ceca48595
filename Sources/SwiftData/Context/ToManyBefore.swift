/// A to-many before an event.
///
/// One that was not loaded stays so: what was gained and lost is enough to undo the event.
struct ToManyBefore {
  let slot: Int
  private(set) var members: [AnyObject]?
  private var added: [AnyObject] = []
  private var removed: [AnyObject] = []
  /// What the event added.
  private(set) var gained: [AnyObject] = []
  /// What the event removed.
  private(set) var lost: [AnyObject] = []
  /// Whether adding and removing alone gives another order than the one before.
  private(set) var needsOrder = false

  init(_ storage: _ModelStorage, _ slot: Int) {
    self.slot = slot
    if case .toMany(let value) = storage.overlaid(slot) {
      members = value.members
      added = value.added
      removed = value.removed
    } else if storage.flags.contains(.isInserted) {
      members = []
    }
  }

  var isUnchanged: Bool { gained.isEmpty && lost.isEmpty && !needsOrder }

  /// Finds the members from those of a later state of the same event.
  mutating func complete(with later: ToManyBefore) {
    guard members == nil, let current = later.members else { return }
    findDifference(added: later.added, removed: later.removed)
    members = current.without(gained) + lost
  }

  /// Finds what the event did.
  mutating func close(_ storage: _ModelStorage) {
    guard case .toMany(let now) = storage.overlaid(slot) else { return }
    findDifference(added: now.added, removed: now.removed)
    guard let members, let current = now.members else { return }
    needsOrder = !(current.without(gained) + lost).elementsEqual(members, by: ===)
  }

  private mutating func findDifference(added nowAdded: [AnyObject], removed nowRemoved: [AnyObject])
  {
    gained = nowAdded.without(added) + removed.without(nowRemoved)
    lost = added.without(nowAdded) + nowRemoved.without(removed)
  }
}

extension [AnyObject] {
  fileprivate func without(_ others: [AnyObject]) -> [AnyObject] {
    if isEmpty || others.isEmpty { return self }
    let others = Set(others.map(ObjectIdentifier.init))
    return filter { !others.contains(ObjectIdentifier($0)) }
  }
}
