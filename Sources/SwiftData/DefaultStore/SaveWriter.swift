import Foundation
import RowStorage
import SQLiteEngine

/// Writes one save, inside its transaction.
///
/// 1. Deleted rows go first, and changed rows give up the unique values they change, so that others
///    may take them.
/// 2. Every new model gets its key: the next free one, or that of the row with the same unique values
///    (an upsert). Models with unique values are written in this step, because the next one may have
///    the same; what they cannot name yet is added in the end of it.
/// 3. Changed rows are updated, only in the columns that changed, and the other new rows are written.
/// 4. The pairs of to-many relationships follow, then the last used keys.
///
/// Runs of one shape share one prepared statement.
struct SaveWriter {
  let store: DefaultStore
  let connection: Connection
  /// The keys of the inserted models, in the order of the request.
  private var keys: [Int64] = []
  /// The same by temporary identifier, where relationships can name them.
  private var keysByScope: [ObjectIdentifier: (key: Int64, entity: Int)] = [:]
  private var plans: [ObjectIdentifier: EntitySave] = [:]
  private var nextKeys: [String: Int64] = [:]
  private var statements: [(sql: String, statement: Statement)] = []
  /// Whether the last model with unique values met its row; then the next one probably does too.
  private var expectsUpsert = false

  init(store: DefaultStore, connection: Connection) {
    self.store = store
    self.connection = connection
  }

  mutating func write(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> [PersistentIdentifier] {
    for snapshot in request.deleted { try delete(snapshot) }
    let moving = try movingUniqueValues(request)
    for snapshot in moving { try giveUpUniqueValues(snapshot) }
    let saves = try request.inserted.map { try plan(of: $0) }
    keys = Array(repeating: 0, count: saves.count)
    func places(_ kind: EntitySave.KeySource) -> [Int] {
      saves.indices.filter { saves[$0].keySource == kind }
    }
    for place in places(.nextFree) {
      assign(try nextKey(saves[place]), to: request.inserted[place], place, saves[place])
    }
    // A changed row comes before the new models that may meet it: their values win.
    let early = try request.updated.map { try isConstrained($0) && !namesUnknown($0) }
    for (snapshot, isEarly) in zip(request.updated, early) where isEarly { try update(snapshot) }
    for snapshot in moving where namesUnknown(snapshot) { try takeUniqueValues(snapshot) }
    for place in places(.writing) {
      let key = try upsert(request.inserted[place], saves[place])
      assign(key, to: request.inserted[place], place, saves[place])
    }
    try writeAfterLookUp(places(.lookingUp), request.inserted, saves)
    for (snapshot, isEarly) in zip(request.updated, early) where !isEarly { try update(snapshot) }
    for place in places(.nextFree) {
      try insert(request.inserted[place], saves[place], key: keys[place])
    }
    if store.plans.hasRelationships {
      for snapshot in request.inserted + request.updated { try writeToMany(snapshot) }
    }
    try storeLastKeys()
    return zip(saves, keys).map { save, key in
      PersistentIdentifier(
        scope: store.plans.scope(number: save.statements.entity.number), key: key)
    }
  }

  /// Writes models whose row has to be looked up. Those whose unique values name other new models
  /// come after the ones they name.
  private mutating func writeAfterLookUp(
    _ places: [Int], _ snapshots: [DefaultSnapshot], _ saves: [EntitySave]
  ) throws {
    var incomplete: [Int] = []
    var waiting = places
    while !waiting.isEmpty {
      var ready = waiting.filter { place in
        saves[place].statements.lookups.allSatisfy { lookup in
          lookup.columns.allSatisfy { !namesUnknown(snapshots[place], $0) }
        }
      }
      if ready.isEmpty { ready = waiting }
      for place in ready {
        let (snapshot, save) = (snapshots[place], saves[place])
        if namesUnknown(snapshot) { incomplete.append(place) }
        if let existing = try existingRow(like: snapshot, save) {
          assign(existing, to: snapshot, place, save)
          _ = try runUpdate(snapshot, save, snapshot.upsertSlots, key: existing)
        } else {
          assign(try nextKey(save), to: snapshot, place, save)
          try insert(snapshot, save, key: keys[place])
        }
      }
      let written = Set(ready)
      waiting.removeAll(where: written.contains)
    }
    for place in incomplete {
      let snapshot = snapshots[place]
      _ = try runUpdate(snapshot, saves[place], snapshot.setReferences, key: keys[place])
    }
  }

  private mutating func isConstrained(_ snapshot: DefaultSnapshot) throws -> Bool {
    try !plan(of: snapshot).statements.lookups.isEmpty
  }

  private func namesUnknown(_ snapshot: DefaultSnapshot) -> Bool {
    plans[ObjectIdentifier(snapshot.descriptor)]?.statements.columns
      .contains { namesUnknown(snapshot, $0) } ?? false
  }

  /// Whether a column names a new model that has no key yet.
  private func namesUnknown(_ snapshot: DefaultSnapshot, _ column: SaveStatements.Column) -> Bool {
    guard column.content == .key, case .object(let object) = snapshot.value(column.cell),
      let identifier = (object as? IdentifierBox)?.identifier, identifier.resolved.isTemporary
    else { return false }
    return keysByScope[ObjectIdentifier(identifier.id.scope)] == nil
  }

  private mutating func plan(of snapshot: DefaultSnapshot) throws -> EntitySave {
    let descriptor = ObjectIdentifier(snapshot.descriptor)
    if let plan = plans[descriptor] { return plan }
    guard let entity = store.mapping.entity(named: snapshot.descriptor.entityName) else {
      throw SwiftDataError.unknownSchema.with(
        "The store \(store.name) does not keep this entity.",
        entity: snapshot.descriptor.entityName)
    }
    let plan = store.plans.save(of: entity)
    plans[descriptor] = plan
    return plan
  }

  private mutating func prepared(_ sql: String) throws -> Statement {
    // A save has few shapes, and equal texts share their storage: a scan beats hashing the text.
    if let known = statements.last(where: { $0.sql == sql }) { return known.statement }
    let statement = try connection.prepare(sql)
    statements.append((sql, statement))
    return statement
  }

  // MARK: Keys

  private mutating func assign(
    _ key: Int64, to snapshot: DefaultSnapshot, _ place: Int, _ save: EntitySave
  ) {
    keys[place] = key
    guard store.plans.hasRelationships else { return }
    keysByScope[ObjectIdentifier(snapshot.persistentIdentifier.id.scope)] = (
      key, save.statements.entity.number
    )
  }

  private mutating func nextKey(_ save: EntitySave) throws -> Int64 {
    let entity = save.statements.entity
    let next = try nextKeys[entity.rootName] ?? firstFreeKey(of: entity)
    nextKeys[entity.rootName] = next + 1
    return next
  }

  private func firstFreeKey(of entity: EntityMapping) throws -> Int64 {
    guard let root = store.mapping.entity(named: entity.rootName) else { return 1 }
    let stored = try connection.integer(
      "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(root.number)") ?? 0
    let used = try connection.integer("SELECT max(Z_PK) FROM \"\(root.table)\"") ?? 0
    return max(stored, used) + 1
  }

  private mutating func storeLastKeys() throws {
    for (root, next) in nextKeys {
      guard let entity = store.mapping.entity(named: root) else { continue }
      try connection.execute(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = \(next - 1) WHERE Z_ENT = \(entity.number)")
    }
  }

  /// The row that has the same values in a uniqueness constraint; constraints in their order.
  private mutating func existingRow(
    like snapshot: DefaultSnapshot, _ save: EntitySave
  ) throws -> Int64? {
    for lookup in save.statements.lookups {
      let statement = try prepared(lookup.sql)
      var hasNull = false
      for (index, column) in lookup.columns.enumerated() {
        let isNull = try bind(snapshot, column, to: statement, at: Int32(index + 1))
        hasNull = hasNull || isNull
      }
      if hasNull { continue }
      let found = try statement.step() ? statement.int64(0) : nil
      statement.reset()
      if let found { return found }
    }
    return nil
  }

  // MARK: Rows

  private mutating func insert(
    _ snapshot: DefaultSnapshot, _ save: EntitySave, key: Int64
  ) throws {
    try bindRow(snapshot, save, key: key, to: prepared(save.statements.insert)).run()
  }

  @discardableResult
  private func bindRow(
    _ snapshot: DefaultSnapshot, _ save: EntitySave, key: Int64, to statement: Statement
  ) throws -> Statement {
    try statement.bind(key, at: 1)
    var index: Int32 = 2
    for column in save.statements.columns {
      _ = try bind(snapshot, column, to: statement, at: index)
      index += 1
    }
    return statement
  }

  /// Writes a model with unique values in one statement.
  ///
  /// While models are new, an insert that does nothing on a conflict is the cheapest; once one met
  /// its row, the statement that updates it and tells its key is.
  /// - Returns: The key of the row that was written.
  private mutating func upsert(_ snapshot: DefaultSnapshot, _ save: EntitySave) throws -> Int64 {
    guard let sql = save.statements.upsert else { return 0 }
    let next = try nextKey(save)
    if !expectsUpsert {
      try bindRow(snapshot, save, key: next, to: prepared(sql.insertOnly)).run()
      if connection.changes > 0 { return next }
      expectsUpsert = true
    }
    let statement = try bindRow(snapshot, save, key: next, to: prepared(sql.insertOrUpdate))
    let key = try statement.step() ? statement.int64(0) : next
    try statement.run()
    expectsUpsert = key != next
    if expectsUpsert { nextKeys[save.statements.entity.rootName] = next }
    return key
  }

  // MARK: Unique values of changed rows

  /// The changed rows whose old unique value another model of this save may take.
  private mutating func movingUniqueValues(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> [DefaultSnapshot] {
    let changed = try request.updated.filter { snapshot in
      !uniqueSlots(snapshot, try plan(of: snapshot)).isEmpty
    }
    guard !changed.isEmpty else { return [] }
    let others = try request.inserted.contains { try isConstrained($0) }
    return others || changed.count > 1 ? changed : []
  }

  /// Empties the unique columns that a changed row is about to change.
  private mutating func giveUpUniqueValues(_ snapshot: DefaultSnapshot) throws {
    let save = try plan(of: snapshot)
    guard let key = snapshot.persistentIdentifier.rowKey,
      let sql = save.emptying(uniqueSlots(snapshot, save))
    else { return }
    let statement = try prepared(sql)
    try statement.bind(key, at: 1)
    try statement.run()
  }

  /// Writes the new unique values of a changed row, so that new models meet them.
  private mutating func takeUniqueValues(_ snapshot: DefaultSnapshot) throws {
    let save = try plan(of: snapshot)
    let slots = uniqueSlots(snapshot, save)
    guard let key = snapshot.persistentIdentifier.rowKey, !slots.isEmpty,
      !save.statements.columns.contains(where: {
        slots.contains($0.slot) && namesUnknown(snapshot, $0)
      })
    else { return }
    _ = try runUpdate(snapshot, save, slots, key: key)
  }

  private func uniqueSlots(_ snapshot: DefaultSnapshot, _ save: EntitySave) -> SlotSet {
    var slots = SlotSet()
    for column in save.statements.lookups.lazy.flatMap(\.columns)
    where snapshot.changedSlots.contains(column.slot) {
      slots.insert(column.slot)
    }
    return slots
  }

  private mutating func update(_ snapshot: DefaultSnapshot) throws {
    let save = try plan(of: snapshot)
    guard let key = snapshot.persistentIdentifier.rowKey,
      let found = try runUpdate(snapshot, save, snapshot.changedSlots, key: key)
    else { return }
    if !found {
      throw SwiftDataError.modelValidationFailure.with(
        "The model \(snapshot.persistentIdentifier) was deleted in the store meanwhile. Delete it "
          + "in this context too, or roll back. Nothing of this save was stored.",
        entity: snapshot.descriptor.entityName)
    }
  }

  /// - Returns: Whether the row was there; nil when no column has to be written.
  private mutating func runUpdate(
    _ snapshot: DefaultSnapshot, _ save: EntitySave, _ slots: SlotSet, key: Int64
  ) throws -> Bool? {
    guard let update = save.update(of: slots) else { return nil }
    let statement = try prepared(update.sql)
    var index: Int32 = 1
    for column in update.columns {
      _ = try bind(snapshot, column, to: statement, at: index)
      index += 1
    }
    try statement.bind(key, at: index)
    try statement.run()
    return connection.changes > 0
  }

  private mutating func delete(_ snapshot: DefaultSnapshot) throws {
    guard let key = snapshot.persistentIdentifier.rowKey else { return }
    let save = try plan(of: snapshot)
    for toMany in save.toMany {
      let statement = try prepared(toMany.unlinkAll)
      try statement.bind(key, at: 1)
      try statement.run()
    }
    for sql in save.referring + [save.statements.delete] {
      let statement = try prepared(sql)
      try statement.bind(key, at: 1)
      try statement.run()
    }
  }

  // MARK: To-many

  private mutating func writeToMany(_ snapshot: DefaultSnapshot) throws {
    guard snapshot.cells != nil else { return }
    let save = try plan(of: snapshot)
    for toMany in save.toMany where snapshot.changedSlots.contains(toMany.slot) {
      guard case .object(let object) = snapshot.cells?[toMany.slot],
        let change = object as? ToManySnapshot, let owner = key(of: snapshot.persistentIdentifier)
      else { continue }
      try run(toMany.unlink, owner, change.removed)
      try run(toMany.link, owner, change.added)
    }
  }

  private mutating func run(
    _ sql: String, _ owner: Int64, _ members: [PersistentIdentifier]
  ) throws {
    for member in members {
      guard let memberKey = key(of: member) else { continue }
      let statement = try prepared(sql)
      try statement.bind(owner, at: 1)
      try statement.bind(memberKey, at: 2)
      try statement.run()
    }
  }

  private func key(of identifier: PersistentIdentifier) -> Int64? {
    identifier.rowKey ?? keysByScope[ObjectIdentifier(identifier.id.scope)]?.key
      ?? identifier.resolved.rowKey
  }

  private func destination(of identifier: PersistentIdentifier) -> (key: Int64, entity: Int)? {
    if let new = keysByScope[ObjectIdentifier(identifier.id.scope)] { return new }
    let permanent = identifier.resolved
    guard let key = permanent.rowKey,
      let entity = store.mapping.entity(named: permanent.entityName)
    else { return nil }
    return (key, entity.number)
  }

  // MARK: Binding

  /// - Returns: Whether null was bound.
  private func bind(
    _ snapshot: DefaultSnapshot, _ column: SaveStatements.Column, to statement: Statement,
    at index: Int32
  ) throws -> Bool {
    let value = snapshot.value(column.cell)
    switch column.content {
    case .plain: return try SaveWriter.bind(value, to: statement, at: index)
    case .tagged: return try bindTagged(value, to: statement, at: index)
    case .key, .entityNumber: break
    }
    switch value {
    case .object(let object):
      guard let identifier = (object as? IdentifierBox)?.identifier,
        let destination = destination(of: identifier)
      else { break }
      let value = column.content == .key ? destination.key : Int64(destination.entity)
      try statement.bind(value, at: index)
      return false
    case .integer(let packed):
      let key = packed & 0xFFFF_FFFF_FFFF
      try statement.bind(column.content == .key ? key : packed >> 48, at: index)
      return false
    default: break
    }
    try statement.bindNull(at: index)
    return true
  }

  private static func bind(
    _ value: _SlotValue, to statement: Statement, at index: Int32
  ) throws -> Bool {
    switch value {
    case .unset, .null, .object:
      try statement.bindNull(at: index)
      return true
    case .integer(let value): try statement.bind(value, at: index)
    case .real(let value): try statement.bind(value, at: index)
    case .text(let value): try statement.bind(value, at: index)
    case .blob(let value): try statement.bind(value, at: index)
    case .uuid(let value):
      try withUnsafeBytes(of: value.uuid) { try statement.bind(bytes: $0, at: index) }
    }
    return false
  }

  /// Binds bytes behind the tag that says they stand inline.
  private func bindTagged(
    _ value: _SlotValue, to statement: Statement, at index: Int32
  ) throws -> Bool {
    let bytes: Data
    switch value {
    case .blob(let data): bytes = data
    case .text(let text): bytes = Data(text.utf8)
    default: return try SaveWriter.bind(value, to: statement, at: index)
    }
    try statement.bind(Data([1]) + bytes, at: index)
    return false
  }
}

extension DefaultSnapshot {
  /// The value of a cell, from the changes or from the row.
  func value(_ cell: Int) -> _SlotValue {
    if let cells, cell < cells.count {
      switch cells[cell] {
      case .unset: break
      case let value: return value
      }
    }
    guard let row else { return .null }
    let reader = RowReader(row: row, cellsOffset: descriptor.layout.cellsOffset)
    if reader.isNull(cell) { return .null }
    return switch descriptor.layout.kinds[cell] {
    case .integer: .integer(reader.integer(cell))
    case .real: .real(reader.real(cell))
    case .text: .text(reader.text(cell))
    case .blob: .blob(Data(reader.bytes(cell)))
    }
  }
}

extension DefaultSnapshot {
  /// What an upsert writes: all attributes, and the to-one relationships that were set.
  fileprivate var upsertSlots: SlotSet {
    var slots = setReferences
    for (slot, property) in descriptor.properties.enumerated() where property.destination == nil {
      slots.insert(slot)
    }
    return slots
  }

  /// The to-one relationships that have a model.
  fileprivate var setReferences: SlotSet {
    var slots = SlotSet()
    for (slot, property) in descriptor.properties.enumerated() where property.isToOne {
      if case .object? = cells?[slot] { slots.insert(slot) }
    }
    return slots
  }
}
