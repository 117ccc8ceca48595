import OpenSwiftDataSQLSyntax
import Synchronization

/// Which columns hold text in its composed form only, so that bytes are ordered as Swift orders text.
///
/// Nearly all text is composed, but files are shared with programs that may write any. So a column is
/// looked through, by its index, and what was found holds until something is written: the session's
/// `changeStamp` tells. Where a database does not tell changes, no column is known.
final class ComposedText: Sendable {
  private struct Known {
    var stamp: ChangeStamp
    var columns: [String: Bool] = [:]
  }

  /// By session.
  private let known = Mutex<[ObjectIdentifier: Known]>([:])

  /// Whether all text of some columns is composed. To be asked inside a transaction.
  func fills(
    _ columns: Set<String>, of table: String, _ session: any SQLSession,
    _ database: SQLCapabilities
  ) throws -> Bool {
    guard database.tellsChanges else { return false }
    let stamp = try session.changeStamp()
    for column in columns.sorted() {
      let name = "\(table).\(column)"
      let last = known.withLock { known in
        let last = known[ObjectIdentifier(session)]
        return last?.stamp == stamp ? last?.columns[name] : nil
      }
      let isComposed = try last ?? isComposed(column, of: table, session, database.dialect)
      known.withLock { known in
        var now = known[ObjectIdentifier(session)] ?? Known(stamp: stamp)
        if now.stamp != stamp { now = Known(stamp: stamp) }
        now.columns[name] = isComposed
        known[ObjectIdentifier(session)] = now
      }
      if !isComposed { return false }
    }
    return true
  }

  /// As many bytes as characters are ASCII, which needs no closer look.
  private func isComposed(
    _ column: String, of table: String, _ session: any SQLSession, _ dialect: SQLDialect
  ) throws -> Bool {
    let text = SQLExpression.column(table: nil, name: column)
    let isASCII = SQLExpression.binary(
      .function("length", [text]), .equal, .function("length", [.cast(text, to: .blob)]))
    let select = Select(
      [.integer(1)], from: TableReference(table),
      where: .all([
        .unary(.not, isASCII), .binary(.function("swift_canonical", [text]), .notEqual, text),
      ]), limit: .integer(1))
    return try session.statement(select.rendered(in: dialect).sql).integer(.none) == nil
  }
}
