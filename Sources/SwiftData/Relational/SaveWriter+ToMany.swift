/// The pairs of to-many relationships.
extension SaveWriter {
  /// Writes each changed pair once, whichever sides of the relationship tell of it.
  ///
  /// Pairs are compared by key, after upserts have decided which new models are rows that exist: a
  /// list that lost the old instance of a row and gained a new one has not lost the row. Which table
  /// comes first does not matter, so tables follow each other as they were met.
  mutating func writeToMany(_ snapshots: [DefaultSnapshot]) throws {
    var pairChanges: [PairChanges] = []
    var places: [ToManyStatements.Place: Int] = [:]
    for snapshot in snapshots where !snapshot.toManys.isEmpty {
      let save = try plan(of: snapshot)
      for toMany in save.toMany where snapshot.changedSlots.contains(toMany.slot) {
        guard let change = snapshot.toMany(toMany.slot),
          let owner = insertedKeys.key(of: snapshot.persistentIdentifier)
        else { continue }
        let place = places[toMany.place] ?? pairChanges.count
        if place == pairChanges.count {
          places[toMany.place] = place
          pairChanges.append(PairChanges(toMany))
        }
        func pairs(_ members: [PersistentIdentifier]) -> [KeyPair] {
          members.compactMap(insertedKeys.key(of:)).map { member in
            toMany.ownerIsFirst
              ? KeyPair(first: owner, second: member)
              : KeyPair(first: member, second: owner)
          }
        }
        pairChanges[place].remove(pairs(change.removed))
        pairChanges[place].add(pairs(change.added))
      }
    }
    for change in pairChanges {
      let statements = change.statements
      for pair in change.addedPairs {
        targets.insert(pair.first, root: statements.first.root)
        targets.insert(pair.second, root: statements.second.root)
      }
      try run(statements.unlink, change.removedPairs, statements)
      try run(statements.link, try unowned(change.addedPairs, statements), statements)
    }
  }

  /// Removes the pairs that a changed or deleted row loses, as far as they are stored.
  mutating func unlinkPairs(of snapshot: DefaultSnapshot) throws {
    guard !snapshot.toManys.isEmpty, let owner = snapshot.persistentIdentifier.rowKey else {
      return
    }
    for toMany in try plan(of: snapshot).toMany where snapshot.changedSlots.contains(toMany.slot) {
      let removed = snapshot.toMany(toMany.slot)?.removed.compactMap(\.resolved.rowKey) ?? []
      let pairs = removed.map { member in
        toMany.ownerIsFirst
          ? KeyPair(first: owner, second: member) : KeyPair(first: member, second: owner)
      }
      try run(toMany.unlink, pairs, toMany)
    }
  }

  /// Writes pairs. Rows at both ends of those that were not so before have changed.
  private mutating func run(
    _ sql: String, _ pairs: [KeyPair], _ statements: ToManyStatements
  ) throws {
    if pairs.isEmpty { return }
    let statement = try prepared(sql)
    try statement.run(pairs) { pair in
      changes.note(statements.first, key: pair.first)
      changes.note(statements.second, key: pair.second)
    }
  }

  /// The pairs whose member has another owner yet; that one loses it.
  private mutating func unowned(
    _ pairs: [KeyPair], _ statements: ToManyStatements
  ) throws -> [KeyPair] {
    guard let sql = statements.storedOwner else { return pairs }
    let statement = try prepared(sql)
    return try pairs.filter { pair in
      guard let owner = try statement.integer(.integer(pair.second)) else { return true }
      if owner != pair.first { changes.note(statements.first, key: owner) }
      return owner != pair.first
    }
  }
}

/// The pairs of one place that a save adds and removes, each once, in order of arrival.
private struct PairChanges {
  let statements: ToManyStatements
  private(set) var addedPairs: [KeyPair] = []
  private var added: Set<KeyPair> = []
  private var removed: [KeyPair] = []

  init(_ statements: ToManyStatements) {
    self.statements = statements
  }

  mutating func add(_ pairs: [KeyPair]) {
    for pair in pairs where added.insert(pair).inserted { addedPairs.append(pair) }
  }

  mutating func remove(_ pairs: [KeyPair]) { removed += pairs }

  /// What is removed and not added too.
  var removedPairs: [KeyPair] {
    var known = added
    return removed.filter { known.insert($0).inserted }
  }
}
