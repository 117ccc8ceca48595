import OpenSwiftDataSQLSyntax
import Synchronization

/// Records which columns contain only composed text, so that the order of bytes is Swift's order.
///
/// Nearly all text is composed, but other programs may write any text into the file. A column is
/// therefore checked through its index, and the result is valid until the next write: the session's
/// `changeStamp` detects it. If a database does not report changes, no column counts as composed.
final class ComposedText: Sendable {
  private struct Known {
    var stamp: ChangeStamp
    var columns: [String: Bool] = [:]
  }

  /// By session.
  private let known = Mutex<[ObjectIdentifier: Known]>([:])

  /// Whether all text in some columns is composed. Must be called inside a transaction.
  func fills(
    _ columns: Set<String>, of table: String, _ session: any SQLSession,
    _ database: SQLCapabilities
  ) throws -> Bool {
    guard database.reportsChanges else { return false }
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

  /// Text with as many bytes as characters is ASCII, which needs no further check.
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
