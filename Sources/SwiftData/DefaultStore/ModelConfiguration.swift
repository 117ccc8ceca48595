public import Foundation

/// The location, the models and the options of a default store.
///
/// Without a URL the store is the file `<name>.store`, or `default.store`, in a folder of the app:
/// on Linux `$XDG_DATA_HOME/<app>` or `~/.local/share/<app>`, otherwise the Application Support
/// directory. CloudKit databases and group containers are kept in the configuration, but have no
/// effect.
public struct ModelConfiguration: Identifiable, Sendable {
  /// The type of `id`.
  public typealias ID = URL

  /// The location of the store; `/dev/null` for a store in memory.
  public let url: URL

  /// The name of the configuration.
  public let name: String

  /// The requested app group; has no effect here.
  public let groupAppContainerIdentifier: String?

  /// The requested CloudKit container; has no effect here.
  public let cloudKitContainerIdentifier: String?

  /// The requested app group; has no effect here.
  public let groupContainer: ModelConfiguration.GroupContainer

  /// The requested CloudKit database; has no effect here.
  public let cloudKitDatabase: ModelConfiguration.CloudKitDatabase

  /// The entities in the store; `nil` for those of the container.
  public var schema: Schema?

  /// Whether the store may be changed. If false, the file is opened for reading only.
  public let allowsSave: Bool

  /// Whether the store is in memory, and is released with its container.
  public let isStoredInMemoryOnly: Bool

  /// Receives each statement that the store runs. Not in Apple's framework.
  public var statementLog: StatementLog?

  /// Whether opening a store of an older version migrates it. The default is `true`.
  ///
  /// If it is `false`, opening such a store throws `SwiftDataError.loadIssueModelContainer` with
  /// the required steps, and the file stays unchanged. Servers that share a store can migrate it
  /// once, in a deploy script: see
  /// ``ModelContainer/migrationPreview(for:migrationPlan:configurations:)``. A store that does not
  /// exist is created all the same. Not in Apple's framework.
  public var allowsMigration = true

  /// Whether a migration keeps a copy of the old store beside it.
  ///
  /// With `nil`, the default, a copy is kept if the migration deletes values: see
  /// ``MigrationLoss``. It needs as much space as the store. `false` never keeps a copy, `true`
  /// keeps one at every migration.
  ///
  /// When `trips.store` is migrated to version 2.0.0, the copy is `trips-before-2.0.0.store`; it
  /// includes large values beside the store. A migration that throws leaves no copy, because the
  /// store is unchanged, and a killed one leaves it to the next attempt. Not in Apple's framework.
  public var keepsMigrationBackup: Bool?

  /// Whether saves and deletions are recorded in the history. The default is `true`.
  ///
  /// ```swift
  /// var configuration = ModelConfiguration(url: url)
  /// configuration.keepsHistory = false
  /// let container = try ModelContainer(for: Trip.self, configurations: configuration)
  /// ```
  ///
  /// Set it to `false` for bulk loads: they are faster, and the file is smaller. Changes made
  /// meanwhile cannot be fetched from the history. Tokens from before, which servers or other
  /// processes may have, throw `SwiftDataError.historyTokenExpired`; a program that uses them must
  /// read all models again, as observers do. The existing history stays, and can be fetched and
  /// deleted. A transaction without changes, whose context name is "changes without history", marks
  /// the gap. Not in Apple's framework.
  public var keepsHistory = true

  /// How much history the store keeps; `nil` keeps all of it, as in Apple's framework.
  ///
  /// Applied in small steps after saves and batch deletions: see ``HistoryRetention``. With `nil`,
  /// delete old history with ``ModelContext/deleteHistory(_:)``. Not in Apple's framework.
  public var historyRetention: HistoryRetention?

  /// How the store uses SQLite: connections, memory, time limits and durability.
  ///
  /// ```swift
  /// var configuration = ModelConfiguration(url: url)
  /// configuration.sqlite.readers = 8
  /// configuration.sqlite.durability = .full
  /// ```
  ///
  /// Not in Apple's framework.
  public var sqlite = SQLiteOptions()

  /// What tests put into the store.
  package var instruments: StoreInstruments?

  /// The location of the store.
  public var id: URL { url }

  init(
    name: String?, schema: Schema?, url: URL?, isStoredInMemoryOnly: Bool, allowsSave: Bool,
    groupContainer: GroupContainer, cloudKitDatabase: CloudKitDatabase
  ) {
    self.name = name ?? url?.deletingPathExtension().lastPathComponent ?? "default"
    self.schema = schema
    // Core Data's way to ask for a store in memory.
    let isInMemory = isStoredInMemoryOnly || url?.path == "/dev/null"
    self.url =
      isInMemory
      ? URL(filePath: "/dev/null", directoryHint: .notDirectory)
      : url ?? StoreLocation.url(forName: self.name)
    self.isStoredInMemoryOnly = isInMemory
    self.allowsSave = allowsSave
    self.groupContainer = groupContainer
    self.cloudKitDatabase = cloudKitDatabase
    self.groupAppContainerIdentifier = groupContainer.groupName
    self.cloudKitContainerIdentifier = cloudKitDatabase.containerName
  }
}

extension ModelConfiguration: Hashable {
  /// Whether URL, name, `allowsSave` and schema are equal; other options are not compared.
  public static func == (lhs: ModelConfiguration, rhs: ModelConfiguration) -> Bool {
    lhs.url == rhs.url && lhs.name == rhs.name && lhs.allowsSave == rhs.allowsSave
      && lhs.schema == rhs.schema
  }

  /// Hashes the URL and the name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(name)
  }
}

extension ModelConfiguration: CustomDebugStringConvertible {
  /// The name, the location and the entities, for debugging.
  public var debugDescription: String {
    let place = isStoredInMemoryOnly ? "in memory" : url.path
    let entities = schema.map { ", entities: \($0.entities.map(\.name))" } ?? ""
    return "ModelConfiguration(\(name), \(place)\(allowsSave ? "" : ", read-only")\(entities))"
  }
}

extension ModelConfiguration: StatementLogging {
  /// The type of store that the configuration opens.
  public typealias Store = DefaultStore
}
