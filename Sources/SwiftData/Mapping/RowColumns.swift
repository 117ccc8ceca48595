package import OpenSwiftDataSQLSyntax

/// The first columns of every entity table, with the names of Apple's framework.
package enum RowColumns {
  /// The primary key.
  package static let key = "Z_PK"
  /// The number of the row's entity.
  package static let entity = "Z_ENT"
  /// The number of times that the row was written.
  package static let version = "Z_OPT"

  static let all = [key, entity, version]

  /// The primary key of a table in a query.
  package static func key(of table: String? = nil) -> SQLExpression {
    .column(table: table, name: key)
  }

  /// The entity number of a table in a query.
  package static func entity(of table: String? = nil) -> SQLExpression {
    .column(table: table, name: entity)
  }

  /// Increments the version of the row.
  package static var nextVersion: Assignment {
    Assignment(version, .binary(.column(table: nil, name: version), .add, .integer(1)))
  }
}

/// The table with the number and the last assigned key of each entity.
package enum EntityTable {
  package static let name = "Z_PRIMARYKEY"
  package static let number = "Z_ENT"
  package static let entityName = "Z_NAME"
  package static let superNumber = "Z_SUPER"
  package static let lastKey = "Z_MAX"
}
