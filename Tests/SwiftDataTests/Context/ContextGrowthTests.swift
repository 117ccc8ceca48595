import Foundation
import SwiftData
import Testing

/// Work on a context takes time in proportion to what is done, however much is pending or open.
@Suite(.serialized) struct ContextGrowthTests {
  typealias Parent = Graph.Parent
  typealias Child = Graph.Child

  /// Expects less than nine times the time for four times the work: in proportion it is four, by the
  /// square sixteen. A busy machine gets three attempts.
  private func expectLinear<Input>(
    _ count: Int, prepare: (Int) throws -> Input, _ body: (Input, Int) throws -> Void
  ) throws {
    func seconds(_ count: Int) throws -> Double {
      var best = Double.infinity
      for _ in 0..<2 {
        let input = try prepare(count)
        let start = ContinuousClock.now
        try body(input, count)
        best = min(best, (ContinuousClock.now - start) / .seconds(1))
      }
      return best
    }
    var ratio = Double.infinity
    for _ in 0..<3 where ratio >= 9 {
      ratio = min(ratio, try seconds(4 * count) / seconds(count))
    }
    #expect(ratio < 9, "ratio \(ratio)")
  }

  private func stored(_ count: Int) throws -> (context: ModelContext, children: [Child]) {
    let context = try Graph.context()
    let parent = Parent("p")
    context.insert(parent)
    let children = (0..<count).map { Child("\($0)", parent: parent) }
    try context.save()
    return (context, children)
  }

  @Test func contextsOfOneContainer() throws {
    try expectLinear(400) { _ throws in
      let container = try Graph.container()
      let context = ModelContext(container)
      context.insert(Parent("p"))
      try context.save()
      return container
    } _: { (container, count) throws in
      var contexts: [ModelContext] = []
      for _ in 0..<count {
        let context = ModelContext(container)
        #expect(try context.fetch(FetchDescriptor<Parent>()).count == 1)
        contexts.append(context)
      }
      contexts.removeAll()
    }
  }

  @Test func countingAllBesidePendingInserts() throws {
    try expectLinear(400, prepare: stored) { (family, count) throws in
      for index in 0..<count {
        family.context.insert(Child("\(index)"))
        #expect(try family.context.fetchCount(FetchDescriptor<Child>()) == count + index + 1)
        #expect(try family.context.fetchCount(FetchDescriptor<Graph.Toy>()) == 0)
      }
    }
  }

  @Test func countingTheOnesWithAValueBesideEdits() throws {
    try expectLinear(300, prepare: stored) { (family, count) throws in
      for index in 0..<count {
        let name = "\(index)"
        let request = FetchDescriptor<Child>(predicate: #Predicate { $0.name == name })
        #expect(try family.context.fetchCount(request) == 1)
        family.children[index].name = "edited \(index)"
        #expect(try family.context.fetchCount(request) == 0)
      }
    }
  }

  @Test func deletingWithSavesBetween() throws {
    try expectLinear(300, prepare: stored) { (family, _) throws in
      for (index, child) in family.children.enumerated() {
        family.context.delete(child)
        if index % 50 == 0 { try family.context.save() }
      }
      try family.context.save()
      #expect(try family.context.fetchCount(FetchDescriptor<Child>()) == 0)
    }
  }

  @Test func processingAfterEachEdit() throws {
    try expectLinear(500, prepare: stored) { (family, _) throws in
      for child in family.children {
        child.name += "!"
        family.context.processPendingChanges()
        #expect(family.context.hasChanges)
        let id = child.persistentModelID
        #expect(family.context.registeredModel(for: id) == child)
      }
      family.context.rollback()
      #expect(!family.context.hasChanges)
    }
  }
}
