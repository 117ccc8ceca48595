/// A place in the histories of default stores: the number of the last transaction of each.
public struct DefaultHistoryToken: HistoryToken {
  /// Numbers of transactions by identifiers of stores.
  public typealias TokenType = [String: Int64]

  /// The type of `id`.
  public typealias ID = Int

  private let transactions: [String: Int64]

  package init(_ transactions: [String: Int64]) {
    self.transactions = transactions
  }

  /// The number of the last transaction of a store; `nil` for a store that the token does not know.
  package func transaction(ofStore identifier: String) -> Int64? { transactions[identifier] }

  /// The stores that the token knows.
  package var storeIdentifiers: Set<String> { Set(transactions.keys) }

  /// The numbers of the last transactions by identifiers of stores.
  public var tokenValue: DefaultHistoryToken.TokenType? { transactions }

  /// The store that the token is of; of several the first by identifier, empty for none.
  public var storeIdentifier: String { transactions.keys.min() ?? "" }

  /// The number of the last transaction; for several stores the sum of the numbers.
  public var id: Int { Int(transactions.values.reduce(0, &+)) }

  /// Whether both are at the same place.
  public static func == (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
    lhs.transactions == rhs.transactions
  }

  /// Hashes the numbers and the stores.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactions)
  }

  /// The store whose transactions a fetch compares with captured tokens.
  @TaskLocal package static var comparedStore: String?

  /// Whether the left token is the earlier one, by the stores that both know.
  ///
  /// So the token of a transaction, which knows one store, compares with a token that was merged
  /// from several. Of two tokens without a common store none is the earlier one, except in a fetch:
  /// there a store that a token does not know counts as one of which nothing has been seen.
  public static func < (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
    var isComparable = false
    for store in lhs.transactions.keys.sorted() {
      guard let left = lhs.transactions[store], let right = rhs.transactions[store] else {
        continue
      }
      if left != right { return left < right }
      isComparable = true
    }
    guard !isComparable, let store = comparedStore else { return false }
    return lhs.transactions[store] ?? 0 < rhs.transactions[store] ?? 0
  }
}

extension DefaultHistoryToken {
  private enum CodingKeys: CodingKey {
    case tokenValue
  }

  /// Encodes the numbers by identifiers of stores.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(transactions, forKey: .tokenValue)
  }

  /// Decodes what `encode(to:)` wrote.
  ///
  /// - Throws: `DecodingError` when the encoded form is another one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    transactions = try container.decode([String: Int64].self, forKey: .tokenValue)
  }
}
