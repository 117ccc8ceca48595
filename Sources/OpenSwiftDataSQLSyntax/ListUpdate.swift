/// An update of many rows by one statement. Each parameter is a list with the values of one column, in
/// the same order; the last one is the list of the keys. Returns the keys of the rows that exist.
///
/// For databases that can read several lists as one table.
package struct ListUpdate: Hashable, Sendable, SQLStatement {
  package var table: String
  package var columns: [ColumnDefinition]
  package var key: ColumnDefinition
  /// A column that is incremented by one.
  package var version: String
  /// What else must hold for a row.
  package var condition: SQLExpression?

  /// The name of the table that the lists are.
  private static let new = "new"

  package init(
    _ table: String, set columns: [ColumnDefinition], key: ColumnDefinition, version: String,
    where condition: SQLExpression? = nil
  ) {
    self.table = table
    self.columns = columns
    self.key = key
    self.version = version
    self.condition = condition
  }

  package func write(to renderer: inout SQLRenderer) {
    let lists = columns + [key]
    let next = SQLExpression.binary(
      .column(table: table, name: version), .add, .integer(1))
    renderer.write("UPDATE ")
    renderer.write(identifier: table)
    renderer.write(" SET ")
    let new = columns.map {
      Assignment($0.name, .column(table: ListUpdate.new, name: $0.name))
    }
    renderer.writeList(new + [Assignment(version, next)]) { $1.write(to: &$0) }
    // The server would plan the statement anew for lists of another length. It does not look into a
    // subquery, expects few rows, and finds each by its key.
    renderer.write(" FROM unnest(")
    renderer.writeList(lists.indices) { renderer, index in
      renderer.write("(SELECT ")
      SQLExpression.parameter(index).write(to: &renderer)
      renderer.write("::\(lists[index].type.name(in: renderer.dialect))[])")
    }
    renderer.write(") AS ")
    renderer.write(identifier: ListUpdate.new)
    renderer.write(" ")
    renderer.writeColumns(lists.map(\.name))
    renderer.write(" WHERE ")
    let keys = [table, ListUpdate.new].map { SQLExpression.column(table: $0, name: key.name) }
    let isListed = SQLExpression.binary(keys[0], .equal, keys[1])
    SQLExpression.all([isListed, condition].compactMap(\.self)).write(to: &renderer)
    renderer.write(" RETURNING ")
    keys[0].write(to: &renderer)
  }
}
