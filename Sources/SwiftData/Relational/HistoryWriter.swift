import Foundation

/// Writes the history of one transaction, in that transaction.
///
/// 1. The first change takes the next keys of changes and transactions.
/// 2. Changes are added with a statement for many rows, which reads them from their table: inserted and
///    updated rows after they are written, deleted ones before they go. So nothing is collected here.
/// 3. The transaction follows, unless no row was changed, and the last used keys.
///
/// A store that keeps no history of its changes gets a transaction without any in place of them, by which those
/// who read the history find out that some are missing: the last one, numbered anew with each save.
struct HistoryWriter {
  private let statements: HistoryStatements
  private let session: any SQLSession
  /// Whether changes are written.
  let keepsChanges: Bool
  private let editor: EditingState
  /// Told of the transaction; `nil` where no store is open.
  private let ownTransactions: OwnTransactions?
  private var place: Place?

  private struct Place {
    let transaction: Int64
    /// The key of the last change; at first the one before this transaction's.
    var lastChange: Int64
    var isEmpty = true
  }

  /// The name of the process, and what stands for it where it has no bundle.
  private static let processName = ProcessInfo.processInfo.processName
  private static let bundleIdentifier = Bundle.main.bundleIdentifier ?? processName

  /// - Parameter editor: Who makes the changes.
  /// - Returns: `nil` for a store without the tables of the history.
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

  /// - Parameter keys: The range that the keys of the new rows are in.
  mutating func addInserted(_ table: TableChanges, _ keys: Range<Int64>) throws {
    if !keepsChanges { return try noteUnkept() }
    let place = try begin()
    let offset = place.lastChange + 1 - keys.lowerBound
    let count = try run(
      table.addInserted,
      [.integer(offset), .integer(place.transaction), .integer(keys.lowerBound)])
    if count > 0 { advance(by: Int64(keys.count)) }
  }

  /// - Parameters:
  ///   - list: The keys of the rows.
  ///   - columns: The bits of what was changed; `nil` where it is not known.
  mutating func addUpdated(_ table: TableChanges, _ list: String, columns: Data?) throws {
    if !keepsChanges { return try noteUnkept() }
    let place = try begin()
    let count = try run(
      table.addUpdated,
      [
        .text(list), .integer(place.lastChange), .integer(place.transaction),
        columns.map { .blob($0) } ?? .null,
      ])
    advance(by: Int64(count))
  }

  /// Adds what a statement reads. Rows that are deleted are read before.
  /// - Parameters:
  ///   - sql: A statement whose last parameters are the key before the first change, and the transaction.
  ///   - parameters: Those before them.
  mutating func add(_ sql: String, _ parameters: [_StoredValue]) throws {
    if !keepsChanges { return try noteUnkept() }
    let place = try begin()
    let count = try run(
      sql, parameters + [.integer(place.lastChange), .integer(place.transaction)])
    advance(by: Int64(count))
  }

  /// Rows are changed without a word of it in the history.
  mutating func noteUnkept() throws {
    if place != nil { return }
    let number = try nextKey(statements.transactionKeys)
    place = Place(transaction: number, lastChange: 0, isEmpty: false)
  }

  private mutating func begin() throws -> Place {
    if let place { return place }
    let begun = Place(
      transaction: try nextKey(statements.transactionKeys),
      lastChange: try nextKey(statements.changeKeys) - 1)
    place = begun
    return begun
  }

  private mutating func advance(by count: Int64) {
    if count == 0 { return }
    place?.lastChange += count
    place?.isEmpty = false
  }

  // MARK: The transaction

  /// The number of the transaction; `nil` while nothing was changed.
  var transaction: Int64? { place.flatMap { $0.isEmpty ? nil : $0.transaction } }

  /// Ends the history of the transaction; nothing is written where nothing was changed.
  func finish() throws {
    guard let place, !place.isEmpty else { return }
    if !keepsChanges { try run(statements.removeLastGap, [.text(HistoryTables.Text.gap)]) }
    // Keys are given to new texts in the order of the columns.
    let texts = try [
      editor.author, HistoryWriter.bundleIdentifier,
      keepsChanges ? editor.contextName : HistoryTables.Text.gap, HistoryWriter.processName,
    ].map { try $0.map(key(ofText:)) }
    let time = Date().timeIntervalSinceReferenceDate
    ownTransactions?.note(place.transaction, at: time)
    try run(
      statements.addTransaction,
      [.integer(place.transaction)] + texts.map { $0.map { .integer($0) } ?? .null }
        + [.real(time)])
    try run(statements.transactionKeys.storeLast, [.integer(place.transaction)])
    if keepsChanges { try run(statements.changeKeys.storeLast, [.integer(place.lastChange)]) }
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

  /// Behind the last key that was ever given; rows may have been deleted since.
  private func nextKey(_ keys: HistoryStatements.Keys) throws -> Int64 {
    let used = try session.statement(keys.largest).integer(.none) ?? 0
    let stored = try session.statement(keys.last).integer(.none)
    // Apple's framework would begin with the key 1 in a file that lists no last keys.
    if stored == nil { for sql in statements.addMissingKeys { try run(sql, []) } }
    return try KeySpace.next(after: max(used, stored ?? 0))
  }

  @discardableResult
  private func run(_ sql: String, _ values: [_StoredValue]) throws -> Int {
    try session.statement(sql).run(.values(values))
  }
}
