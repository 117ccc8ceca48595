import Foundation
import OpenSwiftDataSQLSyntax

/// Compiles queries over the members of a relationship, with joins of their own.
extension PredicateCompiler {
  /// A query over the members of a relationship, for `EXISTS`, `count` and others.
  /// - Parameters:
  ///   - result: The result of the query for each member.
  ///   - body: Adds a condition on the member.
  mutating func query(
    over collection: CollectionTerm, yielding result: SQLExpression = .integer(1),
    where body: (inout PredicateCompiler, SQLTerm) throws -> SQLExpression = { _, _ in .true }
  ) throws -> Select {
    try query(over: collection, yielding: { _ in result }, where: body)
  }

  /// The first member in the order in which the relationship is read.
  mutating func firstElement(of collection: CollectionTerm) throws -> ObjectTerm {
    guard case .relationship(let relationship) = collection.source else {
      throw NotInSQL("the first element of a value that is not a relationship")
    }
    var first = try query(
      over: collection,
      yielding: { if case .object(let object) = $0 { object.key } else { .null } },
      where: { _, _ in .true })
    first.order = [OrderingTerm(first.columns[0].expression)]
    first.limit = .integer(1)
    // A filter may refer to tables of the current query.
    return ObjectTerm(
      entity: relationship.destination, source: .key(.subquery(first)), scope: scopes.level,
      presence: .whenNotNull)
  }

  private mutating func query(
    over collection: CollectionTerm, yielding result: (SQLTerm) -> SQLExpression,
    where body: (inout PredicateCompiler, SQLTerm) throws -> SQLExpression
  ) throws -> Select {
    scopes.enterSubquery()
    let outerDemands = demands
    demands = StepDemands()
    defer {
      scopes.leaveSubquery()
      demands = outerDemands
    }
    let alias = scopes.newAlias()
    var (from, element, conditions) =
      switch collection.source {
      case .relationship(let relationship): members(of: relationship, alias)
      case .records(let link, let owner): link.members(of: owner, alias)
      }
    for filter in collection.filters {
      let outer = variables
      defer { variables = outer }
      variables = filter.variables
      _ = variables.bind(filter.variable, toRow: element)
      conditions.append(try condition(filter.test).asFilter)
    }
    conditions.append(try body(&self, element).asFilter)
    guard demands.isEmpty else { throw NotInSQL("a condition on elements that may fail") }
    return Select(
      [result(element)], from: from, joins: scopes.innermost, where: .all(conditions))
  }

  /// The table of the members, the term of a member, and the conditions that select the owner's.
  private func members(
    of relationship: CollectionTerm.Relationship, _ alias: String
  ) -> (from: TableReference, element: SQLTerm, conditions: [SQLExpression]) {
    let destination = relationship.destination
    let from: TableReference
    let element: ObjectTerm
    var conditions: [SQLExpression]
    switch relationship.mapping.storage {
    case .foreignKey(let table, let column, _):
      from = TableReference(table, as: alias)
      conditions = [
        .binary(.column(table: alias, name: column), .equal, relationship.owner.key)
      ]
      element = ObjectTerm(
        entity: destination, source: .row(alias: alias), scope: scopes.level)
      // The key column of a superentity may also be set in rows of its other subentities.
      if relationship.inheritsInverse, let isKind = destination.restriction(alias: alias) {
        conditions.append(isKind)
      }
    case .joinTable(let name, let ownerColumn, let memberColumn):
      from = TableReference(name, as: alias)
      conditions = [
        .binary(.column(table: alias, name: ownerColumn), .equal, relationship.owner.key)
      ]
      element = ObjectTerm(
        entity: destination, source: .key(.column(table: alias, name: memberColumn)),
        scope: scopes.level)
    }
    return (from, .object(element), conditions)
  }
}

extension RecordLink {
  /// The table of the members, the term of a member, and the conditions that select the owner's.
  fileprivate func members(
    of owner: RecordTerm, _ alias: String
  ) -> (from: TableReference, element: SQLTerm, conditions: [SQLExpression]) {
    let owners = SQLExpression.column(table: alias, name: ownerColumn)
    var table = TableReference(members.table, as: alias)
    table.range = range
    return (
      table, members.term(alias: alias), [.binary(owners, .equal, owner.key), restriction(alias)]
    )
  }
}

extension CollectionTerm.Relationship {
  /// Whether the inverse is a property of a superentity of the members.
  fileprivate var inheritsInverse: Bool {
    guard let inverse = mapping.inverse, let property = destination.property(named: inverse) else {
      return false
    }
    return property.slot < destination.ownSlots.lowerBound
  }
}
