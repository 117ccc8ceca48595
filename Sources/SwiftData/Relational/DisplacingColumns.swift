package import OpenSwiftDataSQLSyntax

/// The columns that name the row of an upsert from the other side of its one-to-one relationships.
///
/// The new model brings a partner of its own; the old one may be unknown to the context that saves.
package struct DisplacingColumns {
  /// One statement, which gives the keys of the rows back.
  struct Emptying: Hashable, Sendable {
    let sql: String
    /// The rows that it concerns.
    let partner: EntityChanges.Partner
  }

  /// By slot of the entity's to-one; parameter 0 is the key of the row, 1 that of its new partner.
  let emptying: [Int: Emptying]

  package init(of entity: EntityMapping, in mapping: SchemaMapping, dialect: SQLDialect) {
    var statements: [Int: Emptying] = [:]
    for property in entity.properties {
      guard case .toOne(let toOne) = property.kind, let name = toOne.inverse,
        let partner = mapping.entity(named: toOne.destination),
        let inverse = partner.properties.first(where: { $0.name == name }),
        case .toOne(let back) = inverse.kind
      else { continue }
      var assignments = [Assignment(back.key.name, .null)]
      var conditions: [SQLExpression] = [
        .binary(.column(table: nil, name: back.key.name), .equal, .parameter(0)),
        .binary(RowColumns.key(), .notEqual, .parameter(1)),
      ]
      if let number = back.entityNumber {
        assignments.append(Assignment(number.name, .null))
        conditions.append(
          .binary(.column(table: nil, name: number.name), .equal, .integer(Int64(entity.number))))
      }
      let update = Update(
        partner.table, set: assignments, where: .conjunction(conditions),
        returning: [RowColumns.key])
      statements[property.slot] = Emptying(
        sql: update.rendered(in: dialect).sql,
        partner: EntityChanges.Partner(root: mapping.rootNumber(of: partner), slot: inverse.slot))
    }
    emptying = statements
  }
}
