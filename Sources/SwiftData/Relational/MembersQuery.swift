package import SQLSyntax

/// The query for the members of a to-many relationship; parameter 0 is the owner's key.
package struct MembersQuery {
  package let sql: String

  package init(
    _ toMany: ToManyMapping, destination: EntityMapping, columns: [SQLExpression]
  ) {
    let alias = RowSelection.alias
    let key = SQLExpression.column(table: alias, name: "Z_PK")
    var select = Select(
      columns, from: TableReference(destination.table, as: alias),
      orderBy: [OrderingTerm(key)])
    switch toMany.storage {
    case .foreignKey(_, let column, _):
      select.condition = .binary(.column(table: alias, name: column), .equal, .parameter(0))
    case .joinTable(let name, let owner, let member):
      let pairs = "pairs"
      select.joins = [
        Join(
          .inner, TableReference(name, as: pairs),
          on: .binary(.column(table: pairs, name: member), .equal, key))
      ]
      select.condition = .binary(.column(table: pairs, name: owner), .equal, .parameter(0))
    }
    sql = select.rendered().sql
  }
}
