import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// The properties of rows that a migration has changed: as the history tells it, or as rows before and after
/// tell it.
struct RecordedChanges: Equatable, CustomStringConvertible {
  /// By entity and identity.
  private var properties: [String: Set<String>] = [:]
  private var deletions = 0

  var description: String {
    "\(deletions) are gone; "
      + properties.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.sorted())" }
      .joined(separator: "; ")
  }

  init() {}

  init(from stored: StoreExport, to after: StoreExport, _ counterparts: ModelCounterparts) {
    let before = stored.renamed(counterparts)
    let model = counterparts.current
    deletions = stored.rows.filter { counterparts.successor(of: $0.key) == nil }
      .map(\.value.count).reduce(0, +)
    for (entity, rows) in after.rows {
      for (row, values) in rows {
        for (name, value) in values {
          // A member of a struct is told as the struct.
          let property = name.split(separator: ".", omittingEmptySubsequences: false)[0]
          if before.rows[entity]?[row]?[name] ?? "NULL" != value {
            properties["\(entity) \(row)", default: []].insert(String(property))
          }
        }
      }
    }
    for (name, pairs) in after.links {
      let parts = name.split(separator: ".").map(String.init)
      for pair in pairs.symmetricDifference(before.links[name] ?? []) {
        let near = String(pair.split(separator: "-")[0])
        let entity = model.subtree(of: parts[0]).first { after.rows[$0.name]?[near] != nil }
        if let entity { properties["\(entity.name) \(near)", default: []].insert(parts[1]) }
      }
    }
  }

  /// The last transaction.
  init(last connection: Connection, _ layout: StoreLayout) throws {
    let changes = try connection.prepare(
      """
      SELECT ZENTITY, ZENTITYPK, ZCOLUMNS FROM ACHANGE
      WHERE ZCHANGETYPE = 1 AND ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION)
      """)
    deletions = Int(
      try connection.integer(
        """
        SELECT count(*) FROM ACHANGE
        WHERE ZCHANGETYPE = 2 AND ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION)
        """) ?? 0)
    while try changes.step() {
      let number = Int(changes.int64(0))
      guard let entity = layout.model.entities.first(where: { layout.numbers[$0.name] == number }),
        let identity = layout.identity(of: entity.name)
      else {
        properties["entity \(number)"] = []
        continue
      }
      let row = try connection.text(
        "SELECT \"\(identity)\" FROM \"\(layout.table(of: entity.name))\" WHERE Z_PK = \(changes.int64(1))"
      )
      let name = "\(entity.name) \(row ?? "-")"
      let told = Self.properties(of: entity.name, in: layout.model, changes.data(2))
      properties[properties[name] == nil ? name : "\(name) twice"] = told
    }
  }

  /// To-one relationships, attributes column by column, to-many relationships, each by name.
  private static func properties(
    of entity: String, in model: ModelDescription, _ bits: Data
  ) -> Set<String> {
    let all = model.properties(of: entity).filter(\.isStored)
    let relationships = all.compactMap(\.relationship)
    let names =
      relationships.filter { !$0.isToMany }.map(\.name)
      + all.compactMap(\.attribute).flatMap { attribute in
        attribute.leaves.map { _ in attribute.name }
      } + relationships.filter(\.isToMany).map(\.name)
    let set = names.indices.filter { $0 / 8 < bits.count && bits[$0 / 8] & (0x80 >> ($0 % 8)) != 0 }
    return Set(set.map { names[$0] })
  }
}
