import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The source of a column in the changed file.
enum ColumnSource: Hashable {
  /// A column of the file, unchanged.
  case column(String)
  /// The same value in every row.
  case constant(String)
  /// An expression over the columns of the row.
  case expression(String)
  /// Pairs that are collected from other tables before (`LinkTable`), and filled in afterwards.
  case links(Int)

  static let null = ColumnSource.constant("NULL")

  /// The expression in a statement that reads the rows of the file.
  var sql: String {
    switch self {
    case .column(let name): name.quotedName
    case .constant(let literal): literal
    case .expression(let text): text
    case .links: "NULL"
    }
  }

  /// The common source for rows of several entities in a table.
  /// - Parameters:
  ///   - sources: By the rows of an entity; `nil` if the entity has no such column.
  ///   - isEmpty: Whether a column of the file is always null in rows of an entity.
  static func combined(
    _ sources: [(rows: TableSource.Rows, source: ColumnSource?)],
    isEmpty: (String, EntityDescription) -> Bool
  ) -> ColumnSource {
    let known = sources.compactMap(\.source)
    guard let first = known.first else { return .null }
    if Set(known).count == 1 {
      let others = sources.filter { $0.source == nil }.map(\.rows.stored)
      switch first {
      case .column(let name) where others.allSatisfy({ isEmpty(name, $0) }): return first
      case .links: return first
      default: if others.isEmpty || first == .null { return first }
      }
    }
    let cases = sources.compactMap { rows, source in
      source.map { "WHEN \(rows.storedNumber) THEN \($0.sql)" }
    }
    return .expression("CASE \(RowTerms.entity) \(cases.joined(separator: " ")) END")
  }
}
