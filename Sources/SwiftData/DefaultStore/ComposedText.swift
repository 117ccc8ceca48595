import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import Synchronization

/// Which columns hold text in its composed form only, so that bytes are ordered as Swift orders text.
///
/// Nearly all text is composed, but files are shared with programs that may write any. So a column is
/// looked through, by its index, and what was found holds until something is written: SQLite counts
/// the changes of others (`data_version`) and our own (`total_changes`) for each connection.
final class ComposedText: Sendable {
  private struct Known {
    var version: Int64
    var changes: Int64
    var columns: [String: Bool] = [:]
  }

  /// By connection.
  private let known = Mutex<[ObjectIdentifier: Known]>([:])

  /// Whether all text of some columns is composed. To be asked inside a transaction.
  func fills(_ columns: Set<String>, of table: String, _ connection: Connection) throws -> Bool {
    let version = try connection.integer("PRAGMA data_version") ?? 0
    let changes = connection.totalChanges
    for column in columns.sorted() {
      let name = "\(table).\(column)"
      let last = known.withLock { known in
        let last = known[ObjectIdentifier(connection)]
        return last?.version == version && last?.changes == changes ? last?.columns[name] : nil
      }
      let isComposed = try last ?? isComposed(column, of: table, connection)
      known.withLock { known in
        var now = known[ObjectIdentifier(connection)] ?? Known(version: version, changes: changes)
        if now.version != version || now.changes != changes {
          now = Known(version: version, changes: changes)
        }
        now.columns[name] = isComposed
        known[ObjectIdentifier(connection)] = now
      }
      if !isComposed { return false }
    }
    return true
  }

  /// As many bytes as characters are ASCII, which needs no closer look.
  private func isComposed(
    _ column: String, of table: String, _ connection: Connection
  ) throws -> Bool {
    let text = SQLExpression.column(table: nil, name: column)
    let isASCII = SQLExpression.binary(
      .function("length", [text]), .equal, .function("length", [.cast(text, to: .blob)]))
    let select = Select(
      [.integer(1)], from: TableReference(table),
      where: .all([
        .unary(.not, isASCII), .binary(.function("swift_canonical", [text]), .notEqual, text),
      ]), limit: .integer(1))
    return try connection.integer(select.rendered(in: .sqlite).sql) == nil
  }
}
