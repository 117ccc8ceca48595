import Synchronization

extension SnapshotPort {
  func history<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, stores: Set<String>, for reader: EditingState
  ) throws -> HistoryPage<T>? {
    func fetch<S: HistoryProviding>(_ store: S) throws -> HistoryPage<T>? {
      guard let own = descriptor as? HistoryDescriptor<S.HistoryType>,
        let found = try store.fetchHistory(own) as? [T]
      else { return nil }
      return HistoryPage(storeIdentifier: identifier, transactions: found, end: nil)
    }
    return try (store as? any HistoryProviding).flatMap { try fetch($0) }
  }

  func deleteHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, for editor: EditingState?
  ) throws -> Bool {
    func delete<S: HistoryProviding>(_ store: S) throws -> Bool {
      guard let own = descriptor as? HistoryDescriptor<S.HistoryType> else { return false }
      try store.deleteHistory(own)
      return true
    }
    return try (store as? any HistoryProviding).map { try delete($0) } ?? false
  }

  func historyFollower(
    after token: (any HistoryToken)?, _ interest: HistoryFilter
  ) throws -> (any HistoryFollower)? {
    func follower<S: DataStore & HistoryProviding>(_ store: S) throws -> any HistoryFollower {
      try ProvidedHistoryFollower(store, after: token as? S.HistoryType.TokenType, interest)
    }
    return try (store as? any DataStore & HistoryProviding).map { try follower($0) }
  }
}

/// Follows the history of a store through the public protocol, by comparing tokens.
///
/// `@unchecked`: stores are thread-safe by contract.
private final class ProvidedHistoryFollower<Store: DataStore & HistoryProviding>: HistoryFollower,
  @unchecked Sendable
{
  private typealias Token = Store.HistoryType.TokenType

  private let store: Store
  private let interest: HistoryFilter
  private let index: Mutex<Token?>

  init(_ store: Store, after token: Store.HistoryType.TokenType?, _ interest: HistoryFilter)
    throws
  {
    self.store = store
    self.interest = interest
    index = Mutex(try token ?? store.fetchHistory(HistoryDescriptor()).map(\.token).max())
  }

  func hasNewTransactions() throws -> Bool {
    let all = try store.fetchHistory(HistoryDescriptor<Store.HistoryType>())
    let known = index.withLock { $0 }
    let new = all.filter { transaction in known.map { transaction.token > $0 } ?? true }
    guard let last = new.map(\.token).max() else { return false }
    index.withLock { $0 = last }
    return new.contains(where: interest.concerns)
  }
}
