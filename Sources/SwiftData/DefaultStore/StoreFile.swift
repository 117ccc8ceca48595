import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// The file of an open store, made by `StoreFileOpening`. Also checks a file before it is opened, and
/// opens the connections to it.
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
    try StoreFileCheck.checkPath(configuration.url)
    if configuration.allowsSave {
      // Of a symbolic link it is the folder of the file that it leads to.
      let file = URL(fileURLWithPath: DatabaseFile.resolvedPath(configuration.url.path))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    }
    return try StoreFileCheck.check(configuration.url, allowsSave: configuration.allowsSave)
  }

  /// Refuses a file with other models before opening it changes a byte. `StoreFileOpening`
  /// checks this too, which is early enough if opening and closing leave the file unchanged.
  static func judge(
    _ finding: StoreFileCheck.Finding, models: DescribedSchema, configuration: ModelConfiguration
  ) throws {
    guard configuration.allowsSave, finding.isChangedByOpening else { return }
    let decision = StoreDecision(stored: finding.stored, models: models)
    if case .refuse(let differences) = decision {
      throw refusal(differences, of: finding.stored, at: configuration.url)
    }
    try refuseWriting(finding.stored, configuration)
  }

  /// - Parameters:
  ///   - readers: The number of connections for reading besides the writer; `nil` for that of the
  ///     configuration.
  ///   - keepsRollbackJournal: Whether a file with a rollback journal is not switched to WAL mode.
  ///   - temporaryStorage: Where the connections keep sort data.
  static func openPool(
    _ configuration: ModelConfiguration, readers: Int? = nil, keepsRollbackJournal: Bool = false,
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
      return try ConnectionPool(
        path: "", mode: .memory(name: nil), seatTimeout: configuration.sqlite.seatTimeout,
        tuning: configuration.sqlite.tuning, onWait: log?.note, configure: configure)
    }
    if configuration.allowsSave { HardLinkWarning.note(configuration.url) }
    return try ConnectionPool(
      path: configuration.url.path, mode: configuration.allowsSave ? .readWriteCreate : .readOnly,
      readers: readers ?? configuration.sqlite.readers,
      busyTimeout: configuration.sqlite.connectionTimeout,
      seatTimeout: configuration.sqlite.seatTimeout, keepsRollbackJournal: keepsRollbackJournal,
      temporaryStorage: temporaryStorage, tuning: configuration.sqlite.tuning,
      onWait: log?.note, configure: configure)
  }

  /// The error for a file that was created with other models.
  static func refusal(
    _ differences: [StoreDifference], of stored: StoredSchema?, at url: URL
  ) -> SwiftDataError {
    let versions = stored?.modelMetadata?.versionIdentifiers.filter { !$0.isEmpty } ?? []
    let version = versions.isEmpty ? "" : " (version \(versions.joined(separator: ", ")))"
    let advice =
      stored?.writingObstacle.map {
        "It has \($0), which only Apple's framework can keep up to date. So it can't be migrated here, "
          + "and can be read only with the properties of the file. Declare them as in the file, or "
          + "migrate a copy of the file with Apple's framework"
      } ?? "Open it with the models that created it"
    if stored?.modelMetadata != nil, let missing = differences.missingTables {
      return .loadIssueModelContainer.with(
        "The store at \(url.path)\(version) lacks tables of its own models: \(missing). Another program "
          + "removed or renamed them. Restore them, or a backup; the file is unchanged.",
        because: .schemaMismatch)
    }
    return .loadIssueModelContainer.with(
      "The store at \(url.path) was created with other models\(version): "
        + differences.prefix(12).map(\.description).joined(separator: "; ")
        + (differences.count > 12 ? "; and \(differences.count - 12) more" : "")
        + ". \(advice); the file is unchanged.", because: .schemaMismatch)
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
        + "date. Open it with allowsSave: false. The file is unchanged.", because: .readOnly)
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
