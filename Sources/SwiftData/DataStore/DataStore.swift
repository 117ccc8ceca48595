/// A store of models. The default store uses SQLite; other stores may use anything else.
///
/// A context communicates with a store through requests and snapshots only. Of the requests, only
/// `fetch` and `save` must be implemented; the others have default implementations.
public protocol DataStore: AnyObject {
  /// The configuration from which stores of this kind are made.
  associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store

  /// The form in which a model's values are passed between the context and the store.
  associatedtype Snapshot: DataStoreSnapshot

  /// Identifies the store among all stores; part of the persistent identifier of each of its
  /// models.
  var identifier: String { get }

  /// The entities that the store contains.
  var schema: Schema { get }

  /// The configuration from which the store was created.
  var configuration: Self.Configuration { get }

  /// Opens the store, and migrates it if there is a plan.
  ///
  /// - Throws: The store's own error, which makes the container's initializer fail.
  init(_ configuration: Self.Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Deletes the store with all its contents.
  ///
  /// - Throws: The store's error. What was deleted before the error remains deleted.
  func erase() throws

  /// Returns the snapshots of the models that match a request.
  ///
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort`: the context then
  ///   repeats the request without the predicate or the order.
  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, Self.Snapshot> where T: PersistentModel

  /// Returns the number of models that match a request.
  ///
  /// - Throws: The same errors as ``fetch(_:)``.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel

  /// Returns the identifiers of the models that match a request.
  ///
  /// - Throws: The same errors as ``fetch(_:)``.
  func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel

  /// Saves the changes of a context: all of them or none.
  ///
  /// - Throws: The store's error. The store must not have stored anything in that case.
  func save(
    _ request: DataStoreSaveChangesRequest<Self.Snapshot>
  ) throws -> DataStoreSaveChangesResult<Self.Snapshot>

  /// Called when a context starts to use the store.
  func initializeState(for editingState: EditingState)

  /// Called when a context stops using the store.
  func invalidateState(for editingState: EditingState)

  /// Returns the snapshots that the store has at hand; the context fetches the missing ones.
  ///
  /// - Throws: The store's error.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Self.Snapshot]
}

/// A store that deletes models without fetching them.
public protocol DataStoreBatching: DataStore {
  /// Deletes the models that match a request.
  ///
  /// The store applies the delete rules of relationships to its rows. If it does not know them, it
  /// throws `DataStoreError.unsupportedFeature` for entities with relationships. The context
  /// then fetches the models and deletes them by the rules. It also does so without asking the
  /// store if there are unsaved changes of models that the deletion concerns.
  ///
  /// - Throws: A `DataStoreError` makes the context fetch and delete the models itself. Other
  ///   errors make the deletion fail. The store must not have deleted anything in both cases.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}
