/// A to-many relationship in memory: its members once loaded, and what has changed since the row.
///
/// Adding one member costs the same whatever the number of members: whether it is there already is
/// looked up by identity once a list is long. An assignment to a list drops its index.
public final class _ToManyValue {
  /// All members in order; `nil` until somebody reads them.
  var members: [AnyObject]? { didSet { memberIndex = nil } }
  /// Members that the store does not have on this side yet.
  var added: [AnyObject] = [] { didSet { addedIndex = nil } }
  /// Members that the store still has on this side.
  var removed: [AnyObject] = [] { didSet { removedIndex = nil } }
  /// Whether an array was set that is more than the old one with members behind it.
  var isReordered = false
  /// The order that was saved, where it is not the one in which the store lists its rows.
  private(set) var order: [PersistentIdentifier]?

  private var memberIndex: Set<ObjectIdentifier>?
  private var addedIndex: Set<ObjectIdentifier>?
  private var removedIndex: Set<ObjectIdentifier>?

  init(members: [any PersistentModel]?) {
    self.members = members
    added = members ?? []
  }

  init(loaded: [AnyObject]?) { members = loaded }

  /// An unloaded to-many whose members come in an order of their own.
  init(order: [PersistentIdentifier]) { self.order = order }

  init(copying other: _ToManyValue) {
    members = other.members
    added = other.added
    removed = other.removed
    isReordered = other.isReordered
    order = other.order
    memberIndex = other.memberIndex
    addedIndex = other.addedIndex
    removedIndex = other.removedIndex
  }

  var isChanged: Bool { !added.isEmpty || !removed.isEmpty }

  func hasAdded(_ model: AnyObject) -> Bool {
    _ToManyValue.contains(model, added, &addedIndex)
  }

  func hasRemoved(_ model: AnyObject) -> Bool {
    _ToManyValue.contains(model, removed, &removedIndex)
  }

  /// Whether a model is known to be a member.
  func holds(_ model: AnyObject) -> Bool {
    if hasAdded(model) { return true }
    guard let members else { return false }
    return _ToManyValue.contains(model, members, &memberIndex)
  }

  func noteAdded(_ model: AnyObject) {
    if !removed.isEmpty, hasRemoved(model) {
      removed.removeAll { $0 === model }
    } else if !hasAdded(model) {
      var index = addedIndex.take()
      added.append(model)
      index?.insert(ObjectIdentifier(model))
      addedIndex = index
    }
  }

  func noteRemoved(_ model: AnyObject) {
    if !added.isEmpty, hasAdded(model) {
      added.removeAll { $0 === model }
    } else if !hasRemoved(model) {
      var index = removedIndex.take()
      removed.append(model)
      index?.insert(ObjectIdentifier(model))
      removedIndex = index
    }
  }

  /// Puts a new member behind the loaded ones.
  func appendMember(_ model: AnyObject) {
    var index = memberIndex.take()
    members?.append(model)
    index?.insert(ObjectIdentifier(model))
    memberIndex = index
  }

  private static func contains(
    _ model: AnyObject, _ list: [AnyObject], _ index: inout Set<ObjectIdentifier>?
  ) -> Bool {
    if list.last === model { return true }
    if list.count <= 32 { return list.contains { $0 === model } }
    if index == nil { index = Set(list.lazy.map(ObjectIdentifier.init)) }
    return index?.contains(ObjectIdentifier(model)) ?? false
  }
}
