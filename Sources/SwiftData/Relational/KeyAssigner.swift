import OpenSwiftDataRowStorage

/// Assigns primary keys to the new models of a save. Used by the steps of `SaveWriter`.
final class KeyAssigner {
  /// The keys of the new models, in the order of the request; 0 for models without a key.
  private(set) var all: [Int64] = []
  /// The same keys by temporary identifier, if relationships can refer to the models.
  let inserted: InsertedKeys
  private let store: RelationalStore
  private let prepared: PreparedSave
  private let changes: RowChanges
  /// By the number of the root entity.
  private var nextKeys: [Int: Int64] = [:]

  init(store: RelationalStore, _ prepared: PreparedSave, _ changes: RowChanges) {
    self.store = store
    self.prepared = prepared
    self.changes = changes
    inserted = InsertedKeys(mapping: store.mapping)
  }

  subscript(index: Int) -> Int64 { all[index] }

  /// Makes room for the keys of the new models.
  func reserve(_ count: Int) { all = Array(repeating: 0, count: count) }

  /// Gives consecutive keys to consecutive models of one entity.
  ///
  /// A model without an identifier needs no entry in `inserted`: no other model refers to it.
  func assign(
    _ first: Int64, to indices: Range<Int>, of models: NewModels, _ save: EntitySave
  ) {
    // One access to the array: each checks for exclusive access.
    all.withUnsafeMutableBufferPointer { all in
      for index in indices { all[index] = first + Int64(index - indices.lowerBound) }
    }
    guard store.plans.hasRelationships else { return }
    for index in indices {
      guard let identifier = models.knownIdentifier(at: index) else { continue }
      inserted.assign(all[index], entity: save.statements.entity.number, to: identifier)
    }
  }

  /// The next free key of a table, and how many free keys there are from it on.
  /// - Throws: `SwiftDataError.storeWriteFailure` if no key is left.
  func free(for save: EntitySave) throws -> (first: Int64, count: Int) {
    let first = try nextKeys[save.changes.root] ?? firstFreeKey(save)
    guard first <= PackedKey.largestKey else {
      throw KeySpace.exhausted(save.statements.entity.rootName)
    }
    nextKeys[save.changes.root] = first
    return (first, Int(PackedKey.largestKey - first) + 1)
  }

  /// Takes consecutive free keys.
  /// - Returns: The first of them.
  /// - Throws: `SwiftDataError.storeWriteFailure` if too few keys are left.
  func take(_ count: Int, _ save: EntitySave) throws -> Int64 {
    let free = try free(for: save)
    guard count <= free.count else {
      throw KeySpace.exhausted(save.statements.entity.rootName)
    }
    nextKeys[save.changes.root] = free.first + Int64(count)
    return free.first
  }

  /// The key after the last key of all saves, and after the keys that other programs have assigned
  /// since.
  private func firstFreeKey(_ save: EntitySave) throws -> Int64 {
    guard let root = store.mapping.entity(named: save.statements.entity.rootName) else { return 1 }
    let stored =
      try prepared.statement(store.plans.keys.last).integer(.integer(Int64(root.number))) ?? 0
    let used = try prepared.statement(save.statements.largestKey).integer(.none) ?? 0
    let first = try KeySpace.next(after: max(stored, used), of: save.statements.entity.rootName)
    changes.noteNewRows(of: root.number, from: first)
    return first
  }

  /// Stores the last assigned keys.
  func storeLast() throws {
    for (number, next) in ends {
      try prepared.statement(store.plans.keys.storeLast).runLater(.pair(next - 1, Int64(number)))
    }
  }

  /// The number after the last assigned key, by the number of the root entity.
  var ends: [Int: Int64] { nextKeys }
}

/// The keys of the models that a save inserts, by temporary identifier.
package final class InsertedKeys {
  private var known: [ObjectIdentifier: (key: Int64, entity: Int)] = [:]
  private let mapping: SchemaMapping

  init(mapping: SchemaMapping) {
    self.mapping = mapping
  }

  func assign(_ key: Int64, entity: Int, to identifier: PersistentIdentifier) {
    known[ObjectIdentifier(identifier.id.scope)] = (key, entity)
  }

  func isNew(_ identifier: PersistentIdentifier) -> Bool {
    known[ObjectIdentifier(identifier.id.scope)] != nil
  }

  func isNew(_ value: SnapshotValue) -> Bool {
    if case .identifier(let identifier) = value { isNew(identifier) } else { false }
  }

  func key(of identifier: PersistentIdentifier) -> Int64? {
    identifier.rowKey ?? known[ObjectIdentifier(identifier.id.scope)]?.key
      ?? identifier.resolved.rowKey
  }

  /// The key of the destination of a to-one relationship.
  func key(of value: SnapshotValue) -> Int64? {
    switch value {
    case .identifier(let identifier): return key(of: identifier)
    case .integer(let word): return PackedKey(word: word).key
    case .null, .real, .text, .blob, .uuid, .reference: return nil
    }
  }

  func destination(of identifier: PersistentIdentifier) -> (key: Int64, entity: Int)? {
    if let new = known[ObjectIdentifier(identifier.id.scope)] { return new }
    let permanent = identifier.resolved
    guard let key = permanent.rowKey, let entity = mapping.entity(named: permanent.entityName)
    else { return nil }
    return (key, entity.number)
  }

  /// Whether a cell of the model refers to a new model that has no key yet.
  func isUnassigned(_ cell: SaveStatements.Cell, of row: RowCells) -> Bool {
    guard cell.content == .key, case .identifier(let identifier) = row.value(cell.number),
      identifier.resolved.isTemporary
    else { return false }
    return !isNew(identifier)
  }

  /// Whether the model refers to a new model that has no key yet.
  func hasUnassigned(_ snapshot: DefaultSnapshot, _ save: EntitySave) -> Bool {
    let row = snapshot.rowCells
    return save.statements.cells.contains { isUnassigned($0, of: row) }
  }
}

/// The valid keys for new rows.
enum KeySpace {
  /// - Parameter last: The last assigned key; negative keys were written by another program.
  /// - Throws: `SwiftDataError.storeWriteFailure` if the largest key has been reached.
  static func next(after last: Int64, of entity: String? = nil) throws -> Int64 {
    guard last < PackedKey.largestKey else { throw exhausted(entity) }
    return max(last, 0) + 1
  }

  static func exhausted(_ entity: String?) -> SwiftDataError {
    .storeWriteFailure.with(
      "No key is left for new rows; nothing was saved. Another program used the largest key for a row, "
        + "or stored it as the last key (Z_MAX in Z_PRIMARYKEY). Correct it there.",
      doing: "choosing keys for new rows", entity: entity)
  }
}
