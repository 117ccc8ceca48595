import Foundation
import SwiftData
import Testing

/// Fetches judge unsaved inserts, edits and deletions like stored ones.
@Suite(.databases) struct PendingChangesTests {
  typealias Parent = Graph.Parent
  typealias Child = Graph.Child

  /// Stored: children a, b, c; pending: b renamed to z, c deleted, d inserted.
  private func context() throws -> ModelContext {
    let context = try Graph.context()
    let children = ["a", "b", "c"].map { Child($0) }
    for child in children { context.insert(child) }
    try context.save()
    children[1].name = "z"
    context.delete(children[2])
    context.insert(Child("d"))
    return context
  }

  @Test func fetchCountAndIdentifiersSeeThem() throws {
    let context = try context()
    var descriptor = FetchDescriptor<Child>(sortBy: [SortDescriptor(\.name)])
    #expect(try context.fetch(descriptor).map(\.name) == ["a", "d", "z"])
    #expect(try context.fetchCount(descriptor) == 3)
    #expect(try context.fetchIdentifiers(FetchDescriptor<Child>()).count == 3)
    descriptor.predicate = #Predicate { $0.name > "b" }
    #expect(try context.fetch(descriptor).map(\.name) == ["d", "z"])
    #expect(try context.fetchCount(descriptor) == 2)
    descriptor.predicate = #Predicate { $0.name == "b" || $0.name == "c" }
    #expect(try context.fetch(descriptor).isEmpty)
    #expect(try context.fetchCount(descriptor) == 0)
    descriptor.sortBy = []
    #expect(try context.fetchIdentifiers(descriptor).isEmpty)
  }

  @Test func limitAndOffsetCutWhatWasMerged() throws {
    let context = try context()
    var descriptor = FetchDescriptor<Child>(sortBy: [SortDescriptor(\.name, order: .reverse)])
    (descriptor.fetchOffset, descriptor.fetchLimit) = (1, 1)
    #expect(try context.fetch(descriptor).map(\.name) == ["d"])
    #expect(try context.fetchCount(descriptor) == 1)
    (descriptor.fetchOffset, descriptor.fetchLimit) = (2, nil)
    #expect(try context.fetch(descriptor).map(\.name) == ["a"])
    descriptor.fetchOffset = 3
    #expect(try context.fetch(descriptor).isEmpty)
  }

  @Test func sortedIdentifiersAreRefusedWhileChangesArePending() throws {
    let context = try context()
    var descriptor = FetchDescriptor<Child>(sortBy: [SortDescriptor(\.name)])
    #expect(throws: SwiftDataError.sortingPendingChangesWithIdentifiers) {
      _ = try context.fetchIdentifiers(descriptor)
    }
    descriptor.includePendingChanges = false
    #expect(try context.fetchIdentifiers(descriptor).count == 3)
    descriptor.includePendingChanges = true
    try context.save()
    #expect(try context.fetchIdentifiers(descriptor).count == 3)
  }

  @Test func modelsThatAreEqualInOrderComeByKeyAndNewOnesLast() throws {
    let context = try Graph.context()
    let stored = (0..<40).map { Child("same", parent: Parent("\($0)")) }
    for child in stored { context.insert(child) }
    try context.save()
    let descriptor = FetchDescriptor<Child>(sortBy: [SortDescriptor(\.name)])
    let inStore = try context.fetch(descriptor)
    // One that matches only now, some that are new, and one that is touched.
    stored[7].name = "other"
    let added = (0..<5).map { _ in Child("same") }
    for child in added { context.insert(child) }
    stored[7].name = "same"
    let merged = try context.fetch(descriptor)
    #expect(merged.count == 45)
    #expect(zip(merged, inStore + added).allSatisfy { $0 === $1 })
    let reversed = FetchDescriptor<Child>(sortBy: [SortDescriptor(\.name, order: .reverse)])
    #expect(zip(try context.fetch(reversed), inStore + added).allSatisfy { $0 === $1 })
  }

  @Test func anOrderThatIsSetLaterCountsInMemoryToo() throws {
    let context = try context()
    var byName = SortDescriptor(\Child.name)
    byName.order = .reverse
    #expect(
      try context.fetch(FetchDescriptor<Child>(sortBy: [byName])).map(\.name) == ["z", "d", "a"])
    var byParent = SortDescriptor(\Child.parent?.name, order: .reverse)
    byParent.order = .forward
    let descriptor = FetchDescriptor<Child>(sortBy: [byParent, byName])
    #expect(try context.fetch(descriptor).map(\.name) == ["z", "d", "a"])
    try context.save()
    #expect(try context.fetch(descriptor).map(\.name) == ["z", "d", "a"])
  }

  @Test func limitAndOffsetAreAppliedToTheMergedResult() throws {
    let context = try context()
    var descriptor = FetchDescriptor<Child>(sortBy: [SortDescriptor(\.name, order: .reverse)])
    descriptor.fetchLimit = 2
    #expect(try context.fetch(descriptor).map(\.name) == ["z", "d"])
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).map(\.name) == ["d", "a"])
    descriptor.fetchOffset = 2
    #expect(try context.fetch(descriptor).map(\.name) == ["a"])
    #expect(try context.fetchCount(descriptor) == 1)
    descriptor.fetchOffset = 3
    #expect(try context.fetch(descriptor).isEmpty)
  }

  @Test func withoutPendingChangesTheStoreAnswers() throws {
    let context = try context()
    var descriptor = FetchDescriptor<Child>(sortBy: [SortDescriptor(\.name)])
    descriptor.includePendingChanges = false
    #expect(try context.fetchCount(descriptor) == 3)
    #expect(try context.fetchIdentifiers(descriptor).count == 3)
    #expect(try context.fetch(descriptor).count == 3)
    descriptor.predicate = #Predicate { $0.name == "b" }
    #expect(try context.fetchCount(descriptor) == 1)
    descriptor.predicate = #Predicate { $0.name == "d" }
    #expect(try context.fetchCount(descriptor) == 0)
    #expect(context.hasChanges)
    #expect(context.insertedModelsArray.count == 1)
  }

  /// A computed property is read in memory, but not from the unsaved values.
  @Test func withoutPendingChangesMemoryReadsStoredValuesToo() throws {
    let context = try context()
    var descriptor = FetchDescriptor<Child>(predicate: #Predicate { $0.loudName == "B" })
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).map(\.name) == ["z"])
    #expect(try context.fetchCount(descriptor) == 1)
    #expect(try context.fetchIdentifiers(descriptor).count == 1)
    descriptor.predicate = #Predicate { $0.loudName == "Z" }
    #expect(try context.fetch(descriptor).isEmpty)
    #expect(try context.fetchCount(descriptor) == 0)
    descriptor.includePendingChanges = true
    #expect(try context.fetch(descriptor).map(\.name) == ["z"])
    #expect(context.changedModelsArray.count == 1 && context.deletedModelsArray.count == 1)
  }

  @Test func withoutPendingChangesMemoryFollowsStoredRelationships() throws {
    let context = try Graph.context()
    let (p, q) = (Parent("p"), Parent("q"))
    let (a, b) = (Child("a", parent: p), Child("b", parent: q))
    for child in [a, b] { context.insert(child) }
    try context.save()
    a.parent = q
    p.name = "changed"
    var descriptor = FetchDescriptor<Child>(predicate: #Predicate { $0.loudParentName == "P" })
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).map(\.name) == ["a"])
    #expect(a.parent === q && p.name == "changed")
    #expect(Set(q.children.map(\.name)) == ["a", "b"])
  }

  @Test func withoutPendingChangesMemoryKeepsEphemeralValuesAndTheContext() throws {
    let container = try ModelContainer(
      for: Ballast.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let marks = ["a", "b", "c"].map { Ballast($0) }
    for mark in marks { context.insert(mark) }
    try context.save()
    (marks[0].weight, marks[1].weight) = (2, 1)
    marks[1].name = "z"
    #expect(context.hasChanges)
    var descriptor = FetchDescriptor<Ballast>(
      predicate: #Predicate { $0.isHeavy }, sortBy: [SortDescriptor(\.load)])
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).map(\.name) == ["z", "a"])
    descriptor.sortBy = []
    #expect(try context.fetchCount(descriptor) == 2)
    descriptor.predicate = #Predicate { $0.isHeavy && $0.loudName == "B" }
    #expect(try context.fetch(descriptor).map(\.name) == ["z"])
    descriptor.predicate = #Predicate { $0.countOfAll == 3 }
    #expect(try context.fetch(descriptor).count == 3)
    #expect(try context.fetchCount(descriptor) == 3)
  }

  @Test func predicatesFollowChangedRelationships() throws {
    let context = try Graph.context()
    let (p, q) = (Parent("p"), Parent("q"))
    let (a, b) = (Child("a", parent: p), Child("b", parent: q))
    context.insert(a)
    context.insert(b)
    try context.save()
    let ofP = FetchDescriptor<Child>(
      predicate: #Predicate { $0.parent?.name == "p" }, sortBy: [SortDescriptor(\.name)])
    b.parent = p
    #expect(try context.fetch(ofP).map(\.name) == ["a", "b"])
    #expect(try context.fetchCount(ofP) == 2)
    p.name = "r"
    #expect(try context.fetch(ofP).isEmpty)
    q.name = "p"
    a.parent = q
    #expect(try context.fetch(ofP).map(\.name) == ["a"])
    let withA = FetchDescriptor<Parent>(
      predicate: #Predicate { $0.children.contains { $0.name == "a" } })
    #expect(try context.fetch(withA).map(\.name) == ["p"])
    a.name = "x"
    #expect(try context.fetch(withA).isEmpty)
    #expect(try context.fetchCount(withA) == 0)
    let empty = FetchDescriptor<Parent>(predicate: #Predicate { $0.children.isEmpty })
    #expect(try context.fetchCount(empty) == 0)
    a.parent = nil
    #expect(try context.fetch(empty).map(\.name) == ["p"])
  }

  @Test func sortingFollowsChangedRelationships() throws {
    let context = try Graph.context()
    let (p, q) = (Parent("p"), Parent("q"))
    context.insert(Child("a", parent: p))
    context.insert(Child("b", parent: q))
    try context.save()
    let sorted = FetchDescriptor<Child>(sortBy: [SortDescriptor(\.parent?.name)])
    #expect(try context.fetch(sorted).map(\.name) == ["a", "b"])
    p.name = "z"
    #expect(try context.fetch(sorted).map(\.name) == ["b", "a"])
  }

  @Test func aTemporaryIdentifierMatchesItsModel() throws {
    let context = try Graph.context()
    let child = Child("a")
    context.insert(child)
    let id = child.persistentModelID
    let descriptor = FetchDescriptor<Child>(predicate: #Predicate { $0.persistentModelID == id })
    #expect(try context.fetch(descriptor).first === child)
    try context.save()
    #expect(try context.fetch(descriptor).first === child)
  }

  @Test func aFetchReturnsTheSameInstanceWithItsUnsavedEdits() throws {
    let context = try Graph.context()
    let child = Child("a")
    context.insert(child)
    try context.save()
    child.name = "edited"
    let fetched = try #require(try context.fetch(FetchDescriptor<Child>()).first)
    #expect(fetched === child)
    #expect(fetched.name == "edited")
  }
}

extension Graph.Child {
  fileprivate var loudName: String { name.uppercased() }
  fileprivate var loudParentName: String? { parent?.name.uppercased() }
}

@Model private final class Ballast {
  var name: String
  @Attribute(.ephemeral) var weight = 0

  init(_ name: String) { self.name = name }

  var isHeavy: Bool { weight > 0 }

  var load: Int { weight }

  var loudName: String { name.uppercased() }

  var countOfAll: Int {
    (try? modelContext!.fetchCount(FetchDescriptor<Ballast>())) ?? -1
  }
}
