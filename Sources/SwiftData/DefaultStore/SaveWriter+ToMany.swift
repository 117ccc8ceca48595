import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLiteEngine

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
          let owner = key(of: snapshot.persistentIdentifier)
        else { continue }
        let place = places[toMany.place] ?? changes.count
        if place == changes.count {
          places[toMany.place] = place
          changes.append(PairChanges(toMany))
        }
        func pairs(_ members: [PersistentIdentifier]) -> [PairChanges.Pair] {
          members.compactMap(key(of:)).map { member in
            toMany.ownerIsFirst
              ? PairChanges.Pair(first: owner, second: member)
              : PairChanges.Pair(first: member, second: owner)
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

  private mutating func run(_ sql: String, _ pairs: [PairChanges.Pair]) throws {
    guard !pairs.isEmpty else { return }
    let statement = try prepared(sql)
    for pair in pairs {
      try statement.bind(pair.first, at: 1)
      try statement.bind(pair.second, at: 2)
      try statement.run()
    }
  }

  func key(of identifier: PersistentIdentifier) -> Int64? {
    identifier.rowKey ?? keysByScope[ObjectIdentifier(identifier.id.scope)]?.key
      ?? identifier.resolved.rowKey
  }

  func destination(of identifier: PersistentIdentifier) -> (key: Int64, entity: Int)? {
    if let new = keysByScope[ObjectIdentifier(identifier.id.scope)] { return new }
    let permanent = identifier.resolved
    guard let key = permanent.rowKey,
      let entity = store.mapping.entity(named: permanent.entityName)
    else { return nil }
    return (key, entity.number)
  }
}

/// The pairs of one place that a save adds and removes, each once, in order of arrival.
private struct PairChanges {
  struct Pair: Hashable {
    let first: Int64
    let second: Int64
  }

  let link: String
  let unlink: String
  private(set) var addedPairs: [Pair] = []
  private var added: Set<Pair> = []
  private var removed: [Pair] = []

  init(_ statements: ToManyStatements) {
    link = statements.link
    unlink = statements.unlink
  }

  mutating func add(_ pairs: [Pair]) {
    for pair in pairs where added.insert(pair).inserted { addedPairs.append(pair) }
  }

  mutating func remove(_ pairs: [Pair]) { removed += pairs }

  /// What is removed and not added too.
  var removedPairs: [Pair] {
    var known = added
    return removed.filter { known.insert($0).inserted }
  }
}
