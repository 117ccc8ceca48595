import Foundation
import SwiftData
import SwiftDataTesting
import Testing

/// Stores that keep the rules of the specification.
@Suite(.serialized) struct SpecificationTests {
  typealias Level = StoreSpecification.Level

  @Test func aDefaultStoreInAFileKeepsTheRules() async throws {
    let levels = Set(Level.allCases)
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
    #expect(report.alsoSatisfied == [.uniqueRefusals, .history])
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

  @Test func aNameThatSelectsNoRuleFails() async throws {
    let failure = await #expect(throws: SpecificationFailure.self) {
      try await StoreSpecification.run(only: ["attributes/dates", "atributes"]) { setup in
        ReferenceStore<DefaultSnapshot>.Configuration(name: setup.name)
      }
    }
    #expect(failure?.brokenRules == ["selection/atributes"])
    #expect(failure?.report.results.map(\.name) == ["selection/atributes", "attributes/dates"])
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

  /// A context finds the members of such a list by the other side of the relationship.
  @Test func aStoreThatLeavesListsOutOfSnapshotsKeepsTheRules() async throws {
    let levels = Level.standard.union([.inheritance, .persistent])
    try await StoreSpecification.run(levels: levels) { setup in
      var configuration = ReferenceStore<NamedSnapshot>.Configuration(name: setup.name)
      configuration.leavesOutLists = true
      return configuration
    }
  }

  /// A fetch of a class asks such a store for the subclasses too.
  @Test func aStoreThatAnswersByEntityKeepsTheRulesOfInheritance() async throws {
    let levels = Level.standard.union([.inheritance, .persistent])
    try await StoreSpecification.run(levels: levels) { setup in
      var configuration = ReferenceStore<NamedSnapshot>.Configuration(name: setup.name)
      configuration.answersByClass = true
      return configuration
    }
  }

  @Test func theReportIsATable() async throws {
    let levels = Level.standard.union([.uniqueUpdates, .erasure])
    let report = try await StoreSpecification.run(
      levels: levels, only: ["models", "uniqueness", "erasure", "history"]
    ) { setup in
      ReferenceStore<NamedSnapshot>.Configuration(name: setup.name)
    }
    #expect(
      report.description == """
        models      + insert  + several  + large save  + update  + delete  + mixed save  + empty save
                    + entities  + separate stores  + identifiers  + remapped  + stable order  + look-up
                    + keys  + freshness  + cached snapshots
        uniqueness  + update  + combined update  + within a save  – refusal  – combined refusal
        erasure     + erase
        history     – transactions  – deletions  – tokens  – after a token  – author  – deletion of history
        Passed (+): 20. Failed (✗): 0. Not declared (–): 8.
        Also satisfies: uniqueRefusals, history.
        """)
  }

  @Test func aFailureNamesTheRuleAndWhatCame() async throws {
    let failure = await #expect(throws: SpecificationFailure.self) {
      try await StoreSpecification.run(only: ["orders/offset", "orders/one key"]) { setup in
        var configuration = ReferenceStore<NamedSnapshot>.Configuration(name: setup.name)
        configuration.defect = .ignoresOffset
        return configuration
      }
    }
    #expect(
      failure?.description == """
        The store breaks 1 rule of the specification.

        orders/offset: An offset leaves out the first models of the order.
          - The numbers after two: expected [3, 4, 5], found [1, 2, 3, 4, 5].
          - Two numbers after two: expected [3, 4], found [1, 2].
          - The numbers after three without an order: expected [2, 5], found [3, 1, 4, 2, 5].

        orders  + one key  ✗ offset
        Passed (+): 1. Failed (✗): 1. Not declared (–): 0.
        """)
  }
}
