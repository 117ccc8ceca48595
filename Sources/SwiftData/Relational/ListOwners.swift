/// Rows of one entity whose to-many relationships a transaction has changed through other rows, such as those
/// of deleted members. `RowChanges` finds them when it records the changes.
struct ListOwners {
  /// The number of the entity.
  let entity: Int
  /// Whether the rows are known to be of this entity, and not of another one in its table.
  let isCertain: Bool
  let keys: [Int64]
  let slots: SlotSet
}

extension [ListOwners] {
  var rowCount: Int { reduce(0) { $0 + $1.keys.count } }

  /// What the context learns.
  /// - Parameter selected: The slots of a row that matter.
  func changes(
    _ plans: StorePlans, _ selected: (_ key: Int64, _ owners: ListOwners) -> SlotSet = { $1.slots }
  ) -> [SaveConsequences.ChangedLists] {
    var changes: [SaveConsequences.ChangedLists] = []
    changes.reserveCapacity(rowCount)
    for owners in self {
      let scope = plans.scope(number: owners.entity)
      for key in owners.keys {
        let slots = selected(key, owners)
        if slots.isEmpty { continue }
        changes.append(
          SaveConsequences.ChangedLists(
            identifier: PersistentIdentifier(scope: scope, key: key), slots: slots,
            isCertain: owners.isCertain))
      }
    }
    return changes
  }
}
