import SwiftData

/// Updated rows: what the context has changed replaces what is stored.
extension SavePlan {
  mutating func update(_ snapshots: [DefaultSnapshot]) throws {
    let missing = snapshots.map(\.persistentIdentifier).filter { !exists($0) }
    if !missing.isEmpty { throw DeletedRows(missing) }
    for snapshot in snapshots { put(try updated(snapshot)) }
  }

  private mutating func updated(_ snapshot: DefaultSnapshot) throws -> DocumentRow {
    guard var row = row(snapshot.persistentIdentifier), let entity = entity(row) else {
      throw DeletedRows([snapshot.persistentIdentifier])
    }
    let names = snapshot.changedProperties
    let values = try encoded(snapshot, entity)
    for (name, value) in values {
      if !names.contains(name) {
        if row.values[name] != value { changes.corrected.insert(row.identifier) }
      } else if let link = entity.relationships[name], link.isToMany {
        let change = snapshot.changedMembers(of: name)
        let (added, removed) = (change?.added ?? [], Set(change?.removed ?? []))
        let stored = row.links(name)
        // What the context knows the list to have been.
        let known = Set(value.identifiers).subtracting(added).union(removed)
        if known != Set(stored) { changes.corrected.insert(row.identifier) }
        row.values[name] = .members(stored.filter { !removed.contains($0) } + added)
      } else if value.isNull, let displaced = snapshot.displacedLink(of: name),
        row.links(name) != [displaced]
      {
        // Another writer has given the row another related one, which it keeps.
        if row.values[name] != value { changes.corrected.insert(row.identifier) }
      } else {
        row.values[name] = value
        if let link = entity.relationships[name] { noteLink(link, of: row.identifier) }
      }
    }
    for relationship in entity.derived
    where relationship.isExclusive && snapshot.isEmptied(relationship.name) {
      let side = Referrer(row: row.identifier, property: relationship.name)
      if snapshot.displacedLink(of: relationship.name) == nil {
        emptiedLinks.append(side)
      } else {
        displacedLinks.append(side)
      }
    }
    return row
  }

  /// The values of the properties that a row stores.
  func encoded(
    _ snapshot: DefaultSnapshot, _ entity: EntityShape
  ) throws -> [String: DocumentValue] {
    let all: [String: DocumentValue]
    do {
      all = try DocumentEncoder.values(of: snapshot, storeIdentifier: rows.storeIdentifier)
    } catch let error as SwiftDataError where error == .storeReadFailure {
      // A type may encode a value that it does not decode.
      throw DocumentStoreError(
        .invalidValue,
        "The value of a model could not be read again. Set a value that its type decodes. Nothing was saved.",
        entity: entity.name, property: error.property)
    }
    var values: [String: DocumentValue] = [:]
    for name in entity.attributes.keys { values[name] = all[name] ?? .null }
    for link in entity.links {
      let value = all[link.name] ?? .null
      values[link.name] = link.isToMany ? .members(value.identifiers) : value
    }
    return values
  }
}
