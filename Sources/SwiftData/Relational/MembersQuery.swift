package import OpenSwiftDataSQLSyntax

/// The query for the members of a to-many relationship, for one owner or several.
package struct MembersQuery {
  /// The members of one owner, whose key is parameter 0.
  package let ofOne: String
  /// The members of the owners in a JSON array, which is parameter 0; the last column is the
  /// owner's key.
  package let ofMany: String

  package init(
    _ toMany: ToManyMapping, destination: EntityMapping, columns: [SQLExpression],
    in dialect: SQLDialect
  ) {
    let alias = RowSelection.alias
    let key = RowColumns.key(of: alias)
    var select = Select(
      columns, from: TableReference(destination.table, as: alias),
      orderBy: [OrderingTerm(key)])
    let owner: SQLExpression
    switch toMany.storage {
    case .foreignKey(_, let column, _):
      owner = .column(table: alias, name: column)
    case .joinTable(let name, let ownerColumn, let member):
      let pairs = "pairs"
      owner = .column(table: pairs, name: ownerColumn)
      select.joins = [
        Join(
          .inner, TableReference(name, as: pairs),
          on: .binary(.column(table: pairs, name: member), .equal, key))
      ]
    }
    select.condition = .binary(owner, .equal, .parameter(0))
    ofOne = select.rendered(in: dialect).sql
    select.condition = .isMember(owner, of: ListParameter(.parameter(0), of: .integer))
    select.columns.append(ResultColumn(owner))
    ofMany = select.rendered(in: dialect).sql
  }
}
