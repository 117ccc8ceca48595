import Foundation
import SwiftData
import SwiftDataTesting
import Testing

/// Each defect of a store is found by the rule that speaks of it.
@Suite(.serialized) struct DefectTests {
  private static func failure<Snapshot: DataStoreSnapshot>(
    of defect: Defect, in store: ReferenceStore<Snapshot>.Type, chapters: Set<String> = []
  ) async throws -> SpecificationFailure? {
    do {
      try await StoreSpecification.run(
        levels: ReferenceStore<Snapshot>.Configuration.levels,
        only: chapters.isEmpty ? [String(defect.rule.prefix { $0 != "/" })] : chapters
      ) { setup in
        var configuration = ReferenceStore<Snapshot>.Configuration(name: setup.name)
        configuration.defect = defect
        return configuration
      }
      return nil
    } catch let failure as SpecificationFailure {
      return failure
    }
  }

  @Test(arguments: Defect.allCases)
  func theSpecificationFindsIt(_ defect: Defect) async throws {
    let failure = try #require(
      try await Self.failure(of: defect, in: ReferenceStore<NamedSnapshot>.self))
    #expect(failure.brokenRules.contains(defect.rule), "\(failure.brokenRules)")
    let rule = try #require(failure.report.brokenRules.first { $0.name == defect.rule })
    #expect(failure.description.contains("\(rule.name): \(rule.demand)"))
    #expect(
      rule.problems.prefix(6).allSatisfy {
        $0.count > 20 && failure.description.contains($0)
      })
  }

  @Test(arguments: Defect.allCases.filter { !$0.changesValues })
  func itIsFoundInAStoreOfDefaultSnapshotsToo(_ defect: Defect) async throws {
    let failure = try #require(
      try await Self.failure(of: defect, in: ReferenceStore<DefaultSnapshot>.self))
    #expect(failure.brokenRules.contains(defect.rule), "\(failure.brokenRules)")
  }

  /// Identifiers of other models, and of the same one several times, in links and lists.
  @Test(
    arguments: [
      Defect.mergesNewModels, .overwritesStoredRows, .linksToOtherClasses, .listsOtherClasses,
      .linksToMissingModels, .givesOtherClasses, .returnsRowsTwice,
    ])
  func wrongIdentifiersDoNotEndTheProcess(_ defect: Defect) async throws {
    let chapters: Set = ["relationships", "delete rules", "inheritance", "pending changes"]
    let failure = try #require(
      try await Self.failure(of: defect, in: ReferenceStore<NamedSnapshot>.self, chapters: chapters)
    )
    #expect(!failure.brokenRules.isEmpty)
    #expect(Set(failure.report.results.map(\.chapter)) == chapters)
  }
}
