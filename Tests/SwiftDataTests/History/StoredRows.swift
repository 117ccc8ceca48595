import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
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

  init(_ pool: ConnectionPool, _ mapping: SchemaMapping) throws {
    try pool.read { connection in
      for table in mapping.tables.map(\.table) {
        let columns = table.columns.map { "quote(\($0.name))" }.joined(separator: ", ")
        let statement = try connection.prepare("SELECT \(columns) FROM \(table.name)")
        let isJoin = table.columns.first?.name != "Z_PK"
        if isJoin { pairs[table.name] = [] } else { values[table.name] = [:] }
        while try statement.step() {
          let row = table.columns.indices.map { statement.string(Int32($0)) }
          let names = table.columns.map(\.name)
          if isJoin {
            let pair = Dictionary(uniqueKeysWithValues: zip(names, row.map { Int64($0) ?? 0 }))
            pairs[table.name]?.insert(pair)
          } else {
            values[table.name]?[Int64(row[0]) ?? 0] = Dictionary(
              uniqueKeysWithValues: zip(names, row))
          }
        }
      }
      transaction = try connection.integer("SELECT max(Z_PK) FROM ATRANSACTION") ?? 0
      change = try connection.integer("SELECT max(Z_PK) FROM ACHANGE") ?? 0
    }
  }
}
