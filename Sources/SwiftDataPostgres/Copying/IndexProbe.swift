import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import SwiftData

/// Asks a server whether rows fit into the indexes of a store: a long value does only if the server can
/// compress it. Rows with long values are inserted into temporary tables, and taken back.
final class IndexProbe {
  private let connection: PostgresConnection
  private let statements: [any SQLStatement]
  private var tables: Set<String> = []

  /// Rows whose indexed values are shorter always fit, in every form of their texts.
  private static let safeSize = 800

  /// - Parameter connection: A connection for this probe only: its temporary tables hide those of the
  ///   store.
  init(_ store: CopiedStore, _ connection: PostgresConnection) {
    self.connection = connection
    statements = store.databaseLayout.creationStatements(for: .postgreSQL)
  }

  deinit { connection.close() }

  /// The indexed columns of a row that may be too long for an index.
  static func suspects(
    _ row: [CopiedValue], in table: CopiedTable, of store: CopiedStore
  ) -> [String] {
    let indexed = store.indexedColumns[table.name] ?? []
    let long = zip(table.columns, row).filter { column, value in
      switch value {
      case .text, .bytes: indexed.contains(column.name)
      default: false
      }
    }
    return long.reduce(0) { $0 + $1.1.size } > safeSize ? long.map(\.0.name) : []
  }

  /// Why a row does not fit into the indexes of its table; `nil` if it does.
  func refusal(of row: [CopiedValue], in table: CopiedTable) throws -> String? {
    if !tables.contains(table.name) {
      try create(table.name)
      tables.insert(table.name)
    }
    let insert = try connection.prepare(table.insertion(placeholder: "$"))
    try connection.begin(.write)
    defer { connection.rollback() }
    do {
      try insert.runBatch(1) { _, parameters in
        try DatabaseCopyTarget.bind(row, of: table, to: &parameters)
      }
      return nil
    } catch let error as PostgresError {
      guard let limit = error.exceededIndexLimit else { throw error }
      return limit
    }
  }

  private func create(_ table: String) throws {
    for statement in statements {
      let sql = statement.rendered(in: .postgreSQL).sql
      switch statement {
      case let creation as CreateTable where creation.name == table:
        try connection.execute(
          sql.replacing("CREATE TABLE ", with: "CREATE TEMPORARY TABLE ", maxReplacements: 1))
      case let index as CreateIndex where index.table == table: try connection.execute(sql)
      default: break
      }
    }
  }
}
