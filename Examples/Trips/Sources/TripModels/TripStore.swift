import Foundation
import SwiftData

#if PostgreSQL
  import SwiftDataPostgres
#endif

/// The store that both programs open: a database that the environment names, or a file.
public struct TripStore {
  /// The variable with the address of a database, such as `postgresql://localhost/trips`.
  public static let variable = "TRIPS_DATABASE"

  public let container: ModelContainer
  /// Where the trips are, without a password.
  public let name: String

  /// - Parameter file: The path of the store file. Without it, Trips.store in the temporary directory.
  public init(file: String?) throws {
    if file == nil, let address = ProcessInfo.processInfo.environment[TripStore.variable] {
      (container, name) = (try TripStore.database(address), "PostgreSQL")
      return
    }
    let url =
      file.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("Trips.store")
    container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url))
    name = url.path
  }

  private static func database(_ address: String) throws -> ModelContainer {
    #if PostgreSQL
      try ModelContainer(for: Trip.self, configurations: PostgresConfiguration(url: address))
    #else
      throw WithoutPostgreSQL()
    #endif
  }

  private struct WithoutPostgreSQL: Error, CustomStringConvertible {
    var description: String {
      "\(TripStore.variable) is set, but this program was built without PostgreSQL. Run "
        + "make trips-postgres, or build with --traits PostgreSQL, which needs libpq."
    }
  }
}
