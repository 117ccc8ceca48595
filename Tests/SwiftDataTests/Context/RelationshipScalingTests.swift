import Foundation
import SwiftData
import Testing

/// What a relationship costs does not grow with the number of its members, where it need not.
@Suite(.serialized) struct RelationshipScalingTests {
  private func stored(_ count: Int) throws -> ModelContainer {
    let container = try Graph.container()
    let context = ModelContext(container)
    let parent = Graph.Parent("p")
    context.insert(parent)
    for index in 0..<count { context.insert(Graph.Child("\(index)", parent: parent)) }
    try context.save()
    return container
  }

  /// The fastest of some rounds: 200 new children, linked from their own side, and saved.
  private func seconds(_ container: ModelContainer, loaded: Bool) throws -> Double {
    let context = ModelContext(container)
    let parent = try #require(try context.fetch(FetchDescriptor<Graph.Parent>()).first)
    var best = Double.infinity
    for round in 0..<5 {
      if loaded { #expect(parent.children.count > round) }
      let start = ContinuousClock.now
      for index in 0..<200 { context.insert(Graph.Child("\(index)", parent: parent)) }
      let time = (ContinuousClock.now - start) / .seconds(1)
      best = min(best, time)
      try context.save()
    }
    return best
  }

  @Test(arguments: [false, true])
  func linkingFromTheToOneSideCostsTheSameForAHundredThousandMembers(loaded: Bool) throws {
    let (small, large) = (try stored(10), try stored(100_000))
    let ratio = try seconds(large, loaded: loaded) / seconds(small, loaded: loaded)
    // A cost per member would make it ten thousand.
    #expect(ratio < 200, "ratio \(ratio)")
  }

  @Test func savingOneMoreMemberCostsTheSame() throws {
    func seconds(_ container: ModelContainer) throws -> Double {
      let context = ModelContext(container)
      let parent = try #require(try context.fetch(FetchDescriptor<Graph.Parent>()).first)
      var best = Double.infinity
      for _ in 0..<5 {
        for index in 0..<100 { context.insert(Graph.Child("\(index)", parent: parent)) }
        let start = ContinuousClock.now
        try context.save()
        best = min(best, (ContinuousClock.now - start) / .seconds(1))
      }
      return best
    }
    let ratio = try seconds(stored(100_000)) / seconds(stored(10))
    #expect(ratio < 200, "ratio \(ratio)")
  }

  @Test func movingOneMemberNeitherLoadsNorCopiesTheLists() throws {
    func seconds(_ container: ModelContainer) throws -> Double {
      let context = ModelContext(container)
      let new = Graph.Parent("new")
      context.insert(new)
      try context.save()
      var page = FetchDescriptor<Graph.Child>(sortBy: [SortDescriptor(\.name)])
      page.fetchLimit = 10
      let children = try context.fetch(page)
      let start = ContinuousClock.now
      for child in children { child.parent = new }
      let time = (ContinuousClock.now - start) / .seconds(1)
      try context.save()
      return time
    }
    var best = (small: Double.infinity, large: Double.infinity)
    for _ in 0..<2 {
      best.small = min(best.small, try seconds(stored(10)))
      best.large = min(best.large, try seconds(stored(20_000)))
    }
    #expect(best.large / best.small < 200, "ratio \(best.large / best.small)")
  }
}
