import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The progress of a change.
package struct SchemaChangeProgress: Sendable {
  /// The entity whose table is being changed.
  let entity: String
  /// The number of written rows, and of all rows to write.
  let rows: Int64
  let totalRows: Int64
}

/// Executes the change, in a transaction of the caller.
extension SchemaChange {
  /// The number of rows that one statement copies, so that progress can be reported.
  @TaskLocal package static var portion: Int64 = 50_000

  /// The prefix of new tables as long as the old ones exist.
  private static let newPrefix = "NEW_"

  /// The statements in their order, for documentation; copying a table is one statement.
  var statements: [String] {
    plan.links.flatMap(\.statements) + plan.joins.flatMap(filling)
      + made.flatMap { [creation(of: $0)] + copying(of: $0) }
      + plan.tables.flatMap(alteration) + plan.joins.flatMap(renaming) + removals + renamings
      + plan.links.map(\.filling) + plan.entityNumbers.map(\.statement)
  }

  var made: [TableChange] {
    plan.tables.filter { if case .made = $0.kind { true } else { false } }
  }

  /// Changes a file without external values.
  package func run(
    _ session: any SQLSession, progress: (SchemaChangeProgress) -> Void = { _ in }
  ) throws {
    try run(session, external: nil, progress: progress)
  }

  /// - Parameter external: The files of large values.
  /// - Throws: `SQLiteError`, or `SwiftDataError`; the caller must roll back.
  func run(
    _ session: any SQLSession, external: ExternalFiles?,
    progress: (SchemaChangeProgress) -> Void
  ) throws {
    try plan.defaults.prepare(session)
    let values = MovedValues(external)
    try values.register(on: session)
    func execute(_ statements: [String]) throws {
      for statement in statements {
        try values.throwingOwnError { try session.execute(statement) }
      }
    }
    try noteLostValues(session, external)
    // First everything that reads the unchanged tables.
    let settings = stored.dialect == .postgreSQL ? try TableSettings(session) : nil
    let transaction = try MigrationHistory(self).write(session)
    try execute(plan.links.flatMap(\.statements))
    try execute(plan.joins.flatMap(filling))
    try dropTrees(session)
    let total = tables.map(\.rows).reduce(0, +)
    var done: Int64 = 0
    for change in made {
      try execute([creation(of: change)])
      for position in change.sources.indices {
        try copy(change, position, session, values) { rows in
          progress(
            SchemaChangeProgress(
              entity: change.table.root, rows: min(done + rows, total), totalRows: total))
        }
        done += lastKeys[change.sources[position].table] ?? 0
      }
    }
    try dropIndexes(session)
    try execute(plan.tables.flatMap(alteration))
    try execute(plan.joins.flatMap(renaming))
    try execute(removals)
    try execute(renamings)
    try execute(plan.links.flatMap { [$0.filling, $0.removal] })
    try execute(plan.entityNumbers.map(\.statement))
    try writeEntities(session)
    let removed = try HistoryAdjustment(self, except: transaction).run(session)
    let adjustment = IdentifierAdjustment(self, external: external)
    try adjustment.run(session)
    try target.creation.describing(describedModel).describe(
      session, stored.dialect, replacing: stored.metadata, removedEntities: removed,
      lastKeysOfEarlierEntities:
        lastKeysOfEarlierEntities
        .filter { new.model[$0.key] == nil }, lowestKeyOfDeletedRows: adjustment.lowestKey)
    try createIndexes(session)
    if !options.keepsOldTables { try renamePrimaryKeys(session) }
    try settings?.restore(replacements, session)
    try plan.defaults.remove(session)
  }

  /// Removes the old tables that were kept for code that reads both versions.
  package func dropOldTables(_ session: any SQLSession) throws {
    for table in oldTables {
      try session.execute(
        "DROP TABLE IF EXISTS \((SchemaChange.oldPrefix + table).quotedName)")
    }
    try renamePrimaryKeys(session)
  }

  // MARK: Tables

  var oldTables: [String] {
    (old.tables.map(\.name) + old.joinTables.map(\.name)).filter { stored.columns[$0] != nil }
  }

  /// The tables of the file that continue, under the same or another name.
  private var continuing: Set<String> {
    var names: Set<String> = []
    for change in plan.tables {
      if case .made = change.kind { continue }
      names.formUnion(change.sources.map(\.table))
    }
    for join in plan.joins {
      if case .renamed(let earlier) = join.kind { names.insert(earlier.name) }
    }
    return names
  }

  /// The tables of the file that are dropped.
  var droppedTables: [String] {
    let continuing = continuing
    return oldTables.filter { !continuing.contains($0) }
  }

  private func creation(of change: TableChange) -> String {
    change.table.definition(named: SchemaChange.newPrefix + change.table.name) { column in
      stored.dialect == .sqlite ? nil : target.type(of: column, in: change.table)
    }
    .rendered(in: stored.dialect).sql
  }

  /// The statements for a table that continues: delete rows, change entity numbers, rename columns.
  private func alteration(_ change: TableChange) -> [String] {
    if case .made = change.kind { return [] }
    let source = change.sources[0]
    let table = source.table.quotedName
    var statements: [String] = []
    if !change.removed.isEmpty {
      let numbers = change.removed.map(String.init).joined(separator: ", ")
      statements.append("DELETE FROM \(table) WHERE \(RowTerms.entity) IN (\(numbers))")
    }
    if source.hasNewNumbers {
      statements.append(
        "UPDATE \(table) SET \(RowTerms.entity) = \(source.number) WHERE \(source.condition)")
    }
    guard case .altered(let renamed, let added, let dropped) = change.kind else {
      return statements
    }
    statements += dropped.map { "ALTER TABLE \(table) DROP COLUMN \($0.quotedName)" }
    statements += SchemaChange.renaming(renamed, of: source.table)
    statements += added.flatMap { column, constant in
      // A value for all rows is part of the definition, and costs nothing per row.
      let value = constant == "NULL" ? "" : " DEFAULT \(constant)"
      let type = target.type(of: column, in: change.table).columnName(in: stored.dialect)
      let addition = "ALTER TABLE \(table) ADD COLUMN \(column.name.quotedName) \(type)\(value)"
      if value.isEmpty || stored.dialect == .sqlite { return [addition] }
      // Rows that are written later name all columns.
      return [addition, "ALTER TABLE \(table) ALTER COLUMN \(column.name.quotedName) DROP DEFAULT"]
    }
    if source.table != change.table.name {
      let name = SchemaChange.newPrefix + change.table.name
      statements.append("ALTER TABLE \(table) RENAME TO \(name.quotedName)")
    }
    return statements
  }

  /// Renames through unused names, so that two names can be exchanged.
  private static func renaming(_ columns: [TableChange.Rename], of table: String) -> [String] {
    func statement(_ from: String, _ to: String) -> String {
      """
      ALTER TABLE \(table.quotedName) RENAME COLUMN \(from.quotedName) TO \(to.quotedName)
      """
    }
    if columns.isEmpty { return [] }
    if columns.count == 1 { return [statement(columns[0].from, columns[0].to)] }
    return columns.map { statement($0.from, newPrefix + $0.to) }
      + columns.map { statement(newPrefix + $0.to, $0.to) }
  }

  private func copying(of change: TableChange) -> [String] {
    change.sources.indices.map { position in
      "\(insertion(change, position)) WHERE \(change.sources[position].condition)"
    }
  }

  private func insertion(_ change: TableChange, _ position: Int) -> String {
    let name = SchemaChange.newPrefix + change.table.name
    return "INSERT INTO \(name.quotedName) \(change.selection(position))"
  }

  private func copy(
    _ change: TableChange, _ position: Int, _ session: any SQLSession, _ values: MovedValues,
    progress: (Int64) -> Void
  ) throws {
    let source = change.sources[position]
    let last = lastKeys[source.table] ?? 0
    let copying = """
      \(insertion(change, position)) WHERE \(RowTerms.key) BETWEEN \(sql.parameter(1)) AND \
      \(sql.parameter(2)) AND \(source.condition)
      """
    let boundary = """
      SELECT \(RowTerms.key) FROM \(source.table.quotedName) WHERE \(RowTerms.key) >= \(sql.parameter(1)) \
      ORDER BY \(RowTerms.key) LIMIT 1 OFFSET \(SchemaChange.portion)
      """
    // Other programs may have assigned keys below 1.
    var first = Int64.min
    var isLast = false
    while !isLast {
      let next = try session.statement(boundary).integer(.integer(first))
      isLast = next == nil
      let end = next.map { $0 - 1 } ?? .max
      try values.throwingOwnError { _ = try session.statement(copying).run(.pair(first, end)) }
      progress(min(end, last))
      first = next ?? end
    }
  }

  private func filling(_ change: JoinChange) -> [String] {
    guard case .filled(let selections) = change.kind else { return [] }
    let name = SchemaChange.newPrefix + change.table.name
    return [change.table.definition(named: name).rendered(in: stored.dialect).sql]
      + selections.map { sql.insertIgnoring(into: name.quotedName, $0) }
  }

  private func renaming(_ change: JoinChange) -> [String] {
    guard case .renamed(let earlier) = change.kind else { return [] }
    let columns = zip(earlier.columns, change.table.columns)
      .map { TableChange.Rename(from: $0, to: $1) }.filter { $0.from != $0.to }
    let renaming = SchemaChange.renaming(columns, of: earlier.name)
    if earlier.name == change.table.name { return renaming }
    let name = SchemaChange.newPrefix + change.table.name
    return renaming + ["ALTER TABLE \(earlier.name.quotedName) RENAME TO \(name.quotedName)"]
  }

  private var removals: [String] {
    droppedTables.map { table in
      options.keepsOldTables
        ? """
        ALTER TABLE \(table.quotedName) RENAME TO \((SchemaChange.oldPrefix + table).quotedName)
        """
        : "DROP TABLE \(table.quotedName)"
    }
  }

  private var renamings: [String] {
    let tables = plan.tables.filter { change in
      switch change.kind {
      case .made: true
      case .kept: false
      case .altered: change.sources[0].table != change.table.name
      }
    }.map(\.table.name)
    let joins = plan.joins.filter { change in
      switch change.kind {
      case .renamed(let earlier): earlier.name != change.table.name
      case .filled: true
      }
    }.map(\.table.name)
    return (tables + joins).map {
      "ALTER TABLE \((SchemaChange.newPrefix + $0).quotedName) RENAME TO \($0.quotedName)"
    }
  }

  // MARK: What the file says of its entities

  private func writeEntities(_ session: any SQLSession) throws {
    let numbers = Set(old.numbers.values).union(new.numbers.values)
      .filter(EntityNumbering.isValid).sorted().map(String.init).joined(separator: ", ")
    try session.execute(
      "DELETE FROM \(EntityTable.name.quotedName) WHERE \(EntityTable.number.quotedName) IN (\(numbers))"
    )
    let insert = try session.statement(
      "INSERT INTO \(EntityTable.name.quotedName) VALUES (\((1...4).map(sql.parameter).joined(separator: ", ")))"
    )
    for entity in new.model.entities {
      let isRoot = entity.superName.flatMap { new.model[$0] } == nil
      try insert.run(
        .values([
          .integer(Int64(new.numbers[entity.name] ?? 0)), .text(entity.name),
          .integer(Int64(entity.superName.flatMap { new.numbers[$0] } ?? 0)),
          .integer(isRoot ? lastKey(of: entity.name) : 0),
        ]))
    }
  }

  /// The model, with abstract entities marked: classes can't declare them, but hashes include them.
  private var describedModel: ModelDescription {
    ModelDescription(
      entities: new.model.entities.map { entity in
        var entity = entity
        if counterparts.entity(entity.name)?.isAbstract == true { entity.isAbstract = true }
        return entity
      }, versionIdentifiers: new.model.versionIdentifiers)
  }

  /// The rows that are inserted later get larger keys. So an identifier of an earlier entity with the same name
  /// leads to none of them.
  private func lastKey(of root: String) -> Int64 {
    let change = plan.tables.first { $0.table.root == root }
    let used = (change?.sources ?? []).map { (lastKeys[$0.table] ?? 0) + $0.offset }
    let earlier = new.model.subtree(of: root).compactMap { lastKeysOfEarlierEntities[$0.name] }
    return (used + earlier).max() ?? 0
  }
}
