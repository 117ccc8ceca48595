import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// A relationship of an entity that the file has and the schema has not, which may lead to deleted rows: the
/// models of another program, or of an app whose schema has more models.
///
/// `RowDeletion` refuses the deletion where the relationship is required, and clears it otherwise. The keys of
/// the deleted rows are the JSON array that is parameter 0 of each statement.
package struct FileReferrer: Sendable {
  package let entity: String
  package let property: String
  /// Finds the rows whose required relationship names a deleted one; `nil` where it may be empty.
  package let findingRequired: String?
  /// Removes the deleted rows from the relationship.
  package let clearing: String

  /// The relationships that may lead to rows of an entity.
  static func all(
    to entity: EntityMapping, in mapping: SchemaMapping, dialect: SQLDialect
  ) -> [FileReferrer] {
    let layout = mapping.layout
    let names = Set(layout.model.lineage(of: entity.name).map(\.name))
    return layout.model.entities.filter { mapping.entity(named: $0.name) == nil }.flatMap { owner in
      owner.properties.compactMap(\.relationship).filter {
        !$0.isTransient && names.contains($0.destination)
      }.compactMap { FileReferrer($0, of: owner.name, layout, dialect) }
    }
  }

  private init?(
    _ relationship: RelationshipDescription, of owner: String, _ layout: StoreLayout,
    _ dialect: SQLDialect
  ) {
    entity = owner
    property = relationship.name
    func names(_ column: String) -> SQLExpression {
      .isMember(.column(table: nil, name: column), of: ListParameter(.parameter(0), of: .integer))
    }
    if relationship.isToMany {
      // A list without a table of pairs has its column in the deleted rows.
      guard let side = layout.joinSide(relationship.name, of: owner) else { return nil }
      findingRequired = nil
      clearing =
        Delete(from: side.table.name, where: names(side.memberColumn)).rendered(in: dialect).sql
      return
    }
    guard let key = layout.column(relationship.name, of: owner) else { return nil }
    let table = layout.table(of: owner)
    let number = layout.column(relationship.name, of: owner, .entityNumber)
    let version = SQLExpression.column(table: nil, name: RowColumns.version)
    let find = Select([RowColumns.key()], from: TableReference(table), where: names(key.name))
    findingRequired = relationship.isOptional ? nil : find.rendered(in: dialect).sql
    clearing =
      Update(
        table,
        set: [Assignment(key.name, .null)] + (number.map { [Assignment($0.name, .null)] } ?? [])
          + [Assignment(RowColumns.version, .binary(version, .add, .integer(1)))],
        where: names(key.name)
      ).rendered(in: dialect).sql
  }
}
