import OpenSwiftDataRowStorage

/// Assigns primary keys to the new models of a save. Used by the steps of `SaveWriter`.
final class KeyAssigner {
  /// The keys of the new models, in the order of the request; 0 for models without a key.
  private(set) var all: [Int64] = []
  /// The same keys by temporary identifier, if relationships can refer to the models.
  let inserted: InsertedKeys
  /// Whether attributes refer to the models.
  var areNamed = false
  private let store: RelationalStore
  private let prepared: PreparedSave
  private let changes: RowChanges
  /// By the number of the root entity.
  private var supplies: [Int: Supply] = [:]

  /// Keys of one table that this save may use.
  private struct Supply {
    let root: EntityMapping
    var next: Int64
    /// The key after the last one.
    let end: Int64
  }

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
    guard store.plans.hasRelationships || areNamed else { return }
    for index in indices {
      guard let identifier = models.knownIdentifier(at: index) else { continue }
      inserted.assign(all[index], entity: save.statements.entity.number, to: identifier)
    }
  }

  /// The next free key of a table, and how many free keys there are from it on.
  /// - Throws: `SwiftDataError.storeWriteFailure` if no key is left.
  func free(for save: EntitySave) throws -> (first: Int64, count: Int) {
    let root = save.changes.root
    if let supply = supplies[root], supply.next < supply.end {
      return (supply.next, Int(supply.end - supply.next))
    }
    let supply = try newSupply(save)
    guard supply.next < supply.end else {
      throw KeySpace.exhausted(save.statements.entity.rootName)
    }
    supplies[root] = supply
    changes.noteNewRows(of: root, supply.next..<supply.end)
    return (supply.next, Int(supply.end - supply.next))
  }

  /// Takes consecutive free keys, of which `free(for:)` has returned at least as many.
  /// - Returns: The first of them.
  func take(_ count: Int, _ save: EntitySave) throws -> Int64 {
    let free = try free(for: save)
    guard count <= free.count else {
      throw KeySpace.exhausted(save.statements.entity.rootName)
    }
    supplies[save.changes.root]?.next += Int64(count)
    return free.first
  }

  /// Gives free keys to models of one entity.
  func assignFree(to indices: Range<Int>, of models: NewModels, _ save: EntitySave) throws {
    var rest = indices
    while !rest.isEmpty {
      let part = try rest.prefix(free(for: save).count)
      assign(try take(part.count, save), to: part, of: models, save)
      rest = rest.dropFirst(part.count)
    }
  }

  /// Divides models of one entity, which have keys, into groups with consecutive keys.
  func groups(_ indices: Range<Int>) -> [Range<Int>] {
    guard let first = indices.first, let last = indices.last else { return [] }
    // Free keys grow, so these have no gap.
    if all[last] - all[first] == Int64(last - first) { return [indices] }
    var groups: [Range<Int>] = []
    var start = first
    for index in indices.dropFirst() where all[index] != all[index - 1] + 1 {
      groups.append(start..<index)
      start = index
    }
    return groups + [start..<indices.upperBound]
  }

  private func newSupply(_ save: EntitySave) throws -> Supply {
    guard let root = store.mapping.entity(named: save.statements.entity.rootName) else {
      return Supply(root: save.statements.entity, next: 1, end: PackedKey.largestKey + 1)
    }
    guard let numbers = store.driver.numberAllocator else {
      let end = PackedKey.largestKey + 1
      // All keys from the first one on were taken.
      if let used = supplies[root.number] { return used }
      return Supply(root: root, next: try firstFreeKey(save, root), end: end)
    }
    // A key of another table is reserved in vain at most: unused ones are returned.
    let keys = try numbers.reserveKeys(max(all.count, 1), of: root, prepared.session)
    return Supply(root: root, next: keys.lowerBound, end: keys.upperBound)
  }

  /// The key after the last key of all saves, and after the keys that other programs have assigned
  /// since.
  private func firstFreeKey(_ save: EntitySave, _ root: EntityMapping) throws -> Int64 {
    let stored =
      try prepared.statement(store.plans.keys.last).integer(.integer(Int64(root.number))) ?? 0
    let used = try prepared.statement(save.statements.largestKey).integer(.none) ?? 0
    return try KeySpace.next(after: max(stored, used), of: save.statements.entity.rootName)
  }

  /// Stores the last assigned keys, or returns those that were not needed.
  func storeLast() throws {
    if let numbers = store.driver.numberAllocator {
      for supply in supplies.values where supply.next < supply.end {
        numbers.returnKeys(supply.next..<supply.end, of: supply.root)
      }
      return
    }
    for (number, next) in ends {
      try prepared.statement(store.plans.keys.storeLast).runLater(.pair(next - 1, Int64(number)))
    }
  }

  /// The number after the last assigned key, by the number of the root entity.
  var ends: [Int: Int64] { supplies.mapValues(\.next) }
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
    guard let key = permanent.rowKey else { return nil }
    let scope = permanent.id.scope
    if let entity = mapping.entity(number: scope.entityNumber), entity.name == scope.entityName {
      return (key, entity.number)
    }
    return mapping.entity(named: scope.entityName).map { (key, $0.number) }
  }

  /// The number of the entity of a to-one relationship's destination; `nil` if it is not known.
  func entity(of value: SnapshotValue) -> Int? {
    switch value {
    case .identifier(let identifier): return destination(of: identifier)?.entity
    case .integer(let word):
      let number = Int(PackedKey(word: word).entity)
      return number > 0 ? number : nil
    case .null, .real, .text, .blob, .uuid, .reference: return nil
    }
  }

  /// Whether a cell of the model refers to a new model that has no key yet.
  func isUnassigned(_ cell: SaveStatements.Cell, of row: RowCells) -> Bool {
    unassigned(cell, of: row) != nil
  }

  /// The new model without a key that a cell of the model refers to.
  func unassigned(_ cell: SaveStatements.Cell, of row: RowCells) -> PersistentIdentifier? {
    guard cell.content == .key, case .identifier(let identifier) = row.value(cell.number),
      identifier.resolved.isTemporary, !isNew(identifier)
    else { return nil }
    return identifier
  }

  /// Whether the model refers to a new model that has no key yet.
  func hasUnassigned(_ snapshot: DefaultSnapshot, _ save: EntitySave) -> Bool {
    hasUnassigned(snapshot.rowCells, save)
  }

  /// The same for the cells of a model.
  func hasUnassigned(_ row: RowCells, _ save: EntitySave) -> Bool {
    save.statements.cells.contains { isUnassigned($0, of: row) }
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
