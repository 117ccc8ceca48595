package struct ColumnDefinition: Hashable, Sendable {
  package var name: String
  package var type: SQLType
  package var isPrimaryKey: Bool

  package init(_ name: String, _ type: SQLType, isPrimaryKey: Bool = false) {
    self.name = name
    self.type = type
    self.isPrimaryKey = isPrimaryKey
  }
}

package struct CreateTable: SQLStatement {
  package var name: String
  package var columns: [ColumnDefinition]
  /// The columns of a composite primary key; empty if a column definition declares the key.
  package var primaryKey: [String]
  package var ifNotExists: Bool
  /// Whether rows are updated often. A database that writes a new version of the row then leaves room for
  /// it beside the old one, so that the indexes need not change.
  package var isUpdated: Bool

  package init(
    _ name: String, columns: [ColumnDefinition], primaryKey: [String] = [],
    ifNotExists: Bool = false, isUpdated: Bool = false
  ) {
    self.name = name
    self.columns = columns
    self.primaryKey = primaryKey
    self.ifNotExists = ifNotExists
    self.isUpdated = isUpdated
  }
}

package struct CreateIndex: SQLStatement {
  package struct Column: Hashable, Sendable {
    package var name: String
    /// Whether the index compares bytes. Written only if the column itself has another order.
    package var isBinary: Bool
    package var direction: OrderingTerm.Direction?
    /// Whether the index has the composed form of the text, in databases that support it.
    package var isComposed: Bool

    package init(
      _ name: String, isBinary: Bool = false, direction: OrderingTerm.Direction? = nil,
      isComposed: Bool = false
    ) {
      self.name = name
      self.isBinary = isBinary
      self.direction = direction
      self.isComposed = isComposed
    }
  }

  package var name: String
  package var table: String
  package var columns: [Column]
  package var isUnique: Bool
  package var ifNotExists: Bool
  /// The kind of the index, such as `brin`; `nil` for a sorted one.
  package var method: String?
  /// What the index contains in place of its columns, such as a point made of them.
  package var expression: SQLExpression?

  package init(
    _ name: String, on table: String, columns: [Column], isUnique: Bool = false,
    ifNotExists: Bool = false, method: String? = nil, expression: SQLExpression? = nil
  ) {
    self.name = name
    self.table = table
    self.columns = columns
    self.isUnique = isUnique
    self.ifNotExists = ifNotExists
    self.method = method
    self.expression = expression
  }
}

/// A change of an existing table or index.
package enum AlterSchema: SQLStatement {
  case addColumn(table: String, ColumnDefinition)
  case dropColumn(table: String, column: String)
  case renameColumn(table: String, from: String, to: String)
  case renameTable(from: String, to: String)
  case dropTable(String, ifExists: Bool)
  case dropIndex(String, ifExists: Bool)
}
