public import Foundation

/// Where a default store is kept, which models are in it, and how it is opened.
///
/// Without a URL the store is the file `<name>.store`, or `default.store`, in a folder of the app:
/// on Linux `$XDG_DATA_HOME/<app>` or `~/.local/share/<app>`, else the Application Support
/// directory. CloudKit databases and group containers are noted but not used.
public struct ModelConfiguration: Identifiable, Sendable {
  /// The type of `id`.
  public typealias ID = URL

  /// The location of the store; `/dev/null` for a store in memory.
  public let url: URL

  /// The name of the configuration.
  public let name: String

  /// The app group that was asked for.
  public let groupAppContainerIdentifier: String?

  /// The CloudKit container that was asked for.
  public let cloudKitContainerIdentifier: String?

  /// Which app group's folder was asked for.
  public let groupContainer: ModelConfiguration.GroupContainer

  /// Which CloudKit database was asked for.
  public let cloudKitDatabase: ModelConfiguration.CloudKitDatabase

  /// The entities of the store; those of the container when there are none.
  public var schema: Schema?

  /// Whether the store may be changed.
  public let allowsSave: Bool

  /// Whether the store lives in memory and ends with its container.
  public let isStoredInMemoryOnly: Bool

  /// Receives each statement that the store runs. Not in Apple's framework.
  public var statementLog: StatementLog?

  /// Whether a store of an older version is migrated when it is opened; `true` unless it is set.
  ///
  /// Where it is false, opening such a store throws `SwiftDataError.loadIssueModelContainer` with the
  /// steps that are needed, and the file stays as it is. Servers that share a store migrate it once, in a
  /// deploy script: see ``ModelContainer/migrationPreview(for:migrationPlan:configurations:)``.
  /// Not in Apple's framework.
  public var allowsMigration = true

  /// Whether a copy of the store as it was is kept beside it when it is migrated.
  ///
  /// Unless it is set, a copy is kept where the migration deletes values: see ``MigrationLoss``. It needs
  /// as much space as the store; `false` saves that, `true` keeps a copy before every migration.
  ///
  /// The copy of `trips.store` is named `trips-before-2.0.0.store` when the store is led to version
  /// 2.0.0; large values beside the store are part of it. A migration that fails leaves no copy, since the
  /// store is as it was. Not in Apple's framework.
  public var keepsMigrationBackup: Bool?

  /// Whether the history tells what saves and deletions change; `true` unless it is set.
  ///
  /// ```swift
  /// var configuration = ModelConfiguration(url: url)
  /// configuration.keepsHistory = false
  /// let container = try ModelContainer(for: Trip.self, configurations: configuration)
  /// ```
  ///
  /// For bulk loads, which are faster and leave a smaller file without it. What is lost: nobody can ask what
  /// was changed meanwhile. Tokens from before, which servers or other processes may have, throw
  /// `SwiftDataError.historyTokenExpired`, so whoever goes by them has to read all models again, as
  /// observers do. The history that is there stays, and can be fetched and deleted; a transaction without
  /// changes, whose context name is "changes without history", shows where some are missing.
  /// Not in Apple's framework.
  public var keepsHistory = true

  /// How much history the store keeps; all of it when `nil`, as in Apple's framework.
  ///
  /// Applied in small steps after saves and batch deletions: see ``HistoryRetention``. Without it,
  /// ``ModelContext/deleteHistory(_:)`` deletes history that is not needed any more.
  /// Not in Apple's framework.
  public var historyRetention: HistoryRetention?

  /// The location of the store.
  public var id: URL { url }

  init(
    name: String?, schema: Schema?, url: URL?, isStoredInMemoryOnly: Bool, allowsSave: Bool,
    groupContainer: GroupContainer, cloudKitDatabase: CloudKitDatabase
  ) {
    self.name = name ?? url?.deletingPathExtension().lastPathComponent ?? "default"
    self.schema = schema
    self.url =
      isStoredInMemoryOnly
      ? URL(filePath: "/dev/null", directoryHint: .notDirectory)
      : url ?? StoreLocation.url(forName: self.name)
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
    self.allowsSave = allowsSave
    self.groupContainer = groupContainer
    self.cloudKitDatabase = cloudKitDatabase
    self.groupAppContainerIdentifier = groupContainer.groupName
    self.cloudKitContainerIdentifier = cloudKitDatabase.containerName
  }
}

extension ModelConfiguration: Hashable {
  /// Whether both describe the same store, opened in the same way.
  public static func == (lhs: ModelConfiguration, rhs: ModelConfiguration) -> Bool {
    lhs.url == rhs.url && lhs.name == rhs.name && lhs.allowsSave == rhs.allowsSave
      && lhs.schema == rhs.schema
  }

  /// Hashes the name and the location.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(name)
  }
}

extension ModelConfiguration: CustomDebugStringConvertible {
  /// The name, the location and the entities.
  public var debugDescription: String {
    let place = isStoredInMemoryOnly ? "in memory" : url.path
    let entities = schema.map { ", entities: \($0.entities.map(\.name))" } ?? ""
    return "ModelConfiguration(\(name), \(place)\(allowsSave ? "" : ", read-only")\(entities))"
  }
}
