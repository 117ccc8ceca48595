import Foundation
import SwiftData
import SwiftDataObservability

#if PostgreSQL
  import SwiftDataPostgres
#endif

/// Opens the store: the database of `DATABASE_URL`, or an SQLite file.
struct Stores {
  let file: URL
  let monitor: StoreMonitor?

  /// Observers and clients that ask for changes need days of history, not years.
  private static let retention = HistoryRetention(maximumAge: 7 * 24 * 3600)

  private var address: String? { ProcessInfo.processInfo.environment["DATABASE_URL"] }

  /// Where the models are, for people.
  var place: String { address == nil ? file.path : "the database of DATABASE_URL" }

  /// Opens the store of a server or a backup. One that is missing is not made, and an older one is not migrated: both are
  /// tasks of a deployment.
  func open() throws -> ModelContainer {
    do {
      try requireStore()
      let container = try open(configuration(migrates: false))
      monitor?.attach(to: container)
      return container
    } catch SwiftDataError.backwardMigration {
      throw Advice(
        """
        A newer version of this program has migrated the store. Run that version, or restore a backup from before.
        """)
    } catch let error as SwiftDataError
      where error == .loadIssueModelContainer && error.reason == .schemaMismatch
    {
      throw Advice(
        """
        The store has other models than this program. Stop the servers that use it, make a backup, and run:
          \(migrateCommand)
        \(error)
        """)
    }
  }

  /// Opening a store for writing makes it if it is missing. So a wrong path, a volume that is not mounted or another
  /// search path of a database would be an empty blog.
  private func requireStore() throws {
    #if PostgreSQL
      if let address {
        var reading = try PostgresConfiguration("blog", schema: blogSchema, url: address)
        reading.allowsSave = false
        do {
          _ = try open(reading)
        } catch let error as SwiftDataError where error.reason == .schemaMismatch {
          // There is a store. Opening it for writing tells what to do.
        } catch let error as SwiftDataError where error.reason == .invalidRequest {
          throw Advice("\(error)\nA new store is made by:\n  \(migrateCommand)")
        }
        return
      }
    #endif
    guard address == nil, !FileManager.default.fileExists(atPath: file.path) else { return }
    throw Advice(
      "There is no store at \(file.path). Check the path, or make one:\n  \(migrateCommand)")
  }

  private var migrateCommand: String {
    address == nil ? "Blog migrate --store '\(file.path)'" : "Blog migrate"
  }

  /// Makes the store, or migrates an older one.
  /// - Parameter allowsLosses: Whether a migration of a database may drop values. That of a file keeps a copy
  ///   of the earlier file then.
  func migrate(allowsLosses: Bool = false) throws {
    let configuration = try configuration(migrates: true, allowsLosses: allowsLosses)
    for preview in try previews(configuration) where preview.isNeeded { print(preview) }
    _ = try open(configuration)
  }

  private func previews(_ configuration: any DataStoreConfiguration) throws -> [MigrationPreview] {
    #if PostgreSQL
      if let database = configuration as? PostgresConfiguration {
        return try ModelContainer.migrationPreview(
          for: blogSchema, migrationPlan: BlogPlan.self, configurations: [database])
      }
    #endif
    guard let file = configuration as? ModelConfiguration else { return [] }
    return try ModelContainer.migrationPreview(
      for: blogSchema, migrationPlan: BlogPlan.self, configurations: [file])
  }

  private func open(_ configuration: any DataStoreConfiguration) throws -> ModelContainer {
    try ModelContainer(
      for: blogSchema, migrationPlan: BlogPlan.self, configurations: [configuration])
  }

  private func configuration(
    migrates: Bool, allowsLosses: Bool = false
  ) throws -> any DataStoreConfiguration {
    guard let address else { return fileConfiguration(migrates) }
    #if PostgreSQL
      var database = try PostgresConfiguration("blog", schema: blogSchema, url: address)
      database.allowsMigration = migrates
      database.allowsMigrationLosses = allowsLosses
      database.statementLog = monitor?.log(of: "blog")
      database.historyRetention = Stores.retention
      return database
    #else
      _ = address
      throw Advice(
        """
        DATABASE_URL is set, but the program was built without PostgreSQL. Build it with --traits PostgreSQL.
        """)
    #endif
  }

  private func fileConfiguration(_ migrates: Bool) -> ModelConfiguration {
    var configuration = ModelConfiguration("blog", schema: blogSchema, url: file)
    configuration.allowsMigration = migrates
    configuration.statementLog = monitor?.log(of: "blog")
    configuration.historyRetention = Stores.retention
    return configuration
  }
}

/// An error that tells the operator what to do.
struct Advice: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
