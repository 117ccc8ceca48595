import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// A to-many that is changed in place keeps both sides, undo, observers and changes in step.
@Suite(.databases) struct ListAccessTests {
  typealias Parent = Graph.Parent
  typealias Child = Graph.Child

  private struct Family {
    let context: ModelContext
    let parent = Parent("p")
    var children: [Child]

    init(_ count: Int, saved: Bool = true) throws {
      context = try Graph.context()
      children = (0..<count).map { Child("\($0)") }
      context.insert(parent)
      parent.children = children
      if saved { try context.save() }
    }

    var names: [String] { parent.children.map(\.name) }

    /// Both sides agree, here and for another context after a save.
    func check(_ expected: [Child], sourceLocation: SourceLocation = #_sourceLocation) throws {
      #expect(parent.children == expected, sourceLocation: sourceLocation)
      #expect(expected.allSatisfy { $0.parent === parent }, sourceLocation: sourceLocation)
      #expect(
        children.allSatisfy { expected.contains($0) || $0.parent == nil },
        sourceLocation: sourceLocation)
      try context.save()
      #expect(parent.children == expected, sourceLocation: sourceLocation)
      let other = ModelContext(context.container)
      let stored = try #require(try other.fetch(FetchDescriptor<Parent>()).first)
      #expect(
        Set(stored.children.map(\.name)) == Set(expected.map(\.name)),
        sourceLocation: sourceLocation)
    }
  }

  private typealias Edit = @Sendable (inout [Child]) -> Void

  private static let edits: [(String, Edit)] = [
    ("append", { $0.append(Child("new")) }),
    ("append two", { $0 += [Child("new"), Child("newer")] }),
    ("insert first", { $0.insert(Child("new"), at: 0) }),
    ("insert inside", { $0.insert(Child("new"), at: 3) }),
    ("remove first", { $0.removeFirst() }),
    ("remove last", { $0.removeLast() }),
    ("remove inside", { $0.remove(at: 2) }),
    ("remove some", { $0.removeAll { Int($0.name).map { $0 % 2 == 0 } ?? false } }),
    ("remove all", { $0.removeAll() }),
    ("replace one", { $0[2] = Child("new") }),
    ("replace some", { $0.replaceSubrange(1..<4, with: [Child("new")]) }),
    ("swap", { $0.swapAt(1, 4) }),
    ("sort", { $0.sort { $0.name > $1.name } }),
    ("reverse", { $0.reverse() }),
    ("append one that is there", { $0.append($0[1]) }),
    ("repeat one", { $0.insert($0[4], at: 0) }),
    ("nothing", { _ in }),
    (
      "several at once",
      {
        $0.remove(at: 1)
        $0.append(Child("new"))
        $0.insert(Child("newer"), at: 1)
      }
    ),
  ]

  @Test(arguments: edits.indices, [false, true])
  func anEditInPlaceIsTheSameAsSettingTheArray(_ index: Int, saved: Bool) throws {
    let edit = Self.edits[index].1
    let (first, second) = (try Family(6, saved: saved), try Family(6, saved: saved))
    edit(&first.parent.children)
    var array = second.parent.children
    edit(&array)
    second.parent.children = array
    #expect(first.names == second.names, "\(Self.edits[index].0)")
    #expect(first.context.hasChanges && second.context.hasChanges)
    #expect(
      Set(first.context.changedModelsArray.compactMap { ($0 as? Child)?.name })
        == Set(second.context.changedModelsArray.compactMap { ($0 as? Child)?.name }))
    try first.check(first.parent.children)
    try second.check(second.parent.children)
  }

  @Test(arguments: edits.indices)
  func undoAndRedoOfAnEditInPlace(_ index: Int) throws {
    let family = try Family(6)
    let undo = UndoManager()
    undo.groupsByEvent = false
    family.context.undoManager = undo
    let before = family.parent.children
    undo.beginUndoGrouping()
    Self.edits[index].1(&family.parent.children)
    family.context.processPendingChanges()
    undo.endUndoGrouping()
    let after = family.parent.children
    undo.undo()
    #expect(family.parent.children == before, "\(Self.edits[index].0)")
    #expect(before.allSatisfy { $0.parent === family.parent })
    if undo.canRedo { undo.redo() }
    #expect(family.parent.children == after)
    #expect(after.allSatisfy { $0.parent === family.parent })
  }

  @Test(arguments: edits.indices)
  func rollbackOfAnEditInPlace(_ index: Int) throws {
    let family = try Family(6)
    Self.edits[index].1(&family.parent.children)
    family.context.rollback()
    #expect(family.names == (0..<6).map { "\($0)" })
    #expect(!family.context.hasChanges)
  }

  @Test func observersAreNotifiedOnce() throws {
    let family = try Family(3)
    let count = Mutex(0)
    func watch() {
      withObservationTracking {
        _ = family.parent.children
      } onChange: {
        count.withLock { $0 += 1 }
      }
    }
    watch()
    family.parent.children.append(Child("new"))
    #expect(count.withLock { $0 } == 1)
    watch()
    family.parent.children.remove(at: 1)
    #expect(count.withLock { $0 } == 2)
    watch()
    Child("last").parent = family.parent
    #expect(count.withLock { $0 } == 3)
    let inner = Mutex(0)
    withObservationTracking {
      _ = family.children[0].parent
    } onChange: {
      inner.withLock { $0 += 1 }
    }
    family.parent.children.removeAll { $0.name == "0" }
    #expect(inner.withLock { $0 } == 1)
  }

  @Test func anInitialiserMaySetTheOtherSide() throws {
    let family = try Family(2)
    for index in 0..<5 {
      family.parent.children.append(Child("new \(index)", parent: family.parent))
    }
    #expect(family.names == ["0", "1"] + (0..<5).map { "new \($0)" })
    let other = Parent("other")
    family.context.insert(other)
    other.children.append(contentsOf: family.parent.children)
    #expect(other.children.count == 7 && family.parent.children.isEmpty)
    #expect(other.children.allSatisfy { $0.parent === other })
  }

  @Test func aClosureMayReadAndChangeTheListMeanwhile() throws {
    let family = try Family(6)
    let parent = family.parent
    parent.children.removeAll { child in
      #expect(parent.children.count == 6)
      return child.name < "3"
    }
    #expect(family.names == ["3", "4", "5"])
    // The array that comes back wins, as it does with a getter and a setter.
    parent.children.removeAll { child in
      if child.name == "3" { family.children[4].parent = nil }
      return child.name == "5"
    }
    #expect(family.names == ["3", "4"])
    #expect(family.children[4].parent === parent)
    parent.children.removeAll { child in
      parent.children.append(Child("inner"))
      return child.name == "3"
    }
    #expect(family.names == ["4"])
  }

  @Test func anEditThatThrowsKeepsWhatItDid() throws {
    struct Stop: Error {}
    let family = try Family(4)
    func change(_ children: inout [Child]) throws {
      children.removeLast()
      throw Stop()
    }
    #expect(throws: Stop.self) { try change(&family.parent.children) }
    #expect(family.names == ["0", "1", "2"])
    #expect(family.children[3].parent == nil)
  }

  @Test func modelsWithoutContextAreChangedInPlaceToo() throws {
    let parent = Parent("p")
    for index in 0..<4 { parent.children.append(Child("\(index)")) }
    parent.children.insert(Child("first"), at: 0)
    parent.children.remove(at: 2)
    #expect(parent.children.map(\.name) == ["first", "0", "2", "3"])
    let context = try Graph.context()
    context.insert(parent)
    #expect(parent.children.map(\.name) == ["first", "0", "2", "3"])
    #expect(parent.children.allSatisfy { $0.parent === parent })
    // A managed member brings the owner into its context.
    let (stored, owner) = (Child("stored"), Parent("owner"))
    context.insert(stored)
    owner.children.append(stored)
    #expect(owner.modelContext === context && stored.parent === owner)
  }

  @Test func optionalListsAreChangedInPlaceToo() throws {
    let context = try Graph.context()
    let child = Child("c")
    context.insert(child)
    for index in 0..<3 { child.toys?.append(Graph.Toy("\(index)", owner: child)) }
    #expect(child.toys?.map(\.name) == ["0", "1", "2"])
    child.toys?.removeAll { $0.name == "1" }
    #expect(child.toys?.map(\.name) == ["0", "2"])
  }

  @Test func savedListsKeepNoModelAlive() throws {
    let family = try Family(0)
    weak var seen: Child?
    do {
      let child = Child("c")
      family.parent.children.append(child)
      try family.context.save()
      #expect(family.parent.children.count == 1)
      seen = family.parent.children.first
      family.parent.children.removeAll()
      family.context.delete(child)
      try family.context.save()
    }
    #expect(seen == nil)
  }
}
