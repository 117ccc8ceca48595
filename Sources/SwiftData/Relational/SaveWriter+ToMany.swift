/// The pairs of to-many relationships.
extension SaveWriter {
  /// Writes each changed pair once, whichever sides of the relationship tell of it.
  ///
  /// Pairs are compared by key, after upserts have decided which new models are rows that exist: a
  /// list that lost the old instance of a row and gained a new one has not lost the row. Which table
  /// comes first does not matter, so tables follow each other as they were met.
  mutating func writeToMany(_ snapshots: [DefaultSnapshot]) throws {
    var changes: [PairChanges] = []
    var places: [ToManyStatements.Place: Int] = [:]
    for snapshot in snapshots where !snapshot.toManys.isEmpty {
      let save = try plan(of: snapshot)
      for toMany in save.toMany where snapshot.changedSlots.contains(toMany.slot) {
        guard let change = snapshot.toMany(toMany.slot),
          let owner = insertedKeys.key(of: snapshot.persistentIdentifier)
        else { continue }
        let place = places[toMany.place] ?? changes.count
        if place == changes.count {
          places[toMany.place] = place
          changes.append(PairChanges(toMany))
        }
        func pairs(_ members: [PersistentIdentifier]) -> [KeyPair] {
          members.compactMap(insertedKeys.key(of:)).map { member in
            toMany.ownerIsFirst
              ? KeyPair(first: owner, second: member)
              : KeyPair(first: member, second: owner)
          }
        }
        changes[place].remove(pairs(change.removed))
        changes[place].add(pairs(change.added))
      }
    }
    for change in changes {
      try run(change.unlink, change.removedPairs)
      try run(change.link, change.addedPairs)
    }
  }

  private mutating func run(_ sql: String, _ pairs: [KeyPair]) throws {
    if !pairs.isEmpty { try prepared(sql).run(pairs) }
  }
}

/// The pairs of one place that a save adds and removes, each once, in order of arrival.
private struct PairChanges {
  let link: String
  let unlink: String
  private(set) var addedPairs: [KeyPair] = []
  private var added: Set<KeyPair> = []
  private var removed: [KeyPair] = []

  init(_ statements: ToManyStatements) {
    link = statements.link
    unlink = statements.unlink
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
