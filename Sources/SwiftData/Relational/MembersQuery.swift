package import OpenSwiftDataSQLSyntax

/// The query for the members of a to-many relationship, for one owner or several.
package struct MembersQuery {
  /// The members of one owner, whose key is parameter 0, for a relationship that is followed.
  package let ofOne: String
  /// The same in place of a list of owners with only this one; the last column is the owner's key.
  package let ofOnlyOwner: String
  /// The members of the owners in a JSON array, which is parameter 0, one owner after the other;
  /// the last column is the owner's key.
  package let ofMany: String
  /// The same for the owners in a range of keys, whose ends are parameters 0 and 1.
  package let ofRange: String

  package init(
    _ toMany: ToManyMapping, destination: EntityMapping, columns: [SQLExpression],
    in dialect: SQLDialect
  ) {
    var (select, owner) = MembersQuery.select(toMany, destination: destination, columns: columns)
    let byOwner = select.order
    select.order = [.key(RowColumns.key(of: RowSelection.alias))]
    select.condition = .binary(owner, .equal, .parameter(0))
    ofOne = select.rendered(in: dialect).sql
    select.columns.append(ResultColumn(owner))
    ofOnlyOwner = select.rendered(in: dialect).sql
    select.order = byOwner
    select.condition = .isMember(owner, of: ListParameter(.parameter(0), of: .integer))
    ofMany = select.rendered(in: dialect).sql
    select.condition = .conjunction([
      .binary(owner, .greaterOrEqual, .parameter(0)), .binary(owner, .lessOrEqual, .parameter(1)),
    ])
    ofRange = select.rendered(in: dialect).sql
  }

  /// The members of all owners that a query selects, one owner after the other; the last column is the
  /// owner's key.
  /// - Parameter owners: Selects the keys of owners.
  package static func select(
    _ toMany: ToManyMapping, destination: EntityMapping, columns: [SQLExpression],
    ofOwnersIn owners: Select
  ) -> Select {
    var (select, owner) = select(toMany, destination: destination, columns: columns)
    select.columns.append(ResultColumn(owner))
    select.condition = .inSelect(owner, owners)
    return select
  }

  /// The members of all owners, one owner after the other, and the owner's key.
  private static func select(
    _ toMany: ToManyMapping, destination: EntityMapping, columns: [SQLExpression]
  ) -> (Select, owner: SQLExpression) {
    let alias = RowSelection.alias
    let key = RowColumns.key(of: alias)
    var select = Select(columns, from: TableReference(destination.table, as: alias))
    switch toMany.storage {
    case .foreignKey(_, let column, _):
      let owner = SQLExpression.column(table: alias, name: column)
      select.order = [OrderingTerm(owner), .key(key)]
      return (select, owner)
    case .joinTable(let name, let ownerColumn, let memberColumn):
      let pairs = "pairs"
      let owner = SQLExpression.column(table: pairs, name: ownerColumn)
      // The key of the member, from the same index as the owner, so that nothing has to be sorted.
      let member = SQLExpression.column(table: pairs, name: memberColumn)
      select.joins = [
        Join(.inner, TableReference(name, as: pairs), on: .binary(member, .equal, key))
      ]
      select.order = [.key(owner), .key(member)]
      return (select, owner)
    }
  }
}
