import OpenSwiftDataSQLSyntax

/// The deletions of a save: the first step of `SaveWriter.write`.
extension SaveWriter {
  /// Deletes rows, and those that delete rules add. Links that the same save takes away count no more.
  mutating func delete(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws {
    for snapshot in request.updated { try letGoOfLinks(snapshot) }
    for snapshot in request.deleted where !snapshot.changedSlots.isEmpty {
      try noteLinks(of: snapshot)
      try letGoOfLinks(snapshot)
    }
    let rows = try request.deleted.compactMap { snapshot in
      try snapshot.persistentIdentifier.rowKey.map {
        (key: $0, entity: try plan(of: snapshot).statements.entity.number)
      }
    }
    let reader = LastValues(store: store, session: session, isWanted: options.needsLastValues)
    var last: [DefaultSnapshot] = []
    try deletion.run(rows, &changes) { last = try reader.values(of: $0) }
    consequences.lastValues = last
  }

  /// Empties the relationships that a row changes, so that delete rules do not follow what they were. Their
  /// new values are written later, and followed then.
  private mutating func letGoOfLinks(_ snapshot: DefaultSnapshot) throws {
    guard let key = snapshot.persistentIdentifier.rowKey, !snapshot.changedSlots.isEmpty else {
      return
    }
    let save = try plan(of: snapshot)
    var slots = SlotSet()
    for link in save.toOnes where snapshot.changedSlots.contains(link.slot) {
      slots.insert(link.slot)
    }
    if let sql = save.unlinking(slots) { try prepared(sql).run(.integer(key)) }
    for link in save.toOnes where snapshot.changedSlots.contains(link.slot) {
      guard let oneToOne = link.oneToOne, !oneToOne.freeRow.isRequired else { continue }
      // The model that the row leads to now is not the one of before, which may be deleted.
      let destination = destination(of: snapshot.value(link.slot))
      try rewrite(oneToOne.freeRow, key, destination ?? 0) { $0.displaced.append($1) }
    }
    try unlinkPairs(of: snapshot)
  }
}

/// Reads the rows of models that the context shows without having read them.
private struct LastValues {
  let store: RelationalStore
  let session: any SQLSession
  let isWanted: (PersistentIdentifier) -> Bool

  func values(of rows: [(key: Int64, entity: Int)]) throws -> [DefaultSnapshot] {
    let wanted = rows.filter { isWanted(store.plans.identifier($0.key, entity: $0.entity)) }
    return try Dictionary(grouping: wanted, by: \.entity).flatMap { number, rows in
      guard let entity = store.mapping.entity(number: number) else { return [DefaultSnapshot]() }
      let selection = store.plans.selection(of: entity)
      return try session.statement(selection.byKeys)
        .rows(.list(store.driver.dialect.list(rows.map(\.key))), store.reading(selection))
        .rows.snapshots
    }
  }
}
