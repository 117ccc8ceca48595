import OpenSwiftDataSQLSyntax

/// The operation, entity and property of a statement, parsed from its text, so that errors can name
/// them.
struct StatementPurpose {
  let operation: String
  let entity: String?
  let property: String?

  init(_ sql: String?, _ mapping: SchemaMapping) {
    let sql = sql ?? ""
    let verb = StatementPurpose.verb(sql)
    let table = mapping.tables.map(\.table.name).compactMap { name in
      sql.range(of: "\"\(name)\"").map { (name: name, place: $0.lowerBound) }
    }.min { $0.place < $1.place }?.name
    guard let table else {
      (operation, entity, property) = (
        StatementPurpose.transaction(sql) ?? "\(verb) rows", nil, nil
      )
      return
    }
    if let root = mapping.entities.first(where: { $0.table == table }) {
      (operation, entity, property) = ("\(verb) rows of \(root.name)", root.name, nil)
      return
    }
    let side = StatementPurpose.side(of: table, mapping)
    (operation, entity, property) = (
      "\(verb) pairs of a many-to-many relationship", side?.entity, side?.property
    )
  }

  private static func transaction(_ sql: String) -> String? {
    switch sql.prefix(while: { $0 != " " }) {
    case "BEGIN", "SAVEPOINT": "beginning the transaction"
    case "COMMIT", "RELEASE": "committing the transaction"
    default: nil
    }
  }

  private static func verb(_ sql: String) -> String {
    switch sql.prefix(6).uppercased() {
    case "INSERT": "inserting"
    case "UPDATE": "updating"
    case "DELETE": "deleting"
    case "SELECT": "reading"
    default: "working with"
    }
  }

  /// The relationship whose pairs the table contains.
  private static func side(
    of table: String, _ mapping: SchemaMapping
  ) -> (entity: String, property: String)? {
    for entity in mapping.entities {
      for property in entity.properties {
        if case .toMany(let toMany) = property.kind,
          case .joinTable(table, _, _) = toMany.storage
        {
          return (entity.name, property.name)
        }
      }
    }
    return nil
  }
}
