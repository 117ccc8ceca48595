import OpenSwiftDataSQLSyntax
import Synchronization

/// Records which columns contain only composed text, so that the order of bytes is Swift's order.
///
/// Nearly all text is composed, but other programs may write any text into the file. A column is
/// therefore checked through its index, and the result is valid until the next write: the session's
/// `changeStamp` detects it. After writes of this container only, the rows that it has written are checked
/// (`OwnTextWrites`). If a database does not report changes, no column counts as composed.
final class ComposedText: Sendable {
  private struct Known {
    var stamp: ChangeStamp
    var columns: [String: Bool] = [:]
  }

  /// By session.
  private let known = Mutex<[ObjectIdentifier: Known]>([:])
  let ownWrites = OwnTextWrites()

  /// Whether all text in some columns is composed. Must be called inside a transaction.
  func fills(
    _ columns: Set<String>, of table: String, _ session: any SQLSession,
    _ driver: any SQLDriver
  ) throws -> Bool {
    guard driver.capabilities.reportsChanges else { return false }
    let isFirstRead = !session.hasBegunReading
    let position = isFirstRead ? ownWrites.position : nil
    let stamp = try session.changeStamp()
    var isConfirmed: Bool? = isFirstRead ? nil : false
    for column in columns.sorted() {
      let name = "\(table).\(column)"
      let last = known.withLock { known in
        let last = known[ObjectIdentifier(session)]
        return last?.stamp == stamp ? last?.columns[name] : nil
      }
      let isComposed: Bool
      if let last {
        isComposed = last
      } else {
        let onlyOwn = isConfirmed ?? ownWrites.confirm(position, reading: session, driver)
        isConfirmed = onlyOwn
        let position = onlyOwn ? position : nil
        let keys = position.flatMap { ownWrites.keys(of: table, since: name, until: $0) }
        isComposed = try self.isComposed(column, of: table, keys, session, driver.dialect)
        if let position { ownWrites.note(name, isComposed: isComposed, at: position) }
      }
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
  /// - Parameter keys: The rows to check; `nil` for all.
  private func isComposed(
    _ column: String, of table: String, _ keys: [Int64]?, _ session: any SQLSession,
    _ dialect: SQLDialect
  ) throws -> Bool {
    if keys?.isEmpty == true { return true }
    let text = SQLExpression.column(table: nil, name: column)
    let isASCII = SQLExpression.binary(
      .function("length", [text]), .equal, .function("length", [.cast(text, to: .blob)]))
    let wanted = keys.map { _ in
      SQLExpression.isMember(RowColumns.key(), of: ListParameter(.parameter(0), of: .integer))
    }
    let select = Select(
      [.integer(1)], from: TableReference(table),
      where: .all(
        (wanted.map { [$0] } ?? []) + [
          .unary(.not, isASCII), .binary(.function("swift_canonical", [text]), .notEqual, text),
        ]), limit: .integer(1))
    let parameters = keys.map { SQLParameters.list(dialect.list($0)) } ?? .none
    return try session.statement(select.rendered(in: dialect).sql).integer(parameters) == nil
  }
}
