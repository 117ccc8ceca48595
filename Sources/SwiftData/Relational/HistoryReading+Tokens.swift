import Foundation

/// Checks the tokens after which a fetch of history begins.
///
/// A fetch for the transactions after a token must return all of them, or throw:
///
/// | the token                   | the store                                    | result  |
/// |-----------------------------|----------------------------------------------|---------|
/// | has no store of a container |                                              | expired |
/// | has only its other stores   |                                              | 0 here  |
/// | has a number                | the next transactions were deleted           | expired |
/// | has a number                | rows were changed without history after it   | expired |
/// | has a number                | has not assigned it: it is an older copy     | expired |
/// | has a number                | has all transactions after it, or none exist | valid   |
///
/// The error for a token without a store of the container names the token's stores.
extension HistoryReading {
  /// - Parameters:
  ///   - stores: The identifiers of all stores in the container.
  ///   - end: The last number that was assigned to a transaction of this store.
  /// - Throws: `SwiftDataError.historyTokenExpired`.
  func checkTokens(
    of predicate: Predicate<DefaultHistoryTransaction>?, stores: Set<String>, end: Int64
  ) throws {
    guard let predicate else { return }
    for token in HistoryTokens.starts(in: predicate) { try check(token, stores: stores, end: end) }
  }

  private func check(_ token: DefaultHistoryToken, stores: Set<String>, end: Int64) throws {
    let known = token.storeIdentifiers
    if known.isDisjoint(with: stores) {
      let names = known.sorted().joined(separator: ", ")
      throw SwiftDataError.historyTokenExpired.with(
        known.isEmpty
          ? "The token names no store, so it has no position in a history. Fetch without a token."
          : "The token belongs to the store \(names), but the container has "
            + "\(stores.sorted().joined(separator: ", ")). Use a token of this container.")
    }
    let number = token.transaction(ofStore: store.identifier) ?? 0
    if number > end {
      throw expired(
        number, "The store has only \(end) transactions: it was replaced by an older copy.")
    }
    if let time = token.time(ofStore: store.identifier),
      let row = try rows.transactions([number])[number], row.timestamp != time
    {
      throw expired(
        number,
        "Another transaction has this number: the store was replaced by an older copy, which was changed since."
      )
    }
    // The history may begin after its last transaction, if deletions are recorded.
    let start = try rows.oldest()
    if start.map({ $0 > number + 1 }) ?? (end > number) {
      let remaining = try rows.oldestRemaining()
      throw expired(
        number,
        remaining.map { "The oldest remaining transaction is \($0)." }
          ?? "All transactions are deleted.")
    }
    if let gap = try rows.lastGap(end: end), gap > number {
      throw expired(
        number, "Rows were changed without history before transaction \(gap).")
    }
  }

  private func expired(_ number: Int64, _ reason: String) -> SwiftDataError {
    .historyTokenExpired.with(
      "The token is at transaction \(number) of the store \(store.name), and the history after it is not "
        + "available. \(reason) Fetch the models again and continue from the newest token.")
  }
}
