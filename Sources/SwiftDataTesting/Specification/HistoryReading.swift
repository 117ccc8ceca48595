import Foundation
import SwiftData

/// A transaction of any kind of store.
struct StoredTransaction {
  enum Change: Hashable {
    case insert(PersistentIdentifier)
    case update(PersistentIdentifier)
    case delete(PersistentIdentifier)

    init(_ change: HistoryChange) {
      let identifier = change.changedPersistentIdentifier
      switch change {
      case .insert: self = .insert(identifier)
      case .update: self = .update(identifier)
      case .delete: self = .delete(identifier)
      }
    }
  }

  let changes: [Change]
  let author: String?
  let storeIdentifier: String
  let timestamp: Date

  init(_ transaction: some HistoryTransaction) {
    changes = transaction.changes.map(Change.init)
    author = transaction.author
    storeIdentifier = transaction.storeIdentifier
    timestamp = transaction.timestamp
  }
}

/// Reads the history of a store whose transactions are of any type.
protocol HistoryReading {
  func transactions(in context: ModelContext) throws -> [StoredTransaction]

  /// The transactions after the one at a position; `nil` if tokens cannot be used in predicates.
  func transactions(after position: Int, in context: ModelContext) throws -> [StoredTransaction]?

  /// The positions of the transactions, ordered by their tokens.
  func tokenOrder(in context: ModelContext) throws -> [Int]

  func deleteAll(in context: ModelContext) throws
}

extension Trial {
  func history() throws -> any HistoryReading {
    func reading<S: HistoryProviding>(_ store: S) -> any HistoryReading {
      HistoryReader<S.HistoryType>()
    }
    guard let store = try store() as? any HistoryProviding else {
      problem("The store does not conform to HistoryProviding.")
      throw RuleEnd()
    }
    return reading(store)
  }
}

private struct HistoryReader<Transaction: HistoryTransaction>: HistoryReading {
  func transactions(in context: ModelContext) throws -> [StoredTransaction] {
    try all(in: context).map(StoredTransaction.init)
  }

  private func all(in context: ModelContext) throws -> [Transaction] {
    try context.fetchHistory(HistoryDescriptor<Transaction>())
  }

  func transactions(
    after position: Int, in context: ModelContext
  ) throws -> [StoredTransaction]? {
    guard let filter = self as? any TokenFilter<Transaction> else { return nil }
    let known = try all(in: context)
    guard known.indices.contains(position) else { return [] }
    let predicate = filter.predicate(after: known[position])
    return try context.fetchHistory(HistoryDescriptor(predicate: predicate))
      .map(StoredTransaction.init)
  }

  func tokenOrder(in context: ModelContext) throws -> [Int] {
    try all(in: context).enumerated().sorted { $0.element.token < $1.element.token }.map(\.offset)
  }

  func deleteAll(in context: ModelContext) throws {
    try context.deleteHistory(HistoryDescriptor<Transaction>())
  }
}

private protocol TokenFilter<Transaction> {
  associatedtype Transaction: HistoryTransaction

  func predicate(after transaction: Transaction) -> Predicate<Transaction>
}

/// Predicates contain only values that can be encoded.
extension HistoryReader: TokenFilter where Transaction.TokenType: Codable {
  func predicate(after transaction: Transaction) -> Predicate<Transaction> {
    let token = transaction.token
    return Predicate<Transaction>({
      PredicateExpressions.build_Comparison(
        lhs: PredicateExpressions.build_KeyPath(
          root: PredicateExpressions.build_Arg($0), keyPath: \.token),
        rhs: PredicateExpressions.build_Arg(token), op: .greaterThan)
    })
  }
}
