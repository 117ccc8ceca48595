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
    guard let table = StatementPurpose.table(in: sql, mapping) else {
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

  /// The first table of a statement. A column may have the name of another table.
  private static func table(in sql: String, _ mapping: SchemaMapping) -> String? {
    let places = mapping.tables.map(\.table.name).flatMap { name in
      ["FROM", "INTO", "UPDATE", "JOIN", "TABLE", "ON"].compactMap { word in
        sql.range(of: "\(word) \"\(name)\"").map { (name: name, place: $0.lowerBound) }
      }
    }
    return places.min { $0.place < $1.place }?.name
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
