import Foundation
import SwiftData
import Testing

/// Work on a context takes time in proportion to what is done, however much is pending or open.
@Suite struct ContextGrowthTests {
  typealias Parent = Graph.Parent
  typealias Child = Graph.Child

  private func expectLinear<Input>(
    _ count: Int, prepare: (Int) throws -> Input, _ body: (Input, Int) throws -> Void
  ) throws {
    try Growth.expectLinear(from: count) { count in
      let input = try prepare(count)
      return try Growth.seconds { try body(input, count) }
    }
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

  @Test func rollingBackBesideManyModels() throws {
    try expectLinear(400, prepare: stored) { (family, count) throws in
      for index in 0..<count {
        family.children[0].name = "edited \(index)"
        family.context.rollback()
      }
      #expect(family.children[0].name == "0")
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
