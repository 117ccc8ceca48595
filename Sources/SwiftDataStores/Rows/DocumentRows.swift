import SwiftData

/// The rows of a document, and what follows from them: who refers to a row, which row has a unique
/// value, and the forms of rows that requests have used.
///
/// The engine of `DictionaryStore` and `JSONStore`. A save is planned against the rows
/// (`SavePlan`), which throws what there is to throw, and then applied, which cannot fail. The cost
/// is that of the changed rows and of the rows they are related to.
struct DocumentRows: Sendable {
  let shape: DocumentShape
  let storeIdentifier: String
  private(set) var rows: [PersistentIdentifier: DocumentRow] = [:]
  private(set) var byEntity: [String: Set<PersistentIdentifier>] = [:]
  private var referrers: [PersistentIdentifier: Set<Referrer>] = [:]
  private var uniqueRows: [UniqueKey: PersistentIdentifier] = [:]
  /// Snapshots of rows that have not changed since.
  private var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]
  /// The values of rows for queries, except for those that have changed.
  private var plainRows: [PersistentIdentifier: [String: DataStoreValue]] = [:]
  private var changedRows: Set<PersistentIdentifier> = []

  init(shape: DocumentShape, storeIdentifier: String) {
    self.shape = shape
    self.storeIdentifier = storeIdentifier
  }

  func referrers(of identifier: PersistentIdentifier) -> Set<Referrer> {
    referrers[identifier] ?? []
  }

  func row(with key: UniqueKey) -> PersistentIdentifier? { uniqueRows[key] }

  /// The rows of an entity and its subentities, in the order of entities and keys.
  func identifiers(of entity: String) -> [PersistentIdentifier] {
    shape.names.filter { shape.isKind($0, of: entity) }.flatMap { byEntity[$0]?.sorted() ?? [] }
  }

  // MARK: Changes

  mutating func insert(_ row: DocumentRow) {
    guard let entity = shape.entities[row.entity] else { return }
    remove(row.identifier)
    rows[row.identifier] = row
    forgetForms(of: row.identifier)
    byEntity[row.entity, default: []].insert(row.identifier)
    for link in entity.links {
      for target in row.links(link.name) {
        referrers[target, default: []].insert(Referrer(row: row.identifier, property: link.name))
        forgetForms(of: target)
      }
    }
    for constraint in entity.constraints {
      if let key = UniqueKey(constraint, of: row) { uniqueRows[key] = row.identifier }
    }
  }

  mutating func remove(_ identifier: PersistentIdentifier) {
    guard let row = rows.removeValue(forKey: identifier), let entity = shape.entities[row.entity]
    else { return }
    byEntity[row.entity]?.remove(identifier)
    forgetForms(of: identifier)
    for link in entity.links {
      for target in row.links(link.name) {
        referrers[target]?.remove(Referrer(row: identifier, property: link.name))
        if referrers[target]?.isEmpty == true { referrers[target] = nil }
        forgetForms(of: target)
      }
    }
    for constraint in entity.constraints {
      guard let key = UniqueKey(constraint, of: row), uniqueRows[key] == identifier else {
        continue
      }
      uniqueRows[key] = nil
    }
  }

  private mutating func forgetForms(of identifier: PersistentIdentifier) {
    snapshots[identifier] = nil
    changedRows.insert(identifier)
  }

  mutating func apply(_ changes: SaveChanges) {
    for (identifier, row) in changes.rows where row == nil { remove(identifier) }
    for row in changes.rows.values.lazy.compactMap({ $0 }) { insert(row) }
  }

  // MARK: Snapshots

  /// The rows that a relationship refers to, also on the side that no row stores.
  func related(_ row: DocumentRow, _ relationship: RelationshipShape) -> [PersistentIdentifier] {
    if relationship.isStored { return row.links(relationship.name) }
    return referrers(of: row.identifier).filter { shape.isStoredSide($0, of: relationship) }
      .map(\.row).sorted()
  }

  /// The snapshot of a row, with all members of its relationships.
  /// - Throws: A `DecodingError` if a value does not have the type of its property.
  mutating func snapshot(
    of identifier: PersistentIdentifier, _ context: DocumentDecoder.Context
  ) throws -> DefaultSnapshot? {
    if let snapshot = snapshots[identifier] { return snapshot }
    guard let row = rows[identifier] else { return nil }
    let snapshot = try makeSnapshot(of: row, context)
    snapshots[identifier] = snapshot
    return snapshot
  }

  /// All rows as queries read them. A call costs the rows that have changed since the last one.
  /// - Throws: A `DecodingError` if a value does not have the type of its property.
  mutating func rowsForQueries() throws -> [PersistentIdentifier: [String: DataStoreValue]] {
    let context = makeContext()
    for identifier in changedRows {
      plainRows[identifier] = try snapshot(of: identifier, context)?.values()
    }
    changedRows = []
    return plainRows
  }

  func makeSnapshot(
    of row: DocumentRow, _ context: DocumentDecoder.Context
  ) throws -> DefaultSnapshot {
    var values = row.values
    values[DataStoreSnapshotCodingKey.persistentIdentifier.stringValue] = .identifier(
      row.identifier)
    for relationship in shape.entities[row.entity]?.derived ?? [] {
      let found = related(row, relationship)
      values[relationship.name] =
        relationship.isToMany
        ? .list(found.map(DocumentValue.identifier))
        : found.first.map { .identifier($0) } ?? .null
    }
    return try DefaultSnapshot(from: DocumentDecoder(value: .object(values), context: context))
  }
}
