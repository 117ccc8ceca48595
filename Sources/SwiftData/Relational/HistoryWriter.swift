import Foundation

/// Writes the history of one transaction, inside that transaction.
///
/// 1. The first change reserves the next keys of changes and transactions.
/// 2. Statements add changes for many rows at once, and read them from their table: inserted and
///    updated rows after the write, deleted rows before the deletion. So nothing is collected in
///    memory.
/// 3. If any row was changed, the transaction and the last assigned keys are written.
///
/// A store that keeps no history writes a transaction without changes instead, so that readers of
/// the history detect the gap. There is only one at the end, which each save replaces with a new
/// number.
struct HistoryWriter {
  private let statements: HistoryStatements
  private let session: any SQLSession
  /// Whether changes are written.
  let keepsChanges: Bool
  private let editor: EditingState
  /// Records the transaction as the store's own; `nil` if no store is open.
  private let ownTransactions: OwnTransactions?
  private var position: Position?

  private struct Position {
    let transaction: Int64
    /// The key of the last change; initially the key before this transaction's first change.
    var lastChange: Int64
    var isEmpty = true
  }

  /// The name of the process, which is also used if it has no bundle identifier.
  private static let processName = ProcessInfo.processInfo.processName
  private static let bundleIdentifier = Bundle.main.bundleIdentifier ?? processName

  /// - Parameter editor: The author and the context of the changes.
  /// - Returns: `nil` for a store without history tables.
  init?(_ store: RelationalStore, _ session: any SQLSession, by editor: EditingState) {
    guard store.history != nil else { return nil }
    self.init(
      store.plans.history, session, keepsChanges: store.writesHistory, by: editor,
      noting: store.ownTransactions)
  }

  init(
    _ statements: HistoryStatements, _ session: any SQLSession, keepsChanges: Bool,
    by editor: EditingState, noting ownTransactions: OwnTransactions? = nil
  ) {
    self.statements = statements
    self.session = session
    self.keepsChanges = keepsChanges
    self.editor = editor
    self.ownTransactions = ownTransactions
  }

  // MARK: Changes

  /// - Parameter keys: The range of the new rows' keys.
  mutating func addInserted(_ table: TableChanges, _ keys: Range<Int64>) throws {
    if !keepsChanges { return try recordGap() }
    let position = try begin()
    let offset = position.lastChange + 1 - keys.lowerBound
    let count = try run(
      table.addInserted,
      [.integer(offset), .integer(position.transaction), .integer(keys.lowerBound)])
    if count > 0 { advance(by: Int64(keys.count)) }
  }

  /// - Parameters:
  ///   - list: The keys of the rows.
  ///   - columns: The bits of the changed properties; `nil` if they are not known.
  mutating func addUpdated(_ table: TableChanges, _ list: String, columns: Data?) throws {
    if !keepsChanges { return try recordGap() }
    let position = try begin()
    let count = try run(
      table.addUpdated,
      [
        .text(list), .integer(position.lastChange), .integer(position.transaction),
        columns.map { .blob($0) } ?? .null,
      ])
    advance(by: Int64(count))
  }

  /// Adds the changes that a statement selects. Deleted rows must still exist.
  /// - Parameters:
  ///   - sql: A statement whose last two parameters are the key before the first change, and the
  ///     transaction.
  ///   - parameters: The parameters before those.
  mutating func add(_ sql: String, _ parameters: [_StoredValue]) throws {
    if !keepsChanges { return try recordGap() }
    let position = try begin()
    let count = try run(
      sql, parameters + [.integer(position.lastChange), .integer(position.transaction)])
    advance(by: Int64(count))
  }

  /// Records that rows are changed without history.
  mutating func recordGap() throws {
    if position != nil { return }
    let number = try nextKey(statements.transactionKeys)
    position = Position(transaction: number, lastChange: 0, isEmpty: false)
  }

  private mutating func begin() throws -> Position {
    if let position { return position }
    let begun = Position(
      transaction: try nextKey(statements.transactionKeys),
      lastChange: try nextKey(statements.changeKeys) - 1)
    position = begun
    return begun
  }

  private mutating func advance(by count: Int64) {
    if count == 0 { return }
    position?.lastChange += count
    position?.isEmpty = false
  }

  // MARK: The transaction

  /// The number of the transaction; `nil` as long as nothing was changed.
  var transaction: Int64? { position.flatMap { $0.isEmpty ? nil : $0.transaction } }

  /// Writes the transaction; does nothing if nothing was changed.
  func finish() throws {
    guard let position, !position.isEmpty else { return }
    if !keepsChanges { try run(statements.removeLastGap, [.text(HistoryTables.Text.gap)]) }
    // New texts get keys in the order of the columns.
    let texts = try [
      editor.author, HistoryWriter.bundleIdentifier,
      keepsChanges ? editor.contextName : HistoryTables.Text.gap, HistoryWriter.processName,
    ].map { try $0.map(key(ofText:)) }
    let time = Date().timeIntervalSinceReferenceDate
    ownTransactions?.note(position.transaction, at: time)
    try run(
      statements.addTransaction,
      [.integer(position.transaction)] + texts.map { $0.map { .integer($0) } ?? .null }
        + [.real(time)])
    try run(statements.transactionKeys.storeLast, [.integer(position.transaction)])
    if keepsChanges { try run(statements.changeKeys.storeLast, [.integer(position.lastChange)]) }
  }

  private func key(ofText text: String) throws -> Int64 {
    let known = try session.statement(statements.findText).integer(.values([.text(text)]))
    if let known { return known }
    let key = try nextKey(statements.textKeys)
    try run(statements.addText, [.integer(key), .text(text)])
    try run(statements.textKeys.storeLast, [.integer(key)])
    return key
  }

  // MARK: Statements

  /// The key after the last one that was ever assigned, even if rows have been deleted since.
  private func nextKey(_ keys: HistoryStatements.Keys) throws -> Int64 {
    let used = try session.statement(keys.largest).integer(.none) ?? 0
    let stored = try session.statement(keys.last).integer(.none)
    // Apple's framework would start with key 1 in a file that lists no last keys.
    if stored == nil { for sql in statements.addMissingKeys { try run(sql, []) } }
    return try KeySpace.next(after: max(used, stored ?? 0))
  }

  @discardableResult
  private func run(_ sql: String, _ values: [_StoredValue]) throws -> Int {
    try session.statement(sql).run(.values(values))
  }
}
