/// A query that finds many rows by their values in some columns. Each parameter is a list with the values
/// of one column, in the same order. A null equals nothing.
///
/// Returns a row for each element that equals a stored row or an earlier element: its position from 1, the
/// position of the first element with the same values, and columns of the stored row, which are null if
/// there is none.
///
/// For databases that can read several lists as one table.
package struct ListLookUp: Hashable, Sendable, SQLStatement {
  package var table: String
  package var columns: [ColumnDefinition]
  package var key: String
  /// Columns of the stored row that are returned after its key.
  package var others: [String]

  private static let new = "new"
  private static let position = "position"
  private static let first = "first"

  package init(
    in table: String, where columns: [ColumnDefinition], key: String, _ others: [String]
  ) {
    self.table = table
    self.columns = columns
    self.key = key
    self.others = others
  }

  /// The lists have names of their own: a column may have any name.
  private var names: [String] { columns.indices.map { "c\($0 + 1)" } }

  package func write(to renderer: inout SQLRenderer) {
    func stored(_ name: String) -> SQLExpression { .column(table: table, name: name) }
    func new(_ name: String) -> SQLExpression { .column(table: ListLookUp.new, name: name) }
    let position = new(ListLookUp.position)
    let first = new(ListLookUp.first)
    let returned = [position, first, stored(key)] + others.map(stored)
    renderer.write("SELECT ")
    renderer.writeList(returned) { $1.write(to: &$0) }
    renderer.write(" FROM (")
    writeElements(to: &renderer)
    renderer.write(") AS ")
    renderer.write(identifier: ListLookUp.new)
    renderer.write(" LEFT JOIN ")
    renderer.write(identifier: table)
    renderer.write(" ON ")
    let equalities = zip(columns, names).map { column, name in
      SQLExpression.binary(stored(column.name), .equal, new(name))
    }
    SQLExpression.conjunction(equalities).write(to: &renderer)
    renderer.write(" WHERE ")
    SQLExpression.disjunction([
      stored(key).isNotNull, .binary(position, .notEqual, first),
    ]).write(to: &renderer)
  }

  /// The elements without nulls, each with the first one that has the same values.
  private func writeElements(to renderer: inout SQLRenderer) {
    let values = names.map { SQLExpression.column(table: nil, name: $0) }
    renderer.write("SELECT *, min(")
    renderer.write(identifier: ListLookUp.position)
    renderer.write(") OVER (PARTITION BY ")
    renderer.writeList(zip(columns, values)) { renderer, column in
      let isText = column.0.type == .text
      let collation = isText ? renderer.dialect.textCollation : nil
      (collation.map { .collate(column.1, $0) } ?? column.1).write(to: &renderer)
    }
    renderer.write(") AS ")
    renderer.write(identifier: ListLookUp.first)
    // As in `ListUpdate`: a plan that fits lists of any length, and finds each row by the index.
    renderer.write(" FROM unnest(")
    renderer.writeList(columns.indices) { renderer, index in
      renderer.write("(SELECT ")
      SQLExpression.parameter(index).write(to: &renderer)
      renderer.write("::\(columns[index].type.name(in: renderer.dialect))[])")
    }
    renderer.write(") WITH ORDINALITY AS list ")
    renderer.writeColumns(names + [ListLookUp.position])
    renderer.write(" WHERE ")
    SQLExpression.conjunction(values.map(\.isNotNull)).write(to: &renderer)
  }
}
