import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import SwiftDataTesting
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresSpecificationTests {
  /// The server stores no text with the character U+0000, which the rule about texts wants.
  static let brokenRules: Set<String> = ["attributes/texts"]

  @Test func theStoreKeepsTheRulesOfTheSpecification() async throws {
    typealias Level = StoreSpecification.Level
    let levels = Set(Level.allCases).subtracting([.uniqueRefusals])
    let server = try PostgresServer.shared
    let failure = await #expect(throws: SpecificationFailure.self) {
      try await StoreSpecification.run(levels: levels) { setup in
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
    #expect(failure.map { Set($0.brokenRules) } == PostgresSpecificationTests.brokenRules)
    #expect((failure?.report.results.count ?? 0) > 100)
  }
}
