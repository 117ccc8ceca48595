import Foundation
import OpenSwiftDataSQLSyntax

/// Reads the history.
///
/// 1. The predicate is compiled for the table of transactions. The query returns the numbers of
///    matching transactions in order. It contains the limit, unless a part is evaluated in memory.
/// 2. Their rows and changes are read by number, some hundred at a time, and converted to public
///    values.
/// 3. Parts that SQL cannot evaluate are evaluated on these, until the limit is reached.
/// 4. A gap at the end of the history may have a larger number than its row (`HistoryGap`). Then the
///    whole predicate is evaluated on the gap.
///
/// All statements see one state of the store.
extension RelationalStore {
  package func history<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, stores: Set<String>, for reader: EditingState
  ) throws -> HistoryPage<T>? {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      return nil
    }
    return try transactions(descriptor, stores: stores, for: reader.owner) as? HistoryPage<T>
  }

  package func transactions(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, stores: Set<String>,
    for reader: EditingState.ID? = nil
  ) throws -> HistoryPage<DefaultHistoryTransaction> {
    if history == nil { throw lacksHistory }
    let page = try readingHistory(for: reader) { session in
      let reading = HistoryReading(store: self, session: session)
      let end = try reading.rows.lastAssignedNumber()
      try reading.checkTokens(of: descriptor.predicate, stores: stores, end: end)
      return HistoryPage(
        storeIdentifier: identifier, transactions: try reading.transactions(descriptor, end: end),
        end: end)
    }
    page.end.map(driver.includeInReads)
    return page
  }

  /// Makes later reads include the transactions up to a token.
  package func includeInReads(_ token: DefaultHistoryToken) {
    token.transaction(ofStore: identifier).map(driver.includeInReads)
  }

  /// Lends a session to statements that see one state of the store, with all commits: a token would
  /// seem to come from another store where a copy of the database lags. After the loss of a connection
  /// `body` runs again.
  func readingHistory<R>(
    for reader: EditingState.ID? = nil, _ body: (any SQLSession) throws -> R
  ) throws -> R {
    try driver.readingPrimary(for: reader) {
      try driver.snapshot(for: reader, canRepeat: { true }) { try driver.read(for: reader, body) }
    }
  }

  /// The last number that was assigned to a transaction; 0 without history.
  package func lastTransactionNumber() throws -> Int64 {
    if history == nil { return 0 }
    return try driver.readingPrimary {
      try driver.read { try HistoryRows(session: $0, plans: plans).lastAssignedNumber() }
    }
  }

  /// A writable file gets the tables when it is opened. So this one is read-only, or has tables of
  /// another form.
  private var lacksHistory: SwiftDataError {
    .storeReadFailure.with(
      "The store \(name) has no history: its file has no history tables. "
        + (isWritable
          ? "Tables of another program have these names: use a copy without those tables."
          : "Open it once with allowsSave: true to create them; they will not contain earlier saves."),
      doing: "fetching history")
  }
}
