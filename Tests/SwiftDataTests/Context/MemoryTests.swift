import Foundation
import SwiftData
import Synchronization
import Testing

/// Models, contexts and containers are released with their last reference.
@Suite(.serialized) struct MemoryTests {
  /// Counts its instances.
  final class Pulse {
    static let living = Atomic<Int>(0)

    init() { Pulse.living.add(1, ordering: .relaxed) }
    deinit { Pulse.living.subtract(1, ordering: .relaxed) }
  }

  @Model final class Branch {
    var name: String
    @Transient var pulse = Pulse()
    @Relationship(deleteRule: .cascade, inverse: \Leaf.branch) var leaves: [Leaf] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Leaf {
    var name: String
    @Transient var pulse = Pulse()
    var branch: Branch?

    init(_ name: String) { self.name = name }
  }

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Branch.self, Leaf.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test func savedGraphsAreFreedWithTheirContext() throws {
    let container = try container()
    let before = Pulse.living.load(ordering: .relaxed)
    for round in 0..<5 {
      let context = ModelContext(container)
      for index in 0..<500 {
        let branch = Branch("\(round) \(index)")
        branch.leaves = [Leaf("a"), Leaf("b")]
        context.insert(branch)
      }
      try context.save()
    }
    #expect(Pulse.living.load(ordering: .relaxed) == before)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Branch>()) == 2500)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Leaf>()) == 5000)
  }

  @Test func fetchedAndWalkedGraphsAreFreedWithTheirContext() throws {
    let container = try container()
    do {
      let context = ModelContext(container)
      for index in 0..<200 {
        let branch = Branch("\(index)")
        branch.leaves = [Leaf("a"), Leaf("b")]
        context.insert(branch)
      }
      try context.save()
    }
    let before = Pulse.living.load(ordering: .relaxed)
    for _ in 0..<5 {
      let context = ModelContext(container)
      for branch in try context.fetch(FetchDescriptor<Branch>()) {
        for leaf in branch.leaves { #expect(leaf.branch === branch) }
        branch.name += "!"
      }
    }
    #expect(Pulse.living.load(ordering: .relaxed) == before)
  }

  @Test func unsavedGraphsAreFreedWithTheirContext() throws {
    let container = try container()
    let before = Pulse.living.load(ordering: .relaxed)
    do {
      let context = ModelContext(container)
      for index in 0..<100 {
        let branch = Branch("\(index)")
        branch.leaves = [Leaf("a"), Leaf("b")]
        context.insert(branch)
      }
    }
    #expect(Pulse.living.load(ordering: .relaxed) == before)
  }

  @Test func aLongLivedContextLetsUnchangedModelsGo() throws {
    let context = ModelContext(try container())
    for index in 0..<3000 { context.insert(Branch("\(index)")) }
    try context.save()
    let before = Pulse.living.load(ordering: .relaxed)
    for _ in 0..<3 {
      let count = try context.fetch(FetchDescriptor<Branch>()).count
      #expect(count == 3000)
    }
    #expect(Pulse.living.load(ordering: .relaxed) <= before + 1024)
  }

  @Test func anEnumerationHoldsOneBatchOfModels() throws {
    let context = ModelContext(try container())
    for index in 0..<4000 { context.insert(Branch("\(index)")) }
    try context.save()
    let fresh = ModelContext(context.container)
    let before = Pulse.living.load(ordering: .relaxed)
    var most = 0
    var visited = 0
    try fresh.enumerate(FetchDescriptor<Branch>(), batchSize: 200) { branch in
      visited += 1
      most = max(most, Pulse.living.load(ordering: .relaxed) - before)
      #expect(branch.name == "\(visited - 1)")
    }
    #expect(visited == 4000)
    #expect(most <= 200)
  }

  @Test func aContextAndItsContainerGoTogether() throws {
    weak var context: ModelContext?
    weak var container: ModelContainer?
    do {
      let opened = try self.container()
      let made = ModelContext(opened)
      made.insert(Branch("a"))
      try made.save()
      context = made
      container = opened
    }
    #expect(context == nil)
    #expect(container == nil)
  }

  @Test func aModelOutlivesItsContextWithItsValues() throws {
    let container = try container()
    let branch = Branch("a")
    do {
      let context = ModelContext(container)
      branch.leaves = [Leaf("l")]
      context.insert(branch)
      try context.save()
    }
    #expect(branch.name == "a")
    #expect(branch.modelContext == nil)
    #expect(branch.leaves.map(\.name) == ["l"])
  }
}
