/// The interface of a store for contexts: the only connection between objects and rows.
///
/// When the container opens, its coordinator chooses a port for each store: the relational port of
/// the default store, or `SnapshotPort`, which uses the public `DataStore` protocol, for all other
/// stores. A context does not know which one it uses.
///
/// Thread-safe: the contexts of a container share it.
package protocol StorePort: AnyObject, Sendable {
  /// The identifier of the store, which is part of its models' identifiers.
  var identifier: String { get }

  /// The name of the store, for error messages.
  var name: String { get }

  /// Receives the statements and the repeated saves of the store; `nil` for a store without.
  var log: StatementLog? { get }

  /// How many threads can read at the same time while another one writes; `nil` if that is not known.
  var readerCount: Int? { get }

  /// How many transactions should write at the same time; 1 if they exclude each other.
  var writerCount: Int { get }

  /// Called when a context begins to use the store.
  func begin(_ editingState: EditingState)

  /// Called when a context no longer uses the store.
  func end(_ editingState: EditingState)

  // MARK: Reading

  /// Fetches the rows of a request, and says what must still be done in memory. If that is a part of the
  /// predicate, and the request has a limit, only the first rows may be read (`FetchedModels.isPart`).
  /// - Throws: `SwiftDataError`, or the store's error.
  func rows<T: PersistentModel>(of request: DataStoreFetchRequest<T>) throws -> FetchedModels

  /// Fetches the rows of a request, which will be followed along some relationships. The store may read the
  /// related rows too (`FetchedModels.ahead`).
  /// - Throws: `SwiftDataError`, or the store's error.
  func rows<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>, leadingTo slots: [Int]
  ) throws -> FetchedModels

  /// Counts the rows of a request; `nil` if that must be done in memory.
  /// - Throws: `SwiftDataError`, or the store's error.
  func count<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int?

  /// Fetches the identities of a request's rows; `nil` if the rows themselves are needed for that.
  /// - Throws: `SwiftDataError`, or the store's error.
  func identifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> FoundIdentifiers?

  /// Fetches the identities of the rows on which the part that `rows(of:)` leaves to memory must be evaluated,
  /// in the order of the request, without its limit. Called after it has returned only the first rows.
  /// - Throws: `SwiftDataError`, or the store's error.
  func candidates<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>
  ) throws -> FetchedIdentifiers

  /// Fetches the rows with some identities, in their order; missing rows are left out.
  /// - Parameters:
  ///   - range: The range of identities to use.
  ///   - descriptor: The entity of the rows, or a superentity.
  ///   - slots: The properties to read; `nil` for whole rows.
  /// - Throws: `SwiftDataError`, or the store's error.
  func rows(
    at identifiers: FetchedIdentifiers, in range: Range<Int>, of descriptor: _ModelDescriptor,
    slots: Set<Int>?, _ editingState: EditingState
  ) throws -> FetchedRows

  /// Whether the store supports `reads(of:)` and `identifiers(of:leadingTo:)`.
  var reportsReads: Bool { get }

  /// What a request reads of other models than the fetched ones; `nil` if that is not known.
  func reads<T: PersistentModel>(of request: DataStoreFetchRequest<T>) -> RequestReads?

  /// The rows of the request from which stored relationships lead to the given models. Called with
  /// paths that `reads(of:)` has returned.
  /// - Throws: `SwiftDataError`, or the store's error.
  func identifiers<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>, leadingTo targets: [RelationshipPathTargets]
  ) throws -> FetchedIdentifiers

  /// Runs several reads that see one state of the store, if the store supports that.
  /// - Parameters:
  ///   - reader: The context that reads.
  ///   - use: What is read.
  ///   - canRepeat: Whether `body` may run again if the store loses its connection: always for reads of a
  ///     fetch, not after code of the app has begun.
  /// - Throws: Any error of `body`, or the store's error.
  func snapshot<R>(
    for reader: EditingState, _ use: SnapshotUse, canRepeat: () -> Bool, _ body: () throws -> R
  ) throws -> R

  /// Fixes the state that a snapshot sees to the current one. Must be called inside `snapshot`.
  /// - Throws: The store's error.
  func beginReading(for reader: EditingState) throws

  /// The state that the last read in `snapshot` has seen; `nil` if the store does not tell. Runs no statement.
  /// - Throws: The store's error.
  func state(for reader: EditingState) throws -> StoreState?

  /// Fetches the row of one model; `nil` if there is none.
  /// - Throws: `SwiftDataError`, or the store's error.
  func snapshot(
    for identifier: PersistentIdentifier, _ editingState: EditingState
  ) throws -> DefaultSnapshot?

  /// Fetches the members of a to-many relationship, in stable order.
  /// - Throws: `SwiftDataError`, or the store's error.
  func members(
    of owner: PersistentIdentifier, slot: Int, descriptor: _ModelDescriptor,
    _ editingState: EditingState
  ) throws -> FetchedRows

  /// Fetches the members of a to-many relationship for several owners, each owner's in stable order.
  /// - Throws: `SwiftDataError`, or the store's error.
  func members(
    ofAll owners: [PersistentIdentifier], slot: Int, descriptor: _ModelDescriptor,
    _ editingState: EditingState
  ) throws -> FetchedMembers

  /// Whether `related` asks the store only once.
  var readsRelatedModelsTogether: Bool { get }

  /// Fetches related models along several relationships, in the order of the requests. Partners have no
  /// ranges.
  /// - Throws: `SwiftDataError`, or the store's error.
  func related(
    _ requests: [RelatedModels], _ editingState: EditingState
  ) throws -> [FetchedMembers]

  /// The identifier of the row that a to-one cell refers to.
  func destination(
    of descriptor: _ModelDescriptor, slot: Int, key: Int64
  ) -> PersistentIdentifier?

  /// Fetches history transactions; `nil` if the store has no history of this type.
  /// - Parameters:
  ///   - stores: The identifiers of all stores in the container, which tokens may contain.
  ///   - reader: The context that reads.
  /// - Throws: `SwiftDataError`, or the store's error.
  func history<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, stores: Set<String>, for reader: EditingState
  ) throws -> HistoryPage<T>?

  /// How much history the store has; `nil` if it has none.
  /// - Throws: `SwiftDataError`, or the store's error.
  func historySize() throws -> HistorySize?

  /// Deletes the matching history transactions.
  /// - Parameter editor: The context that deletes.
  /// - Returns: Whether the store has a history of this type.
  /// - Throws: `SwiftDataError`, or the store's error.
  func deleteHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, for editor: EditingState?
  ) throws -> Bool

  /// Follows the history; `nil` if the store has none.
  /// - Parameter token: The start position; `nil` for the end of the history.
  /// - Throws: `SwiftDataError`, or the store's error.
  func historyFollower(
    after token: (any HistoryToken)?, _ interest: HistoryFilter
  ) throws -> (any HistoryFollower)?

  /// Whether a save counts the stored members of changed relationships that have a limit. Otherwise the context
  /// counts those in memory.
  var countsMembers: Bool { get }

  /// Whether a context has to empty the relationships without an inverse that lead to deleted models.
  var leavesLinksToContext: Bool { get }

  /// Fetches the rows of a class and its subclasses in which relationships without an inverse lead to some models.
  /// Not for stores that report reads.
  /// - Throws: `SwiftDataError`, or the store's error.
  func rows(
    of owner: _ModelDescriptor, leadingTo targets: Set<PersistentIdentifier>, through slots: [Int],
    _ editingState: EditingState
  ) throws -> [DefaultSnapshot]

  // MARK: Writing

  /// Whether the store was opened for reading only, which is known before a write.
  /// - Throws: `SwiftDataError` if it was.
  func requireWritable() throws

  /// Whether the store saves in a transaction that can be abandoned, and itself applies delete
  /// rules and checks constraints on its rows. For a store with the public protocol, the context
  /// does this, and saves to it last, because it has committed when its `save` returns.
  var isTransactional: Bool { get }

  /// Whether several saves are written at the same time, and isolated from each other.
  var writesConcurrently: Bool { get }

  /// Opens a save. A transactional store takes its write lock, and this thread holds it until it
  /// commits or abandons the save.
  /// - Parameter access: Whether other saves may be written at the same time. If they may, each step of
  ///   the save may throw an error after which it must be repeated (`SaveRepetition`).
  /// - Throws: `SwiftDataError`, or the store's error if it can't be written or another writer
  ///   holds the lock too long.
  func openSave(for editor: EditingState, _ access: WriteAccess) throws -> any OpenSave

  /// Opens a transaction around all reads and saves of this thread until it ends; `nil` for a store
  /// without transactions.
  /// - Parameters:
  ///   - access: Whether other transactions may write at the same time. If they may, each step may throw
  ///     an error after which all of it must be repeated.
  ///   - limit: How long to wait for another writer; `nil` for the store's own limit.
  /// - Throws: The store's error if another writer holds the lock too long.
  func openTransaction(
    for editor: EditingState, _ access: WriteAccess, within limit: Duration?
  ) throws -> (any StoreTransaction)?

  /// The entities whose rows or to-many relationships may change when rows of an entity are
  /// deleted; `nil` if the delete rules need the models.
  func entitiesConcerned(byDeletionOf descriptor: _ModelDescriptor) -> Set<String>?

  /// Deletes the rows of a request, and applies the delete rules.
  /// - Parameter willCommit: Called before the commit, while other writers of a transactional store wait, with
  ///   the rows if they are known and few. Called again if the deletion has to be repeated.
  /// - Throws: `DataStoreError` if the models must be loaded, `SwiftDataError` for a violated rule,
  ///   or the store's error; nothing is deleted then.
  func delete<T: PersistentModel>(
    _ request: DataStoreBatchDeleteRequest<T>, willCommit: (BatchDeletionReceipt?) -> Void
  ) throws
}

/// What a batch deletion did to rows that models in memory may show.
package struct BatchDeletionReceipt {
  package var deleted: [PersistentIdentifier] = []
  /// To-one relationships that were set to nil.
  package var nullified: [SaveConsequences.Link] = []
  /// To-many relationships that lost deleted members.
  package var changedLists: [SaveConsequences.ChangedLists] = []

  /// Up to this many rows are listed: each context visits all of them.
  package static let limit = 1000
}

extension StorePort {
  package func requireWritable() throws {}

  package var log: StatementLog? { nil }

  package var readerCount: Int? { nil }

  package var writerCount: Int { 1 }

  package var reportsReads: Bool { false }

  package var readsRelatedModelsTogether: Bool { false }

  package func rows<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>, leadingTo slots: [Int]
  ) throws -> FetchedModels { try rows(of: request) }

  package func related(
    _ requests: [RelatedModels], _ editingState: EditingState
  ) throws -> [FetchedMembers] {
    try requests.map { request in
      switch request {
      case .partners(let identifiers, let descriptor):
        let rows = try rows(
          at: .identifiers(identifiers), in: identifiers.indices, of: descriptor, slots: nil,
          editingState)
        return FetchedMembers(rows: rows, ranges: [])
      case .members(let owners, let slot, let descriptor):
        return try members(ofAll: owners, slot: slot, descriptor: descriptor, editingState)
      }
    }
  }

  package func reads<T: PersistentModel>(of request: DataStoreFetchRequest<T>) -> RequestReads? {
    nil
  }

  package func identifiers<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>, leadingTo targets: [RelationshipPathTargets]
  ) throws -> FetchedIdentifiers { .identifiers([]) }

  package func candidates<T: PersistentModel>(
    of request: DataStoreFetchRequest<T>
  ) throws -> FetchedIdentifiers { .identifiers([]) }

  package var countsMembers: Bool { true }

  package var leavesLinksToContext: Bool { false }

  package func rows(
    of owner: _ModelDescriptor, leadingTo targets: Set<PersistentIdentifier>, through slots: [Int],
    _ editingState: EditingState
  ) throws -> [DefaultSnapshot] { [] }

  package func snapshot<R>(
    for reader: EditingState, _ use: SnapshotUse, canRepeat: () -> Bool, _ body: () throws -> R
  ) throws -> R { try body() }

  package func beginReading(for reader: EditingState) throws {}

  package func state(for reader: EditingState) throws -> StoreState? { nil }

  package func historySize() throws -> HistorySize? { nil }
}

/// What is read from one state of a store.
package enum SnapshotUse {
  /// The statements of one operation. Code of the app that runs meanwhile, such as an observer, may save with
  /// another context.
  case oneOperation
  /// Operations of a context, between which code of the app runs.
  case readsOfContext
}

/// Models at the end of a path.
package struct RelationshipPathTargets {
  package let path: RelationshipPath
  package let identifiers: [PersistentIdentifier]
}

/// A store with its own port, which contexts use instead of the public protocol.
package protocol PortProviding: DataStore {
  var port: any StorePort { get }
}

/// A store with the public protocol that itself empties the relationships of its rows that lead to deleted
/// ones, and refuses a deletion if they are required. A context leaves relationships without an inverse to it.
package protocol LinkClearing: DataStore where Snapshot == DefaultSnapshot {
  /// The rows of an entity and its subentities in which some stored relationships lead to some models, found without
  /// reading all rows.
  /// - Throws: The errors of `fetch`.
  func rows(
    of entity: String, leadingTo targets: Set<PersistentIdentifier>, through properties: Set<String>
  ) throws -> [DefaultSnapshot]
}

/// A store with the public protocol that refuses a save after which a stored row has too few or too many members.
/// A context leaves the lists of stored models to it, which another writer may have changed.
package protocol MemberCounting: DataStore {}

/// The slots whose values a save stored outside the rows, by the index of the model in the request.
package struct ExternalValueSlots {
  package var inserted: [Int: SlotSet] = [:]
  package var updated: [Int: SlotSet] = [:]
}
