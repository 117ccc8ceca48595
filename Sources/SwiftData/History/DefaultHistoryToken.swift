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

  /// Whether the left token is the earlier one, by the stores that both know.
  ///
  /// So the token of a transaction, which knows one store, compares with a token that was merged
  /// from several.
  public static func < (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
    for store in lhs.transactions.keys.sorted() {
      guard let left = lhs.transactions[store], let right = rhs.transactions[store],
        left != right
      else { continue }
      return left < right
    }
    return false
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
