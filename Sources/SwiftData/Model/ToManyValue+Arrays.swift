/// A to-many as an array: returned as it is, or borrowed to be changed in place.
///
/// 1. A getter returns the array of the members, which is created once for each state of the list.
/// 2. `_modify` borrows it with `lend`; it then has no other owner, so it is changed in place.
/// 3. The returned array is compared with the earlier members, which gives the added and removed
///    ones. If the list itself was changed meanwhile, or members changed positions, the array is
///    set as a whole.
extension _ToManyValue {
  /// The members as an array of their type; `nil` while they are not loaded, or of other types.
  func array<V: PersistentModel>(of type: V.Type) -> TypedMemberArray<V>? {
    guard let members else { return nil }
    if let array, Swift.type(of: array) == TypedMemberArray<V>.self {
      return unsafeDowncast(array, to: TypedMemberArray<V>.self)
    }
    var models: [V] = []
    models.reserveCapacity(members.count)
    for member in members {
      // A cast costs more than the comparison, which mostly succeeds.
      if Swift.type(of: member) == type {
        models.append(unsafeDowncast(member, to: V.self))
      } else if let model = member as? V {
        models.append(model)
      } else {
        return nil
      }
    }
    let made = TypedMemberArray(models)
    array = made
    return made
  }

  func lend<V: PersistentModel>(_ type: V.Type) -> [V]? {
    guard let array = array(of: type) else { return nil }
    self.array = nil
    lent = (array, changeCount)
    return array.lend()
  }

  /// The borrowed array; `nil` if the list was changed since.
  func takeLent<V: PersistentModel>(_ type: V.Type) -> TypedMemberArray<V>? {
    defer { lent = nil }
    guard let lent, lent.changeCount == changeCount else { return nil }
    return lent.array as? TypedMemberArray<V>
  }

  /// The change of the list for a change of its array; `nil` if members changed positions too.
  func change<V>(for difference: ArrayDifference, in array: TypedMemberArray<V>) -> _ToManyChange? {
    var difference = difference
    // A model that is appended a second time keeps its position.
    while difference.isAtEnd, difference.removed.isEmpty, let last = difference.added.last,
      isMember(last)
    {
      difference.added.removeLast()
      array.removeLast()
    }
    let before = Set(difference.removed)
    let added = difference.added.map { ObjectIdentifier($0) }
    let after = Set(added)
    guard after.count == added.count,
      difference.removed.filter(after.contains) == added.filter(before.contains)
    else { return nil }
    var change = _ToManyChange()
    for identity in difference.removed where !after.contains(identity) {
      guard let model = member(identity) else { return nil }
      change.removed.append(model)
    }
    let lastKept = added.lastIndex(where: before.contains) ?? -1
    for (index, model) in difference.added.enumerated() where !before.contains(added[index]) {
      if isMember(model) { return nil }
      let position = difference.start + index
      if difference.isAtEnd, index > lastKept {
        change.added.append((model, nil))
      } else {
        change.added.append((model, position == 0 ? .first : .after(array.models[position - 1])))
      }
    }
    return change
  }
}

/// Members that are added and removed.
public struct _ToManyChange {
  var removed: [any PersistentModel] = []
  /// Each with its position; `nil` means the end.
  var added: [(model: any PersistentModel, position: ModelList.Position?)] = []

  var count: Int { removed.count + added.count }
}
