package import OpenSwiftDataSQLSyntax

/// The statements that write one entity, rendered once.
///
/// Parameter 0 of an insert is the primary key, followed by the cells in the order of `columns`.
package struct SaveStatements: Sendable {
  /// What a column takes from a row in memory. Without references: statements bind many rows.
  package struct Cell: Sendable {
    package enum Content: Sendable {
      case plain
      /// A number, or a text in a blob. A row in memory has its digits as text, which SQLite would round.
      case decimal
      /// Written after a tag byte.
      case tagged
      /// The destination's key.
      case key
      /// The destination's entity number.
      case entityNumber
    }
    package let number: Int
    package let content: Content
  }

  package struct Column: Sendable {
    package let name: String
    /// The property, and the path from it to a leaf: `address.city`.
    package let path: String
    package let slot: Int
    package let source: Cell
    let type: SQLType

    package var cell: Int { source.number }
    package var content: Cell.Content { source.content }

    fileprivate init(
      _ column: ColumnMapping, path: String, slot: Int, cell: Int, content: Cell.Content
    ) {
      name = column.name
      type = column.sqlType
      self.path = path
      self.slot = slot
      source = Cell(number: cell, content: content)
    }
  }

  package let entity: EntityMapping
  private let dialect: SQLDialect
  package let columns: [Column]
  /// The cells of `columns`.
  package let cells: [Cell]
  /// The columns whose values may be stored outside the row, except those of unique constraints.
  package let externalColumns: [Column]
  package let insert: String
  private let insertion: Insert
  /// The insert of many rows, with the parameters of `insert`.
  package let bulkInsert: BulkInsert
  package let largestKey: String
  /// One query per unique constraint: finds the row with the same values.
  package let lookups: [Lookup]
  /// Finds the entity number of a row; `nil` if the table contains only this entity.
  package let entityNumber: String?

  /// Writes a row in one statement, whether or not its unique values exist already.
  ///
  /// Only for entities with one unique constraint, without to-one columns, and with their own
  /// table: the statement does not report the entity of an existing row.
  package let upsert: Upsert?

  package struct Upsert: Sendable {
    /// Inserts the row, or changes nothing if it exists.
    package let insertOnly: String
    /// Inserts or updates the row, and returns its key in both cases.
    package let insertOrUpdate: String
    /// The columns that it updates: all except the unique ones. A composite may have columns of both kinds.
    package let updated: [Column]
  }

  package struct Lookup: Sendable {
    package let sql: String
    /// The same for many rows (`ListLookUp`); `nil` if the database has no such statement. Its parameters
    /// are lists of those of `sql`, and the entity number is returned if the table has several.
    package let listSQL: String?
    package let columns: [Column]
    /// The cells of `columns`.
    package let cells: [Cell]
  }

  package init(_ entity: EntityMapping, constraints: [[String]], in dialect: SQLDialect) {
    self.entity = entity
    self.dialect = dialect
    let columns = SaveStatements.columns(of: entity, in: dialect)
    self.columns = columns
    cells = columns.map(\.source)
    var insert = Insert(
      into: entity.table,
      columns: [RowColumns.key, RowColumns.entity, RowColumns.version] + columns.map(\.name))
    insert.rows[0][1] = .integer(Int64(entity.number))
    insert.rows[0][2] = .integer(1)
    for index in columns.indices { insert.rows[0][index + 3] = .parameter(index + 1) }
    insertion = insert
    bulkInsert = BulkInsert(
      table: entity.table,
      columns: [RowColumns.key] + columns.map(\.name) + [RowColumns.entity, RowColumns.version],
      last: [Int64(entity.number), 1])
    self.insert = insert.rendered(in: dialect).sql
    largestKey =
      Select([.function("max", [RowColumns.key()])], from: TableReference(entity.table))
      .rendered(in: dialect).sql
    lookups = constraints.compactMap { members in
      let wanted = members.flatMap { name in
        columns.filter { $0.path == name || $0.path.hasPrefix(name + ".") }
      }
      guard !wanted.isEmpty else { return nil }
      let condition = SQLExpression.conjunction(
        wanted.enumerated().map {
          .binary(.column(table: nil, name: $1.name), .equal, .parameter($0))
        })
      let select = Select(
        [RowColumns.key()], from: TableReference(entity.table), where: condition)
      let list = ListLookUp(
        in: entity.table, where: wanted.map { ColumnDefinition($0.name, $0.type) },
        key: RowColumns.key, entity.sharesTable ? [RowColumns.entity] : [])
      return Lookup(
        sql: select.rendered(in: dialect).sql,
        listSQL: dialect.joinsLists ? list.rendered(in: dialect).sql : nil, columns: wanted,
        cells: wanted.map(\.source))
    }
    let constrained = Set(lookups.flatMap { $0.columns.map(\.name) })
    externalColumns = columns.filter {
      $0.content == .tagged && !constrained.contains($0.name)
    }
    entityNumber =
      entity.sharesTable && !lookups.isEmpty
      ? Select(
        [RowColumns.entity()], from: TableReference(entity.table), where: SaveStatements.hasKey(0)
      ).rendered(in: dialect).sql : nil
    upsert =
      entityNumber == nil ? SaveStatements.upsert(insert, columns, lookups, dialect) : nil
  }

  private static func upsert(
    _ insert: Insert, _ columns: [Column], _ lookups: [Lookup], _ dialect: SQLDialect
  ) -> Upsert? {
    let isPlain = columns.allSatisfy {
      if case .key = $0.content { false } else { true }
    }
    guard lookups.count == 1, isPlain else { return nil }
    let target = lookups[0].columns.map(\.name)
    let updated = columns.filter { !target.contains($0.name) }
    var update = updated.map { OnConflict.Assignment.excluded($0.name) }
    update.append(.increment(RowColumns.version))
    return Upsert(
      insertOnly: ConflictingInsert(insert, OnConflict(target, .nothing)).rendered(in: dialect).sql,
      insertOrUpdate: ConflictingInsert(
        insert, OnConflict(target, .update(update, returning: RowColumns.key))
      ).rendered(in: dialect).sql, updated: updated)
  }

  /// Inserts several rows, whose parameters follow each other, up to one that a unique index
  /// rejects; `nil` if the database has no such statement.
  package func insert(ofRows count: Int) -> String? {
    if dialect.stopping == nil { return nil }
    var insert = insertion
    insert.conflict = .stop
    let width = columns.count + 1
    insert.rows = (0..<count).map { row in
      insertion.rows[0].map { value in
        if case .parameter(let index) = value { .parameter(row * width + index) } else { value }
      }
    }
    return insert.rendered(in: dialect).sql
  }

  /// The columns of some slots.
  package func columns(of slots: SlotSet) -> [Column] {
    columns.filter { slots.contains($0.slot) }
  }

  /// The update of some columns. The key is the last parameter.
  /// - Parameter keepsVersion: Whether the row counts as written already.
  package func update(
    of changed: [Column], returningKey: Bool = false, keepsVersion: Bool = false
  ) -> String {
    var assignments = changed.enumerated().map { Assignment($1.name, .parameter($0)) }
    if !keepsVersion { assignments.append(RowColumns.nextVersion) }
    let update = Update(
      entity.table, set: assignments, where: isRow(changed.count),
      returning: returningKey ? [RowColumns.key] : [])
    return update.rendered(in: dialect).sql
  }

  /// The update of some columns in many rows; `nil` if the database has no such statement. Its parameters
  /// are lists of those of `update`.
  package func listUpdate(of changed: [Column]) -> String? {
    guard dialect.joinsLists else { return nil }
    let update = ListUpdate(
      entity.table, set: changed.map { ColumnDefinition($0.name, $0.type) },
      key: ColumnDefinition(RowColumns.key, .integer), version: RowColumns.version,
      where: entity.isOwnRow(of: entity.table))
    return update.rendered(in: dialect).sql
  }

  /// Sets the columns of some unique slots to null. The key is the only parameter.
  package func emptying(_ slots: SlotSet) -> String? {
    let names = Set(lookups.flatMap(\.columns).filter { slots.contains($0.slot) }.map(\.name))
    guard !names.isEmpty else { return nil }
    let update = Update(
      entity.table, set: names.sorted().map { Assignment($0, .null) }, where: isRow(0))
    return update.rendered(in: dialect).sql
  }

  /// Sets the to-one relationships among some slots to null. The key is the only parameter.
  package func unlinking(_ slots: SlotSet) -> String? {
    let links = columns.filter {
      slots.contains($0.slot) && ($0.content == .key || $0.content == .entityNumber)
    }
    guard !links.isEmpty else { return nil }
    let update = Update(
      entity.table, set: links.map { Assignment($0.name, .null) }, where: isRow(0))
    return update.rendered(in: dialect).sql
  }

  /// Whether a row has the key, and belongs to this entity.
  private func isRow(_ parameter: Int) -> SQLExpression {
    .all([SaveStatements.hasKey(parameter), entity.isOwnRow()].compactMap(\.self))
  }

  private static func hasKey(_ parameter: Int) -> SQLExpression {
    .binary(RowColumns.key(), .equal, .parameter(parameter))
  }

  private static func columns(of entity: EntityMapping, in dialect: SQLDialect) -> [Column] {
    func content(_ column: ColumnMapping) -> Cell.Content {
      column.sqlType == .decimal && !dialect.comparesDecimals ? .decimal : .plain
    }
    var columns: [Column] = []
    for property in entity.properties {
      let slot = property.slot
      let path = property.name
      switch property.kind {
      case .attribute(let column):
        let isTagged = entity.descriptor.properties[slot].isExternallyStored
        columns.append(
          Column(
            column, path: path, slot: slot, cell: slot,
            content: isTagged ? .tagged : content(column)))
      case .composite(let leaves):
        for (leaf, cell) in zip(leaves, entity.descriptor.properties[slot].leafCells) {
          columns.append(
            Column(
              leaf.column, path: ([path] + leaf.leaf.path).joined(separator: "."),
              slot: slot, cell: cell, content: content(leaf.column)))
        }
      case .toOne(let toOne):
        columns.append(
          Column(toOne.key, path: path, slot: slot, cell: slot, content: .key))
        if let number = toOne.entityNumber {
          columns.append(
            Column(number, path: path, slot: slot, cell: slot, content: .entityNumber))
        }
      case .toMany, .ephemeral: continue
      }
    }
    return columns
  }
}
