import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateCompiler {
  mutating func newAlias() -> String {
    defer { aliasCount += 1 }
    return "t\(aliasCount)"
  }

  /// The alias of the object's row; joins its table if that is not joined yet.
  mutating func alias(of object: ObjectTerm) -> String {
    guard case .key(let key) = object.source else {
      if case .row(let alias) = object.source { return alias }
      return CompiledFetch.Shape.rootAlias
    }
    // One join per table and key: `a.b.c == 1 && a.b.d == 2` reads the same row.
    for join in scopes[object.scope] where join.table.name == object.entity.table {
      guard let alias = join.table.alias else { continue }
      if join.condition == joinCondition(alias, key) { return alias }
    }
    let alias = newAlias()
    scopes[object.scope].append(
      Join(.left, TableReference(object.entity.table, as: alias), on: joinCondition(alias, key)))
    return alias
  }

  private func joinCondition(_ alias: String, _ key: SQLExpression) -> SQLExpression {
    .binary(RowColumns.key(of: alias), .equal, key)
  }

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
      throw NotInSQL("the first of what is no relationship")
    }
    var first = try query(
      over: collection,
      yielding: { if case .object(let object) = $0 { object.key } else { .null } },
      where: { _, _ in .true })
    first.order = [OrderingTerm(first.columns[0].expression)]
    first.limit = .integer(1)
    return ObjectTerm(
      entity: relationship.destination, source: .key(.subquery(first)),
      scope: relationship.owner.scope, presence: .whenNotNull)
  }

  private mutating func query(
    over collection: CollectionTerm, yielding result: (SQLTerm) -> SQLExpression,
    where body: (inout PredicateCompiler, SQLTerm) throws -> SQLExpression
  ) throws -> Select {
    scopes.append([])
    let outerDemands = demands
    demands = []
    defer {
      scopes.removeLast()
      demands = outerDemands
    }
    let alias = newAlias()
    var (from, element, conditions) =
      switch collection.source {
      case .relationship(let relationship): members(of: relationship, alias)
      case .records(let link, let owner): members(link, of: owner, alias)
      }
    for filter in collection.filters {
      let outer = variables.updateValue(element, forKey: filter.variable)
      defer { variables[filter.variable] = outer }
      conditions.append(try condition(filter.test).asFilter)
    }
    conditions.append(try body(&self, element).asFilter)
    guard demands.isEmpty else { throw NotInSQL("a test of elements that may fail") }
    return Select(
      [result(element)], from: from, joins: scopes[scopes.count - 1], where: .all(conditions))
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
        entity: destination, source: .row(alias: alias), scope: scopes.count - 1)
      // The key column of a superentity may also be set in rows of its other subentities.
      if inheritsInverse(relationship), let isKind = destination.restriction(alias: alias) {
        conditions.append(isKind)
      }
    case .joinTable(let name, let ownerColumn, let memberColumn):
      from = TableReference(name, as: alias)
      conditions = [
        .binary(.column(table: alias, name: ownerColumn), .equal, relationship.owner.key)
      ]
      element = ObjectTerm(
        entity: destination, source: .key(.column(table: alias, name: memberColumn)),
        scope: scopes.count - 1)
    }
    return (from, .object(element), conditions)
  }

  private func members(
    _ link: RecordLink, of owner: RecordTerm, _ alias: String
  ) -> (from: TableReference, element: SQLTerm, conditions: [SQLExpression]) {
    let owners = SQLExpression.column(table: alias, name: link.ownerColumn)
    return (
      TableReference(link.members.table, as: alias), link.members.term(alias: alias),
      [.binary(owners, .equal, owner.key), link.restriction(alias)]
    )
  }

  private func inheritsInverse(_ relationship: CollectionTerm.Relationship) -> Bool {
    guard let inverse = relationship.mapping.inverse,
      let property = relationship.destination.property(named: inverse)
    else { return false }
    return property.slot < relationship.destination.ownSlots.lowerBound
  }
}
