/// The order of the members of a to-many relationship in the store. Called after a save, and when
/// the members are read again.
extension _ToManyValue {
  /// The order of the members, if it differs from the order in which the store lists its rows.
  var orderToSave: [PersistentIdentifier]? {
    guard let members else { return order }
    func key(_ member: any PersistentModel) -> PersistentIdentifier {
      member._$storage.identifier.resolved
    }
    // One member appended to the old ones needs one comparison.
    if !isReordered, order == nil, added.count <= 1 {
      guard let last = members.last, let previous = members.lastButOne, added.last === last,
        let own = key(last).rowKey, let other = key(previous).rowKey, own < other
      else { return nil }
    }
    let keys = members.map(key)
    let rows = keys.compactMap(\.rowKey)
    let isListedSo = zip(rows, rows.dropFirst()).allSatisfy { $0 < $1 }
    return isListedSo ? nil : keys
  }

  /// Members in the saved order; members that are not part of it come last.
  func ordered(_ members: [any PersistentModel]) -> [any PersistentModel] {
    guard let order else { return members }
    let positions = Dictionary(
      order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let positioned = members.enumerated().map { index, member in
      (member, positions[member._$storage.identifier] ?? order.count + index)
    }
    return positioned.sorted { $0.1 < $1.1 }.map(\.0)
  }
}
