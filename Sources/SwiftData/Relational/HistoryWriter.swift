import Foundation
import OpenSwiftDataSQLSyntax

/// Writes the history of one transaction, inside that transaction.
///
/// 1. The first change reserves the next keys of changes and transactions, and finds the keys of the
///    transaction's texts.
/// 2. Statements add changes for many rows at once, and read them from their table: inserted and
///    updated rows after the write, deleted rows before the deletion. So nothing is collected in
///    memory. In SQLite the changes get the keys after the largest one in the table. If the last
///    assigned key is larger, because the last changes were deleted, a row with this key stays in
///    the table until the end.
/// 3. If any row was changed, the transaction and the last assigned keys are written.
///
/// A store that keeps no history writes a gap instead: a transaction without changes, so that
/// readers of the history detect the missing changes. There is only one at the end. Each save
/// extends it (`HistoryGap`), or replaces it by one with a new number.
struct HistoryWriter {
  private let statements: HistoryStatements
  private let session: any SQLSession
  /// Whether changes are written.
  let keepsChanges: Bool
  private let editor: EditingState
  /// Knows its own transactions; `nil` if no store is open.
  private let store: RelationalStore?
  private var position: Position?
  private var hasGap = false
  /// The end of the history after `finish`; `nil` if nothing was written to it.
  private(set) var end: End?
  /// The number of the transaction; `nil` until `finish`, or if nothing was changed.
  private(set) var transaction: Int64?

  /// What the next save needs not read, if nobody else has written.
  struct End {
    fileprivate let transaction: Int64
    fileprivate let lastChange: Int64
    fileprivate let texts: [String?]
    fileprivate let textKeys: [Int64]
  }

  private struct Position {
    let transaction: Int64
    /// The key of the last change; initially the key before this transaction's first change.
    var lastChange: Int64
    var isEmpty = true
    /// Whether no row has the key `lastChange`.
    var lastIsMissing = false
    /// The key of a row that exists until the end of the transaction only.
    var placeholder: Int64?
    let texts: [String?]
    /// The keys of the texts, in the order of the columns; 0 for missing texts.
    var textKeys: [Int64]
  }

  /// The name of the process, which is also used if it has no bundle identifier.
  private static let processName = ProcessInfo.processInfo.processName
  private static let bundleIdentifier = Bundle.main.bundleIdentifier ?? processName

  /// - Parameter editor: The author and the context of the changes.
  /// - Returns: `nil` for a store without history tables.
  init?(_ store: RelationalStore, _ session: any SQLSession, by editor: EditingState) {
    guard store.history != nil else { return nil }
    self.init(
      store.plans.history, session, keepsChanges: store.writesHistory, by: editor, store)
  }

  init(
    _ statements: HistoryStatements, _ session: any SQLSession, keepsChanges: Bool,
    by editor: EditingState, _ store: RelationalStore? = nil
  ) {
    self.statements = statements
    self.session = session
    self.keepsChanges = keepsChanges
    self.editor = editor
    self.store = store
  }

  // MARK: Changes

  /// - Parameter firstKey: The smallest key of the new rows.
  mutating func addInserted(_ table: TableChanges, from firstKey: Int64) throws {
    try add(table.addInserted, [.integer(firstKey)])
  }

  /// - Parameters:
  ///   - list: The keys of the rows.
  ///   - columns: The bits of the changed properties; `nil` if they are not known.
  mutating func addUpdated(_ table: TableChanges, _ list: String, columns: Data?) throws {
    try add(table.addUpdated, [.text(list), columns.map { .blob($0) } ?? .null])
  }

  /// - Parameters:
  ///   - key: The key of a row that exists.
  ///   - entity: The number of the row's entity.
  ///   - columns: The bits of the changed properties; `nil` if they are not known.
  mutating func addUpdatedRow(_ key: Int64, entity: Int, columns: Data?) throws {
    if !keepsChanges { return recordGap() }
    let position = try begin()
    try runLater(
      statements.addUpdatedRow,
      [
        .integer(position.lastChange + 1), .integer(Int64(entity)), .integer(key),
        .integer(position.transaction), columns.map { .blob($0) } ?? .null,
      ])
    advance(by: 1)
  }

  /// Adds the changes that a statement selects. Deleted rows must still exist.
  /// - Parameters:
  ///   - sql: A statement whose last parameters are the key before the first change, unless the
  ///     dialect continues the keys itself, and the transaction.
  ///   - parameters: The parameters before those.
  mutating func add(_ sql: String, _ parameters: [_StoredValue]) throws {
    if !keepsChanges { return recordGap() }
    let position = try begin()
    var values = parameters
    if statements.continuesKeys {
      try addPlaceholder()
    } else {
      values.append(.integer(position.lastChange))
    }
    values.append(.integer(position.transaction))
    advance(by: Int64(try run(sql, values)))
  }

  /// Adds a row with the last assigned key, if there is none, so that the next key follows it.
  private mutating func addPlaceholder() throws {
    guard let position, position.lastIsMissing else { return }
    try run(statements.addPlaceholder, [.integer(position.lastChange)])
    self.position?.placeholder = position.lastChange
    self.position?.lastIsMissing = false
  }

  /// Records that rows are changed without history.
  mutating func recordGap() { hasGap = true }

  private mutating func begin() throws -> Position {
    if let position { return position }
    let begun = try nextPosition()
    position = begun
    return begun
  }

  private mutating func advance(by count: Int64) {
    if count == 0 { return }
    position?.lastChange += count
    position?.isEmpty = false
    position?.lastIsMissing = false
  }

  // MARK: The transaction

  /// Writes the transaction; does nothing if nothing was changed.
  mutating func finish() throws {
    if hasGap { return try writeGap() }
    if let placeholder = position?.placeholder {
      try run(statements.removePlaceholder, [.integer(placeholder)])
    }
    guard var position, !position.isEmpty else { return }
    _ = try addTransaction(&position)
    try runLater(
      statements.storeLastKeys, [.integer(position.transaction), .integer(position.lastChange)])
    end = End(
      transaction: position.transaction, lastChange: position.lastChange, texts: position.texts,
      textKeys: position.textKeys)
  }

  private mutating func writeGap() throws {
    let author = editor.author
    let now = self.now
    // The gap continues the history.
    _ = store?.takeHistoryEnd(in: session)
    if var row = store?.ownGap.row(by: author, at: now) {
      row.end = try KeySpace.next(after: row.end)
      let values: [_StoredValue] = [.integer(row.number), .real(row.time), .integer(row.end)]
      if try run(statements.extendGap, values) > 0 {
        transaction = row.end
        // The row has this time if another writer moves it to the number.
        store?.ownTransactions.note(row.end, at: row.time)
        store?.ownGap.note(row)
        return
      }
    }
    try run(statements.removeLastGap, [.text(HistoryTables.Text.gap)])
    var position = try nextPosition()
    let time = try addTransaction(&position)
    try run(statements.transactionKeys.storeLast, [.integer(position.transaction)])
    store?.ownGap.note(
      HistoryGap.Row(
        number: position.transaction, time: time, author: author, end: position.transaction))
  }

  private var now: Double { store?.now ?? Date().timeIntervalSinceReferenceDate }

  /// - Returns: The time of the transaction.
  private mutating func addTransaction(_ position: inout Position) throws -> Double {
    // New texts get keys in the order of the columns.
    for (index, text) in position.texts.enumerated() where position.textKeys[index] == 0 {
      if let text { position.textKeys[index] = try key(ofText: text) }
    }
    let time = now
    transaction = position.transaction
    store?.ownTransactions.note(position.transaction, at: time)
    let keys = zip(position.texts, position.textKeys).map { text, key -> _StoredValue in
      text == nil ? .null : .integer(key)
    }
    try runLater(
      statements.addTransaction, [.integer(position.transaction)] + keys + [.real(time)])
    return time
  }

  private func key(ofText text: String) throws -> Int64 {
    let known = try session.statement(statements.findText).integer(.values([.text(text)]))
    if let known { return known }
    let key = try nextTextKey()
    try run(statements.addText, [.integer(key), .text(text)])
    try run(statements.textKeys.storeLast, [.integer(key)])
    return key
  }

  /// The texts of a transaction, in the order of `HistoryTables.Transaction.texts`.
  static func texts(of editor: EditingState, keepsChanges: Bool) -> [String?] {
    [
      editor.author, bundleIdentifier,
      keepsChanges ? editor.contextName : HistoryTables.Text.gap, processName,
    ]
  }

  // MARK: Keys

  /// The keys after the last ones that were ever assigned, even if rows have been deleted since.
  private func nextPosition() throws -> Position {
    let texts = HistoryWriter.texts(of: editor, keepsChanges: keepsChanges)
    if let end = store?.takeHistoryEnd(in: session), end.texts == texts {
      return Position(
        transaction: try KeySpace.next(after: end.transaction),
        lastChange: try KeySpace.next(after: end.lastChange) - 1, texts: texts,
        textKeys: end.textKeys)
    }
    let found = try session.statement(statements.begin)
      .integers(.values(texts.map { $0.map { .text($0) } ?? .null }))
    guard found.count == 4 + texts.count else {
      preconditionFailure("HistoryWriter: the last keys are not in one row")
    }
    let (transaction, lastTransaction) = (found[0], found[1])
    let (change, lastChange) = (found[2], found[3])
    // Apple's framework would start with key 1 in a file that lists no last keys.
    if min(lastTransaction, lastChange) < 0 { try addMissingKeys() }
    if keepsChanges, lastTransaction > transaction {
      // A gap before the new transaction ends at its last number.
      try run(
        statements.moveLastGap, [.text(HistoryTables.Text.gap), .integer(lastTransaction)])
    }
    let last = try KeySpace.next(after: max(change, lastChange)) - 1
    return Position(
      transaction: try KeySpace.next(after: max(transaction, lastTransaction)), lastChange: last,
      lastIsMissing: change < last, texts: texts, textKeys: Array(found[4...]))
  }

  private func nextTextKey() throws -> Int64 {
    let used = try session.statement(statements.textKeys.largest).integer(.none) ?? 0
    let stored = try session.statement(statements.textKeys.last).integer(.none)
    if stored == nil { try addMissingKeys() }
    return try KeySpace.next(after: max(used, stored ?? 0))
  }

  private func addMissingKeys() throws {
    for sql in statements.addMissingKeys { try run(sql, []) }
  }

  // MARK: Statements

  private func runLater(_ sql: String, _ values: [_StoredValue]) throws {
    try session.statement(sql).runLater(.values(values))
  }

  @discardableResult
  private func run(_ sql: String, _ values: [_StoredValue]) throws -> Int {
    try session.statement(sql).run(.values(values))
  }
}
