/// A to-many as an array: handed out as it is, or lent to be changed in place.
///
/// 1. A getter takes the array of the members, which is made once for each state of the list.
/// 2. `_modify` takes it away with `lend`; it has no other owner then, so it is changed in place.
/// 3. What comes back is compared with the members of before, which tells what came and went. Where
///    the list itself was changed meanwhile, or members changed places, the array is set as a whole.
extension _ToManyValue {
  /// The members as an array of their type; `nil` while they are not loaded, or of other types.
  func array<V: PersistentModel>(of type: V.Type) -> TypedMemberArray<V>? {
    guard let members else { return nil }
    if let array, Swift.type(of: array) == TypedMemberArray<V>.self {
      return unsafeDowncast(array, to: TypedMemberArray<V>.self)
    }
    let made = TypedMemberArray(members.compactMap { $0 as? V })
    guard made.models.count == members.count else { return nil }
    array = made
    return made
  }

  func lend<V: PersistentModel>(_ type: V.Type) -> [V]? {
    guard let array = array(of: type) else { return nil }
    self.array = nil
    lent = (array, changeCount)
    return array.lend()
  }

  /// The array that was lent; `nil` where the list was changed since.
  func takeLent<V: PersistentModel>(_ type: V.Type) -> TypedMemberArray<V>? {
    defer { lent = nil }
    guard let lent, lent.changeCount == changeCount else { return nil }
    return lent.array as? TypedMemberArray<V>
  }

  /// What a change of an array means for the list; `nil` where members changed places besides.
  func change<V>(for difference: ArrayDifference, in array: TypedMemberArray<V>) -> _ToManyChange? {
    var difference = difference
    // A model that is added a second time stays where it is.
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
      let place = difference.start + index
      if difference.isAtEnd, index > lastKept {
        change.added.append((model, nil))
      } else {
        change.added.append((model, place == 0 ? .first : .after(array.models[place - 1])))
      }
    }
    return change
  }
}

/// Members that come and go.
public struct _ToManyChange {
  var removed: [any PersistentModel] = []
  /// Each with the place where it comes in; `nil` stands for the end.
  var added: [(model: any PersistentModel, place: ModelList.Place?)] = []

  var count: Int { removed.count + added.count }
}

extension _ModelStorage {
  /// The array of a to-many for an accessor that changes it in place and gives it back.
  func lendToMany<V: PersistentModel>(_ slot: Int) -> [V]? {
    // Reading loads the members.
    let models: [V]? = toMany(slot)
    guard case .toMany(let value) = overlaid(slot) else { return models }
    return lent(value) ?? models
  }

  private func lent<V: PersistentModel>(_ value: _ToManyValue) -> [V]? { value.lend(V.self) }

  /// Makes a lent array the members; the other sides follow.
  func takeBackToMany<V: PersistentModel>(_ slot: Int, _ models: inout [V]?) {
    guard models != nil, case .toMany(let value) = overlaid(slot),
      let array = value.takeLent(V.self)
    else { return setToMany(slot, to: models) }
    let countBefore = value.changeCount
    let difference = array.takeBack(&models)
    guard let change = value.change(for: difference, in: array), apply(change, to: value, slot)
    else { return setToMany(slot, to: array.models) }
    if case .toMany(let changed) = overlaid(slot) {
      changed.keep(array, after: change, countBefore: countBefore)
    }
  }

  /// - Returns: Whether the change could be made as it is.
  private func apply(_ change: _ToManyChange, to value: _ToManyValue, _ slot: Int) -> Bool {
    if let source { return source._changeToMany(self, slot: slot, by: change) }
    guard change.added.allSatisfy({ $0.model._$storage.source == nil }) else { return false }
    for model in change.removed { _ = value.lose(model) }
    for (model, place) in change.added { value.gain(model, at: place) }
    return true
  }
}
