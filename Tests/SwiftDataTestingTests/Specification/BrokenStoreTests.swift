import Foundation
import SwiftData
import SwiftDataTesting
import Testing

/// Stores that do not work at all.
@Suite(.serialized) struct BrokenStoreTests {
  struct Broken: Error {}

  /// Throws whatever it is asked.
  final class BrokenStore: DataStore {
    struct Configuration: DataStoreConfiguration, Sendable {
      typealias Store = BrokenStore

      let name: String
      var schema: Schema?
      /// Whether the store cannot even be opened.
      var failsToOpen = false
      /// How long each fetch takes.
      var delay: TimeInterval = 0
    }

    typealias Snapshot = DefaultSnapshot

    let configuration: Configuration
    var identifier: String { configuration.name }
    var schema: Schema { configuration.schema ?? Schema() }

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
      if configuration.failsToOpen { throw Broken() }
      self.configuration = configuration
    }

    func fetch<T: PersistentModel>(
      _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
      if configuration.delay > 0 { Thread.sleep(forTimeInterval: configuration.delay) }
      throw Broken()
    }

    func save(
      _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { throw Broken() }
  }

  private static func failure(
    only rules: Set<String> = [], timeLimit: Duration = .seconds(60),
    _ change: @escaping @Sendable (inout BrokenStore.Configuration) -> Void = { _ in }
  ) async throws -> SpecificationFailure? {
    do {
      try await StoreSpecification.run(only: rules, timeLimit: timeLimit) { setup in
        var configuration = BrokenStore.Configuration(name: setup.name)
        change(&configuration)
        return configuration
      }
      return nil
    } catch let failure as SpecificationFailure {
      return failure
    }
  }

  @Test(arguments: [false, true])
  func aStoreThatThrowsGivesACompleteReport(failsToOpen: Bool) async throws {
    let failure = try #require(try await Self.failure { $0.failsToOpen = failsToOpen })
    let results = failure.report.results
    #expect(results.count > 120)
    let declared = results.filter(\.isDeclared)
    #expect(declared.count > 80)
    #expect(failure.brokenRules.count == declared.count)
    #expect(results.allSatisfy { !$0.problems.isEmpty })
    #expect(failure.report.alsoSatisfied.isEmpty)
    #expect(failure.description.contains("Broken()"))
  }

  @Test func aRuleThatDoesNotEndIsBroken() async throws {
    let failure = try #require(
      try await Self.failure(
        only: ["faults/unknown class", "fetching/count"], timeLimit: .seconds(1)
      ) {
        $0.delay = 4
      })
    #expect(failure.brokenRules == ["fetching/count", "faults/unknown class"])
    #expect(failure.description.contains("did not end within 1.0 seconds"))
  }
}
