import Foundation
import OpenSwiftDataSQLSyntax

/// Deletes all rows that match a request, and applies the delete rules.
extension RelationalStore {
  /// - Parameter willCommit: Called before the commit, while the rows are locked.
  /// - Throws: `DataStoreError.preferInMemoryFilter` if SQL can't evaluate the predicate or the
  ///   rules, `SwiftDataError.modelValidationFailure` for a violated rule, or `.storeWriteFailure`;
  ///   nothing is deleted then.
  package func delete<T: PersistentModel>(
    _ request: DataStoreBatchDeleteRequest<T>,
    willCommit: (BatchDeletionReceipt?) -> Void = { _ in }
  ) throws {
    // Such a store has no rows.
    if refusal != nil { return willCommit(BatchDeletionReceipt()) }
    try requireWritable()
    let query = try RowQuery(self, FetchDescriptor(predicate: request.predicate))
    guard !query.compiled.filtersInMemory,
      let concerned = entitiesConcerned(byDeletionOf: T._$descriptor)
    else { throw DataStoreError.preferInMemoryFilter }
    let number = request.includeSubclasses ? nil : query.entity.number
    let isAlone = concerned.isSubset(of: names(of: query.entity.subtreeNumbers))
    let isFree = isAlone && !hasRelationships(query.entity) && !hasReferrers(query.entity)
    var repetition = SaveRepetition(.exclusive)
    while true {
      do {
        return try delete(query, number, isFree: isFree, request.editingState, willCommit)
      } catch {
        // Only programs without the lock can be in the way, such as one that waits for the same rows.
        guard !isInTransaction(of: request.editingState), repetition.repeats(after: error) else {
          throw error
        }
        repetition.pause(log)
      }
    }
  }

  private func delete(
    _ query: RowQuery, _ number: Int?, isFree: Bool, _ editor: EditingState,
    _ willCommit: (BatchDeletionReceipt?) -> Void
  ) throws {
    try driver.write(for: editor.owner, else: "nothing was deleted") { session in
      try requireNoOther(than: editor, session)
      let changes = try transaction(session) {
        didBegin(session)
        let changes = RowChanges(self, session, by: editor)
        let receipt: BatchDeletionReceipt?
        if isFree {
          receipt = try deleteRows(of: query, number, session, changes)
          try changes.finish()
        } else {
          changes.findsListOwners = true
          let deletion = RowDeletion(
            store: self, session: session, changes, else: "Nothing was deleted.")
          try deletion.run(rows(of: query, number, session))
          try checkCounts(of: changes, session)
          try changes.finish()
          receipt = deletion.receipt
        }
        willCommit(receipt)
        return changes
      }
      // It may be known since the commit only.
      let number = changes.transaction
      if noteSave(number, nil, in: session) { return }
      composedText.ownWrites.didCommit(session)
      didCommit(number)
    }
  }

  package func entitiesConcerned(byDeletionOf descriptor: _ModelDescriptor) -> Set<String>? {
    guard let entity = mapping.entity(named: descriptor.entityName) else { return nil }
    var waiting = entity.subtreeNumbers.compactMap(mapping.entity(number:))
    var concerned = Set(waiting.map(\.name))
    var deleted = concerned
    while let next = waiting.popLast() {
      let steps = plans.deletion(of: next, schema)
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

  /// Whether rows of entities that only the file has may refer to rows of the entity.
  private func hasReferrers(_ entity: EntityMapping) -> Bool {
    entity.subtreeNumbers.compactMap(mapping.entity(number:)).contains {
      !plans.deletion(of: $0, schema).referrers.isEmpty
    }
  }

  private func deleteRows(
    of query: RowQuery, _ number: Int?, _ session: any SQLSession, _ changes: RowChanges
  ) throws -> BatchDeletionReceipt? {
    var condition = query.compiled.shape.bareCondition
    if let number, query.entity.sharesTable {
      let own = SQLExpression.binary(RowColumns.entity(), .equal, .integer(Int64(number)))
      condition = .conjunction([condition, own].compactMap(\.self))
    }
    try changes.noteDeletion(of: query.entity, where: condition, query.bindings)
    var delete = Delete(from: query.entity.table, where: condition)
    if condition == nil {
      // SQLite visits no row then.
      let statement = try session.statement(delete.rendered(in: plans.dialect).sql)
      return try statement.run(query.parameters) == 0 ? BatchDeletionReceipt() : nil
    }
    let columns = plans.selection(of: query.entity).keyColumns.count
    delete.returning = columns == 1 ? [RowColumns.key] : [RowColumns.key, RowColumns.entity]
    let found = try session.statement(delete.rendered(in: plans.dialect).sql)
      .integers(query.parameters)
    if found.count / columns > BatchDeletionReceipt.limit { return nil }
    let deleted = stride(from: 0, to: found.count, by: columns).map {
      plans.identifier(
        found[$0], entity: columns == 1 ? query.entity.number : Int(found[$0 + 1]))
    }
    return BatchDeletionReceipt(deleted: deleted)
  }

  /// The matching rows.
  private func rows(
    of query: RowQuery, _ number: Int?, _ session: any SQLSession
  ) throws -> [RowDeletion.Rows] {
    let columns = plans.selection(of: query.entity).keyColumns
    let found = try session.statement(query.text(.keys, columns)).integers(query.parameters)
    if columns.count == 1 { return [RowDeletion.Rows(entity: query.entity.number, keys: found)] }
    let rows = stride(from: 0, to: found.count, by: columns.count).lazy.map {
      (key: found[$0], entity: Int(found[$0 + 1]))
    }
    return RowDeletion.groups(rows.filter { number == nil || number == $0.entity })
  }
}
