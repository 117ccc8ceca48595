import OpenSwiftDataSQLSyntax

/// Deletes rows and applies the delete rules, inside the transaction of a batch deletion or a save.
///
/// 1. Cascades add the keys of related rows, level by level, with one statement per relationship.
/// 2. Violations of `.deny` and of required relationships are reported before anything is deleted.
/// 3. The history records the rows, references from other rows are removed, and the rows are
///    deleted.
/// 4. After writing new rows and links, a save calls `runAgain`: the rules apply to new rows that a
///    rule deletes, and to rows that refer to a deleted row now.
///
/// All decisions use the rows that the transaction sees.
final class RowDeletion {
  /// Rows of one entity.
  struct Rows {
    let entity: Int
    let keys: [Int64]
  }

  /// A to-one relationship of a row.
  struct Link: Hashable {
    let entity: Int
    let key: Int64
    let slot: Int
  }

  private let store: RelationalStore
  private let session: any SQLSession
  private let changes: RowChanges
  /// The last sentence of an error message.
  private let consequence: String
  /// The deleted rows by entity number, in the order in which they were found.
  private var keys: [Int: [Int64]] = [:]
  /// The same keys by the number of the root entity, for look-ups.
  private var known: [Int: KeySet] = [:]
  /// Rows that are deleted because of rules, in groups of one entity.
  private(set) var cascaded: [Rows] = []
  /// By entity number, the column with a deleted row's key through which a cascade has found all of
  /// the rows; `nil` if they were found in different ways.
  private var ownerColumns: [Int: String?] = [:]
  /// Whether some of the rows did not exist any more.
  var hasMissedRows = false
  /// To-one relationships that were set to nil.
  private(set) var nullified: [Link] = []
  /// The rows of new models. Errors name their temporary identifiers, because the save may fail.
  var newIdentifiers: [RowChanges.Row: PersistentIdentifier] = [:]

  /// - Parameters:
  ///   - changes: Notes the deleted rows and the rows that refer to them.
  ///   - consequence: A sentence that says what did not happen if a rule is violated.
  init(
    store: RelationalStore, session: any SQLSession, _ changes: RowChanges,
    else consequence: String
  ) {
    self.store = store
    self.session = session
    self.changes = changes
    self.consequence = consequence
  }

  var isEmpty: Bool { keys.isEmpty }

  /// The deleted and changed rows; `nil` if they are many. Known when `RowChanges` has finished.
  var receipt: BatchDeletionReceipt? {
    let count = keys.values.reduce(nullified.count) { $0 + $1.count }
    if max(count, changes.listOwners.rowCount) > BatchDeletionReceipt.limit { return nil }
    return BatchDeletionReceipt(
      deleted: keys.sorted { $0.key < $1.key }.flatMap { number, keys in
        keys.map { identifier($0, number) }
      },
      nullified: nullified.map {
        SaveConsequences.Link(identifier: identifier($0.key, $0.entity), slot: $0.slot)
      }, changedLists: changes.listOwners.changes(store.plans))
  }

  func contains(_ key: Int64, root: Int) -> Bool { known[root]?.contains(key) ?? false }

  func contains(_ row: RowChanges.Row) -> Bool { contains(row.key, root: row.root) }

  /// - Parameters:
  ///   - rows: The rows to delete, in groups of one entity.
  ///   - areCascaded: Whether rules add these rows.
  ///   - willDelete: Called before the deletion, with the rows that rules add.
  func run(
    _ rows: [Rows], areCascaded: Bool = false, willDelete: ([Rows]) throws -> Void = { _ in }
  ) throws {
    let count = cascaded.count
    var found = add(rows, areCascaded: areCascaded)
    try addCascades(of: found, to: &found)
    try willDelete(Array(cascaded[count...]))
    try delete(found, areNew: false)
  }

  /// Applies the rules to rows that were written since `run`.
  /// - Parameter rows: New rows that rules delete, in groups of one entity. Queries may not find them, because
  ///   their unique columns are null.
  func runAgain(_ rows: [Rows]) throws {
    var found = add(rows, areCascaded: true)
    try addCascades(of: keys, to: &found)
    try delete(found, areNew: true)
  }

  private func delete(
    _ found: [Int: [Int64]], areNew: Bool
  ) throws {
    let all = keys.keys.sorted().compactMap { number in
      steps(of: number).map {
        (number: number, steps: $0, list: KeyList(keys[number] ?? [], in: store.driver.dialect))
      }
    }
    let batch = StatementBatch(session)
    var failures: [SwiftDataError] = []
    for (number, steps, list) in all {
      for denial in steps.denials {
        batch.read(denial.queries, .list(list.text)) {
          failures += self.failures(of: denial, number, $0)
        }
      }
      for emptying in steps.nullifications {
        guard let sql = emptying.findingRequired else { continue }
        batch.read(sql, .list(list.text)) { failures += self.failures(of: emptying, number, $0) }
      }
      for referrer in steps.referrers {
        guard let sql = referrer.findingRequired else { continue }
        batch.read(sql, .list(list.text)) { failures += self.failures(of: referrer, number, $0) }
      }
    }
    try batch.run()
    try SwiftDataError.throwAll(failures)
    // Usually all rows of an entity are found at once.
    let new = all.compactMap { number, steps, list in
      found[number].map { keys in
        let isAll = keys.count == list.keys.count
        return (number, steps, isAll ? list : KeyList(keys, in: store.driver.dialect))
      }
    }
    for (number, _, list) in new {
      guard let entity = store.mapping.entity(number: number) else { continue }
      try changes.noteDeletion(
        of: entity, list, batch, ownerColumn: ownerColumns[number] ?? nil)
    }
    for (_, steps, list) in all {
      for emptying in steps.nullifications { empty(emptying, list.text, batch) }
      if areNew {
        for emptying in steps.nullificationsOfDenied { empty(emptying, list.text, batch) }
      }
      for sql in steps.unlinking + steps.referrers.map(\.clearing) {
        batch.write(sql, .list(list.text))
      }
    }
    for (_, steps, list) in new {
      func noteDeleted(_ count: Int) { if count < list.keys.count { hasMissedRows = true } }
      if let range = list.range {
        try batch.run()
        noteDeleted(try deleteRange(range, steps))
      } else {
        batch.write(steps.delete, .list(list.text), noteDeleted)
      }
    }
    try batch.run()
  }

  /// - Returns: The number of deleted rows.
  private func deleteRange(_ range: KeyPair, _ steps: DeletionSteps) throws -> Int {
    let smallest = try session.statement(steps.smallestKey).integer(.none)
    let largest = try session.statement(steps.largestKey).integer(.none)
    // Without a condition SQLite removes the pages of a table and visits no row.
    if let smallest, let largest, smallest >= range.first, largest <= range.second {
      return try session.statement(steps.deleteAll).run(.none)
    }
    return try session.statement(steps.deleteRange).run(.pair(range.first, range.second))
  }

  private func empty(
    _ emptying: DeletionSteps.Nullification, _ list: String, _ batch: StatementBatch
  ) {
    batch.read(emptying.sql, .list(list)) { [self] found in
      for row in stride(from: 0, to: found.count, by: 2) {
        changes.note(emptying.partner, key: found[row])
        nullified.append(Link(entity: Int(found[row + 1]), key: found[row], slot: emptying.slot))
      }
    }
  }

  // MARK: Finding

  /// Adds rows to those that are deleted.
  /// - Returns: The keys that were not known yet, by entity number.
  private func add(_ rows: [Rows], areCascaded: Bool) -> [Int: [Int64]] {
    var found: [Int: [Int64]] = [:]
    for group in rows { add(group, foundBy: nil, to: &found) }
    if areCascaded {
      cascaded += found.sorted { $0.key < $1.key }.map { Rows(entity: $0.key, keys: $0.value) }
    }
    return found
  }

  /// Adds rows to those that are deleted.
  /// - Parameters:
  ///   - ownerColumn: The column with the key of the deleted row that the rows belong to.
  ///   - new: Receives the keys that were not known yet, by entity number.
  private func add(_ rows: Rows, foundBy ownerColumn: String?, to new: inout [Int: [Int64]]) {
    let number = rows.entity
    guard !rows.keys.isEmpty, let root = root(of: number) else { return }
    // Taken out of the dictionaries, so that they are not copied.
    var seen = known.removeValue(forKey: root) ?? KeySet()
    var added = new.removeValue(forKey: number) ?? []
    if added.isEmpty { added.reserveCapacity(rows.keys.count) }
    let count = added.count
    for key in rows.keys where seen.insert(key) { added.append(key) }
    known[root] = seen
    if added.isEmpty { return }
    new[number] = added
    if added.count == count { return }
    keys[number, default: []] += added[count...]
    let earlier = ownerColumns[number] ?? ownerColumn
    ownerColumns[number] = .some(earlier == ownerColumn ? ownerColumn : nil)
  }

  private func addCascades(
    of rows: [Int: [Int64]], to found: inout [Int: [Int64]]
  ) throws {
    var level = rows
    while !level.isEmpty {
      var next: [Int: [Int64]] = [:]
      let batch = StatementBatch(session)
      for (number, added) in level.sorted(by: { $0.key < $1.key }) {
        guard let steps = steps(of: number), !steps.cascades.isEmpty else { continue }
        let list = store.driver.dialect.list(added)
        for cascade in steps.cascades {
          batch.read(cascade.queries, .list(list)) { results in
            for rows in results.flatMap({ RowDeletion.rows($0, cascade.onlyEntity) }) {
              self.add(rows, foundBy: cascade.ownerColumn, to: &next)
            }
          }
        }
      }
      try batch.run()
      level = next
      for (number, keys) in level {
        found[number, default: []] += keys
        cascaded.append(Rows(entity: number, keys: keys))
      }
    }
  }

  /// The rows that a query of a cascade has found.
  private static func rows(_ found: [Int64], _ onlyEntity: Int?) -> [Rows] {
    if let onlyEntity { return [Rows(entity: onlyEntity, keys: found)] }
    return groups(
      stride(from: 0, to: found.count, by: 2).lazy.map {
        (key: found[$0], entity: Int(found[$0 + 1]))
      })
  }

  /// Rows in groups, in their order.
  static func groups(_ rows: some Sequence<(key: Int64, entity: Int)>) -> [Rows] {
    var groups: [Rows] = []
    var keys: [Int64] = []
    var number: Int?
    for row in rows {
      if let last = number, last != row.entity {
        groups.append(Rows(entity: last, keys: keys))
        keys.removeAll(keepingCapacity: true)
      }
      number = row.entity
      keys.append(row.key)
    }
    if let number { groups.append(Rows(entity: number, keys: keys)) }
    return groups
  }

  private func root(of number: Int) -> Int? {
    store.mapping.entity(number: number).map(store.mapping.rootNumber(of:))
  }

  private func steps(of number: Int) -> DeletionSteps? {
    store.mapping.entity(number: number).map { store.plans.deletion(of: $0, store.schema) }
  }

  // MARK: Judging

  /// The maximum number of rows in an error message.
  private static let namedRows = 5
  /// The maximum number of denied deletions that are reported.
  private static let namedDenials = 20

  /// One error for each row whose deletion is denied.
  /// - Parameter results: Those of the queries.
  private func failures(
    of denial: DeletionSteps.Partners, _ number: Int, _ results: [[Int64]]
  ) -> [SwiftDataError] {
    let root = root(of: number) ?? number
    let partners = results.flatMap { found in
      stride(from: 0, to: found.count, by: 3).map {
        (owner: found[$0], key: found[$0 + 1], entity: Int(found[$0 + 2]))
      }
    }
    // Both sides of a one-to-one relationship name the same pair.
    var known: Set<[Int64]> = []
    let blocking = partners.filter { found in
      !isDeleted(found.key, found.entity)
        && !changes.isNew(RowChanges.Row(root: root, key: found.owner))
        && known.insert([found.owner, found.key, Int64(found.entity)]).inserted
    }
    var owners: [Int64] = []
    let groups = Dictionary(grouping: blocking, by: \.owner)
    for found in blocking where owners.last != found.owner && !owners.contains(found.owner) {
      owners.append(found.owner)
      if owners.count == RowDeletion.namedDenials { break }
    }
    return owners.map { owner in
      let group = groups[owner] ?? []
      let names = group.prefix(RowDeletion.namedRows)
        .map { identifier($0.key, $0.entity).description }
      return self.denial(
        of: identifier(owner, number), store.mapping.entity(number: number)?.name ?? "",
        denial.property, names, of: group.count)
    }
  }

  /// The error for a row whose deletion is denied.
  /// - Parameters:
  ///   - names: The first of the related models.
  ///   - count: The number of the related models.
  func denial(
    of row: PersistentIdentifier, _ entity: String, _ property: String, _ names: [String],
    of count: Int = 1
  ) -> SwiftDataError {
    SwiftDataError.modelValidationFailure.with(
      "The delete rule .deny prevents the deletion of \(row), because the relationship still has "
        + "\(RowDeletion.text(names, of: count)). Delete or unlink them first. \(consequence)",
      entity: entity, property: property,
      because: .deletionDenied(entity: entity, property: property))
  }

  /// - Parameter found: The rows of `findingRequired`.
  private func failures(
    of emptying: DeletionSteps.Nullification, _ number: Int, _ found: [Int64]
  ) -> [SwiftDataError] {
    var left: [String] = []
    for row in stride(from: 0, to: found.count, by: 3) {
      let (key, entity) = (found[row], Int(found[row + 1]))
      if !isDeleted(key, entity) {
        left.append("\(identifier(key, entity)) to \(identifier(found[row + 2], number))")
      }
    }
    if left.isEmpty { return [] }
    return [
      .requiredLinksLeft(
        left, of: emptying.owner.name, emptying.property, else: " \(consequence)")
    ]
  }

  /// The deletion is refused if rows of an entity outside the schema require the deleted rows.
  /// - Parameter found: The rows of `findingRequired`.
  private func failures(
    of referrer: FileReferrer, _ number: Int, _ found: [Int64]
  ) -> [SwiftDataError] {
    if found.isEmpty { return [] }
    let keys = found.prefix(RowDeletion.namedRows).map { "p\($0)" }
    return [
      SwiftDataError.modelValidationFailure.with(
        "A required relationship of \(referrer.entity), which is in the store but not in the schema, refers "
          + "to a deleted \(store.mapping.entity(number: number)?.name ?? "model"): in the rows "
          + "\(RowDeletion.text(keys, of: found.count)). Add \(referrer.entity) to the schema of the "
          + "container, and delete or change these rows first. \(consequence)",
        entity: referrer.entity, property: referrer.property,
        because: .deletionDenied(entity: referrer.entity, property: referrer.property))
    ]
  }

  private func isDeleted(_ key: Int64, _ number: Int) -> Bool {
    root(of: number).map { contains(key, root: $0) } ?? false
  }

  private func identifier(_ key: Int64, _ number: Int) -> PersistentIdentifier {
    if !newIdentifiers.isEmpty, let root = root(of: number),
      let new = newIdentifiers[RowChanges.Row(root: root, key: key)]
    {
      return new
    }
    return store.plans.identifier(key, entity: number)
  }

  private static func text(_ parts: [String], of count: Int) -> String {
    parts.joined(separator: ", ") + (count > parts.count ? " and \(count - parts.count) more" : "")
  }
}

extension StorePlans {
  /// The identifier of a row, without an entity name if no entity has the number.
  func identifier(_ key: Int64, entity number: Int) -> PersistentIdentifier {
    PersistentIdentifier(
      scope: scope(number: scopes.indices.contains(number) ? number : 0), key: key)
  }
}
