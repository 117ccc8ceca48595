/// What a context asks of a store: the only way from objects to rows.
///
/// The coordinator chooses one port per store when the container opens: the row port of the default
/// store, or `SnapshotPort`, which speaks the public `DataStore` protocol with any other store. A
/// context knows neither kind.
///
/// Thread safe: the contexts of a container share it.
package protocol StorePort: AnyObject, Sendable {
  /// The identifier of the store, part of the identifiers of its models.
  var identifier: String { get }

  /// The name of the store, for errors.
  var name: String { get }

  /// A context begins its work.
  func begin(_ editingState: EditingState)

  /// A context has ended its work.
  func end(_ editingState: EditingState)

  // MARK: Reading

  /// The rows of a request, and what is left to do in memory.
  /// - Throws: `SwiftDataError`, or the store's error.
  func rows<T: PersistentModel>(of request: DataStoreFetchRequest<T>) throws -> FetchedModels

  /// The number of rows of a request; `nil` where only memory can answer.
  /// - Throws: `SwiftDataError`, or the store's error.
  func count<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int?

  /// Where the rows of a request are; `nil` where that takes the rows themselves.
  /// - Throws: `SwiftDataError`, or the store's error.
  func places<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> FoundPlaces?

  /// The rows at some places, in their order; rows that are gone are left out.
  /// - Parameters:
  ///   - range: Which of the places.
  ///   - descriptor: The entity of the rows, or one above them.
  ///   - slots: The properties to read; `nil` for whole rows.
  /// - Throws: `SwiftDataError`, or the store's error.
  func rows(
    at places: FetchedPlaces, in range: Range<Int>, of descriptor: _ModelDescriptor,
    slots: Set<Int>?, _ editingState: EditingState
  ) throws -> FetchedRows

  /// Whether the store can tell what requests read, and answers ones that a context makes itself.
  var tellsReads: Bool { get }

  /// What a request reads of models besides the fetched ones; `nil` where that cannot be told.
  func reads<T: PersistentModel>(of request: DataStoreFetchRequest<T>) -> RequestReads?

  /// The rows from which stored relationships lead to some others, as far as the request may want
  /// them. Asked for paths that `reads(of:)` told.
  /// - Throws: `SwiftDataError`, or the store's error.
  func places<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>, leadingTo targets: [FollowedTargets]
  ) throws -> FetchedPlaces

  /// Runs reads of several statements that see one state of the store, where the store can do that.
  /// - Throws: What `body` throws, or the store's error.
  func snapshot<R>(_ body: () throws -> R) throws -> R

  /// Settles which state a snapshot sees: the one that is stored now. Called inside `snapshot`.
  /// - Throws: The store's error.
  func beginReading() throws

  /// The row of one model; `nil` when there is none.
  /// - Throws: `SwiftDataError`, or the store's error.
  func snapshot(
    for identifier: PersistentIdentifier, _ editingState: EditingState
  ) throws -> DefaultSnapshot?

  /// The members of a to-many relationship, in stable order.
  /// - Throws: `SwiftDataError`, or the store's error.
  func members(
    of owner: PersistentIdentifier, slot: Int, descriptor: _ModelDescriptor,
    _ editingState: EditingState
  ) throws -> [DefaultSnapshot]

  /// The members of a to-many relationship of many owners, by owner.
  /// - Throws: `SwiftDataError`, or the store's error.
  func members(
    ofAll owners: [PersistentIdentifier], slot: Int, descriptor: _ModelDescriptor,
    _ editingState: EditingState
  ) throws -> [PersistentIdentifier: [DefaultSnapshot]]

  /// The identifier of the row that a to-one cell names.
  func destination(
    of descriptor: _ModelDescriptor, slot: Int, key: Int64
  ) -> PersistentIdentifier?

  /// The transactions that match; `nil` where the store keeps no history of this type.
  /// - Parameter stores: The identifiers of all stores of the container, which tokens may name.
  /// - Throws: `SwiftDataError`, or the store's error.
  func history<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, stores: Set<String>
  ) throws -> HistoryPage<T>?

  /// Deletes the transactions that match.
  /// - Returns: Whether the store keeps history of this type.
  /// - Throws: `SwiftDataError`, or the store's error.
  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool

  /// What follows the history; `nil` where the store keeps none.
  /// - Parameter token: Where to begin; at the end where there is none.
  /// - Throws: `SwiftDataError`, or the store's error.
  func historyFollower(
    after token: (any HistoryToken)?, _ interest: HistoryInterest
  ) throws -> (any HistoryFollower)?

  // MARK: Writing

  /// Whether the store decides a save itself, in a transaction that can be abandoned: it applies delete
  /// rules and judges counts and links by its rows. For a store that speaks the public protocol the context
  /// does so, and asks it last: it has committed when its `save` returns.
  var isTransactional: Bool { get }

  /// Begins a save. A transactional store takes its write lock, which this thread holds until it commits or
  /// abandons the save.
  /// - Throws: `SwiftDataError`, or the store's error: the store can't be written, or another writer keeps the
  ///   lock.
  func openSave(for editor: EditingState) throws -> any OpenSave

  /// Begins a transaction around all that this thread reads and saves until it ends; `nil` for a store without
  /// transactions.
  /// - Parameter limit: How long to wait for another writer; `nil` for the store's own limit.
  /// - Throws: The store's error: another writer keeps the lock.
  func openTransaction(
    for editor: EditingState, within limit: Duration?
  ) throws -> (any StoreTransaction)?

  /// The entities whose rows, or whose lists of members, the deletion of an entity's rows may change;
  /// `nil` when the delete rules need the models.
  func entitiesConcerned(byDeletionOf descriptor: _ModelDescriptor) -> Set<String>?

  /// Deletes the rows of a request, by the delete rules.
  /// - Throws: `DataStoreError` where the models have to be loaded, `SwiftDataError` for a violated
  ///   rule, or the store's error; nothing is deleted then.
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}

extension StorePort {
  package var tellsReads: Bool { false }

  package func reads<T: PersistentModel>(of request: DataStoreFetchRequest<T>) -> RequestReads? {
    nil
  }

  package func places<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>, leadingTo targets: [FollowedTargets]
  ) throws -> FetchedPlaces { .identifiers([]) }

  package func snapshot<R>(_ body: () throws -> R) throws -> R { try body() }

  package func beginReading() throws {}
}

/// Models at the end of a path.
package struct FollowedTargets {
  package let path: FollowedPath
  package let identifiers: [PersistentIdentifier]
}

/// A store that answers contexts through a port of its own, in place of the public protocol.
package protocol PortProviding: DataStore {
  var port: any StorePort { get }
}

/// Slots whose values a save put outside of the rows, by the model's place in a list of the request.
package struct ExternalPlaces {
  package var inserted: [Int: SlotSet] = [:]
  package var updated: [Int: SlotSet] = [:]
}
