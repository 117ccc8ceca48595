import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import SwiftDataTesting
import Synchronization
import Testing

/// PostgreSQL stores keep the rules that contexts demand of every store.
@Suite(.serialized, .enabled(if: PostgresServer.isAvailable))
struct PostgresSpecificationTests {
  /// A new model with a unique value updates the stored one, so saves do not refuse it.
  private let levels = Set(StoreSpecification.Level.allCases)
    .subtracting([.uniqueRefusals, .migration])

  @Test func aStoreKeepsTheRules() async throws {
    let addresses = Addresses()
    let report = try await StoreSpecification.run(levels: levels) { setup in
      try PostgresConfiguration(setup.name, url: addresses.address(setup.name))
    }
    #expect(!report.results.isEmpty)
  }
}

/// One schema of the database for each rule.
private final class Addresses: Sendable {
  private let known = Mutex<[String: String]>([:])

  func address(_ name: String) throws -> String {
    try known.withLock { known in
      if let address = known[name] { return address }
      let address = try PostgresServer.shared.addressOfNewSchema()
      known[name] = address
      return address
    }
  }
}
