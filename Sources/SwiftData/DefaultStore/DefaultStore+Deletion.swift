import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine

extension DefaultStore {
  /// Deletes the rows of a request at once, by the delete rules.
  /// - Throws: `DataStoreError.preferInMemoryFilter` for a predicate or rules that SQL can't answer,
  ///   `SwiftDataError.modelValidationFailure` for a violated rule, or
  ///   `.storeWriteFailure`; nothing is deleted then.
  public func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws
  where T: PersistentModel {
    guard configuration.allowsSave else {
      throw SwiftDataError.modelValidationFailure.with(
        "The store \(name) was opened with allowsSave: false. Open it with allowsSave: true.")
    }
    let query = try Query(self, FetchDescriptor(predicate: request.predicate))
    guard !query.compiled.filtersInMemory,
      let concerned = entitiesConcerned(byDeletionOf: T._$descriptor)
    else { throw DataStoreError.preferInMemoryFilter }
    let number = request.includeSubclasses ? nil : query.entity.number
    let isAlone = concerned.isSubset(of: names(of: query.entity.subtreeNumbers))
    let isFree = isAlone && !hasRelationships(query.entity)
    try write(else: "nothing was deleted") { connection in
      try connection.transaction {
        if isFree {
          try deleteRows(of: query, number, connection)
        } else {
          var deletion = RowDeletion(store: self, connection: connection)
          try deletion.run(rows(of: query, number, connection))
        }
      }
    }
  }

  package func entitiesConcerned(byDeletionOf descriptor: _ModelDescriptor) -> Set<String>? {
    guard let entity = mapping.entity(named: descriptor.entityName) else { return nil }
    var waiting = entity.subtreeNumbers.compactMap(mapping.entity(number:))
    var concerned = Set(waiting.map(\.name))
    var deleted = concerned
    while let next = waiting.popLast() {
      let steps = plans.deletion(of: next, schema)
      if steps.countsMembers { return nil }
      concerned.formUnion(steps.concerned)
      for cascade in steps.cascades {
        guard let relationship = schema.relationship(cascade.property, of: next.name),
          let destination = mapping.entity(named: relationship.destination)
        else { continue }
        for name in names(of: destination.subtreeNumbers) where deleted.insert(name).inserted {
          if let entity = mapping.entity(named: name) { waiting.append(entity) }
        }
      }
    }
    return concerned
  }

  private func names(of numbers: [Int]) -> Set<String> {
    Set(numbers.compactMap { mapping.entity(number: $0)?.name })
  }

  private func hasRelationships(_ entity: EntityMapping) -> Bool {
    entity.subtreeNumbers.contains {
      mapping.entity(number: $0)?.descriptor.relationshipSlots.isEmpty == false
    }
  }

  private func deleteRows(
    of query: Query, _ number: Int?, _ connection: Connection
  ) throws {
    var condition = query.compiled.shape.bareCondition
    if let number, query.entity.sharesTable {
      let own = SQLExpression.binary(
        .column(table: nil, name: "Z_ENT"), .equal, .integer(Int64(number)))
      condition = .conjunction([condition, own].compactMap(\.self))
    }
    let sql = Delete(from: query.entity.table, where: condition).rendered().sql
    let statement = try connection.prepare(sql)
    try query.bindValues(to: statement)
    try statement.run()
  }

  /// Keys and entity numbers of the rows that match.
  private func rows(
    of query: Query, _ number: Int?, _ connection: Connection
  ) throws -> [(key: Int64, entity: Int)] {
    var rows: [(key: Int64, entity: Int)] = []
    try readKeys(of: query, connection) { key, entity in
      if number == nil || number == entity { rows.append((key, entity)) }
    }
    return rows
  }
}
