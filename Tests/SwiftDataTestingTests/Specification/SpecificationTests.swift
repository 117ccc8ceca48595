import Foundation
import SwiftData
import SwiftDataTesting
import Testing

/// Stores that keep the rules of the specification.
@Suite(.serialized) struct SpecificationTests {
  typealias Level = StoreSpecification.Level

  @Test func aDefaultStoreInAFileKeepsTheRules() async throws {
    let levels = Set(Level.allCases).subtracting([.uniqueRefusals])
    let report = try await StoreSpecification.run(levels: levels) { setup in
      ModelConfiguration(setup.name, url: setup.folder.appending(path: "rows.store"))
    }
    #expect(report.brokenRules.isEmpty && report.alsoSatisfied.isEmpty)
    #expect(report.results.count > 100)
  }

  @Test func aDefaultStoreInMemoryKeepsTheRules() async throws {
    let levels = Level.standard.union([.inheritance, .uniqueUpdates, .erasure])
    let report = try await StoreSpecification.run(levels: levels) { setup in
      ModelConfiguration(setup.name, isStoredInMemoryOnly: true)
    }
    #expect(report.alsoSatisfied == [.history])
    let persistent = report.results.filter { $0.level == .persistent }
    #expect(
      persistent.count > 3 && persistent.allSatisfy { !$0.isDeclared && !$0.problems.isEmpty })
  }

  @Test func aStoreWithSnapshotsOfItsOwnKeepsTheRules() async throws {
    let report = try await StoreSpecification.run(ReferenceStore<NamedSnapshot>.Configuration.self)
    #expect(report.brokenRules.isEmpty && report.alsoSatisfied.isEmpty)
  }

  @Test func aStoreOfDefaultSnapshotsKeepsTheRules() async throws {
    let report = try await StoreSpecification.run(
      ReferenceStore<DefaultSnapshot>.Configuration.self)
    #expect(report.brokenRules.isEmpty)
  }

  @Test func aStoreThatRefusesDuplicatesKeepsTheRules() async throws {
    let levels = Level.standard.union([.uniqueRefusals, .inheritance])
    let report = try await StoreSpecification.run(levels: levels) { setup in
      var configuration = ReferenceStore<NamedSnapshot>.Configuration(name: setup.name)
      configuration.refusesDuplicates = true
      return configuration
    }
    #expect(report.alsoSatisfied == [.persistent, .shared, .erasure, .migration, .history])
  }
}
