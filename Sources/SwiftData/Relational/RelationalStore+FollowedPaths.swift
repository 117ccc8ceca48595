import OpenSwiftDataSQLSyntax

/// Determines what a request reads of other models, and which rows depend on it, for contexts with
/// unsaved changes.
extension RelationalStore {
  package var reportsReads: Bool { true }

  package func reads<T: PersistentModel>(of request: DataStoreFetchRequest<T>) -> RequestReads? {
    RequestReadsCollector.reads(
      of: request.descriptor.predicate, sortBy: request.descriptor.sortBy, in: mapping)
  }

  package func identifiers<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>, leadingTo targets: [RelationshipPathTargets]
  ) throws -> FetchedIdentifiers {
    let entity = try entity(T._$descriptor)
    let leads = targets.map { target in
      (path: target.path, keys: driver.dialect.list(target.identifiers.compactMap(key(of:))))
    }
    let compiled = PredicateCompiler.compile(
      rowsOf: request.descriptor.predicate, leadingTo: leads, entity: entity, mapping: mapping,
      database: plans.database, storeIdentifier: identifier)
    let selection = plans.selection(of: entity)
    var keys =
      selection.hasEntityNumber
      ? RowKeys(scopes: plans.scopes) : RowKeys(scope: plans.scope(number: entity.number))
    let text = compiled.shape.select(selection.keyColumns).rendered(in: plans.dialect).sql
    try driver.read(for: request.editingState.owner) { session in
      try session.statement(text).keys(.fetch(compiled.bindings, .all), into: &keys)
    }
    if keys.count > 0, let log {
      let entities = Set(targets.map { $0.path.destination.entityName }).sorted()
      log.note(
        entity: entity.name,
        reasons: ["\(keys.count) rows: unsaved changes of \(entities.joined(separator: ", "))"])
    }
    return .keys(keys)
  }
}
