import OpenSwiftDataSQLSyntax

/// What the deletion of an entity's rows does to rows of an entity that the file has and the schema has not.
///
/// `RowDeletion` refuses the deletion where such a relationship is required, and clears it otherwise. The keys
/// of the deleted rows are the JSON array that is parameter 0 of each statement.
package struct FileReferrer: Sendable {
  package let entity: String
  package let property: String
  /// Finds the rows whose required relationship names a deleted one; `nil` where it may be empty.
  package let findingRequired: String?
  /// Removes the deleted rows from the relationship.
  package let clearing: String

  init(_ reference: FileReference, dialect: SQLDialect) {
    entity = reference.entity
    property = reference.property
    func names(_ column: String) -> SQLExpression {
      .isMember(.column(table: nil, name: column), of: ListParameter(.parameter(0), of: .integer))
    }
    switch reference.place {
    case .pairs(let column):
      findingRequired = nil
      clearing = Delete(from: reference.table, where: names(column)).rendered(in: dialect).sql
    case .column(let key, let number):
      let version = SQLExpression.column(table: nil, name: RowColumns.version)
      let find = Select(
        [RowColumns.key()], from: TableReference(reference.table), where: names(key))
      findingRequired = reference.isRequired ? find.rendered(in: dialect).sql : nil
      clearing =
        Update(
          reference.table,
          set: [Assignment(key, .null)] + (number.map { [Assignment($0, .null)] } ?? [])
            + [Assignment(RowColumns.version, .binary(version, .add, .integer(1)))],
          where: names(key)
        ).rendered(in: dialect).sql
    }
  }
}
