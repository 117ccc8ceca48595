import Foundation
import SwiftData

/// A copy of a store that is kept up to date by its history alone.
///
/// `follow` fetches the transactions behind the last one that it has seen, and takes from the store the rows
/// that were inserted, of those that were updated the properties that the change names, and nothing else. So a
/// change that the history leaves out, or a property that it does not name, stays as it was here.
struct HistoryReplica {
  private(set) var token: DefaultHistoryToken?
  private var rows = StoredRows()
  /// The tables of entities, also of those that a migration has removed.
  private var tables: [String: String] = [:]

  /// - Returns: What differs from the store once the history has been followed.
  mutating func follow(_ container: ModelContainer) throws -> [String] {
    guard let store = container.stores.first else { throw CocoaError(.fileNoSuchFile) }
    let mapping = SchemaMapping(schema: store.schema, descriptors: store.schema.descriptors)
    let source = try StoredRows(StoredTables(container), mapping)
    for entity in mapping.entities { tables[entity.descriptor.entityName] = entity.table }
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token { descriptor.predicate = #Predicate { $0.token > token } }
    for transaction in try ModelContext(container).fetchHistory(descriptor) {
      for change in transaction.changes { apply(change, source, mapping) }
      token = transaction.token
    }
    return differences(from: source)
  }

  private mutating func apply(
    _ change: HistoryChange, _ source: StoredRows, _ mapping: SchemaMapping
  ) {
    let identifier = change.changedPersistentIdentifier
    guard let key = identifier.rowKey else { return }
    guard let entity = mapping.entity(named: identifier.entityName) else {
      if case .delete = change, let table = tables[identifier.entityName] {
        rows.values[table]?[key] = nil
      }
      return
    }
    let row = source.values[entity.table]?[key]
    switch change {
    case .insert:
      rows.values[entity.table, default: [:]][key] = row
      for property in entity.properties { copyLinks(of: property, key, source) }
    case .delete:
      rows.values[entity.table]?[key] = nil
      for property in entity.properties { removeLinks(of: property, key) }
    case .update(let update):
      guard rows.values[entity.table]?[key] != nil else { return }
      for slot in slots(of: update, entity.descriptor) {
        let property = entity.properties[slot]
        for column in entity.columns(of: property) {
          rows.values[entity.table]?[key]?[column.name] = row?[column.name]
        }
        copyLinks(of: property, key, source)
      }
    }
  }

  private func slots(of update: any HistoryUpdate, _ descriptor: _ModelDescriptor) -> [Int] {
    func slots<U: HistoryUpdate>(_ update: U) -> [Int] {
      update.updatedAttributes.compactMap { descriptor.slot(for: $0 as PartialKeyPath<U.Model>) }
    }
    return slots(update)
  }

  // MARK: To-many relationships

  private mutating func copyLinks(of property: PropertyMapping, _ key: Int64, _ source: StoredRows)
  {
    guard case .toMany(let toMany) = property.kind else { return }
    removeLinks(of: property, key)
    switch toMany.storage {
    case .joinTable(let table, let owner, _):
      let pairs = (source.pairs[table] ?? []).filter { $0[owner] == key }
      rows.pairs[table, default: []].formUnion(pairs)
    case .foreignKey(let table, let column, let number):
      for (member, row) in source.values[table] ?? [:] where row[column] == "\(key)" {
        guard rows.values[table]?[member] != nil else { continue }
        rows.values[table]?[member]?[column] = row[column]
        if let number { rows.values[table]?[member]?[number] = row[number] }
      }
    }
  }

  private mutating func removeLinks(of property: PropertyMapping, _ key: Int64) {
    guard case .toMany(let toMany) = property.kind else { return }
    switch toMany.storage {
    case .joinTable(let table, let owner, _):
      rows.pairs[table] = rows.pairs[table]?.filter { $0[owner] != key }
    case .foreignKey(let table, let column, let number):
      // The members of a relationship with an inverse have a change of their own.
      guard toMany.inverse == nil else { return }
      for (member, row) in rows.values[table] ?? [:] where row[column] == "\(key)" {
        rows.values[table]?[member]?[column] = "NULL"
        if let number { rows.values[table]?[member]?[number] = "NULL" }
      }
    }
  }

  // MARK: Comparison

  private func differences(from source: StoredRows) -> [String] {
    var found: [String] = []
    for (table, there) in source.values {
      let here = rows.values[table] ?? [:]
      for key in Set(there.keys).union(here.keys).sorted() {
        switch (here[key], there[key]) {
        case (let row?, let original?):
          // Versions count writings, and not each of them is a change. A column that is new is empty.
          let names = original.keys.filter {
            $0 != "Z_OPT" && row[$0] ?? "NULL" != original[$0]
          }.sorted()
          if !names.isEmpty { found.append("\(table) \(key) has another \(names)") }
        case (nil, _): found.append("\(table) \(key) is missing")
        case (_, nil): found.append("\(table) \(key) is there still")
        }
      }
    }
    for (table, pairs) in source.pairs where pairs != rows.pairs[table] ?? [] {
      found.append("\(table) has other pairs")
    }
    return found.sorted()
  }
}
