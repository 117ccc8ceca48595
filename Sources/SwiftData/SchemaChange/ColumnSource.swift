import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// Where a column of the changed file has its values from.
enum ColumnSource: Hashable {
  /// A column of the file as it is.
  case column(String)
  /// The same value in every row.
  case constant(String)
  /// A term over the columns of the row.
  case expression(String)
  /// What is collected beforehand from other tables (`LinkTable`), and filled in afterwards.
  case links(Int)

  static let null = ColumnSource.constant("NULL")

  /// The term of a statement that reads the rows of the file.
  var sql: String {
    switch self {
    case .column(let name): name.quotedName
    case .constant(let literal): literal
    case .expression(let text): text
    case .links: "NULL"
    }
  }

  /// One source for the rows of several entities of a table.
  /// - Parameters:
  ///   - sources: By the rows of an entity; `nil` where the entity has no such column.
  ///   - isEmpty: Whether a column of the file has no value in rows of an entity.
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
    return .expression("CASE \(RowColumns.entity) \(cases.joined(separator: " ")) END")
  }
}
