import OpenSwiftDataSQLSyntax

/// Inserts, updates and merges the rows of a save. Used by the steps of `SaveWriter`.
///
/// A new model with the unique values of a stored row becomes that row. A changed row releases the
/// unique values that it changes before others are written, so that values can move from one model
/// to another.
final class RowWriter {
  let store: RelationalStore
  let prepared: PreparedSave
  let keys: KeyAssigner
  let changes: RowChanges
  private let deletion: RowDeletion
  let links: LinkWriter
  /// Whether a new model with the unique values of a stored row is an error.
  let refusesUpserts: Bool
  /// Whether the links of stored rows are noted before models become these rows.
  let notesEarlierLinks: Bool
  /// Whether the last model with unique values was merged with its row; the next one probably is
  /// too.
  private var expectsUpsert = false
  /// Whether rows with unique values are inserted in groups. After the first conflict they are not:
  /// for a group that is rejected often, most of the work is done in vain.
  private var insertsGroups = true
  /// From this many rows of an entity on, groups are inserted.
  private static let manyRows = 64
  /// The number of models in sequence that were merged with their rows.
  private var mergedCount = 0
  /// After this many, rows are looked up and updated. These two statements cost half as much as the
  /// one that returns a key, for which SQLite creates a temporary table at each run.
  private static let fewMerged = 8
  /// Whether new models are looked up in batches, because one had the values of a stored row.
  private var looksUpBatches = false
  /// Whether the database can look up many rows with one statement, and the tables of this save allow it.
  var canLookUpBatches: Bool
  var batchSize = UniqueBatchSize()
  /// How many rows a server is sent before it is known whether all of them are new: if one is not, all of
  /// them are undone, and leave dead rows. Grows while all are.
  private var insertionLimit = RowWriter.firstInsertionLimit
  private static let firstInsertionLimit = 32
  private static let largestInsertionLimit = 10_000
  /// Up to this many rows, an optimistic save is sent as a whole with its commit.
  private static let fewRows = 4
  /// Changed models whose rows do not exist any more.
  private(set) var deletedRows: [PersistentIdentifier] = []
  /// The new models that became a row with their unique values.
  private(set) var merged: [SaveConsequences.Merge] = []
  /// The numbers of the root entities of new models that became a row with their unique values.
  private(set) var mergedRoots: Set<Int> = []
  private var lastMergedRoot: Int?

  init(
    store: RelationalStore, _ prepared: PreparedSave, _ keys: KeyAssigner, _ changes: RowChanges,
    _ deletion: RowDeletion, _ links: LinkWriter, _ options: SaveOptions
  ) {
    self.store = store
    self.prepared = prepared
    self.keys = keys
    self.changes = changes
    self.deletion = deletion
    self.links = links
    refusesUpserts = options.refusesUpserts
    notesEarlierLinks = options.notesEarlierLinks
    canLookUpBatches = store.driver.dialect.joinsLists
  }

  // MARK: New rows

  /// Inserts the rows of models that have keys.
  func insert(_ run: InsertionRuns.Run, of models: NewModels) throws {
    for indices in keys.groups(run.indices) {
      let first = keys[indices.lowerBound]
      let count = try insertGroups(indices, of: models, run.save, from: first)
      let rest = indices.dropFirst(count)
      if rest.isEmpty { continue }
      try prepared.statement(run.save.statements.insert).run(
        writes(rest, of: models, run.save, from: first + Int64(count), isBulk: true))
    }
  }

  /// Inserts most of many rows, several with each run of a statement.
  /// - Returns: The number of inserted rows. If a group or more are left, a unique index rejected the
  ///   next row.
  private func insertGroups(
    _ indices: Range<Int>, of models: NewModels, _ save: EntitySave, from key: Int64
  ) throws -> Int {
    guard indices.count >= RowWriter.manyRows, save.groupSize > 1, let sql = save.groupInsert
    else { return 0 }
    var writes = writes(indices, of: models, save, from: key)
    writes.rowsPerRun = save.groupSize
    return try prepared.statement(sql).runUntilRejected(writes)
  }

  func writes(
    _ indices: Range<Int>, of models: NewModels, _ save: EntitySave, from key: Int64,
    step: Int64 = 1, isBulk: Bool = false
  ) -> RowWrites {
    var writes = RowWrites(
      models: models, indices: indices, cells: save.statements.cells, keys: keys.inserted,
      firstKey: key, keyStep: step)
    if isBulk { writes.bulk = save.statements.bulkInsert }
    return writes
  }

  /// Writes models with unique values.
  func merge(_ runs: [InsertionRuns.Run], of models: NewModels) throws {
    guard canLookUpBatches, runs.count > 1 else {
      for run in runs { try merge(run, of: models) }
      return
    }
    // Models of several classes may alternate.
    var groups: [(save: EntitySave, runs: [InsertionRuns.Run])] = []
    for run in runs {
      if let index = groups.firstIndex(where: { $0.save === run.save }) {
        groups[index].runs.append(run)
      } else {
        groups.append((run.save, [run]))
      }
    }
    for (save, runs) in groups {
      let indices = runs.flatMap(\.indices)
      if runs.count == 1 || indices.count <= RowWriter.fewRows {
        for run in runs { try merge(run, of: models) }
      } else {
        try mergeLookedUp(indices, of: models, save)
      }
    }
  }

  /// As long as models are new, an insert that does nothing on a conflict is the fastest. After the
  /// first conflict, the statement that updates the row and returns its key is used, until it
  /// inserts a row. If there are many conflicts in sequence, rows are looked up and updated. A server
  /// that can look up many rows with one statement does that from the first conflict on.
  private func merge(_ run: InsertionRuns.Run, of models: NewModels) throws {
    guard let sql = run.save.statements.upsert else { return }
    if expectsFreeValues(run.save, forNew: run.indices.count) {
      try keys.assignFree(to: run.indices, of: models, run.save)
      return try insert(run, of: models)
    }
    if canLookUpBatches, run.indices.count > RowWriter.fewRows,
      store.takenValues.areExpected(
        in: run.save.statements.entity.table, forNew: run.indices.count)
    {
      looksUpBatches = true
    }
    var rest = run.indices
    while !rest.isEmpty {
      if looksUpBatches, canLookUpBatches {
        return try mergeLookedUp(Array(rest), of: models, run.save)
      }
      let count: Int
      if !expectsUpsert {
        let part = canLookUpBatches ? rest.prefix(insertionLimit) : rest
        count = try insertUntilConflict(part, of: models, run.save, sql.insertOnly)
        insertionLimit = min(insertionLimit * 4, RowWriter.largestInsertionLimit)
      } else if mergedCount >= RowWriter.fewMerged,
        let update = run.save.upsertedUpdate
      {
        count = try updateUntilNew(rest, of: models, run.save, update)
      } else {
        count = try mergeUntilNew(
          rest.prefix(RowWriter.fewMerged), of: models, run.save, sql.insertOrUpdate)
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Whether new rows are inserted without looking for others with their unique values.
  private func expectsFreeValues(_ save: EntitySave, forNew count: Int) -> Bool {
    prepared.session.isOptimistic && count <= RowWriter.fewRows
      && !store.takenValues.areExpected(in: save.statements.entity.table, forNew: count)
  }

  /// - Returns: The number of inserted rows.
  func insertUntilConflict(
    _ indices: Range<Int>, of models: NewModels, _ save: EntitySave, _ sql: String
  ) throws -> Int {
    let free = try keys.free(for: save)
    let wanted = indices.prefix(free.count)
    var count = 0
    // Without a statement for groups the driver may insert the rows together.
    if insertsGroups, wanted.count >= RowWriter.manyRows, save.groupInsert != nil {
      count = try insertGroups(wanted, of: models, save, from: free.first)
      insertsGroups = wanted.count - count < save.groupSize
    }
    let rest = wanted.dropFirst(count)
    if !rest.isEmpty {
      let written = try prepared.statement(sql).runWhileChanging(
        writes(
          rest, of: models, save, from: free.first + Int64(count), isBulk: insertsGroups))
      if written < rest.count { insertsGroups = false }
      count += written
    }
    if count > 0 {
      keys.assign(try keys.take(count, save), to: wanted.prefix(count), of: models, save)
    }
    if count < wanted.count {
      store.takenValues.note(in: save.statements.entity.table)
      if refusesUpserts {
        throw try refusedUpsert(models.cells(at: wanted.lowerBound + count), save)
      }
      expectsUpsert = true
      looksUpBatches = true
    }
    return count
  }

  /// - Returns: The number of written rows; only the last one may be new.
  func mergeUntilNew(
    _ indices: Range<Int>, of models: NewModels, _ save: EntitySave, _ sql: String
  ) throws -> Int {
    let next = try keys.free(for: save).first
    var end = indices.lowerBound
    let writes = writes(indices, of: models, save, from: next, step: 0)
    try prepared.statement(sql).run(writes) { returned in
      let key = returned ?? next
      keys.assign(key, to: end..<end + 1, of: models, save)
      end += 1
      expectsUpsert = key != next
      if expectsUpsert {
        noteMerged(end - 1, save)
        mergedCount += 1
        changes.noteUpdate(
          RowChanges.Row(root: save.changes.root, key: key),
          save.upsertedUpdate?.slots ?? SlotSet())
      }
      return expectsUpsert
    }
    if !expectsUpsert {
      _ = try keys.take(1, save)
      mergedCount = 0
    }
    return end - indices.lowerBound
  }

  /// - Returns: The number of updated rows; the model after them is new.
  private func updateUntilNew(
    _ indices: Range<Int>, of models: NewModels, _ save: EntitySave, _ update: EntitySave.Update
  ) throws -> Int {
    let lookup = save.statements.lookups[0]
    let (finding, writing) = try (prepared.statement(lookup.sql), prepared.statement(update.sql))
    for index in indices {
      let row = models.cells(at: index)
      let unique = RowValues(row: row, cells: lookup.cells, keys: keys.inserted)
      guard !unique.hasNull, let key = try finding.integer(.row(unique)) else {
        (expectsUpsert, mergedCount) = (false, 0)
        return index - indices.lowerBound
      }
      keys.assign(key, to: index..<index + 1, of: models, save)
      noteMerged(index, save)
      let values = RowValues(
        row: row, cells: update.cells, keys: keys.inserted, trailingKey: key)
      try writing.run(.row(values))
      changes.noteUpdate(RowChanges.Row(root: save.changes.root, key: key), update.slots)
    }
    return indices.count
  }

  /// Writes models whose row must be looked up.
  func writeAfterLookUp(_ runs: [InsertionRuns.Run], of models: NewModels) throws {
    var incomplete: [LookUpOrder.Position] = []
    let count = runs.lazy.map(\.indices.count).reduce(0, +)
    let areFree = runs.allSatisfy { expectsFreeValues($0.save, forNew: count) }
    var order = LookUpOrder(runs, of: models, keys.inserted)
    var models = models
    while let ready = order.next() {
      if models.namesNewModels { name(ready, of: &models) }
      if canLookUpBatches, !areFree, ready.count > 1 {
        try writeBatches(ready, of: models, &incomplete)
      } else {
        for position in ready {
          try writeAlone(position, of: models, &incomplete, isFree: areFree)
        }
      }
    }
    if incomplete.isEmpty { return }
    let missing = missingLinks(of: incomplete, in: runs, models)
    if canLookUpBatches, missing.count > RowWriter.fewRows, try completeLinks(missing, of: models) {
      return
    }
    for (position, slots) in missing {
      _ = try update(models[position.index], position.save, slots, key: keys[position.index])
    }
  }

  /// Puts the identifiers of models with keys into unique attributes.
  private func name(_ ready: [LookUpOrder.Position], of models: inout NewModels) {
    for (index, save) in ready where save.isConstrained {
      let slots = save.uniqueSlots(among: .all)
      let named = models.temporaryIdentifiers(at: index, in: slots)
      var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
      for identifier in named {
        guard let known = keys.inserted.destination(of: identifier) else { continue }
        permanent[identifier] = store.plans.identifier(known.key, entity: known.entity)
      }
      if permanent.isEmpty { continue }
      models.name(NewIdentifiers { [permanent] in permanent[$0] }, at: index, in: slots)
    }
  }

  /// The to-one relationships of models whose destinations had no keys before. If several models are one row,
  /// the last one that sets a relationship wins, also if it was complete.
  private func missingLinks(
    of incomplete: [LookUpOrder.Position], in runs: [InsertionRuns.Run], _ models: NewModels
  ) -> [(position: LookUpOrder.Position, slots: SlotSet)] {
    func row(_ index: Int, _ save: EntitySave) -> RowChanges.Row {
      RowChanges.Row(root: save.changes.root, key: keys[index])
    }
    var indices: [RowChanges.Row: [Int]] = [:]
    for position in incomplete { indices[row(position.index, position.save)] = [] }
    for run in runs {
      for index in run.indices { indices[row(index, run.save)]?.append(index) }
    }
    return incomplete.map { position in
      var slots = models[position.index].setReferences
      for later in indices[row(position.index, position.save)] ?? []
      where later > position.index {
        slots = slots.subtracting(models[later].setReferences)
      }
      return (position, slots)
    }
  }

  func writeAlone(
    _ position: LookUpOrder.Position, of models: NewModels,
    _ incomplete: inout [LookUpOrder.Position], isFree: Bool
  ) throws {
    let (snapshot, save) = (models[position.index], position.save)
    if keys.inserted.hasUnassigned(snapshot, save) { incomplete.append(position) }
    let own = position.index..<position.index + 1
    if !isFree, let existing = try existingRow(like: snapshot.rowCells, save) {
      store.takenValues.note(in: save.statements.entity.table)
      if refusesUpserts { throw try refusedUpsert(snapshot.rowCells, save) }
      keys.assign(existing, to: own, of: models, save)
      noteMerged(position.index, save, try earlierLinks(of: [existing], save)[existing])
      try links.noteStored(snapshot, save, snapshot.upsertSlots, key: existing)
      _ = try update(snapshot, save, snapshot.upsertSlots, key: existing)
    } else {
      keys.assign(try keys.take(1, save), to: own, of: models, save)
      try prepared.statement(save.statements.insert).run(
        writes(own, of: models, save, from: keys[position.index]))
    }
  }

  /// - Parameter links: The links of the stored row; `nil` if they were not read.
  func noteMerged(
    _ index: Int, _ save: EntitySave, _ links: SaveConsequences.EarlierLinks? = nil
  ) {
    let row = RowChanges.Row(root: save.changes.root, key: keys[index])
    if row.root != lastMergedRoot {
      lastMergedRoot = row.root
      mergedRoots.insert(row.root)
    }
    var merge = SaveConsequences.Merge(index: index, isOfNewModel: changes.isNew(row))
    if notesEarlierLinks { merge.earlierLinks = links ?? (save.toOnes.isEmpty ? [:] : nil) }
    merged.append(merge)
  }

  // MARK: Changed rows

  /// Updates slots of changed rows, unless the save deletes them. Consecutive rows with the same columns share a
  /// statement.
  func update(
    _ snapshots: some Sequence<DefaultSnapshot>, _ slots: (DefaultSnapshot) -> SlotSet
  ) throws {
    var batch: UpdateBatch?
    for snapshot in snapshots {
      let save = try prepared.save(of: snapshot)
      guard let key = snapshot.persistentIdentifier.rowKey,
        !deletion.contains(key, root: save.changes.root),
        let update = save.update(of: slots(snapshot))
      else { continue }
      if let full = batch, full.update.sql != update.sql || full.save !== save {
        try run(full)
        batch = nil
      }
      if batch == nil { batch = UpdateBatch(save: save, update: update) }
      batch?.rows.append((snapshot, key))
    }
    if let batch { try run(batch) }
  }

  private struct UpdateBatch {
    let save: EntitySave
    let update: EntitySave.Update
    var rows: [(snapshot: DefaultSnapshot, key: Int64)] = []

    /// The update of all rows as lists. An update that joins a row with several elements of a list takes any of
    /// them, so a row must not occur twice, as after changes of two instances of it.
    var listSQL: String? {
      guard let sql = update.listSQL else { return nil }
      var last = Int64.min
      let isAscending = rows.indices.allSatisfy { index in
        defer { last = rows[index].key }
        return rows[index].key > last
      }
      return isAscending || Set(rows.lazy.map(\.key)).count == rows.count ? sql : nil
    }
  }

  private func run(_ batch: UpdateBatch) throws {
    if prepared.session.isOptimistic, batch.rows.count <= RowWriter.fewRows {
      return try runLater(batch)
    }
    var done = 0
    func write() throws {
      try prepared.statement(batch.update.sql).run(
        batch.rows.count, lists: batch.listSQL
      ) { index in
        RowValues(
          row: batch.rows[index].snapshot.rowCells, cells: batch.update.cells, keys: keys.inserted,
          trailingKey: batch.rows[index].key)
      } result: { index, changedRows in
        done = index + 1
        let (snapshot, key) = batch.rows[index]
        if changedRows == 0 { return deletedRows.append(snapshot.persistentIdentifier) }
        changes.noteUpdate(
          RowChanges.Row(root: batch.save.changes.root, key: key), batch.update.slots)
      }
    }
    do {
      // After an error a server refuses the statements of the transaction, unless a savepoint undoes it.
      // The other row is read then. The begin and the end of a savepoint cost no round trip.
      if store.driver.numberAllocator != nil,
        !batch.save.uniqueSlots(among: batch.update.slots).isEmpty
      {
        try prepared.session.savepoint("update", write)
      } else {
        try write()
      }
    } catch let error as any DatabaseFailure where error.isUniquenessViolation {
      // The results come in the order of the rows.
      let (snapshot, key) = batch.rows[min(done, batch.rows.count - 1)]
      throw try collision(of: snapshot, batch.save, key: key) ?? error
    }
  }

  /// Updates rows with the commit, which fails if one of them does not exist.
  private func runLater(_ batch: UpdateBatch) throws {
    for (snapshot, key) in batch.rows {
      let values = RowValues(
        row: snapshot.rowCells, cells: batch.update.cells, keys: keys.inserted, trailingKey: key)
      try prepared.session.requireLater(batch.update.returningSQL, .row(values))
      changes.noteUpdate(
        RowChanges.Row(root: batch.save.changes.root, key: key), batch.update.slots)
    }
  }

  /// - Returns: Whether the row existed; nil if no column has to be written.
  func update(
    _ snapshot: DefaultSnapshot, _ save: EntitySave, _ slots: SlotSet, key: Int64
  ) throws -> Bool? {
    guard let update = save.update(of: slots) else { return nil }
    // After an error the statements of the transaction are refused, so the other row is found before.
    if store.driver.numberAllocator != nil, !save.uniqueSlots(among: slots).isEmpty,
      let collision = try collision(of: snapshot, save, key: key)
    {
      throw collision
    }
    let values = RowValues(
      row: snapshot.rowCells, cells: update.cells, keys: keys.inserted, trailingKey: key)
    do {
      guard try prepared.statement(update.sql).run(.row(values)) > 0 else { return false }
      changes.noteUpdate(RowChanges.Row(root: save.changes.root, key: key), update.slots)
      return true
    } catch let error as any DatabaseFailure
      where error.isUniquenessViolation && store.driver.numberAllocator == nil
    {
      throw try collision(of: snapshot, save, key: key) ?? error
    }
  }
}
