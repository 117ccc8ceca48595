/// A to-many relationship in memory: its members once loaded, and what has changed since the row.
///
/// Each list finds, adds and removes a model in constant time. `RelationshipFixer` makes the changes;
/// it keeps the other side in step.
public final class _ToManyValue {
  /// All members in order; `nil` until somebody reads them.
  private(set) var members: ModelList?
  /// Members that the store does not have on this side yet.
  private(set) var added = ModelList()
  /// Members that the store still has on this side.
  private(set) var removed = ModelList()
  /// Whether members were put in another order than that in which they came.
  private(set) var isReordered = false
  /// The order that was saved, where it is not the one in which the store lists its rows.
  let order: [PersistentIdentifier]?
  /// The members as their getter hands them out; `nil` when they were changed since.
  var array: MemberArray?
  /// The array while an accessor changes it, and the count of changes before.
  var lent: (array: MemberArray, changeCount: Int)?
  /// How often the members were changed.
  private(set) var changeCount = 0

  /// The members of a model that no store knows.
  init(members: [any PersistentModel]) {
    let list = ModelList(members.withoutRepeats)
    self.members = list
    added = list
    order = nil
  }

  /// Members as the store has them.
  init(loaded: [any PersistentModel]) {
    members = ModelList(loaded)
    order = nil
  }

  /// An unloaded to-many, whose members may come in an order of their own.
  init(order: [PersistentIdentifier]? = nil) { self.order = order }

  /// A copy to change, while `other` is kept as it is.
  init(changing other: _ToManyValue) {
    members = other.members?.copyWithIndex()
    added = other.added.copyWithIndex()
    removed = other.removed.copyWithIndex()
    isReordered = other.isReordered
    order = other.order
    changeCount = other.changeCount
  }

  var isChanged: Bool { !added.isEmpty || !removed.isEmpty }

  func hasRemoved(_ model: any PersistentModel) -> Bool {
    !removed.isEmpty && removed.contains(model)
  }

  /// Whether a model is known to be a member.
  func holds(_ model: any PersistentModel) -> Bool {
    added.contains(model) || members?.contains(model) ?? false
  }

  func isMember(_ model: any PersistentModel) -> Bool { members?.contains(model) ?? false }

  /// The member that is this object.
  func member(_ identity: ObjectIdentifier) -> (any PersistentModel)? { members?.model(identity) }

  // MARK: Changes

  private func membersChanged() {
    array = nil
    changeCount &+= 1
  }

  /// Takes the array of the members, after changes of another one that led to this one.
  func keep(_ array: MemberArray, after change: _ToManyChange, countBefore: Int) {
    if changeCount == countBefore &+ change.count { self.array = array }
  }

  /// Adds a member, behind the others when no place is given.
  /// - Precondition: The model is not known to be a member.
  func gain(_ model: any PersistentModel, at place: ModelList.Place? = nil) {
    if removed.remove(model) == nil { added.append(model) }
    if let place {
      members?.insert(model, at: place)
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

  /// - Returns: Where the member stood.
  func lose(_ model: any PersistentModel) -> ModelList.Place {
    if added.remove(model) == nil, !removed.contains(model) { removed.append(model) }
    let isLast = members?.last === model
    let place = members?.remove(model)
    let array = array.take()
    membersChanged()
    if let array, isLast {
      array.removeLast()
      self.array = array
    }
    _invariantCheck()
    return place ?? .unknown
  }

  /// Puts members where they stood before; the others keep their order.
  func move(_ model: any PersistentModel, to place: ModelList.Place) {
    members?.move(model, to: place)
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

  /// Takes the stored members, with what has changed since applied to them.
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

  /// Forgets the members, which are read again; the changes stay.
  func unload() {
    members = nil
    membersChanged()
  }

  /// Replaces the members of a model that no store knows.
  func replaceAll(_ models: [any PersistentModel]) {
    let list = ModelList(models.withoutRepeats)
    members = list
    added = list
    membersChanged()
    _invariantCheck()
  }

  // MARK: Models that are gone

  /// What a list lost, to be put back.
  struct Dropped {
    fileprivate let model: any PersistentModel
    fileprivate let place: ModelList.Place?
    fileprivate let addedPlace: ModelList.Place?
  }

  /// Takes a deleted model out of the list, which is no change of the relationship.
  func drop(_ model: any PersistentModel) -> Dropped {
    defer { _invariantCheck() }
    membersChanged()
    return Dropped(
      model: model, place: members?.remove(model), addedPlace: added.remove(model))
  }

  func takeBack(_ dropped: Dropped) {
    if let place = dropped.place { members?.insert(dropped.model, at: place) }
    membersChanged()
    if let place = dropped.addedPlace { added.insert(dropped.model, at: place) }
    _invariantCheck()
  }

  /// Takes all models that are gone out of the list.
  /// - Returns: Those that were in it.
  func dropAll(where isGone: (any PersistentModel) -> Bool) -> [any PersistentModel] {
    let gone = [members, added, removed].flatMap { $0?.filter(isGone) ?? [] }
    guard !gone.isEmpty else { return [] }
    members?.removeAll(where: isGone)
    membersChanged()
    added.removeAll(where: isGone)
    removed.removeAll(where: isGone)
    _invariantCheck()
    return gone
  }

  /// No model is both added and removed, and the members have what was added and not what was
  /// removed.
  func _invariantCheck() {
    #if OPENSWIFTDATA_INVARIANTS
      for list in [members, added, removed] { list?._invariantCheck() }
      let size = (members?.count ?? 0) + added.count + removed.count
      guard size <= 64 || size & (size - 1) == 0 else { return }
      let (gained, lost) = (added.identities, removed.identities)
      precondition(gained.isDisjoint(with: lost), "A member was both added and removed.")
      guard let all = members?.identities else { return }
      precondition(gained.isSubset(of: all), "An added member is missing.")
      precondition(lost.isDisjoint(with: all), "A removed member is left.")
    #endif
  }
}

extension ModelList {
  fileprivate var identities: Set<ObjectIdentifier> { Set(map(ObjectIdentifier.init)) }
}

extension [any PersistentModel] {
  /// Each model once, where it came first.
  var withoutRepeats: [any PersistentModel] {
    if count < 2 { return self }
    var known = Set<ObjectIdentifier>(minimumCapacity: count)
    return filter { known.insert(ObjectIdentifier($0)).inserted }
  }
}
