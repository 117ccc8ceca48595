import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// The file of a store. The store's initialiser calls `open`; `StoredSchema` reads the file,
/// `StoreDecision` decides what to do with it.
struct StoreFile: Sendable {
  let identifier: String
  /// The R-trees of spatial indexes in the file.
  let trees: Set<String>
  /// The tables of the history, if the file has them.
  let history: HistoryTables?
  /// The names of entities that occur only in the history, by number.
  var removedEntities: [Int: String] = [:]
  /// The files of large values; `nil` for a store in memory.
  let external: ExternalFiles?

  /// Checks the file before it is opened, and creates its folder.
  /// - Returns: The schema of the file; `nil` if it does not exist.
  static func check(_ configuration: ModelConfiguration) throws -> StoreFileCheck.Finding? {
    if configuration.isStoredInMemoryOnly { return nil }
    if configuration.allowsSave {
      try FileManager.default.createDirectory(
        at: configuration.url.deletingLastPathComponent(), withIntermediateDirectories: true)
    }
    return try StoreFileCheck.check(configuration.url, allowsSave: configuration.allowsSave)
  }

  /// Refuses a file with other models before opening it changes a byte. `open` checks this too,
  /// which is early enough if opening and closing leave the file unchanged.
  static func judge(
    _ finding: StoreFileCheck.Finding, schema: Schema, configuration: ModelConfiguration
  ) throws {
    guard configuration.allowsSave, finding.isChangedByOpening else { return }
    let decision = StoreDecision(
      stored: finding.stored, schema: schema, descriptors: schema.descriptors)
    if case .refuse(let differences) = decision {
      throw refusal(differences, of: finding.stored, at: configuration.url)
    }
    try refuseWriting(finding.stored, configuration)
  }

  /// - Parameters:
  ///   - readers: The number of connections for reading besides the writer.
  ///   - keepsRollbackJournal: Whether a file with a rollback journal is not switched to WAL mode.
  ///   - temporaryStorage: Where the connections keep sort data.
  static func openPool(
    _ configuration: ModelConfiguration, readers: Int = 3, keepsRollbackJournal: Bool = false,
    temporaryStorage: TemporaryStorage = .memory
  ) throws -> ConnectionPool {
    let log = StatementLog.wanted(by: configuration)
    let configure: @Sendable (Connection) throws -> Void = { connection in
      for function in SQLFunction.all {
        try connection.register(
          function: function.name, argumentCount: function.argumentCount, deterministic: true
        ) { function.body($0.storedValues).functionResult }
      }
      for collation in SQLCollation.all {
        try connection.register(collation: collation.name, collation.compare)
      }
      log?.attach(to: connection)
    }
    if configuration.isStoredInMemoryOnly {
      return try ConnectionPool(path: "", mode: .memory(name: nil), configure: configure)
    }
    return try ConnectionPool(
      path: configuration.url.path, mode: configuration.allowsSave ? .readWriteCreate : .readOnly,
      readers: readers, keepsRollbackJournal: keepsRollbackJournal,
      temporaryStorage: temporaryStorage,
      configure: configure)
  }

  /// Opens the store in a file: reads its schema, decides what to do with it, and maps the models
  /// with the file's own entity numbers.
  /// - Parameters:
  ///   - version: The version identifier for a new file; `nil` uses that of the schema.
  ///   - external: The files of large values, if they are open already.
  /// - Returns: The file, and the mapping of the models to its tables.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the file can't be used with the models,
  ///   or `SQLiteError`.
  static func open(
    _ pool: ConnectionPool, schema: Schema, configuration: ModelConfiguration,
    version: String? = nil, external: ExternalFiles? = nil
  ) throws -> (file: StoreFile, mapping: SchemaMapping) {
    let descriptors = schema.descriptors
    func decision(_ stored: StoredSchema?) -> StoreDecision {
      StoreDecision(
        stored: stored, schema: schema, descriptors: descriptors,
        isRead: !configuration.allowsSave)
    }
    var stored = try pool.read(StoredSchema.read)
    var made: SchemaMapping?
    if stored == nil {
      guard configuration.allowsSave else {
        throw SwiftDataError.loadIssueModelContainer.with(
          "There is no store at \(configuration.url.path), and allowsSave is false. Open it with "
            + "allowsSave: true once, or check the URL.")
      }
      // Another process may create the store at the same time, so the file is read again inside.
      (stored, made) = try pool.write { connection in
        try connection.transaction {
          if let other = try StoredSchema.read(connection) { return (other, nil) }
          guard case .create(let mapping) = decision(nil) else { return (nil, nil) }
          // No other connection opens a store in memory, so it needs no description of its models.
          try StoreCreation(mapping, version: version).create(
            connection, describesModel: !configuration.isStoredInMemoryOnly)
          return (try StoredSchema.read(connection), mapping)
        }
      }
    }
    switch made.map({ .open($0, isIncomplete: false) }) ?? decision(stored) {
    case .open(let mapping, let isIncomplete):
      try refuseWriting(stored, configuration)
      if isIncomplete, configuration.allowsSave {
        stored = try pool.write { connection in
          try connection.transaction {
            guard let stored = try StoredSchema.read(connection) else { return nil }
            try StoreCompletion(mapping: mapping, version: version).run(stored, connection)
            return try StoredSchema.read(connection)
          }
        }
      }
      if let found = stored, configuration.allowsSave, HistoryTables.areMissing(in: found.columns) {
        stored = try addHistory(to: mapping, pool)
      }
      let external =
        external
        ?? (configuration.isStoredInMemoryOnly ? nil : ExternalFiles(of: configuration.url))
      if configuration.allowsSave { try external?.open(pool, mapping: mapping) }
      let trees = try StoreIndexes.open(pool, mapping: mapping)
      if let stored, !configuration.isStoredInMemoryOnly {
        try StoreSchemaMonitor(stored, mapping).begin(pool)
      }
      let file = StoreFile(
        identifier: stored?.identifier ?? "", trees: trees,
        history: stored.flatMap { HistoryTables(in: $0.columns) },
        removedEntities: stored?.modelMetadata?.removedEntities ?? [:], external: external)
      return (file, mapping)
    case .create:
      throw SwiftDataError.loadIssueModelContainer.with(
        "The file at \(configuration.url.path) is still empty after its tables were made. Check "
          + "whether another program replaces it.")
    case .refuse(let differences):
      throw refusal(differences, of: stored, at: configuration.url)
    }
  }

  /// Adds the history tables. Core Data creates them only if an app asks for it, but every save of
  /// this library records its changes in them.
  private static func addHistory(
    to mapping: SchemaMapping, _ pool: ConnectionPool
  ) throws -> StoredSchema? {
    try pool.write { connection in
      try connection.transaction {
        guard let stored = try StoredSchema.read(connection) else { return nil }
        // Another process may have created them meanwhile.
        guard HistoryTables.areMissing(in: stored.columns) else { return stored }
        try StoreCreation(mapping).createHistory(connection)
        return try StoredSchema.read(connection)
      }
    }
  }

  private static func refusal(
    _ differences: [StoreDifference], of stored: StoredSchema?, at url: URL
  ) -> SwiftDataError {
    let versions = stored?.modelMetadata?.versionIdentifiers.filter { !$0.isEmpty } ?? []
    let version = versions.isEmpty ? "" : " (version \(versions.joined(separator: ", ")))"
    let advice =
      stored?.writingObstacle.map {
        "It has \($0), which only Apple's framework can keep up to date, so it can't be migrated here, "
          + "and can be read only with these properties as they are in the file: declare them so, or "
          + "migrate a copy of the file with Apple's framework"
      } ?? "Open it with the models it was made with"
    return .loadIssueModelContainer.with(
      "The store at \(url.path) was made with other models\(version): "
        + differences.prefix(12).map(\.description).joined(separator: "; ")
        + (differences.count > 12 ? "; and \(differences.count - 12) more" : "")
        + ". \(advice); the file was left as it is.")
  }

  /// Refuses to write files that only Apple's framework can keep consistent. Triggers of derived
  /// attributes call its functions, so every insert would fail. Ordered relationships store the
  /// positions of members in columns that no property here has.
  static func refuseWriting(
    _ stored: StoredSchema?, _ configuration: ModelConfiguration
  ) throws {
    guard configuration.allowsSave, let reason = stored?.writingObstacle else { return }
    throw SwiftDataError.loadIssueModelContainer.with(
      "The store at \(configuration.url.path) has \(reason), which only Apple's framework can keep up to "
        + "date. Open it with allowsSave: false. The file was left as it is.")
  }
}

extension StoredSchema {
  /// Why only Apple's framework can write the file, as the object of a sentence; usually `nil`.
  var writingObstacle: String? {
    if let trigger = objects.filter({ $0.hasPrefix("Z_DA_") }).min() {
      return "derived attributes (the first trigger is \(trigger))"
    }
    let places = columns.values.flatMap(\.keys).filter { $0.hasPrefix("Z_FOK_") }
    return places.min().map { "ordered relationships (the first column is \($0))" }
  }
}

extension FunctionArguments {
  var storedValues: [_StoredValue] {
    (0..<count).map { index in
      switch storageClass(index) {
      case .null: .null
      case .integer: .integer(int64(index))
      case .real: .real(double(index))
      case .text: .text(string(index))
      case .blob: .blob(data(index))
      }
    }
  }
}

extension _StoredValue {
  var functionResult: FunctionResult {
    switch self {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let value): .text(value)
    case .blob(let value): .blob(value)
    }
  }
}
