import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import SwiftDataTesting
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresSpecificationTests {
  @Test func theStoreKeepsTheRulesOfTheSpecification() async throws {
    typealias Level = StoreSpecification.Level
    // A text of the server has no character U+0000.
    let levels = Set(Level.allCases).subtracting([.allCharacters])
    let server = try PostgresServer.shared
    let report = try await StoreSpecification.run(levels: levels) { setup in
      try PostgresSpecificationTests.configuration(setup, server)
    }
    #expect(report.brokenRules.isEmpty && report.alsoSatisfied.isEmpty)
    #expect(report.results.count > 100)
  }

  private static func configuration(
    _ setup: SpecificationSetup, _ server: PostgresServer
  ) throws -> PostgresConfiguration {
    // Setups of the same name and folder are the same store.
    let number = (setup.name + setup.folder.path).utf8.reduce(
      into: UInt64(14_695_981_039_346_656_037)
    ) { $0 = ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    try server.connect().execute("CREATE SCHEMA IF NOT EXISTS spec_\(number)")
    return try PostgresConfiguration(
      setup.name,
      url: "host=\(server.socketFolder) user=postgres dbname=postgres "
        + "options='-c search_path=spec_\(number)'")
  }
}
