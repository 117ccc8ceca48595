/// A position in the histories of default stores: the number of each store's last transaction.
public struct DefaultHistoryToken: HistoryToken {
  /// Transaction numbers by store identifier.
  public typealias TokenType = [String: Int64]

  /// The type of `id`.
  public typealias ID = Int

  private let transactions: [String: Int64]

  /// When these transactions were saved, in seconds since 2001, as far as that is known. In a store that was
  /// replaced by an older copy, another transaction may have the number.
  private let times: [String: Double]

  /// The store of the transaction that has the token; `nil` if that is not known. The transactions of other stores
  /// are earlier ones.
  package let lastStore: String?

  package init(
    _ transactions: [String: Int64], times: [String: Double] = [:], lastStore: String? = nil
  ) {
    self.transactions = transactions
    self.times = times
    self.lastStore = lastStore ?? (transactions.count == 1 ? transactions.keys.first : nil)
  }

  /// The number of the last transaction of a store; `nil` for a store that the token lacks.
  package func transaction(ofStore identifier: String) -> Int64? { transactions[identifier] }

  /// When that transaction was saved, in seconds since 2001; `nil` if that is not known.
  package func time(ofStore identifier: String) -> Double? { times[identifier] }

  /// The stores that the token contains.
  package var storeIdentifiers: Set<String> { Set(transactions.keys) }

  /// The number of each store's last transaction, by store identifier.
  public var tokenValue: DefaultHistoryToken.TokenType? { transactions }

  /// The identifier of the token's store; of several the first one in order, empty for none.
  public var storeIdentifier: String { transactions.keys.min() ?? "" }

  /// The number of the last transaction; for several stores, the sum of the numbers.
  public var id: Int { Int(transactions.values.reduce(0, &+)) }

  /// Whether both are at the same position.
  ///
  /// In a fetch, the token of a transaction equals a token merged from several stores if it is that of the same
  /// transaction.
  public static func == (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
    if lhs.transactions == rhs.transactions { return true }
    guard let store = comparedStore, lhs.lastStore == store, rhs.lastStore == store,
      lhs.transactions.count == 1 || rhs.transactions.count == 1
    else { return false }
    return lhs.transactions[store] == rhs.transactions[store]
  }

  /// Hashes the numbers and the stores.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactions)
  }

  /// The store whose transactions a fetch compares with captured tokens.
  @TaskLocal package static var comparedStore: String?

  /// Whether the left token is earlier, judged by the stores that both contain.
  ///
  /// The token of a transaction contains one store, so it can be compared with a token merged from
  /// several. If both have the same number, it is earlier if the merged token is that of another
  /// store's transaction. Of two tokens without a common store, neither is earlier. In a fetch, a
  /// store that a token lacks counts as a store of which nothing has been read.
  public static func < (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
    var isComparable = false
    for store in lhs.transactions.keys.sorted() {
      guard let left = lhs.transactions[store], let right = rhs.transactions[store] else {
        continue
      }
      if left != right { return left < right }
      isComparable = true
    }
    if isComparable { return lhs.isBeforeLast(of: rhs) }
    guard let store = comparedStore else { return false }
    return lhs.transactions[store] ?? 0 < rhs.transactions[store] ?? 0
  }

  /// Whether a transaction, which the other token contains, is not the one that has the other token.
  private func isBeforeLast(of other: DefaultHistoryToken) -> Bool {
    guard transactions.count == 1, let last = other.lastStore else { return false }
    return lastStore != last
  }
}

extension DefaultHistoryToken {
  private enum CodingKeys: CodingKey {
    case tokenValue
    case times
    case lastStore
  }

  /// Encodes the transaction numbers and times by store identifier, and the store of the last transaction.
  ///
  /// - Throws: Errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(transactions, forKey: .tokenValue)
    if !times.isEmpty { try container.encode(times, forKey: .times) }
    if transactions.count > 1 { try container.encodeIfPresent(lastStore, forKey: .lastStore) }
  }

  /// Decodes what `encode(to:)` wrote.
  ///
  /// - Throws: `DecodingError` if the data has another form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode([String: Int64].self, forKey: .tokenValue),
      times: try container.decodeIfPresent([String: Double].self, forKey: .times) ?? [:],
      lastStore: try container.decodeIfPresent(String.self, forKey: .lastStore))
  }
}
