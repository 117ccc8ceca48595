import Foundation

/// Collects the history of one transaction where several write at once. Used by `RowChanges`.
///
/// 1. Changes are added in memory. Rows in sequence take one entry, so a large save or deletion needs
///    little.
/// 2. `finish` gives them to the driver, which writes them with the next number: as the last statement of
///    the transaction, because the next save waits for it, or with the commit.
///
/// Preserved values of deleted rows are read when the deletion is noted, and kept until then.
///
/// A store that keeps no history writes a transaction without changes, which readers see as a gap.
struct BufferedHistory {
  private let store: RelationalStore
  private let session: any SQLSession
  private let numbers: any NumberAllocator
  private let texts: [String?]
  private var changes = NewTransaction(texts: [], time: 0)
  private var hasGap = false
  /// `nil` until `finish`, or if nothing was changed.
  private(set) var added: AddedTransaction?

  /// - Returns: `nil` for a store without history tables.
  init?(
    _ store: RelationalStore, _ session: any SQLSession, _ numbers: any NumberAllocator,
    by editor: EditingState
  ) {
    guard store.history != nil else { return nil }
    self.store = store
    self.session = session
    self.numbers = numbers
    texts = HistoryWriter.texts(of: editor, keepsChanges: store.writesHistory)
  }

  /// - Parameter keys: The keys of rows of the entity, sorted.
  mutating func add(
    _ type: HistoryTables.ChangeType, entity: Int, _ keys: [Int64], columns: Data? = nil
  ) {
    if keys.isEmpty { return }
    guard store.writesHistory else { return hasGap = true }
    changes.add(type, entity: entity, keys, columns: columns)
  }

  /// Adds deletions of rows whose values are preserved.
  /// - Parameter rows: Keys, entity numbers and preserved values.
  mutating func addDeleted(_ rows: [[_StoredValue]]) {
    if rows.isEmpty { return }
    guard store.writesHistory else { return hasGap = true }
    for row in rows {
      guard let key = row[0].integer, let entity = row[1].integer else { continue }
      changes.addDeleted(entity: Int(entity), key, preserved: row[2...].map(\.blob))
    }
  }

  /// Writes the transaction; does nothing if nothing was changed.
  mutating func finish() throws {
    if changes.changes.isEmpty, !hasGap { return }
    let transaction = NewTransaction(texts: texts, time: store.now, changes: changes.changes)
    let added = AddedTransaction(store.ownTransactions, at: transaction.time)
    self.added = added
    try numbers.addTransaction(transaction, session) { added.note($0) }
  }
}

/// A transaction that a save adds to the history. It gets its number with the commit, at the latest.
///
/// Used by the thread of the save only.
final class AddedTransaction: @unchecked Sendable {
  private let own: OwnTransactions
  private let time: Double
  /// `nil` before the commit, and if the connection was lost during it.
  private(set) var number: Int64?

  init(_ own: OwnTransactions, at time: Double) {
    self.own = own
    self.time = time
    own.expect(at: time)
  }

  func note(_ number: Int64) {
    self.number = number
    own.note(number, at: time)
    own.endExpecting(at: time)
  }

  deinit {
    if number == nil { own.endExpecting(at: time) }
  }
}
