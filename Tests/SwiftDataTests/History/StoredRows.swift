import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData

/// What the tables of a store hold, read by plain SQL.
struct StoredRows: Equatable {
  /// Values as SQL writes them, by table, key and column.
  var values: [String: [Int64: [String: String]]] = [:]
  /// The pairs of join tables, by table and column.
  var pairs: [String: Set<[String: Int64]>] = [:]
  /// The last transaction and the last change of the history.
  var transaction: Int64 = 0
  var change: Int64 = 0

  init() {}

  init(_ tables: StoredTables, _ mapping: SchemaMapping) throws {
    for table in mapping.tables.map(\.table) {
      let names = table.columns.map(\.name)
      let literals = names.map(tables.literal).joined(separator: ", ")
      let isJoin = names.first != "Z_PK"
      if isJoin { pairs[table.name] = [] } else { values[table.name] = [:] }
      for row in try tables.rows("SELECT \(literals) FROM \"\(table.name)\"") {
        if isJoin {
          let pair = Dictionary(uniqueKeysWithValues: zip(names, row.map { Int64($0) ?? 0 }))
          pairs[table.name]?.insert(pair)
        } else {
          values[table.name]?[Int64(row[0]) ?? 0] = Dictionary(
            uniqueKeysWithValues: zip(names, row))
        }
      }
    }
    transaction = try tables.integer("SELECT max(\"Z_PK\") FROM \"ATRANSACTION\"") ?? 0
    change = try tables.integer("SELECT max(\"Z_PK\") FROM \"ACHANGE\"") ?? 0
  }
}
