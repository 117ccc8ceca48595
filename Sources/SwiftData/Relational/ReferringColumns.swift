package import OpenSwiftDataSQLSyntax

/// The to-one columns of all entities that can name a row of one entity and have no inverse.
///
/// With an inverse the delete rules find the rows that name a deleted one; without, only a query can.
package struct ReferringColumns {
  /// One statement per column; the key of the deleted row is the only parameter.
  let emptying: [DisplacingColumns.Emptying]

  package init(to entity: EntityMapping, in mapping: SchemaMapping, dialect: SQLDialect) {
    let names = Set(entity.descriptor.lineage.map(\.entityName))
    var statements: [DisplacingColumns.Emptying] = []
    for owner in mapping.entities {
      for property in owner.properties where owner.ownSlots.contains(property.slot) {
        guard case .toOne(let toOne) = property.kind, toOne.inverse == nil,
          names.contains(toOne.destination)
        else { continue }
        var assignments = [Assignment(toOne.key.name, .null)]
        var condition = SQLExpression.binary(
          .column(table: nil, name: toOne.key.name), .equal, .parameter(0))
        if let number = toOne.entityNumber {
          assignments.append(Assignment(number.name, .null))
          condition = .conjunction([
            condition,
            .binary(
              .column(table: nil, name: number.name), .equal, .integer(Int64(entity.number))),
          ])
        }
        let update = Update(
          owner.table, set: assignments, where: condition, returning: [RowColumns.key])
        statements.append(
          DisplacingColumns.Emptying(
            sql: update.rendered(in: dialect).sql,
            partner: EntityChanges.Partner(
              root: mapping.rootNumber(of: owner), slot: property.slot)))
      }
    }
    emptying = statements
  }
}
