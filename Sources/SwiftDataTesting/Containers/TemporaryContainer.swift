public import Foundation
public import SwiftData
import Synchronization

/// A container for one test, with a store of its own in memory or in a file.
///
/// ```swift
/// let temporary = try TemporaryContainer(
///   for: Trip.self, Stop.self,
///   seed: """
///     {
///       "Trip": [{"id": "lisbon", "name": "Lisbon", "stops": ["belem"]}],
///       "Stop": [{"id": "belem", "place": "Belém"}]
///     }
///     """)
/// let context = temporary.makeContext()
/// ```
///
/// Tests may run in parallel, each with its own temporary container. The statements of its store are
/// recorded for expectations such as `expectStatements`, and failures can be injected.
///
/// A file is in a folder of its own. The folder is removed when the temporary container and all
/// containers and contexts over its files have been released, at the latest when the process ends,
/// also after a test that throws. Set ``keepsFiles`` to look at it.
public final class TemporaryContainer: Sendable {
  /// Where the store is.
  public enum Storage: Hashable, Sendable {
    /// In memory, with one connection: readers wait for writers.
    case memory
    /// In a file, with several connections, as in an app.
    case file
  }

  struct State {
    var container: ModelContainer
    var url: URL?
    var schema: Schema
    var plan: (any SchemaMigrationPlan.Type)?
    var seeded = SeededModels()
  }

  let state: Mutex<State>
  let folder: TemporaryFolder?
  let options: Options

  /// What all containers over the files have in common.
  struct Options: Sendable {
    let clock: HistoryClock?
    let configure: @Sendable (inout ModelConfiguration) -> Void
  }

  /// Creates a store for some model classes.
  /// - Parameters:
  ///   - types: The model classes, as for `ModelContainer`.
  ///   - storage: Where the store is.
  ///   - seed: The models that are stored first.
  ///   - clock: The time that the history records; `nil` for that of the system.
  ///   - configure: Changes the options of each configuration, such as `historyRetention`.
  /// - Throws: `SwiftDataError` for faulty models, `SeedError` for a faulty seed.
  public convenience init(
    for types: any PersistentModel.Type..., storage: Storage = .memory, seed: Seed = Seed(),
    clock: HistoryClock? = nil,
    configure: @escaping @Sendable (inout ModelConfiguration) -> Void = { _ in }
  ) throws {
    try self.init(
      for: Schema(types), storage: storage, seed: seed, clock: clock, configure: configure)
  }

  /// Creates a store for a version of the models.
  /// - Parameters:
  ///   - version: The version.
  ///   - migrationPlan: How stores of older versions are migrated.
  ///   - storage: Where the store is.
  ///   - seed: The models that are stored first.
  ///   - clock: The time that the history records; `nil` for that of the system.
  ///   - configure: Changes the options of each configuration.
  /// - Throws: `SwiftDataError` for faulty models, `SeedError` for a faulty seed.
  public convenience init(
    versionedSchema version: any VersionedSchema.Type,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil, storage: Storage = .memory,
    seed: Seed = Seed(), clock: HistoryClock? = nil,
    configure: @escaping @Sendable (inout ModelConfiguration) -> Void = { _ in }
  ) throws {
    try self.init(
      for: Schema(versionedSchema: version), migrationPlan: migrationPlan, storage: storage,
      seed: seed, clock: clock, configure: configure)
  }

  /// Creates a store for a schema.
  /// - Parameters:
  ///   - schema: The models.
  ///   - migrationPlan: How stores of older versions are migrated.
  ///   - storage: Where the store is.
  ///   - seed: The models that are stored first.
  ///   - clock: The time that the history records; `nil` for that of the system.
  ///   - configure: Changes the options of each configuration.
  /// - Throws: `SwiftDataError` for faulty models, `SeedError` for a faulty seed.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    storage: Storage = .memory, seed: Seed = Seed(), clock: HistoryClock? = nil,
    configure: @escaping @Sendable (inout ModelConfiguration) -> Void = { _ in }
  ) throws {
    let folder = storage == .file ? try TemporaryFolder() : nil
    try self.init(
      schema, migrationPlan, at: folder?.newURL(named: "test.store"), in: folder,
      Options(clock: clock, configure: configure))
    try insert(seed)
  }

  /// Opens a copy of a store file, for example one that a released version of an app has written.
  ///
  /// The file itself is only read and stays as it is. Its log and its folder of large values are
  /// copied too.
  /// - Parameters:
  ///   - file: A store file that no other process is writing.
  ///   - schema: The models.
  ///   - migrationPlan: How stores of older versions are migrated.
  ///   - clock: The time that the history records; `nil` for that of the system.
  ///   - configure: Changes the options of each configuration.
  /// - Throws: `SwiftDataError` if the copy can't be opened or migrated, or an error of Foundation if
  ///   the file can't be copied.
  public convenience init(
    copying file: URL, for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    clock: HistoryClock? = nil,
    configure: @escaping @Sendable (inout ModelConfiguration) -> Void = { _ in }
  ) throws {
    let folder = try TemporaryFolder()
    let copy = folder.newURL(named: file.lastPathComponent)
    try StoreFiles(of: file).copy(to: copy, keepingOpenIn: folder)
    try self.init(
      schema, migrationPlan, at: copy, in: folder, Options(clock: clock, configure: configure))
  }

  private init(
    _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, at url: URL?,
    in folder: TemporaryFolder?, _ options: Options
  ) throws {
    self.folder = folder
    self.options = options
    let container = try TemporaryContainer.open(schema, plan, at: url, in: folder, options)
    state = Mutex(State(container: container, url: url, schema: schema, plan: plan))
  }

  static func open(
    _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, at url: URL?,
    in folder: TemporaryFolder?, _ options: Options,
    onStatement: (@Sendable () -> Void)? = nil
  ) throws -> ModelContainer {
    var configuration =
      url.map { ModelConfiguration(url: $0) } ?? ModelConfiguration(isStoredInMemoryOnly: true)
    options.configure(&configuration)
    if let clock = options.clock { configuration = clock.stamping(configuration) }
    if let onStatement {
      configuration.statementLog = StatementLog(passingTo: configuration.statementLog) {
        if case .statement = $0 { onStatement() }
      }
    }
    configuration = StatementRecorder().recording(configuration)
    configuration.instruments?.folder = folder
    return try ModelContainer(for: schema, migrationPlan: plan, configurations: configuration)
  }

  // MARK: Use

  /// The container over the store; after ``reopen()`` the new one.
  public var container: ModelContainer { state.withLock { $0.container } }

  /// The store file; `nil` for a store in memory.
  public var url: URL? { state.withLock { $0.url } }

  /// Whether the folder of the file stays when it is no longer used. The default is `false`.
  public var keepsFiles: Bool {
    get { folder?.isKept ?? false }
    set { folder?.isKept = newValue }
  }

  /// A new context, which has no models in memory and so shows what is stored.
  public func makeContext() -> ModelContext { ModelContext(container) }
}

extension TemporaryContainer: TestedContainer {
  /// The container over the store.
  public var testedContainer: ModelContainer { container }
}
