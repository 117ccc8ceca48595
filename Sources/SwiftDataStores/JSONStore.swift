import Dispatch
import Foundation
public import SwiftData
import Synchronization

/// A store in one readable JSON file, for documents under version control or that people edit.
///
/// Each save replaces the file as a whole, so a crash leaves the old or the new content. Saves of
/// several processes follow each other, and each keeps what the others have saved. A fetch sees the
/// newest file. The article *Document stores* describes the format, the rules and the cost.
///
/// ```swift
/// let configuration = JSONStoreConfiguration(url: folder.appending(path: "library.json"))
/// let container = try ModelContainer(for: schema, configurations: [configuration])
/// ```
public final class JSONStore: DataStore {
  /// The configuration of the store.
  public typealias Configuration = JSONStoreConfiguration

  /// The form of the values that contexts and the store exchange.
  public typealias Snapshot = DefaultSnapshot

  /// The configuration from which the store was created.
  public let configuration: JSONStoreConfiguration

  /// The entities that the store contains.
  public let schema: Schema

  /// Identifies the document; the member "store" of the file.
  public let identifier: String

  private let contents: Mutex<JSONStoreContents>
  /// Saves of this store follow each other. A save waits for other stores and processes before it
  /// enters the contents, which others read meanwhile.
  private let writing = DispatchSemaphore(value: 1)
  private let observers = ExternalChangeObservers()

  /// Opens the file, or creates one without rows.
  ///
  /// - Parameters:
  ///   - configuration: The configuration.
  ///   - migrationPlan: Not used. Rows of an older version of the models are read if all values
  ///     that they miss are optional or have a default value.
  /// - Throws: A ``DocumentStoreError`` if the file can't be read or does not fit the models.
  public init(
    _ configuration: JSONStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    try configuration.validate()
    let schema = configuration.schema ?? Schema()
    let contents = try JSONStoreContents(configuration, shape: DocumentShape(schema))
    self.configuration = configuration
    self.schema = schema
    identifier = contents.rows.storeIdentifier
    self.contents = Mutex(contents)
  }

  /// Removes all rows. The file becomes a document without rows, also if it is damaged.
  ///
  /// - Throws: A ``DocumentStoreError`` with the code `notWritten` or `locked`.
  public func erase() throws { try write { try $0.erase(under: $1) } }

  // MARK: Reading

  /// Returns the rows of a request, after reading the file again if it has changed.
  ///
  /// - Throws: A ``DocumentStoreError`` if the file is damaged or missing, or
  ///   `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` for a predicate or an order
  ///   that only a context evaluates.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    try read { try $0.fetch(request) }
  }

  /// Returns the number of rows of a request.
  ///
  /// - Throws: The same errors as ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try read { try $0.identifiers(of: request).count }
  }

  /// Returns the identifiers of the rows of a request.
  ///
  /// - Throws: The same errors as ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try read { try $0.identifiers(of: request) }
  }

  /// Returns the existing rows among some identifiers.
  ///
  /// - Throws: The same errors as ``fetch(_:)``.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try read { try $0.cachedSnapshots(for: persistentIdentifiers) }
  }

  private func read<R: Sendable>(
    _ body: (inout DocumentRows) throws -> R
  ) throws -> R { try use { try $0.read(body) } }

  /// Reports what reading the file again has found, after the lock is released.
  private func use<R: Sendable>(_ body: (inout JSONStoreContents) throws -> R) throws -> R {
    let (result, changes) = contents.withLock { contents in
      (Result { try body(&contents) }, contents.takeFoundChanges())
    }
    if let changes { observers.report(changes) }
    return try result.get()
  }

  // MARK: Writing

  /// Reports what reading the file again has found, after the locks are released.
  fileprivate func write<R: Sendable>(
    _ body: (inout JSONStoreContents, borrowing FolderLock) throws -> R
  ) throws -> R {
    let (result, changes) = try inTurn { lock in
      contents.withLock { contents in
        (Result { try body(&contents, lock) }, contents.takeFoundChanges())
      }
    }
    if let changes { observers.report(changes) }
    return try result.get()
  }

  /// Waits for earlier saves of this store, then for those of other stores and processes, together
  /// not longer than the configuration allows.
  private func inTurn<R>(_ body: (borrowing FolderLock) throws -> R) throws -> R {
    let end = ContinuousClock.now + configuration.lockTimeout
    // At most 24 days, so that the time does not overflow.
    let limit = min(max(configuration.lockTimeout, .zero), .milliseconds(Int32.max))
    guard
      writing.wait(timeout: .now() + .milliseconds(Int(limit / .milliseconds(1)))) == .success
    else {
      throw DocumentStoreError(
        .locked,
        "Earlier saves of this store have not ended within \(configuration.lockTimeout). Nothing was "
          + "saved; save again when they are done.", url: configuration.url)
    }
    defer { writing.signal() }
    return try body(configuration.lock(until: end))
  }

  /// Saves the changes of a context: all of them or none.
  ///
  /// The changed properties of a row are stored; what other processes have stored in other
  /// properties stays. If they have deleted a row, the context drops its edits of this row.
  ///
  /// - Throws: `DeletedRows` if rows do not exist any more, or a ``DocumentStoreError``.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try write { contents, lock in
      try contents.save(under: lock) { rows in
        try SavePlan(request, of: rows) { _ in RowKey.random() }
      }
    }
  }
}

extension JSONStore: LinkClearing, MemberCounting {
  package func rows(
    of entity: String, leadingTo targets: Set<PersistentIdentifier>, through properties: Set<String>
  ) throws -> [DefaultSnapshot] {
    try read { try $0.snapshots(of: entity, leadingTo: targets, through: properties) }
  }
}

extension JSONStore: DataStoreBatching {
  /// Deletes the rows of a request, by the delete rules.
  ///
  /// - Throws: `DataStoreError.preferInMemoryFilter` for a predicate that only a
  ///   context evaluates, or a ``DocumentStoreError``.
  public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    _ = try write { contents, lock in
      try contents.save(under: lock) { rows in
        try SavePlan(deleting: rows.identifiers(of: request), of: rows)
      }
    }
  }
}

extension JSONStore: ExternallyChangingStore {
  /// Reports changes of the file by other processes and programs, as long as the object exists.
  ///
  /// Rows that delete rules have deleted in addition to those of a save are reported too.
  ///
  /// The file is looked at 50 milliseconds after a change, and then less and less often, down to
  /// every half second.
  ///
  /// - Parameter report: Called on a queue of the store, or on the thread of a fetch or save that
  ///   finds the changes first. If the file can't be read, it is called once, and again when it can be read;
  ///   `mayConcernOthers` is true then: the next fetch throws the error, or does not any more.
  public func observeExternalChanges(
    _ report: @escaping @Sendable (DataStoreExternalChanges) -> Void
  ) -> any AnyObject & Sendable {
    observers.add(report) { [weak self] in self?.look() ?? false }
  }

  /// The changes of the file by other processes and programs, from now on.
  ///
  /// ```swift
  /// for await changes in store.externalChanges {
  ///   print("\(changes.inserted.count) new rows, \(changes.deleted.count) deleted")
  /// }
  /// ```
  public var externalChanges: AsyncStream<DataStoreExternalChanges> {
    AsyncStream { continuation in
      let observation = observeExternalChanges { continuation.yield($0) }
      continuation.onTermination = { _ in withExtendedLifetime(observation) {} }
    }
  }

  /// - Returns: Whether the file has changed.
  private func look() -> Bool {
    var (changes, isReadable) = contents.withLock { contents in
      let isReadable = (try? contents.refresh()) != nil
      return (contents.takeFoundChanges(), isReadable)
    }
    if observers.hasFailed == isReadable {
      observers.hasFailed = !isReadable
      // Those that show results, or the error, fetch again, even if the file is what it was before.
      changes = changes ?? DataStoreExternalChanges()
      changes?.mayConcernOthers = true
    }
    if let changes { observers.report(changes) }
    return changes != nil
  }
}

// Safe: the contents and the observers are guarded by locks, everything else is constant.
extension JSONStore: @unchecked Sendable {}
