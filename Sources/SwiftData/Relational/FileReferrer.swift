import OpenSwiftDataSQLSyntax

/// The statements for rows of an entity that only the file has, when rows that they refer to are
/// deleted.
///
/// `RowDeletion` refuses the deletion if the relationship is required, and clears it otherwise.
/// Parameter 0 of each statement is the JSON array of the deleted rows' keys.
package struct FileReferrer: Sendable {
  package let entity: String
  package let property: String
  /// Finds rows whose required relationship refers to a deleted row; `nil` if it is optional.
  package let findingRequired: String?
  /// Removes deleted rows from the relationship.
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
