/// A to-many relationship in memory: its members once loaded, and its changes since the row was
/// read.
///
/// Each list finds, adds and removes a model in constant time. `RelationshipFixer` makes the
/// changes and keeps the other side consistent.
public final class _ToManyValue {
  /// All members in order; `nil` until they are loaded.
  private(set) var members: ModelList?
  /// Members that the store does not have on this side yet.
  private(set) var added = ModelList()
  /// Removed members that the store still has on this side.
  private(set) var removed = ModelList()
  /// Whether members were put in another order than that of their insertion.
  private(set) var isReordered = false
  /// The saved order, if it differs from the order in which the store lists its rows.
  let order: [PersistentIdentifier]?
  /// The members as their getter returns them; `nil` if they were changed since.
  var array: MemberArray?
  /// The array while an accessor changes it, and the number of changes before.
  var lent: (array: MemberArray, changeCount: Int)?
  /// The state of the store in which the members were read; `nil` if it is not known.
  let state: StoreState?
  /// How often the members were changed.
  private(set) var changeCount = 0

  /// The members of a model that was never saved.
  init(members: [any PersistentModel]) {
    let list = ModelList(members.withoutRepeats)
    self.members = list
    added = list
    order = nil
    state = nil
  }

  /// Members as the store has them.
  init(loaded: some Collection<any PersistentModel>, in state: StoreState?) {
    members = ModelList(loaded)
    order = nil
    self.state = state
  }

  /// An unloaded to-many, whose members may have an order of their own.
  init(order: [PersistentIdentifier]? = nil) {
    self.order = order
    state = nil
  }

  /// The members of a list that a save has stored. Costs the same for each number of members.
  init(saved list: _ToManyValue) {
    members = list.members
    array = list.array
    order = list.orderToSave
    state = nil
  }

  /// A copy to change; `other` stays as it is.
  init(changing other: _ToManyValue) {
    members = other.members?.copyWithIndex()
    added = other.added.copyWithIndex()
    removed = other.removed.copyWithIndex()
    isReordered = other.isReordered
    order = other.order
    state = other.state
    changeCount = other.changeCount
  }

  /// Whether a member, or a removed one, satisfies a condition.
  func mentions(where condition: (any PersistentModel) -> Bool) -> Bool {
    [members, added, removed].contains { $0?.contains(where: condition) == true }
  }

  var isChanged: Bool { !added.isEmpty || !removed.isEmpty }

  /// Whether the members are known, and are those of the store in its order.
  var isAsStored: Bool { members != nil && !isChanged && !isReordered }

  /// Whether a model was added and not removed again.
  func hasAdded(_ model: any PersistentModel) -> Bool { !added.isEmpty && added.contains(model) }

  func hasRemoved(_ model: any PersistentModel) -> Bool {
    !removed.isEmpty && removed.contains(model)
  }

  /// Whether a model is known to be a member.
  func holds(_ model: any PersistentModel) -> Bool {
    added.contains(model) || members?.contains(model) ?? false
  }

  func isMember(_ model: any PersistentModel) -> Bool { members?.contains(model) ?? false }

  /// The member with this object identity.
  func member(_ identity: ObjectIdentifier) -> (any PersistentModel)? { members?.model(identity) }

  // MARK: Changes

  private func membersChanged() {
    array = nil
    changeCount &+= 1
  }

  /// Takes the array of the members after a change, unless there were other changes too.
  func keep(_ array: MemberArray, after change: _ToManyChange, countBefore: Int) {
    if changeCount == countBefore &+ change.count { self.array = array }
  }

  /// Adds a member; at the end if no position is given.
  /// - Precondition: The model is not known to be a member.
  func gain(_ model: any PersistentModel, at position: ModelList.Position? = nil) {
    if removed.remove(model) == nil { added.append(model) }
    if let position {
      members?.insert(model, at: position)
      isReordered = true
      membersChanged()
    } else {
      members?.append(model)
      let array = array.take()
      membersChanged()
      if let array, array.append(model) { self.array = array }
    }
    _invariantCheck()
  }

  /// - Returns: The earlier position of the member.
  func lose(_ model: any PersistentModel) -> ModelList.Position {
    if added.remove(model) == nil, !removed.contains(model) { removed.append(model) }
    let isLast = members?.last === model
    let position = members?.remove(model)
    let array = array.take()
    membersChanged()
    if let array, isLast {
      array.removeLast()
      self.array = array
    }
    _invariantCheck()
    return position ?? .unknown
  }

  /// Moves a member to an earlier position; the others keep their order.
  func move(_ model: any PersistentModel, to position: ModelList.Position) {
    members?.move(model, to: position)
    membersChanged()
    _invariantCheck()
  }

  /// Gives loaded members another order.
  func reorder(_ models: ModelList) {
    members = models
    isReordered = true
    membersChanged()
    _invariantCheck()
  }

  // MARK: Loading

  /// Takes the stored members, and applies the changes since to them.
  /// - Returns: All members in order.
  func load(_ stored: [any PersistentModel]) -> ModelList {
    var list = ModelList(stored)
    if !removed.isEmpty { list.removeAll { removed.contains($0) } }
    for model in added where !list.contains(model) { list.append(model) }
    members = list
    membersChanged()
    _invariantCheck()
    return list
  }

  /// Drops the members, which are read again; the changes stay.
  func unload() {
    members = nil
    membersChanged()
  }

  /// Replaces the members of a model that was never saved.
  func replaceAll(_ models: [any PersistentModel]) {
    let list = ModelList(models.withoutRepeats)
    members = list
    added = list
    membersChanged()
    _invariantCheck()
  }

  // MARK: Deleted models

  /// Removes all deleted models from the list.
  /// - Returns: The removed models.
  func dropAll(where hasNoRow: (any PersistentModel) -> Bool) -> [any PersistentModel] {
    let gone = [members, added, removed].flatMap { $0?.filter(hasNoRow) ?? [] }
    guard !gone.isEmpty else { return [] }
    members?.removeAll(where: hasNoRow)
    membersChanged()
    added.removeAll(where: hasNoRow)
    removed.removeAll(where: hasNoRow)
    _invariantCheck()
    return gone
  }

  /// No model is both added and removed. The members contain the added models, and no removed ones.
  func _invariantCheck() {
    #if OPENSWIFTDATA_INVARIANTS
      for list in [members, added, removed] { list?._invariantCheck() }
      let size = (members?.count ?? 0) + added.count + removed.count
      guard size <= 64 || size & (size - 1) == 0 else { return }
      let (gained, lost) = (added.identities, removed.identities)
      precondition(gained.isDisjoint(with: lost), "A member was both added and removed.")
      guard let all = members?.identities else { return }
      precondition(gained.isSubset(of: all), "An added member is missing.")
      precondition(lost.isDisjoint(with: all), "A removed member is still in the list.")
    #endif
  }
}

extension ModelList {
  fileprivate var identities: Set<ObjectIdentifier> { Set(map(ObjectIdentifier.init)) }
}

extension [any PersistentModel] {
  /// Each model once, at its first position.
  var withoutRepeats: [any PersistentModel] {
    if count < 2 { return self }
    var known = Set<ObjectIdentifier>(minimumCapacity: count)
    return filter { known.insert(ObjectIdentifier($0)).inserted }
  }
}
