import Foundation
package import OpenSwiftDataSQLSyntax

/// Finds rows from which stored relationships lead to given rows. Unsaved changes of the latter may
/// change the result of a predicate for them.
extension PredicateCompiler {
  /// Compiles a query for the keys of such rows, narrowed by the predicate's conditions on the rows
  /// themselves.
  /// - Parameters:
  ///   - predicate: The predicate of the fetch.
  ///   - leads: Paths, each with the keys at its end, in the form of a `ListParameter`.
  ///   - entity: The entity of the fetched models, including subentities.
  ///   - mapping: The schema's mapping.
  ///   - database: The dialect and the features of the database.
  ///   - storeIdentifier: The store whose identifiers can match.
  package static func compile<T: PersistentModel>(
    rowsOf predicate: Predicate<T>?, leadingTo leads: [(path: RelationshipPath, keys: String)],
    entity: EntityMapping, mapping: SchemaMapping, database: SQLCapabilities,
    storeIdentifier: String?
  ) -> CompiledFetch {
    var compiler = PredicateCompiler(
      mapping: mapping, source: entity, database: database, storeIdentifier: storeIdentifier)
    let root = CompiledFetch.Shape.rootAlias
    var conditions: [SQLExpression] = []
    if let predicate {
      let variable = predicate.variable.key
      compiler.variables = VariableScopes(variable, entity.term(alias: root))
      try? compiler.visitParts(of: predicate.expression, where: \.isConjunction) { compiler, part in
        let follows = RequestReadsCollector.followsRelationships(
          part, of: T._$descriptor, variable: variable, in: mapping)
        if follows { return }
        compiler.compile(part, into: &conditions)
      }
    }
    let owners = leads.compactMap { lead -> SQLExpression? in
      let list = ListParameter(compiler.bindings.bind(derived: .text(lead.keys)), of: .integer)
      return compiler.owners(along: lead.path, to: list).map {
        .inSelect(RowColumns.key(of: root), $0)
      }
    }
    conditions.append(.any(owners))
    var joins = compiler.scopes.outermost
    let plan = QueryPlan(mapping: mapping, from: entity.table, joins: joins)
    var condition = plan.condition(conditions, restriction: entity.restriction(alias: root))
    compiler.bindings.compact(&joins, &condition)
    return CompiledFetch(
      shape: CompiledFetch.Shape(
        sourceName: entity.name, from: TableReference(entity.table, as: root), joins: joins,
        condition: condition, order: []),
      bindings: compiler.bindings.values, unsupported: [], remainder: nil, sortsInMemory: false,
      orderedText: [], dependsOnShapeOnly: false)
  }

  /// The keys of the rows at the start of a path; `nil` if the path is not in the schema.
  private func owners(along path: RelationshipPath, to list: ListParameter) -> Select? {
    var keys = Select(
      [.column(table: nil, name: ListParameter.value)], from: TableReference(list: list))
    for step in path.steps.reversed() {
      guard let owner = mapping.entity(named: step.owner.entityName) else { return nil }
      func rows(_ result: String, of table: String, where column: String) -> Select {
        Select(
          [.column(table: nil, name: result)], from: TableReference(table),
          where: .inSelect(.column(table: nil, name: column), keys))
      }
      switch owner.properties[step.slot].kind {
      case .toOne(let toOne):
        keys = rows(RowColumns.key, of: owner.table, where: toOne.key.name)
      case .toMany(let toMany):
        switch toMany.storage {
        case .foreignKey(let table, let column, _):
          keys = rows(column, of: table, where: RowColumns.key)
        case .joinTable(let name, let ownerColumn, let memberColumn):
          keys = rows(ownerColumn, of: name, where: memberColumn)
        }
      case .attribute, .composite, .ephemeral: return nil
      }
    }
    return keys
  }
}
