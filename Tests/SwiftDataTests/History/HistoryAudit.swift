import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData

/// Holds the history of a save against the rows before and after it, all read by plain SQL.
///
/// Every row that is new, gone or different has one change of the right type in the one new
/// transaction, with the bits of the properties that differ, and its version went up by one.
struct HistoryAudit {
  private struct Place: Hashable, CustomStringConvertible {
    let table: String
    let key: Int64
    var description: String { "\(table) \(key)" }
  }

  private let tables: StoredTables
  private let mapping: SchemaMapping
  private var before: StoredRows

  /// Call it before the save.
  init(_ container: ModelContainer) throws {
    guard let store = container.stores.first else { throw CocoaError(.fileNoSuchFile) }
    tables = try StoredTables(container)
    mapping = SchemaMapping(schema: store.schema, descriptors: store.schema.descriptors)
    before = try StoredRows(tables, mapping)
  }

  /// What the history tells otherwise than the rows; begins anew for the next save.
  /// - Parameter isExact: Whether a bit of a property that has its old value is reported too.
  mutating func differences(isExact: Bool = true) throws -> [String] {
    let after = try StoredRows(tables, mapping)
    defer { before = after }
    var found: [String] = []
    let changes = try recordedChanges(after, &found)
    let expected = expectedUpdates(after)
    for table in before.values.keys.sorted() {
      let (old, new) = (before.values[table] ?? [:], after.values[table] ?? [:])
      for key in Set(old.keys).union(new.keys).sorted() {
        let place = Place(table: table, key: key)
        let change = changes[place]
        switch (old[key], new[key]) {
        case (nil, let row?):
          if change?.type != 0 || change?.bits != nil { found.append("\(place) is new") }
          if row["Z_OPT"] != "1" { found.append("\(place) has version \(row["Z_OPT"] ?? "")") }
        case (_?, nil):
          if change?.type != 2 || change?.bits != nil { found.append("\(place) is gone") }
        case (let row?, let new?):
          let names = expected[place] ?? []
          let told = change.map { properties(of: new, bits: $0.bits ?? Data()) } ?? []
          if names.isEmpty != (change == nil), isExact || !names.isEmpty {
            found.append("\(place) has changed in \(names.sorted()), history: \(change != nil)")
          } else if change != nil,
            change?.type != 1 || !names.isSubset(of: told)
              || isExact && names != told
          {
            found.append("\(place) has changed in \(names.sorted()), told: \(told.sorted())")
          }
          let versions = [row, new].compactMap { $0["Z_OPT"].flatMap(Int.init) }
          if versions.count != 2 || versions[1] - versions[0] != (change == nil ? 0 : 1) {
            found.append("\(place) has the versions \(versions)")
          }
        case (nil, nil): break
        }
      }
    }
    return found
  }

  // MARK: What the history tells

  private func recordedChanges(
    _ after: StoredRows, _ found: inout [String]
  ) throws -> [Place: (type: Int64, bits: Data?)] {
    var changes: [Place: (type: Int64, bits: Data?)] = [:]
    let told = try tables.rows(
      """
      SELECT "ZENTITY", "ZENTITYPK", "ZCHANGETYPE", \(tables.digits("ZCOLUMNS")), "ZTRANSACTIONID", \
      "ZCOLUMNS" IS NULL FROM \(tables.changes) WHERE "Z_PK" > \(before.change)
      """)
    for row in told {
      guard let table = mapping.entity(number: Int(row[0]) ?? 0)?.table else {
        found.append("the history names entity \(row[0])")
        continue
      }
      let place = Place(table: table, key: Int64(row[1]) ?? 0)
      if row[4] != "\(after.transaction)" { found.append("\(place) is in another save") }
      let entity = (after.values[table]?[place.key] ?? before.values[table]?[place.key])?["Z_ENT"]
      if entity != row[0] { found.append("\(place) is of entity \(entity ?? "")") }
      let bits = row[5] == "1" ? nil : HistoryAudit.bytes(row[3])
      if changes.updateValue((Int64(row[2]) ?? -1, bits), forKey: place) != nil {
        found.append("\(place) is told twice")
      }
    }
    if tables.countsInTables {
      for (number, table) in [(16_001, "ACHANGE"), (16_002, "ATRANSACTION")] {
        let last = try tables.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)")
        let used = try tables.integer("SELECT max(Z_PK) FROM \(table)") ?? 0
        if last != used { found.append("the last key of \(table) is not \(last ?? -1)") }
      }
    }
    // A sequence gives the number of a transaction that was rolled back to no other.
    let count = try tables.integer(
      "SELECT count(*) FROM \"ATRANSACTION\" WHERE \"Z_PK\" > \(before.transaction)")
    if count != (changes.isEmpty ? 0 : 1) {
      found.append("there are \(count ?? 0) transactions")
    }
    return changes
  }

  private static func bytes(_ digits: String) -> Data {
    let digits = Array(digits)
    return Data(
      stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(digits[$0...$0 + 1]), radix: 16)
      })
  }

  /// The names of the properties whose bits are set: to-one relationships, attributes by column, to-many.
  private func properties(of row: [String: String], bits: Data) -> Set<String> {
    guard let entity = entity(of: row) else { return [] }
    var (toOne, attributes, toMany): ([String], [String], [String]) = ([], [], [])
    for property in entity.properties.sorted(by: { $0.name < $1.name }) {
      switch property.kind {
      case .toOne: toOne.append(property.name)
      case .toMany: toMany.append(property.name)
      case .attribute, .composite, .ephemeral:
        attributes += entity.columns(of: property).map { _ in property.name }
      }
    }
    let names = toOne + attributes + toMany
    let set = names.indices.filter { bits.count > $0 / 8 && bits[$0 / 8] & (128 >> ($0 % 8)) != 0 }
    let hasMore = bits.count != (names.count + 7) / 8
    return Set(set.map { names[$0] } + (hasMore ? ["of \(bits.count) bytes"] : []))
  }

  // MARK: What the rows tell

  private func expectedUpdates(_ after: StoredRows) -> [Place: Set<String>] {
    var names: [Place: Set<String>] = [:]
    func add(_ name: String, _ table: String, _ key: Int64?) {
      guard let key, before.values[table]?[key] != nil, after.values[table]?[key] != nil else {
        return
      }
      names[Place(table: table, key: key), default: []].insert(name)
    }
    for (table, old) in before.values {
      let new = after.values[table] ?? [:]
      for key in Set(old.keys).union(new.keys) {
        guard let row = new[key] ?? old[key], let entity = entity(of: row) else { continue }
        for property in entity.properties {
          for column in entity.columns(of: property)
          where old[key]?[column.name] != new[key]?[column.name] {
            add(property.name, table, key)
          }
        }
      }
    }
    for owner in mapping.entities {
      for property in owner.properties {
        guard case .toMany(let toMany) = property.kind else { continue }
        switch toMany.storage {
        case .foreignKey(let table, let column, _):
          let (old, new) = (before.values[table] ?? [:], after.values[table] ?? [:])
          for key in Set(old.keys).union(new.keys) {
            let owners = [old, new].map { $0[key]?[column].flatMap(Int64.init) }
            for key in owners where owners[0] != owners[1] { add(property.name, owner.table, key) }
          }
        case .joinTable(let table, let column, _):
          let (old, new) = (before.pairs[table] ?? [], after.pairs[table] ?? [])
          for pair in old.symmetricDifference(new) { add(property.name, owner.table, pair[column]) }
        }
      }
    }
    // A property of a sibling class is none of the row.
    for (place, told) in names {
      let row = after.values[place.table]?[place.key] ?? [:]
      names[place] = told.filter { entity(of: row)?.property(named: $0) != nil }
    }
    return names.filter { !$0.value.isEmpty }
  }

  private func entity(of row: [String: String]) -> EntityMapping? {
    row["Z_ENT"].flatMap(Int.init).flatMap(mapping.entity(number:))
  }
}
