/// A place where models are kept, whatever it is made of: the default store uses SQLite.
///
/// A context talks to a store in requests and snapshots only. Only `fetch` and `save` have to be
/// written; the other requests have default implementations.
public protocol DataStore: AnyObject {
  /// The configuration from which stores of this kind are made.
  associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store

  /// The form in which the values of a model travel.
  associatedtype Snapshot: DataStoreSnapshot

  /// Tells this store from all others; part of every persistent identifier.
  var identifier: String { get }

  /// The entities that the store keeps.
  var schema: Schema { get }

  /// What the store was made of.
  var configuration: Self.Configuration { get }

  /// Opens the store, and migrates it when a plan is given.
  ///
  /// - Throws: What makes the container's initializer fail: an error of the store's own.
  init(_ configuration: Self.Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Removes the store with all that is in it.
  ///
  /// - Throws: The store's error; what was removed until then is gone.
  func erase() throws

  /// Returns the snapshots of the models that a request describes.
  ///
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` to be asked again
  ///   without the predicate or the order.
  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, Self.Snapshot> where T: PersistentModel

  /// Returns the number of models that a request describes.
  ///
  /// - Throws: As ``fetch(_:)``.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel

  /// Returns the identifiers of the models that a request describes.
  ///
  /// - Throws: As ``fetch(_:)``.
  func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel

  /// Saves the changes of a context, all of them or none.
  ///
  /// - Throws: The store's error; then nothing may have been stored.
  func save(
    _ request: DataStoreSaveChangesRequest<Self.Snapshot>
  ) throws -> DataStoreSaveChangesResult<Self.Snapshot>

  /// Tells that a context begins its work.
  func initializeState(for editingState: EditingState)

  /// Tells that a context has ended its work.
  func invalidateState(for editingState: EditingState)

  /// Returns snapshots that the store has at hand, from which a context restores its models.
  ///
  /// - Throws: The store's error.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Self.Snapshot]
}

/// A store that deletes models without fetching them.
public protocol DataStoreBatching: DataStore {
  /// Deletes the models that a request describes.
  ///
  /// - Throws: `DataStoreError` to have the context fetch and delete the models itself, else the
  ///   store's error.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}
