/// Writes one save, inside its transaction. Called by `RelationalStore`.
///
/// `Step` lists what a save writes, in this order. All decisions use the rows that the transaction
/// sees, never the objects in the context's memory. Each step uses types that are made with the
/// parts that they need; `RowChanges` tracks all rows that they write.
struct SaveWriter {
  /// A step of a save. The steps are performed in the order of the cases.
  enum Step: CaseIterable {
    /// The stored destinations of the links that the save changes are read, before they are
    /// written (`LinkWriter`).
    case noteStoredLinks
    /// If the request has deletions, changed links of stored rows are written first, so that delete
    /// rules use their new values. Then rows are deleted with the delete rules (`SaveDeletion`).
    case deleteRows
    /// New models that the delete rules delete at once lose their unique values: merged with a
    /// stored row, they would delete it. A deleted row that `.deny` keeps with another new model is refused.
    case separateDoomedModels
    /// Changed rows release the unique values that they change, and unique links that they lose to other
    /// models, so that these can get them.
    case releaseUniqueValues
    /// New models that can't be merged with a stored row get the next free keys (`KeyAssigner`).
    case assignFreeKeys
    /// Changed rows with unique constraints are updated, only in the changed columns. They come
    /// before the new models that may be merged with them, so the values of new models win. Rows
    /// that refer to a new model without a key wait, and leave out what merged models have written.
    case updateConstrainedRows
    /// The rows that wait get their new unique values, so that new models find them.
    case takeUniqueValues
    /// New models whose statement finds an existing row are inserted or merged (`RowWriter`). Each
    /// is written before the next one gets its key, because it may have the same unique values.
    case mergeModels
    /// The other new models with unique values are looked up, then inserted or merged. Links to
    /// models without a key are added at the end of the step.
    case mergeLookedUpModels
    /// The other changed rows are updated. If a changed row does not exist any more, the save
    /// throws `DeletedRows`.
    case updateOtherRows
    /// The other new rows are inserted. A run of rows of one entity shares a prepared statement.
    case insertRows
    /// The pairs of to-many relationships are removed and added (`PairWriter`). They are compared
    /// by key, after the new models have their rows.
    case writePairs
    /// Links are completed (`LinkWriter`): delete rules apply to the new models that they delete and to rows
    /// that refer to a deleted row now, one-to-one relationships get an inverse link, and every destination
    /// must exist.
    case completeLinks
    /// The rows at the other end of changed links count as changed.
    case noteRelatedRows
    /// Members are counted in relationships with a limit (`CountedLists`).
    case countMembers
    /// The last assigned keys are stored.
    case storeLastKeys
    /// The versions and the history of all changed rows are stored (`RowChanges`).
    case recordChanges
  }

  private let store: RelationalStore
  private let session: any SQLSession
  private let prepared: PreparedSave
  private let changes: RowChanges
  private let keys: KeyAssigner
  private let rows: RowWriter
  private let links: LinkWriter
  private let pairs: PairWriter
  private let deletion: SaveDeletion
  private var request: SaveRequest
  /// The indices of new models that the delete rules delete at once.
  private var doomed: Set<Int> = []
  /// The changed rows that release unique values.
  private var moving: [DefaultSnapshot] = []
  /// The new models with their statements.
  private var new = InsertionRuns()
  /// What lists gain beside merged models; `nil` if nobody asks for that.
  private var newMembers: NewMembers?
  /// For each changed row, whether `updateConstrainedRows` writes it.
  private var isEarly: [Bool] = []
  /// The rows with unique constraints that wait, and what new models that were merged with them have written.
  private var waiting: [PersistentIdentifier: SlotSet] = [:]

  init(
    store: RelationalStore, session: any SQLSession,
    _ request: SaveRequest, _ options: SaveOptions
  ) {
    self.store = store
    self.session = session
    self.request = request
    prepared = PreparedSave(store: store, session: session)
    changes = RowChanges(store, session, by: request.editingState)
    changes.delaysHistory = options.willComplete
    keys = KeyAssigner(store: store, prepared, changes)
    let deleted = RowDeletion(
      store: store, session: session, changes, else: "Nothing was saved.")
    links = LinkWriter(store: store, prepared, keys, changes, deleted)
    pairs = PairWriter(prepared, keys.inserted, changes, links)
    rows = RowWriter(store: store, prepared, keys, changes, deleted, links, options)
    deletion = SaveDeletion(
      store: store, session: session, prepared, keys.inserted, deleted, rows, links, pairs,
      needLastValues: options.needLastValues)
  }

  mutating func run() throws {
    for step in Step.allCases { try perform(step) }
  }

  private mutating func perform(_ step: Step) throws {
    switch step {
    case .noteStoredLinks:
      try links.noteStored(request.updated)
    case .deleteRows:
      if !request.deleted.isEmpty { try deletion.run(request) }
    case .separateDoomedModels:
      (request, doomed) = try deletion.removingUniqueValuesOfDoomedModels(request)
      try deletion.refuseUnwrittenLinks(request, besides: doomed)
    case .releaseUniqueValues:
      moving = try rows.rowsReleasingUniqueValues(request)
      for snapshot in moving {
        try links.releaseDisplaced(snapshot)
        try rows.clearOldUniqueValues(snapshot)
      }
    case .assignFreeKeys:
      new = try InsertionRuns(request.inserted, doomed: doomed, prepared)
      keys.reserve(new.models.indices.count)
      keys.areNamed = new.namesInUniqueSlots
      for run in new.runs(.nextFree) {
        try keys.assignFree(to: run.indices, of: new.models, run.save)
      }
    case .updateConstrainedRows:
      isEarly = try request.updated.map { snapshot in
        let save = try prepared.save(of: snapshot)
        guard save.isConstrained else { return false }
        let waits = keys.inserted.hasUnassigned(snapshot, save)
        if waits { waiting[snapshot.persistentIdentifier] = SlotSet() }
        return !waits
      }
      try update(where: true)
    case .takeUniqueValues:
      for snapshot in moving { try rows.writeNewUniqueValues(snapshot) }
    case .mergeModels:
      try rows.merge(new.runs(.writing), of: new.models)
    case .mergeLookedUpModels:
      try rows.writeAfterLookUp(new.runs(.lookingUp), of: new.models)
    case .updateOtherRows:
      if !waiting.isEmpty { noteMergedSlots() }
      try update(where: false)
      if !rows.deletedRows.isEmpty { throw DeletedRows(rows.deletedRows) }
    case .insertRows:
      for run in new.runs(.nextFree) { try rows.insert(run, of: new.models) }
    case .writePairs:
      guard store.plans.hasRelationships else { return }
      if rows.notesEarlierLinks, !rows.merged.isEmpty { newMembers = NewMembers() }
      try pairs.write(request.inserted.snapshotsWithMembers + request.updated, noting: newMembers)
      try pairs.write(request.deleted.filter { $0.toManys.contains { !$0.added.isEmpty } })
    case .completeLinks:
      guard store.plans.hasRelationships else { return }
      try links.complete(inOrderOfWrites, new, doomed: deletion.doomedRows)
    case .noteRelatedRows:
      links.noteMoved()
      links.note(ofNew: new)
    case .countMembers:
      try store.checkCounts(of: changes, new: countedNewRows(), session)
    case .storeLastKeys:
      try keys.storeLast()
    case .recordChanges:
      changes.findsListOwners = !deletion.isEmpty || !rows.merged.isEmpty
      try changes.finish(newKeys: keys.ends, new, keys)
    }
  }

  /// The new rows whose members are counted: all of them beside cascades, which may have deleted members,
  /// and beside merged models of the members' class; otherwise those that several new models were merged into.
  private func countedNewRows() -> [NewRow] {
    if store.plans.counted.isEmpty { return [] }
    var counted: [NewRow] = []
    var counts: [RowChanges.Row: Int] = [:]
    for run in new.runs {
      let lists = store.plans.counted[run.save.statements.entity.number]
      let isEachCounted =
        deletion.hasCascades
        || lists.contains { $0.memberRoot.map(rows.mergedRoots.contains) ?? false }
      guard !lists.isEmpty, isEachCounted || run.save.isConstrained else { continue }
      for index in run.indices {
        let row = RowChanges.Row(root: run.save.changes.root, key: keys[index])
        guard changes.isNew(row), !deletion.contains(row) else { continue }
        let earlier = counts[row, default: 0]
        counts[row] = earlier + 1
        if earlier == (isEachCounted ? 0 : 1) {
          counted.append(
            NewRow(
              entity: run.save.statements.entity.number, key: row.key,
              identifier: new.models[index].persistentIdentifier))
        }
      }
    }
    return counted
  }

  private func update(where isEarly: Bool) throws {
    let snapshots = zip(request.updated, self.isEarly).lazy.filter { $0.1 == isEarly }.map { $0.0 }
    if isEarly || waiting.isEmpty { return try rows.update(snapshots) { $0.changedSlots } }
    try rows.update(snapshots) { snapshot in
      let written = waiting[snapshot.persistentIdentifier] ?? SlotSet()
      return snapshot.changedSlots.subtracting(written)
    }
  }

  /// The changed models. Two of them may be instances of one row, of which one waited for a new model.
  private var inOrderOfWrites: [DefaultSnapshot] {
    if waiting.isEmpty { return request.updated }
    let indices = request.updated.indices
    return (indices.filter { isEarly[$0] } + indices.filter { !isEarly[$0] })
      .map { request.updated[$0] }
  }

  /// The values of new models win over those of the rows that waited for them. Rows with to-one relationships
  /// are always looked up.
  private mutating func noteMergedSlots() {
    for run in new.runs(.lookingUp) where rows.mergedRoots.contains(run.save.changes.root) {
      for index in run.indices {
        let identifier = store.plans.identifier(
          keys[index], entity: run.save.statements.entity.number)
        waiting[identifier]?.formUnion(new.models[index].upsertSlots)
      }
    }
  }

  // MARK: Identifiers of new models

  /// Writes values again, after `run`.
  func complete(_ completed: [DefaultSnapshot]) throws {
    var statements: [Columns: (sql: String, cells: [SaveStatements.Cell])] = [:]
    for row in completed {
      guard let key = row.persistentIdentifier.rowKey else { continue }
      let save = try prepared.save(of: row)
      let columns = Columns(entity: save.statements.entity.number, slots: row.changedSlots)
      let statement = statements[columns] ?? save.statements.rewriting(row.changedSlots)
      statements[columns] = statement
      if statement.cells.isEmpty { continue }
      if !save.uniqueSlots(among: row.changedSlots).isEmpty,
        let error = try rows.collision(of: row, save, key: key)
      {
        throw error
      }
      let values = RowValues(
        row: row.rowCells, cells: statement.cells, keys: keys.inserted, trailingKey: key)
      try prepared.statement(statement.sql).runLater(.row(values))
    }
    try changes.finishDelayedHistory()
  }

  /// The columns that a statement writes again.
  private struct Columns: Hashable {
    let entity: Int
    let slots: SlotSet
  }

  // MARK: The result

  /// The indices of the changed models that waited for new ones.
  var lateUpdates: Set<Int> {
    waiting.isEmpty ? [] : Set(isEarly.indices.filter { !isEarly[$0] })
  }

  /// The identifiers of the new models, in the order of the request.
  var identifiers: [PersistentIdentifier] { new.identifiers(keys, store.plans) }

  /// The number of the transaction in the history; `nil` if there is none, or it is not known yet.
  var transaction: Int64? { changes.transaction }

  /// The transaction in the history, where several write at once.
  var added: AddedTransaction? { changes.added }

  /// The end of the history after the save, where one writes at a time.
  var historyEnd: HistoryWriter.End? { changes.historyEnd }

  /// Whether rows may lack values of changed models.
  var mayLeaveOutValues: Bool { !deletion.isEmpty || !rows.merged.isEmpty }

  /// The rows with values that the save has written; `nil` if they are too many.
  var writtenRows: OwnTextWrites.Rows? {
    changes.written(newKeys: keys.ends, limit: OwnTextWrites.limit)
  }

  /// The effects of the save beyond the request.
  var consequences: SaveConsequences {
    var consequences = deletion.consequences(new, keys, changes)
    if rows.merged.isEmpty { return consequences }
    consequences.merged = rows.merged
    consequences.newMembers = newMembers?.all ?? []
    let lists = links.listsThatLostMembers
    if lists.isEmpty { return consequences }
    consequences.left = changes.listOwners.changes(store.plans) { key, owners in
      let root = store.mapping.entity(number: owners.entity).map(store.mapping.rootNumber(of:))
      let slots = lists[RowChanges.Row(root: root ?? owners.entity, key: key)] ?? SlotSet()
      return slots.intersection(owners.slots)
    }
    return consequences
  }
}

extension SaveStatements {
  /// Writes the columns of some slots of a row that the same transaction has written.
  fileprivate func rewriting(_ slots: SlotSet) -> (sql: String, cells: [Cell]) {
    let columns = columns(of: slots)
    return (update(of: columns, keepsVersion: true), columns.map(\.source))
  }
}

/// The statements of one save. Each is looked up or prepared once, for all its steps.
final class PreparedSave {
  private let store: RelationalStore
  let session: any SQLSession
  private var saves: [ObjectIdentifier: EntitySave] = [:]
  /// The last one that was requested; models of one class mostly follow each other.
  private var last: (descriptor: ObjectIdentifier, save: EntitySave)?
  private var statements: [(sql: String, statement: any PreparedSQL)] = []

  init(store: RelationalStore, session: any SQLSession) {
    self.store = store
    self.session = session
  }

  /// The statements that write rows of a model's entity.
  func save(of snapshot: DefaultSnapshot) throws -> EntitySave {
    try save(of: snapshot.descriptor)
  }

  func save(of descriptor: _ModelDescriptor) throws -> EntitySave {
    let identity = ObjectIdentifier(descriptor)
    if let last, last.descriptor == identity { return last.save }
    let save = try saves[identity] ?? store.plans.save(of: store.entity(descriptor))
    saves[identity] = save
    last = (identity, save)
    return save
  }

  func statement(_ sql: String) throws -> any PreparedSQL {
    // A save has few shapes, and equal texts share their storage: a linear search is faster than
    // hashing.
    if let known = statements.last(where: { $0.sql == sql }) { return known.statement }
    let statement = try session.statement(sql)
    statements.append((sql, statement))
    return statement
  }
}
