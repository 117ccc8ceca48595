/// Writes the pairs of to-many relationships. Used by the steps of `SaveWriter`.
struct PairWriter {
  private let prepared: PreparedSave
  private let keys: InsertedKeys
  private let changes: RowChanges
  private let links: LinkWriter
  /// Up to this many pairs are sent to a server together; those of new rows with the commit of an optimistic save.
  private static let fewPairs = 16
  /// So many owners of members are read together.
  private static let manyReads = 256

  init(
    _ prepared: PreparedSave, _ keys: InsertedKeys, _ changes: RowChanges, _ links: LinkWriter
  ) {
    self.prepared = prepared
    self.keys = keys
    self.changes = changes
    self.links = links
  }

  /// Writes each changed pair once, even if both sides of the relationship contain it.
  ///
  /// Pairs are compared by key, after upserts have merged new models with existing rows: a list
  /// that lost the old instance of a row and gained a new one has not lost the row. The order of
  /// tables does not matter, so they are written in the order in which they occur.
  /// - Parameter new: Gets the members of lists whose pairs were not stored.
  func write(_ snapshots: [DefaultSnapshot], noting new: NewMembers? = nil) throws {
    var pairChanges: [PairChanges] = []
    var indices: [ToManyStatements.PairTable: Int] = [:]
    for snapshot in snapshots where !snapshot.toManys.isEmpty {
      let save = try prepared.save(of: snapshot)
      for toMany in save.toMany where snapshot.changedSlots.contains(toMany.slot) {
        guard let change = snapshot.toMany(toMany.slot),
          let owner = keys.key(of: snapshot.persistentIdentifier)
        else { continue }
        let index = indices[toMany.pairTable] ?? pairChanges.count
        if index == pairChanges.count {
          indices[toMany.pairTable] = index
          pairChanges.append(PairChanges(toMany))
        }
        func pairs(_ members: [PersistentIdentifier]) -> [KeyPair] {
          toMany.pairs(of: owner, members.compactMap { keys.key(of: $0) })
        }
        if !change.added.isEmpty {
          noteTargets(snapshot.persistentIdentifier, change.added, toMany)
        }
        if new != nil {
          for member in change.added {
            for pair in pairs([member]) {
              pairChanges[index].sources[pair] = SaveConsequences.NewMember(
                owner: snapshot.persistentIdentifier, slot: toMany.slot, member: member)
            }
          }
        }
        pairChanges[index].remove(pairs(change.removed))
        pairChanges[index].add(pairs(change.added))
        if toMany.storedOwner != nil {
          pairChanges[index].owners[owner] = save.statements.entity.number
        }
      }
    }
    let batch = StatementBatch(prepared.session)
    for change in pairChanges {
      let statements = change.statements
      try run(statements.unlink, change.removedPairs, batch) { note($0, statements) }
      try link(try takenFromOwners(change, batch), statements, batch) { pair in
        note(pair, statements)
        new?.note(change.sources[pair])
      }
    }
    try batch.run()
  }

  /// The rows at both ends of added pairs have to exist.
  private func noteTargets(
    _ owner: PersistentIdentifier, _ members: [PersistentIdentifier], _ list: ToManyStatements
  ) {
    let (ownerSide, memberSide) =
      list.ownerIsFirst ? (list.first, list.second) : (list.second, list.first)
    links.noteTarget(owner, root: ownerSide.root)
    for member in members { links.noteTarget(member, root: memberSide.root) }
  }

  /// Removes the pairs that a changed or deleted row loses, if they are stored.
  func unlink(_ snapshot: DefaultSnapshot) throws {
    guard !snapshot.toManys.isEmpty, let owner = snapshot.persistentIdentifier.rowKey else {
      return
    }
    let save = try prepared.save(of: snapshot)
    let batch = StatementBatch(prepared.session)
    for toMany in save.toMany where snapshot.changedSlots.contains(toMany.slot) {
      let removed = snapshot.toMany(toMany.slot)?.removed.compactMap(\.resolved.rowKey) ?? []
      try run(toMany.unlink, toMany.pairs(of: owner, removed), batch) { note($0, toMany) }
    }
    try batch.run()
  }

  /// Adds or removes pairs, few of them with the batch.
  /// - Parameter note: Called for each pair that this changes.
  private func run(
    _ sql: String, _ pairs: [KeyPair], _ batch: StatementBatch,
    _ note: @escaping (KeyPair) -> Void
  ) throws {
    if pairs.count <= PairWriter.fewPairs {
      for pair in pairs {
        batch.write(sql, .pair(pair.first, pair.second)) { changed in
          if changed > 0 { note(pair) }
        }
      }
      return
    }
    try batch.run()
    try prepared.statement(sql).run(pairs, changed: note)
  }

  /// Adds pairs.
  /// - Parameter note: Called for each pair that was not stored.
  private func link(
    _ pairs: [KeyPair], _ statements: ToManyStatements, _ batch: StatementBatch,
    _ note: @escaping (KeyPair) -> Void
  ) throws {
    guard prepared.session.isOptimistic, pairs.count <= PairWriter.fewPairs,
      statements.storedOwner != nil || pairs.allSatisfy({ isNew($0, statements) })
    else { return try run(statements.link, pairs, batch, note) }
    // None is stored: the owners were read, or a row is new. The commit requires rows that are not new.
    for pair in pairs {
      try prepared.statement(statements.link).runLater(.pair(pair.first, pair.second))
      note(pair)
    }
  }

  /// The rows at both ends of a changed pair count as changed.
  private func note(_ pair: KeyPair, _ statements: ToManyStatements) {
    changes.note(statements.first, key: pair.first)
    changes.note(statements.second, key: pair.second)
  }

  /// Whether one of the rows is new.
  private func isNew(_ pair: KeyPair, _ statements: ToManyStatements) -> Bool {
    changes.isNew(RowChanges.Row(root: statements.first.root, key: pair.first))
      || changes.isNew(RowChanges.Row(root: statements.second.root, key: pair.second))
  }

  /// The added pairs that are not stored. Where a member can have one owner only, its earlier one loses it: the
  /// stored one, or another one of this save, if several new members became one row.
  private func takenFromOwners(
    _ change: PairChanges, _ batch: StatementBatch
  ) throws -> [KeyPair] {
    let (pairs, statements) = (change.addedPairs, change.statements)
    guard let sql = statements.storedOwner else { return pairs }
    var owners: [Int64: (key: Int64, entity: Int)] = [:]
    let members = pairs.lazy.map(\.second).filter { member in
      !changes.isNew(RowChanges.Row(root: statements.second.root, key: member))
    }
    for (index, member) in members.enumerated() {
      batch.read(sql, .integer(member)) { found in
        if found.count == 2 { owners[member] = (found[0], Int(found[1])) }
      }
      if index % PairWriter.manyReads == PairWriter.manyReads - 1 { try batch.run() }
    }
    try batch.run()
    return pairs.filter { pair in
      let earlier = owners[pair.second]
      if earlier?.key == pair.first { return false }
      owners[pair.second] = change.owners[pair.first].map { (pair.first, $0) }
      guard let earlier else { return true }
      links.noteTaken(pair.second, from: earlier.key, entity: earlier.entity, statements)
      let names = statements.names
      SingleOwnerWarning.note(owner: names.owner, list: names.list, member: names.member)
      return true
    }
  }
}

/// The members that lists gain in a save, in which new models become stored rows.
final class NewMembers {
  private(set) var all: [SaveConsequences.NewMember] = []

  fileprivate func note(_ member: SaveConsequences.NewMember?) {
    if let member { all.append(member) }
  }
}

extension ToManyStatements {
  /// The pairs of an owner and its members, in the order of the columns.
  fileprivate func pairs(of owner: Int64, _ members: [Int64]) -> [KeyPair] {
    members.map { member in
      ownerIsFirst
        ? KeyPair(first: owner, second: member) : KeyPair(first: member, second: owner)
    }
  }
}

/// The pairs of one table that a save adds and removes, each once, in the order of their
/// occurrence.
private struct PairChanges {
  let statements: ToManyStatements
  /// The entity numbers of owners in relationships without an inverse, by key.
  var owners: [Int64: Int] = [:]
  /// For `NewMembers`, a list with the pair and its member.
  var sources: [KeyPair: SaveConsequences.NewMember] = [:]
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

  /// The pairs that are removed and not added again.
  var removedPairs: [KeyPair] {
    var known = added
    return removed.filter { known.insert($0).inserted }
  }
}
