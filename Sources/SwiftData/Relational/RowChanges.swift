import OpenSwiftDataSQLSyntax

/// Keeps books on the rows that a transaction writes.
///
/// 1. Whoever writes a row, or changes what belongs to it elsewhere, notes it here, as often as it happens.
///    New rows need no note: they are those behind the first new key of their table.
/// 2. `finish` makes each of these rows one version newer and adds it to the history, once.
///
/// A note of a row that is new or gone in the end does nothing.
struct RowChanges {
  struct Row: Hashable {
    /// The number of the entity at the root of the row's table.
    let root: Int
    let key: Int64
  }

  private struct Change {
    /// What was changed; none where only the version counts.
    var slots = SlotSet()
    /// How often statements have counted the version up.
    var versions: Int64 = 0
  }

  private let store: RelationalStore
  private let session: any SQLSession
  private var history: HistoryWriter?
  private var changes: [Row: Change] = [:]
  /// By the number of the root.
  private var firstNewKeys: [Int: Int64] = [:]
  private var deleted: Set<Row> = []

  /// - Parameter editor: Who makes the changes, for the history.
  init(_ store: RelationalStore, _ session: any SQLSession, by editor: EditingState) {
    self.store = store
    self.session = session
    history = HistoryWriter(store, session, by: editor)
  }

  // MARK: Notes

  /// Rows with this key and larger ones are new.
  mutating func noteNewRows(of root: Int, from key: Int64) { firstNewKeys[root] = key }

  func isNew(_ row: Row) -> Bool { firstNewKeys[row.root].map { row.key >= $0 } ?? false }

  /// A statement has written slots of a row and counted its version up.
  mutating func noteUpdate(_ row: Row, _ slots: SlotSet) {
    changes[row, default: Change()].slots.formUnion(slots)
    changes[row]?.versions += 1
  }

  /// A row has changed, without its version, through a column of another table, or of its own.
  mutating func note(_ partner: EntityChanges.Partner, key: Int64) {
    let row = Row(root: partner.root, key: key)
    if isNew(row) { return }
    if let slot = partner.slot {
      changes[row, default: Change()].slots.insert(slot)
    } else if changes[row] == nil {
      changes[row] = Change()
    }
  }

  /// Some rows of an entity are about to be deleted.
  mutating func noteDeletion(of entity: EntityMapping, _ keys: [Int64]) throws {
    let changes = store.plans.changes(of: entity)
    if store.plans.hasRelationships {
      for key in keys { deleted.insert(Row(root: changes.root, key: key)) }
    }
    // Nobody has seen rows that the same transaction adds.
    let keys = firstNewKeys[changes.root].map { first in keys.filter { $0 < first } } ?? keys
    if keys.isEmpty { return }
    let list = store.driver.dialect.list(keys)
    if let table = table(changes.root) { try history?.add(table.addDeleted, [.text(list)]) }
    for query in changes.partnersOfDeleted {
      for key in try session.statement(query.sql).integers(.list(list)) {
        note(query.partner, key: key)
      }
    }
  }

  /// All rows of a table that meet a condition are about to be deleted; they have no partners.
  mutating func noteDeletion(
    of entity: EntityMapping, where condition: SQLExpression?, _ parameters: [_StoredValue]
  ) throws {
    guard let history, let root = store.mapping.entity(number: store.mapping.rootNumber(of: entity))
    else { return }
    guard history.keepsChanges else {
      let first = Select(
        [RowColumns.key()], from: TableReference(root.table), where: condition, limit: .integer(1))
      let found = try session.statement(first.rendered(in: store.plans.dialect).sql)
        .integer(.values(parameters))
      if found != nil { try self.history?.noteUnkept() }
      return
    }
    let insert = TableChanges.addDeleted(
      root, store.history, in: store.mapping, where: condition, parameterCount: parameters.count)
    try self.history?.add(insert.rendered(in: store.plans.dialect).sql, parameters)
  }

  /// The rows with changes, and what was changed; those that are new or deleted are left out.
  var updates: [(row: Row, slots: SlotSet)] {
    changes.compactMap { row, change in
      isNew(row) || deleted.contains(row) ? nil : (row, change.slots)
    }
  }

  // MARK: The end

  /// The number of the history's transaction; `nil` where there is none.
  var transaction: Int64? { history?.transaction }

  /// - Parameter ends: Behind the last new key, by the number of the root.
  mutating func finish(newKeys ends: [Int: Int64] = [:]) throws {
    for (root, first) in firstNewKeys.sorted(by: { $0.key < $1.key }) {
      guard let end = ends[root], end > first, let table = table(root) else { continue }
      try history?.addInserted(table, first..<end)
    }
    if !changes.isEmpty {
      let rows = changes.keys.filter { !deleted.contains($0) }
        .sorted { ($0.root, $0.key) < ($1.root, $1.key) }
      try setVersions(rows)
      if history != nil { try addUpdates(rows) }
    }
    try history?.finish()
  }

  /// Rows that no statement counted up, or several did, come to one version more; new ones to the first.
  private func setVersions(_ rows: [Row]) throws {
    struct Step: Hashable {
      let root: Int
      let count: Int64
    }
    var groups = KeyGroups<Step>()
    for row in rows {
      let count = (isNew(row) ? 0 : 1) - (changes[row]?.versions ?? 0)
      if count != 0 { groups.add(row.key, to: Step(root: row.root, count: count)) }
    }
    for (step, keys) in groups.all {
      guard let table = table(step.root) else { continue }
      try session.statement(table.addToVersions).run(
        .values([.text(store.driver.dialect.list(keys)), .integer(step.count)]))
    }
  }

  private mutating func addUpdates(_ rows: [Row]) throws {
    struct Update: Hashable {
      let root: Int
      let slots: SlotSet
    }
    var groups = KeyGroups<Update>()
    for row in rows where !isNew(row) {
      guard let slots = changes[row]?.slots, !slots.isEmpty else { continue }
      if history?.keepsChanges == false { return try history?.noteUnkept() ?? () }
      groups.add(row.key, to: Update(root: row.root, slots: slots))
    }
    for (update, keys) in groups.all {
      guard let table = table(update.root) else { continue }
      for (number, keys) in try byEntity(keys, table, root: update.root) {
        let columns = store.mapping.entity(number: number)
          .map { store.plans.changes(of: $0).columns.bits(of: update.slots) }
        try history?.addUpdated(table, store.driver.dialect.list(keys), columns: columns)
      }
    }
  }

  private func table(_ root: Int) -> TableChanges? {
    store.mapping.entity(number: root).map(store.plans.tableChanges(of:))
  }

  /// The rows of a table by the numbers of their entities.
  private func byEntity(
    _ keys: [Int64], _ table: TableChanges, root: Int
  ) throws -> [(number: Int, keys: [Int64])] {
    guard let sql = table.entityNumbers else { return [(root, keys)] }
    let found = try session.statement(sql).integers(.list(store.driver.dialect.list(keys)))
    var groups = KeyGroups<Int>()
    for place in stride(from: 0, to: found.count, by: 2) {
      groups.add(found[place], to: Int(found[place + 1]))
    }
    return groups.all.map { ($0.group, $0.keys) }
  }
}

/// Keys by what they have in common, in the order of their arrival.
private struct KeyGroups<Group: Hashable> {
  private(set) var all: [(group: Group, keys: [Int64])] = []
  private var places: [Group: Int] = [:]

  mutating func add(_ key: Int64, to group: Group) {
    if let place = places[group] {
      all[place].keys.append(key)
    } else {
      places[group] = all.count
      all.append((group, [key]))
    }
  }
}
