import OpenSwiftDataSQLSyntax

/// A to-one relationship at the end of a save: its destination must exist, and in a one-to-one
/// relationship both sides must refer only to each other.
package struct ToOneLink: Sendable {
  let slot: Int
  let property: String
  let isOptional: Bool
  let destination: String
  let inverse: String?
  /// The number of the destination's root entity.
  let destinationRoot: Int
  /// `nil` if the other side is to-many, or there is no inverse.
  let oneToOne: OneToOne?

  /// Parameter 0 of each statement is the key of a row of the entity, parameter 1 that of its
  /// destination.
  package struct OneToOne: Sendable {
    /// Removes the links of other rows to the row.
    let freeRow: Rewriting
    /// Removes the links of other rows to the destination.
    let freeDestination: Rewriting
    /// Sets the link from the destination to the row.
    let answer: Rewriting
    /// Find rows and what they lead to, for a list of keys: destinations that lead to the rows with these keys,
    /// rows that lead to these destinations, and these destinations.
    let leadingToRows: String
    let leadingToDestinations: String
    let destinations: String
  }

  /// A statement that writes a column in rows, and returns their keys and entity numbers.
  package struct Rewriting: Sendable {
    let sql: String
    /// The rows with the column.
    let partner: EntityChanges.Partner
    let slot: Int
    let entity: String
    let property: String
    /// Whether the column must not be null.
    let isRequired: Bool
  }

  init?(
    _ property: PropertyMapping, of entity: EntityMapping, in mapping: SchemaMapping,
    _ dialect: SQLDialect
  ) {
    guard case .toOne(let toOne) = property.kind,
      let destination = mapping.entity(named: toOne.destination)
    else { return nil }
    slot = property.slot
    self.property = property.name
    isOptional = property.isOptional
    self.destination = destination.name
    self.inverse = toOne.inverse
    destinationRoot = mapping.rootNumber(of: destination)
    guard let inverse = toOne.inverse.flatMap(destination.property(named:)),
      case .toOne(let back) = inverse.kind
    else {
      oneToOne = nil
      return
    }
    func rewriting(
      _ owner: EntityMapping, _ property: PropertyMapping, set assignments: [Assignment],
      where condition: SQLExpression, empties: Bool
    ) -> Rewriting {
      let update = Update(
        owner.table, set: assignments, where: condition,
        returning: [RowColumns.key, RowColumns.entity])
      return Rewriting(
        sql: update.rendered(in: dialect).sql,
        partner: EntityChanges.Partner(root: mapping.rootNumber(of: owner), slot: property.slot),
        slot: property.slot, entity: owner.name, property: property.name,
        isRequired: empties && !property.isOptional)
    }
    func emptying(_ link: ToOneMapping) -> [Assignment] {
      ([link.key.name] + (link.entityNumber.map { [$0.name] } ?? []))
        .map { Assignment($0, .null) }
    }
    func leads(_ link: ToOneMapping, to parameter: Int) -> SQLExpression {
      .binary(.column(table: nil, name: link.key.name), .equal, .parameter(parameter))
    }
    func isRow(_ parameter: Int, _ comparison: SQLBinaryOperator) -> SQLExpression {
      .binary(RowColumns.key(), comparison, .parameter(parameter))
    }
    func links(
      _ owner: EntityMapping, _ link: ToOneMapping, whereListed column: SQLExpression
    ) -> String {
      let select = Select(
        [RowColumns.key(), .column(table: nil, name: link.key.name)],
        from: TableReference(owner.table),
        where: .isMember(column, of: ListParameter(.parameter(0), of: .integer)))
      return select.rendered(in: dialect).sql
    }
    let linkKey = SQLExpression.column(table: nil, name: toOne.key.name)
    let backKey = SQLExpression.column(table: nil, name: back.key.name)
    oneToOne = OneToOne(
      freeRow: rewriting(
        destination, inverse, set: emptying(back),
        where: .conjunction([leads(back, to: 0), isRow(1, .notEqual)]), empties: true),
      freeDestination: rewriting(
        entity, property, set: emptying(toOne),
        where: .conjunction([leads(toOne, to: 1), isRow(0, .notEqual)]), empties: true),
      answer: rewriting(
        destination, inverse,
        set: [Assignment(back.key.name, .parameter(0))]
          + (back.entityNumber.map { [Assignment($0.name, .integer(Int64(entity.number)))] } ?? []),
        where: .conjunction([
          isRow(1, .equal),
          .disjunction([backKey.isNull, .binary(backKey, .notEqual, .parameter(0))]),
        ]), empties: false),
      leadingToRows: links(destination, back, whereListed: backKey),
      leadingToDestinations: links(entity, toOne, whereListed: linkKey),
      destinations: links(destination, back, whereListed: RowColumns.key()))
  }
}
