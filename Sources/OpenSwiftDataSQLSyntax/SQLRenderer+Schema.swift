extension ColumnDefinition {
  func write(to renderer: inout SQLRenderer) {
    renderer.write(defining: name)
    renderer.write(" ")
    renderer.write(type.columnName(in: renderer.dialect))
    if isPrimaryKey { renderer.write(" PRIMARY KEY") }
  }
}

// Uses the same spaces as the definitions that Apple's framework writes.

extension CreateTable {
  package func write(to renderer: inout SQLRenderer) {
    renderer.write(ifNotExists ? "CREATE TABLE IF NOT EXISTS " : "CREATE TABLE ")
    renderer.write(defining: name)
    renderer.write(" ( ")
    renderer.writeList(columns) { $1.write(to: &$0) }
    if !primaryKey.isEmpty {
      renderer.write(", PRIMARY KEY (")
      renderer.writeList(primaryKey) { $0.write(defining: $1) }
      renderer.write(")")
    }
    renderer.write(" )")
    if isUpdated { renderer.write(renderer.dialect.roomForUpdates) }
  }
}

extension CreateIndex {
  package func write(to renderer: inout SQLRenderer) {
    renderer.write(isUnique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ")
    if ifNotExists { renderer.write("IF NOT EXISTS ") }
    renderer.write(defining: name)
    renderer.write(" ON ")
    renderer.write(defining: table)
    if let method { renderer.write(" USING \(method)") }
    renderer.write(" (")
    if let expression {
      renderer.write("(")
      expression.write(to: &renderer)
      renderer.write(")")
    } else {
      writeColumns(to: &renderer)
    }
    renderer.write(")")
  }

  private func writeColumns(to renderer: inout SQLRenderer) {
    renderer.writeList(columns) { renderer, column in
      if column.isComposed {
        renderer.write("(")
        SQLExpression.composed(.column(table: nil, name: column.name)).write(to: &renderer)
        renderer.write(")")
      } else {
        renderer.write(defining: column.name)
      }
      if column.isBinary, let collation = renderer.dialect.binaryCollation {
        renderer.write(" COLLATE \(collation)")
      }
      // The position of nulls in queries, without which a server does not use the order.
      let direction = column.direction ?? .ascending
      if method == nil, let nulls = renderer.dialect.nulls(direction) {
        renderer.write(direction, nulls)
      } else if let direction = column.direction {
        renderer.write(" \(direction.rawValue)")
      }
    }
  }
}

extension AlterSchema {
  package func write(to renderer: inout SQLRenderer) {
    switch self {
    case .addColumn(let table, let column):
      writeAlter(table, " ADD COLUMN ", to: &renderer)
      column.write(to: &renderer)
    case .dropColumn(let table, let column):
      writeAlter(table, " DROP COLUMN ", to: &renderer)
      renderer.write(identifier: column)
    case .renameColumn(let table, let from, let to):
      writeAlter(table, " RENAME COLUMN ", to: &renderer)
      renderer.write(identifier: from)
      renderer.write(" TO ")
      renderer.write(identifier: to)
    case .renameTable(let from, let to):
      writeAlter(from, " RENAME TO ", to: &renderer)
      renderer.write(identifier: to)
    case .dropTable(let name, let ifExists):
      renderer.write(ifExists ? "DROP TABLE IF EXISTS " : "DROP TABLE ")
      renderer.write(identifier: name)
    case .dropIndex(let name, let ifExists):
      renderer.write(ifExists ? "DROP INDEX IF EXISTS " : "DROP INDEX ")
      renderer.write(identifier: name)
    }
  }

  private func writeAlter(_ table: String, _ action: String, to renderer: inout SQLRenderer) {
    renderer.write("ALTER TABLE ")
    renderer.write(identifier: table)
    renderer.write(action)
  }
}
