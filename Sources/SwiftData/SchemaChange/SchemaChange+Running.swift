import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
package import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// The progress of a change.
struct SchemaChangeProgress: Sendable {
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

  private var made: [TableChange] {
    plan.tables.filter { if case .made = $0.kind { true } else { false } }
  }

  /// Changes a file without external values.
  package func run(_ connection: Connection) throws { try run(connection, external: nil) }

  /// - Parameter external: The files of large values.
  /// - Throws: `SQLiteError`, or `SwiftDataError`; the caller must roll back.
  func run(
    _ connection: Connection, external: ExternalFiles?,
    progress: (SchemaChangeProgress) -> Void = { _ in }
  ) throws {
    try plan.defaults.register(on: connection)
    let values = MovedValues(external)
    try values.register(on: connection)
    func execute(_ statements: [String]) throws {
      for statement in statements {
        try connection.execute(statement)
        if let error = values.error { throw error }
      }
    }
    try noteLostValues(connection, external)
    // First everything that reads the unchanged tables.
    let transaction = try MigrationHistory(self).write(connection)
    try execute(plan.links.flatMap(\.statements))
    try execute(plan.joins.flatMap(filling))
    try dropTrees(connection)
    let total = tables.map(\.rows).reduce(0, +)
    var done: Int64 = 0
    for change in made {
      try execute([creation(of: change)])
      for position in change.sources.indices {
        try copy(change, position, connection, values) { rows in
          progress(
            SchemaChangeProgress(
              entity: change.table.root, rows: min(done + rows, total), totalRows: total))
        }
        done += lastKeys[change.sources[position].table] ?? 0
      }
    }
    try dropIndexes(connection)
    try execute(plan.tables.flatMap(alteration))
    try execute(plan.joins.flatMap(renaming))
    try execute(removals)
    try execute(renamings)
    try execute(plan.links.flatMap { [$0.filling, $0.removal] })
    try execute(plan.entityNumbers.map(\.statement))
    try writeEntities(connection)
    let removed = try HistoryAdjustment(self, except: transaction).run(connection)
    try target.creation.describing(describedModel).describe(
      connection, replacing: stored.metadata, removedEntities: removed)
    try createIndexes(connection)
  }

  /// Removes the old tables that were kept for code that reads both versions.
  func dropOldTables(_ connection: Connection) throws {
    for table in oldTables {
      try connection.execute(
        "DROP TABLE IF EXISTS \((SchemaChange.oldPrefix + table).quotedName)")
    }
  }

  // MARK: Tables

  private var oldTables: [String] {
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

  private func creation(of change: TableChange) -> String {
    change.table.definition(named: SchemaChange.newPrefix + change.table.name)
      .rendered(in: .sqlite).sql
  }

  /// The statements for a table that continues: delete rows, change entity numbers, rename columns.
  private func alteration(_ change: TableChange) -> [String] {
    if case .made = change.kind { return [] }
    let source = change.sources[0]
    let table = source.table.quotedName
    var statements: [String] = []
    if !change.removed.isEmpty {
      let numbers = change.removed.map(String.init).joined(separator: ", ")
      statements.append("DELETE FROM \(table) WHERE \(RowColumns.entity) IN (\(numbers))")
    }
    if source.hasNewNumbers {
      statements.append(
        "UPDATE \(table) SET \(RowColumns.entity) = \(source.number) WHERE \(source.condition)")
    }
    guard case .altered(let renamed, let added) = change.kind else { return statements }
    statements += SchemaChange.renaming(renamed, of: source.table)
    statements += added.map { column, constant in
      // A value for all rows is part of the definition, and costs nothing per row.
      let value = constant == "NULL" ? "" : " DEFAULT \(constant)"
      return """
        ALTER TABLE \(table) ADD COLUMN \(column.name.quotedName) \(column.type.rawValue)\(value)
        """
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
    _ change: TableChange, _ position: Int, _ connection: Connection, _ values: MovedValues,
    progress: (Int64) -> Void
  ) throws {
    let source = change.sources[position]
    let last = lastKeys[source.table] ?? 0
    let copying = try connection.prepare(
      """
      \(insertion(change, position)) WHERE \(RowColumns.key) BETWEEN ?1 AND ?2 AND \(source.condition)
      """)
    let boundary = try connection.prepare(
      """
      SELECT \(RowColumns.key) FROM \(source.table.quotedName) WHERE \(RowColumns.key) >= ?1 \
      ORDER BY \(RowColumns.key) LIMIT 1 OFFSET \(SchemaChange.portion)
      """)
    // Other programs may have assigned keys below 1.
    var first = Int64.min
    var isLast = false
    while !isLast {
      try boundary.bind(first, at: 1)
      let next = try boundary.step() ? boundary.int64(0) : nil
      boundary.reset()
      isLast = next == nil
      let end = next.map { $0 - 1 } ?? .max
      try copying.bind(first, at: 1)
      try copying.bind(end, at: 2)
      try copying.run()
      if let error = values.error { throw error }
      progress(min(end, last))
      first = next ?? end
    }
  }

  private func filling(_ change: JoinChange) -> [String] {
    guard case .filled(let selections) = change.kind else { return [] }
    let name = SchemaChange.newPrefix + change.table.name
    return [change.table.definition(named: name).rendered(in: .sqlite).sql]
      + selections.map { "INSERT OR IGNORE INTO \(name.quotedName) \($0)" }
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
    let continuing = continuing
    return oldTables.filter { !continuing.contains($0) }.map { table in
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

  // MARK: Indexes

  /// R-trees are created again.
  private func dropTrees(_ connection: Connection) throws {
    let trees = try connection.texts(
      "SELECT name FROM sqlite_schema WHERE name LIKE 'Z\\_RT\\_%' ESCAPE '\\' AND sql LIKE 'CREATE VIRTUAL%'"
    )
    for tree in trees {
      let triggers = try connection.texts(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, \(tree.count + 1)) = '\(tree.replacing("'", with: "''"))_'"
      )
      for trigger in triggers { try connection.execute("DROP TRIGGER \(trigger.quotedName)") }
      try connection.execute("DROP TABLE \(tree.quotedName)")
    }
  }

  private var expectedIndexes: [String: String] {
    let created =
      new.indexes.map(CreateIndex.init) + (target.mapping?.tables ?? []).flatMap(\.indexes)
    return Dictionary(
      created.map { ($0.name, $0.rendered(in: .sqlite).sql) }, uniquingKeysWith: { $1 })
  }

  /// Drops indexes that the changed file lacks or defines differently. Indexes of other programs
  /// stay.
  private func dropIndexes(_ connection: Connection) throws {
    let expected = expectedIndexes
    let known = Set(old.indexes.map(\.name))
    let indexes = try connection.prepare(
      "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    var dropped: [String] = []
    while try indexes.step() {
      let (name, table) = (indexes.string(0), indexes.string(1))
      guard oldTables.contains(table) else { continue }
      let isOurs =
        known.contains(name) || expected[name] != nil || isOfFramework(name, on: table)
      let isLeft = options.keepsOldTables || expected[name] != indexes.string(2)
      if isOurs && isLeft { dropped.append(name) }
    }
    indexes.reset()
    for name in dropped { try connection.execute("DROP INDEX \(name.quotedName)") }
  }

  /// Whether Apple's framework uses such a name: `Z_Trip_byName` for an index of the model, which
  /// an older version of the model may have left, or `ZTRIP_ZNAME_INDEX` for an indexed attribute.
  private func isOfFramework(_ name: String, on table: String) -> Bool {
    let entities = old.model.entities.map(\.name) + new.model.entities.map(\.name)
    if entities.contains(where: { name.hasPrefix("Z_\($0)_") }) { return true }
    return (stored.columns[table] ?? [:]).keys.contains { name == "\(table)_\($0)_INDEX" }
  }

  private func createIndexes(_ connection: Connection) throws {
    // Creating the model's own indexes reports an error for rows that violate a constraint.
    if let mapping = target.mapping { _ = try StoreIndexes(mapping: mapping).complete(connection) }
    let present = Set(
      try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'index'"))
    for index in new.indexes.map(CreateIndex.init) where !present.contains(index.name) {
      if try index.isUnique && connection.keepsUnique(index.columns.map(\.name), in: index.table) {
        continue
      }
      try connection.execute(index.rendered(in: .sqlite).sql)
    }
  }

  // MARK: What the file says of its entities

  private func writeEntities(_ connection: Connection) throws {
    let numbers = Set(old.numbers.values).union(new.numbers.values)
      .filter(EntityNumbering.isValid).sorted().map(String.init).joined(separator: ", ")
    try connection.execute(
      "DELETE FROM \(EntityTable.name) WHERE \(EntityTable.number) IN (\(numbers))")
    let insert = try connection.prepare("INSERT INTO \(EntityTable.name) VALUES (?1, ?2, ?3, ?4)")
    for entity in new.model.entities {
      let isRoot = entity.superName.flatMap { new.model[$0] } == nil
      try insert.bind(Int64(new.numbers[entity.name] ?? 0), at: 1)
      try insert.bind(entity.name, at: 2)
      try insert.bind(Int64(entity.superName.flatMap { new.numbers[$0] } ?? 0), at: 3)
      try insert.bind(isRoot ? lastKey(of: entity.name) : 0, at: 4)
      try insert.run()
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

  private func lastKey(of root: String) -> Int64 {
    let change = plan.tables.first { $0.table.root == root }
    return (change?.sources ?? []).map { (lastKeys[$0.table] ?? 0) + $0.offset }.max() ?? 0
  }
}
