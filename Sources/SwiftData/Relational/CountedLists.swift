import OpenSwiftDataSQLSyntax

/// The to-many relationships with a minimum or maximum number of members.
///
/// The rows are counted at the end of a transaction, because another writer may have added members
/// that are not in memory.
struct CountedLists: Sendable {
  struct List: Sendable {
    let property: String
    let slot: Int
    let minimum: Int
    let maximum: Int
    /// The number of the members' root entity.
    let memberRoot: Int?
    /// Counts the members of the owner whose key is parameter 0.
    let count: String
  }

  /// By entity number.
  private let lists: [Int: [List]]

  var isEmpty: Bool { lists.isEmpty }

  init(_ mapping: SchemaMapping, _ schema: Schema, _ dialect: SQLDialect) {
    var lists: [Int: [List]] = [:]
    for entity in mapping.entities {
      for property in entity.properties {
        guard case .toMany(let toMany) = property.kind,
          let relationship = schema.relationship(property.name, of: entity.name)
        else { continue }
        let minimum = relationship.minimumModelCount ?? 0
        let maximum = relationship.maximumModelCount ?? 0
        guard minimum > 0 || maximum > 0 else { continue }
        let (table, owner) =
          switch toMany.storage {
          case .foreignKey(let table, let column, _): (table, column)
          case .joinTable(let name, let column, _): (name, column)
          }
        let count = Select(
          [.function("count", [.star])], from: TableReference(table),
          where: .binary(.column(table: nil, name: owner), .equal, .parameter(0)))
        lists[entity.number, default: []].append(
          List(
            property: property.name, slot: property.slot, minimum: minimum, maximum: maximum,
            memberRoot: mapping.entity(named: toMany.destination).map(mapping.rootNumber(of:)),
            count: count.rendered(in: dialect).sql))
      }
    }
    self.lists = lists
  }

  subscript(number: Int) -> [List] { lists[number] ?? [] }
}

/// The row of a new model.
struct NewRow {
  /// The number of the entity.
  let entity: Int
  let key: Int64
  /// The temporary identifier, because the save may fail.
  let identifier: PersistentIdentifier
}

extension RelationalStore {
  /// Counts the members of all lists that a transaction has changed and that have a limit.
  /// - Parameter new: Rows of new models whose members may not be those that the models have.
  /// - Throws: `SwiftDataError.modelValidationFailure` with all lists that have too few or too many
  ///   members.
  func checkCounts(
    of changes: RowChanges, new: [NewRow] = [], _ session: any SQLSession
  ) throws {
    if plans.counted.isEmpty { return }
    var failures: [SwiftDataError] = []
    func count(_ list: CountedLists.List, _ key: Int64, of identifier: PersistentIdentifier) throws
    {
      let count = try session.statement(list.count).integer(.integer(key)) ?? 0
      let failure = SwiftDataError.wrongCount(
        of: identifier, property: list.property, count: Int(count), minimum: list.minimum,
        maximum: list.maximum)
      if let failure { failures.append(failure) }
    }
    let updates = changes.updates.filter { !$0.slots.isEmpty }
      .sorted { ($0.row.root, $0.row.key) < ($1.row.root, $1.row.key) }
    for (row, slots) in updates {
      guard let number = try entityNumber(of: row, session) else { continue }
      for list in plans.counted[number] where slots.contains(list.slot) {
        try count(list, row.key, of: plans.identifier(row.key, entity: number))
      }
    }
    for row in new {
      for list in plans.counted[row.entity] { try count(list, row.key, of: row.identifier) }
    }
    try SwiftDataError.throwAll(failures)
  }

  /// The number of the row's entity.
  private func entityNumber(of row: RowChanges.Row, _ session: any SQLSession) throws -> Int? {
    guard let root = mapping.entity(number: row.root), root.sharesTable else { return row.root }
    let select = Select(
      [RowColumns.entity()], from: TableReference(root.table),
      where: .binary(RowColumns.key(), .equal, .parameter(0)))
    return try session.statement(select.rendered(in: plans.dialect).sql)
      .integer(.integer(row.key)).map { Int($0) }
  }
}
