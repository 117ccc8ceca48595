import Foundation
import SwiftData
import Testing

/// What a relationship costs does not grow with the number of its members, where it need not. A cost
/// for each member would make the ratios two thousand.
@Suite struct RelationshipScalingTests {
  private static let (few, many) = (10, 20_000)

  private func stored(_ count: Int) throws -> ModelContainer {
    let container = try Graph.container()
    let context = ModelContext(container)
    let parent = Graph.Parent("p")
    context.insert(parent)
    for index in 0..<count { context.insert(Graph.Child("\(index)", parent: parent)) }
    try context.save()
    return container
  }

  /// Compares the shortest of some times for a parent with many members and for one with few.
  private func expectNoGrowth(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ seconds: (ModelContext, Graph.Parent) throws -> Double
  ) throws {
    func shortest(_ count: Int) throws -> Double {
      let context = ModelContext(try stored(count))
      let parent = try #require(try context.fetch(FetchDescriptor<Graph.Parent>()).first)
      return try (0..<5).map { _ in try seconds(context, parent) }.min() ?? 0
    }
    let ratio = try shortest(Self.many) / shortest(Self.few)
    #expect(ratio < 200, "ratio \(ratio)", sourceLocation: sourceLocation)
  }

  @Test(arguments: [false, true])
  func linkingFromTheToOneSideCostsTheSameForManyMembers(loaded: Bool) throws {
    try expectNoGrowth { context, parent in
      if loaded { #expect(!parent.children.isEmpty) }
      let seconds = Growth.seconds {
        for index in 0..<200 { context.insert(Graph.Child("\(index)", parent: parent)) }
      }
      try context.save()
      return seconds
    }
  }

  @Test func savingOneMoreMemberCostsTheSameForManyMembers() throws {
    try expectNoGrowth { context, parent in
      for index in 0..<100 { context.insert(Graph.Child("\(index)", parent: parent)) }
      return try Growth.seconds { try context.save() }
    }
  }

  @Test func movingOneMemberNeitherLoadsNorCopiesTheLists() throws {
    try expectNoGrowth { context, _ in
      // A new context has no list in memory.
      let fresh = ModelContext(context.container)
      let new = Graph.Parent("new")
      fresh.insert(new)
      try fresh.save()
      var page = FetchDescriptor<Graph.Child>(predicate: #Predicate { $0.parent?.name == "p" })
      page.fetchLimit = 2
      let children = try fresh.fetch(page)
      #expect(children.count == 2)
      let seconds = Growth.seconds { for child in children { child.parent = new } }
      try fresh.save()
      return seconds
    }
  }
}
