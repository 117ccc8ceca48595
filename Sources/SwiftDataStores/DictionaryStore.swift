public import SwiftData

/// A store in memory, without SQL: for tests and small tools.
///
/// Unique attributes, delete rules and relationships behave as in the default store. Without an
/// order, rows of a class are fetched in the order of their insertion; a class and its subclasses
/// follow each other by name. A save and a look-up cost the rows that they concern.
///
/// ```swift
/// let configuration = DictionaryStoreConfiguration()
/// let container = try ModelContainer(for: schema, configurations: [configuration])
/// ```
public final class DictionaryStore: DataStore {
  /// The configuration of the store.
  public typealias Configuration = DictionaryStoreConfiguration

  /// The form of the values that contexts and the store exchange.
  public typealias Snapshot = DefaultSnapshot

  /// The configuration from which the store was created.
  public let configuration: DictionaryStoreConfiguration

  /// The entities that the store contains.
  public let schema: Schema

  private let contents: DictionaryStoreContents

  /// Identifies the contents, so it is the same for all stores that share them.
  public var identifier: String { contents.identifier }

  /// Creates a store, with new contents if the configuration has none.
  ///
  /// - Parameters:
  ///   - configuration: The configuration.
  ///   - migrationPlan: Not used: a store in memory is as old as its program.
  /// - Throws: A ``DocumentStoreError`` if the contents have rows that do not fit the schema, or
  ///   entities that it lacks.
  public init(
    _ configuration: DictionaryStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    contents = configuration.contents ?? DictionaryStoreContents()
    try contents.open(schema)
  }

  /// Removes all rows.
  ///
  /// - Throws: Nothing.
  public func erase() throws { contents.removeAll() }

  /// Returns the rows of a request. Predicates and orders are evaluated over all rows.
  ///
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` for a predicate or an
  ///   order that only a context evaluates.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    try contents.read { try $0.fetch(request) }
  }

  /// Returns the number of rows of a request.
  ///
  /// - Throws: The same errors as ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try contents.read { try $0.identifiers(of: request).count }
  }

  /// Returns the identifiers of the rows of a request.
  ///
  /// - Throws: The same errors as ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try contents.read { try $0.identifiers(of: request) }
  }

  /// Saves the changes of a context: all of them or none.
  ///
  /// - Throws: `DeletedRows` if rows do not exist any more, or a ``DocumentStoreError``.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try contents.save { rows, makeKey in
      try SavePlan(request, of: rows, makeKey: makeKey)
    }
  }

  /// Returns the existing rows among some identifiers.
  ///
  /// - Throws: A `DecodingError` if a value cannot be decoded any more.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try contents.read { try $0.cachedSnapshots(for: persistentIdentifiers) }
  }
}

extension DictionaryStore: LinkClearing, MemberCounting {
  package func rows(
    of entity: String, leadingTo targets: Set<PersistentIdentifier>, through properties: Set<String>
  ) throws -> [DefaultSnapshot] {
    try contents.read { try $0.snapshots(of: entity, leadingTo: targets, through: properties) }
  }
}

extension DictionaryStore: DataStoreBatching {
  /// Deletes the rows of a request, by the delete rules.
  ///
  /// - Throws: `DataStoreError.preferInMemoryFilter` for a predicate that only a
  ///   context evaluates, or a ``DocumentStoreError`` if
  ///   a rule forbids the deletion.
  public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    _ = try contents.save { rows, _ in
      try SavePlan(deleting: rows.identifiers(of: request), of: rows)
    }
  }
}

// Safe: its properties are constant, and the contents guard themselves.
extension DictionaryStore: @unchecked Sendable {}
