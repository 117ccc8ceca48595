import Foundation
import OpenSwiftDataSQLSyntax

/// Tracks the rows that a transaction writes, and records their versions and history.
///
/// 1. Every row that is written, or changed through another table, is noted here, any number of
///    times. New rows need no note: their keys are among the new ones of their table.
/// 2. `finish` increments the version of each noted row by one, and adds one change for it to the
///    history.
///
/// With one writer, `HistoryWriter` adds the changes by statements. With several, they are kept in
/// memory until the end (`NewTransaction`): a number that is taken earlier would make others wait, or
/// would not be in the order of the commits.
///
/// Notes about rows that are new, or deleted in the end, have no effect.
final class RowChanges {
  struct Row: Hashable {
    /// The number of the root entity of the row's table.
    let root: Int
    let key: Int64
  }

  private struct Change {
    /// The changed slots; empty if only the version changes.
    var slots = SlotSet()
    /// The number of increments of the version by statements.
    var versions: Int64 = 0

    mutating func noteUpdate(_ slots: SlotSet) {
      self.slots.formUnion(slots)
      versions += 1
    }
  }

  private let store: RelationalStore
  private let session: any SQLSession
  private let editor: EditingState
  private var history: HistoryWriter?
  /// The history of this transaction, where several write at once.
  private var buffered: BufferedHistory?
  private var changes: [Row: Change] = [:]
  /// The keys of rows that are new, by the number of the root entity; mostly one range.
  private var newKeys: [Int: [Range<Int64>]] = [:]
  /// Stored rows that are known to exist, besides those that a statement has written.
  private var existing: Set<Row> = []
  /// By the number of the root entity.
  private var deletedKeys: [Int: [Int64]] = [:]
  /// Whether `finish` finds `listOwners`.
  var findsListOwners = false
  /// Whether `finishDelayedHistory` follows, because more rows are written after `finish`.
  var delaysHistory = false
  /// The stored rows whose to-many relationships have changed, after `finish`.
  private(set) var listOwners: [ListOwners] = []

  /// Up to this many rows of a table are required one by one, with the commit of an optimistic save.
  private static let fewRows = 8

  /// - Parameter editor: The author and the context of the changes, for the history.
  init(_ store: RelationalStore, _ session: any SQLSession, by editor: EditingState) {
    self.store = store
    self.session = session
    self.editor = editor
    if let numbers = store.driver.numberAllocator {
      buffered = BufferedHistory(store, session, numbers, by: editor)
    } else {
      history = HistoryWriter(store, session, by: editor)
    }
  }

  // MARK: Notes

  /// Rows with these keys are new.
  func noteNewRows(of root: Int, _ keys: Range<Int64>) { newKeys[root, default: []].append(keys) }

  func isNew(_ row: Row) -> Bool {
    newKeys[row.root]?.contains { $0.contains(row.key) } ?? false
  }

  /// A statement has written slots of a row and incremented its version.
  func noteUpdate(_ row: Row, _ slots: SlotSet) {
    changes[row, default: Change()].noteUpdate(slots)
  }

  /// A row has changed through a column of another table, or of its own, without its version.
  func note(_ partner: EntityChanges.Partner, key: Int64) {
    let row = Row(root: partner.root, key: key)
    if isNew(row) { return }
    if let slot = partner.slot {
      changes[row, default: Change()].slots.insert(slot)
    } else if changes[row] == nil {
      changes[row] = Change()
    }
  }

  /// Stored rows exist, or the save fails.
  func noteExisting(_ keys: some Sequence<Int64>, root: Int) {
    for key in keys { existing.insert(Row(root: root, key: key)) }
  }

  /// Must be called before some rows of an entity are deleted.
  /// - Parameters:
  ///   - batch: Gets the statements that read these and related rows. It must run before the deletion.
  ///   - ownerColumn: A column in which all of them have the key of a row that is deleted too. A note about
  ///     that row would have no effect.
  func noteDeletion(
    of entity: EntityMapping, _ deleted: KeyList, _ batch: StatementBatch,
    ownerColumn: String? = nil
  ) throws {
    let changes = store.plans.changes(of: entity)
    if store.plans.hasRelationships { deletedKeys[changes.root, default: []] += deleted.keys }
    // Rows that the same transaction added were never visible to other transactions.
    let list =
      newKeys[changes.root].map { new in
        KeyList(
          deleted.keys.filter { key in !new.contains { $0.contains(key) } },
          in: store.driver.dialect)
      } ?? deleted
    if list.keys.isEmpty { return }
    if let table = table(changes.root) { try addDeleted(list, table, batch, root: changes.root) }
    for query in changes.relatedToDeleted
    where query.ownColumn == nil || query.ownColumn != ownerColumn {
      func noteAll(_ found: [Int64]) { for key in found { note(query.partner, key: key) } }
      if let sql = query.sqlForRange, let range = list.range {
        batch.read(sql, .pair(range.first, range.second), noteAll)
      } else {
        batch.read(query.sql, .list(list.text), noteAll)
      }
    }
  }

  private func addDeleted(
    _ list: KeyList, _ table: TableChanges, _ batch: StatementBatch, root: Int
  ) throws {
    if buffered != nil {
      if let sql = table.preserved {
        buffered?.addDeleted(try session.statement(sql).values(.list(list.text)))
      } else if let sql = table.entityNumbers {
        batch.read(sql, .list(list.text)) { found in
          for (number, keys) in self.groups(found) {
            self.buffered?.add(.deleted, entity: number, keys)
          }
        }
      } else {
        batch.read(table.existing.keys, .list(list.text)) { keys in
          self.buffered?.add(.deleted, entity: root, keys)
        }
      }
    }
    guard let history else { return }
    if !history.keepsChanges {
      self.history?.recordGap()
    } else if let range = list.range {
      try self.history?.add(
        table.addDeletedRange, [.integer(range.first), .integer(range.second)])
    } else {
      try self.history?.add(table.addDeleted, [.text(list.text)])
    }
  }

  /// The noted rows that are deleted. Many deleted rows are looked up among few noted ones.
  private var deletedChanges: Set<Row> {
    var found: Set<Row> = []
    if changes.isEmpty { return found }
    for (root, keys) in deletedKeys {
      let noted = Set(changes.keys.lazy.filter { $0.root == root }.map(\.key))
      guard let first = noted.min(), let last = noted.max() else { continue }
      for key in keys where key >= first && key <= last && noted.contains(key) {
        found.insert(Row(root: root, key: key))
      }
    }
    return found
  }

  /// Must be called before all rows that satisfy a condition are deleted; they must have no related
  /// rows.
  func noteDeletion(
    of entity: EntityMapping, where condition: SQLExpression?, _ parameters: [_StoredValue]
  ) throws {
    guard let root = store.mapping.entity(number: store.mapping.rootNumber(of: entity)) else {
      return
    }
    if buffered != nil {
      return try addDeleted(of: root, where: condition, parameters)
    }
    guard let history else { return }
    guard history.keepsChanges else {
      let first = Select(
        [RowColumns.key()], from: TableReference(root.table), where: condition, limit: .integer(1))
      let found = try session.statement(first.rendered(in: store.plans.dialect).sql)
        .integer(.values(parameters))
      if found != nil { self.history?.recordGap() }
      return
    }
    let dialect = store.plans.dialect
    let insert = TableChanges.addDeleted(
      root, store.history, in: store.mapping, where: condition, parameterCount: parameters.count,
      dialect)
    try self.history?.add(insert.rendered(in: dialect).sql, parameters)
  }

  private func addDeleted(
    of root: EntityMapping, where condition: SQLExpression?, _ parameters: [_StoredValue]
  ) throws {
    let dialect = store.plans.dialect
    let preserved = TableChanges.preserved(
      root, store.history, in: store.mapping, where: condition, dialect)
    if let preserved {
      buffered?.addDeleted(
        try session.statement(preserved.rendered(in: dialect).sql).values(.values(parameters)))
      return
    }
    let select = Select(
      [RowColumns.key(), RowColumns.entity()], from: TableReference(root.table), where: condition)
    let found = try session.statement(select.rendered(in: dialect).sql)
      .integers(.values(parameters))
    for (number, keys) in groups(found) { buffered?.add(.deleted, entity: number, keys.sorted()) }
  }

  /// The changed rows with their changed slots, without new and deleted rows.
  var updates: [(row: Row, slots: SlotSet)] {
    let deleted = deletedChanges
    return changes.compactMap { row, change in
      isNew(row) || deleted.contains(row) ? nil : (row, change.slots)
    }
  }

  /// The new rows and the changed ones, by table; `nil` for more than a limit.
  /// - Parameter ends: The number after the last new key, by the number of the root entity.
  func written(newKeys ends: [Int: Int64], limit: Int) -> OwnTextWrites.Rows? {
    var keys: [Int: [Int64]] = [:]
    var count = changes.count
    for row in changes.keys where count <= limit { keys[row.root, default: []].append(row.key) }
    for (root, ranges) in newKeys {
      guard let end = ends[root] else { continue }
      for range in ranges {
        let new = range.clamped(to: min(range.lowerBound, end)..<end)
        count += new.count
        if count > limit { return nil }
        keys[root, default: []] += new
      }
    }
    if count > limit { return nil }
    return keys.compactMap { root, keys in
      store.mapping.entity(number: root).map { ($0.table, keys) }
    }
  }

  // MARK: The end

  /// The number of the transaction in the history; `nil` if there is none, or it is not known yet.
  var transaction: Int64? { buffered?.added?.number ?? history?.transaction }

  /// The transaction in the history, where several write at once.
  var added: AddedTransaction? { buffered?.added }

  /// The end of the history, if `HistoryWriter` has continued it.
  var historyEnd: HistoryWriter.End? { history?.end }

  /// - Parameters:
  ///   - ends: The number after the last new key, by the number of the root entity.
  ///   - rows: The new models, with their keys.
  func finish(
    newKeys ends: [Int: Int64] = [:], _ rows: InsertionRuns? = nil, _ keys: KeyAssigner? = nil
  ) throws {
    if history != nil {
      for (root, new) in newKeys.sorted(by: { $0.key < $1.key }) {
        guard let first = new.first?.lowerBound, let end = ends[root], end > first,
          let table = table(root)
        else { continue }
        try history?.addInserted(table, from: first)
      }
    }
    if buffered != nil, let rows, let keys { addInserted(rows, keys) }
    if !changes.isEmpty {
      let deleted = deletedChanges
      let rows = changes.keys.filter { !deleted.contains($0) }
        .sorted { ($0.root, $0.key) < ($1.root, $1.key) }
      try setVersions(rows)
      if history != nil || buffered != nil || findsListOwners { try addUpdates(rows) }
    }
    try history?.finish()
    if !delaysHistory { try buffered?.finish() }
  }

  /// The other transactions wait for each other from here on, where several write at once.
  func finishDelayedHistory() throws {
    if delaysHistory { try buffered?.finish() }
  }

  /// The keys are known, so that the rows need not be read. To read the end of a table would disturb
  /// all who insert there.
  private func addInserted(_ rows: InsertionRuns, _ keys: KeyAssigner) {
    var new: [Int: [Int64]] = [:]
    for run in rows.runs {
      let (number, root) = (run.save.statements.entity.number, run.save.changes.root)
      for index in run.indices where isNew(Row(root: root, key: keys[index])) {
        new[number, default: []].append(keys[index])
      }
    }
    for (number, keys) in new.sorted(by: { $0.key < $1.key }) {
      let root = store.mapping.entity(number: number).map(store.mapping.rootNumber(of:)) ?? number
      let deleted = Set(deletedKeys[root]?.filter { isNew(Row(root: root, key: $0)) } ?? [])
      // Two new models with the same unique value are one row.
      var last: Int64?
      let distinct = keys.sorted().filter { key in
        defer { last = key }
        return key != last && !deleted.contains(key)
      }
      buffered?.add(.inserted, entity: number, distinct)
    }
  }

  /// Rows whose version was not incremented, or more than once, get the version after the old one;
  /// new rows get version 1.
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
      try session.statement(table.addToVersions).runLater(
        .values([.text(store.driver.dialect.list(keys)), .integer(step.count)]))
    }
  }

  private func addUpdates(_ rows: [Row]) throws {
    struct Update: Hashable {
      let root: Int
      let slots: SlotSet
    }
    var groups = KeyGroups<Update>()
    for row in rows where !isNew(row) {
      guard let slots = changes[row]?.slots, !slots.isEmpty else { continue }
      if history?.keepsChanges == false {
        history?.recordGap()
        if !findsListOwners { return }
      }
      groups.add(row.key, to: Update(root: row.root, slots: slots))
    }
    for (update, keys) in groups.all {
      guard let table = table(update.root) else { continue }
      if buffered == nil, history?.keepsChanges != true {
        noteListOwners(
          keys, update.slots, entity: table.entityNumbers == nil ? update.root : nil, update.root)
        continue
      }
      if buffered != nil {
        for (number, keys) in try stored(keys, table, root: update.root) {
          noteListOwners(keys, update.slots, entity: number, update.root)
          buffered?.add(
            .updated, entity: number, keys, columns: columns(update.slots, entity: number))
        }
        continue
      }
      for (number, keys) in try byEntity(keys, table, root: update.root) {
        noteListOwners(keys, update.slots, entity: number, update.root)
        let columns = columns(update.slots, entity: number)
        let first = Row(root: update.root, key: keys[0])
        if keys.count == 1, exists(first, table) {
          try history?.addUpdatedRow(first.key, entity: number, columns: columns)
        } else {
          try history?.addUpdated(table, store.driver.dialect.list(keys), columns: columns)
        }
      }
    }
  }

  /// - Parameter number: The number of the rows' entity; `nil` if it is not known, because nothing had to be read.
  private func noteListOwners(
    _ keys: [Int64], _ slots: SlotSet, entity number: Int?, _ root: Int
  ) {
    guard findsListOwners else { return }
    let numbers = number.map { [$0] } ?? store.mapping.entity(number: root)?.subtreeNumbers ?? []
    for entity in numbers.compactMap(store.mapping.entity(number:)) {
      let lists = slots.intersection(entity.descriptor.toManySlots)
      if lists.isEmpty { continue }
      listOwners.append(
        ListOwners(entity: entity.number, isCertain: number != nil, keys: keys, slots: lists))
    }
  }

  /// The bits of changed properties.
  private func columns(_ slots: SlotSet, entity number: Int) -> Data? {
    store.mapping.entity(number: number)
      .map { store.plans.changes(of: $0).columns.bits(of: slots) }
  }

  /// The rows that exist, by entity number.
  private func stored(
    _ keys: [Int64], _ table: TableChanges, root: Int
  ) throws -> [(number: Int, keys: [Int64])] {
    if table.entityNumbers != nil { return try byEntity(keys, table, root: root) }
    let unknown = keys.filter { !exists(Row(root: root, key: $0), table) }
    if unknown.isEmpty { return [(root, keys)] }
    if session.isOptimistic, unknown.count <= RowChanges.fewRows {
      for key in unknown { try session.requireLater(table.existing.one, .integer(key)) }
      return [(root, keys)]
    }
    let list = store.driver.dialect.list(keys)
    return [(root, try session.statement(table.existing.keys).integers(.list(list)))]
  }

  /// Whether a row is known to exist: `byEntity` has read it, a statement has written it, or a link needs
  /// it.
  private func exists(_ row: Row, _ table: TableChanges) -> Bool {
    table.entityNumbers != nil || (changes[row]?.versions ?? 0) > 0 || existing.contains(row)
  }

  private func table(_ root: Int) -> TableChanges? {
    store.mapping.entity(number: root).map(store.plans.tableChanges(of:))
  }

  /// Groups rows of a table by entity number.
  private func byEntity(
    _ keys: [Int64], _ table: TableChanges, root: Int
  ) throws -> [(number: Int, keys: [Int64])] {
    guard let sql = table.entityNumbers else { return [(root, keys)] }
    return groups(try session.statement(sql).integers(.list(store.driver.dialect.list(keys))))
  }

  /// Groups pairs of key and entity number.
  private func groups(_ found: [Int64]) -> [(number: Int, keys: [Int64])] {
    var groups = KeyGroups<Int>()
    for index in stride(from: 0, to: found.count, by: 2) {
      groups.add(found[index], to: Int(found[index + 1]))
    }
    return groups.all.map { ($0.group, $0.keys) }
  }
}

/// Keys in groups, in the order in which they were added.
private struct KeyGroups<Group: Hashable> {
  private(set) var all: [(group: Group, keys: [Int64])] = []
  private var indices: [Group: Int] = [:]

  mutating func add(_ key: Int64, to group: Group) {
    if let index = indices[group] {
      all[index].keys.append(key)
    } else {
      indices[group] = all.count
      all.append((group, [key]))
    }
  }
}
