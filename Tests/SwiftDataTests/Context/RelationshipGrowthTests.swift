import Foundation
import SwiftData
import Testing

/// Editing all members of a list one by one takes time in proportion to their number.
@Suite struct RelationshipGrowthTests {
  private struct Family {
    let context: ModelContext
    let parent: Graph.Parent
    let other = Graph.Parent("other")
    let children: [Graph.Child]
    let undo = UndoManager()

    /// Children in a loaded list.
    init(_ count: Int, saved: Bool) throws {
      context = ModelContext(try Graph.container())
      parent = Graph.Parent("p")
      context.insert(parent)
      context.insert(other)
      children = (0..<count).map { Graph.Child("\($0)") }
      parent.children = children
      if saved { try context.save() }
      #expect(parent.children.count == count && other.children.isEmpty)
      undo.groupsByEvent = false
    }

    func record(_ body: () -> Void) {
      undo.beginUndoGrouping()
      body()
      context.processPendingChanges()
      undo.endUndoGrouping()
    }
  }

  private func expectLinear(
    saved: Bool = true, _ count: Int = 600, prepare: (Family) throws -> Void = { _ in },
    _ body: (Family) throws -> Void
  ) throws {
    try Growth.expectLinear(from: count) { count in
      let family = try Family(count, saved: saved)
      try prepare(family)
      return try Growth.seconds { try body(family) }
    }
  }

  @Test func takingChildrenFromTheirParent() throws {
    try expectLinear { family in
      for child in family.children { child.parent = nil }
      #expect(family.parent.children.isEmpty)
    }
  }

  @Test func movingChildrenBetweenTwoLoadedLists() throws {
    try expectLinear { family in
      for child in family.children { child.parent = family.other }
      #expect(family.parent.children.isEmpty)
      #expect(family.other.children.map(\.name) == family.children.map(\.name))
    }
  }

  @Test func deletingUnsavedChildren() throws {
    try expectLinear(saved: false) { family in
      for child in family.children { family.context.delete(child) }
      #expect(family.parent.children.isEmpty)
    }
  }

  @Test func deletingSavedChildren() throws {
    try expectLinear { family in
      for child in family.children { family.context.delete(child) }
      try family.context.save()
      #expect(family.parent.children.isEmpty)
    }
  }

  @Test func undoingAnEmptiedList() throws {
    try expectLinear(1500) { family in
      family.context.undoManager = family.undo
      family.record { family.parent.children = [] }
    } _: { family in
      family.undo.undo()
      #expect(family.parent.children.map(\.name) == family.children.map(\.name))
    }
  }

  @Test func removingAndUndoingOneByOne() throws {
    try expectLinear(1000) { family in
      family.context.undoManager = family.undo
      for child in family.children { family.record { child.parent = nil } }
      #expect(family.parent.children.isEmpty)
      for _ in family.children { family.undo.undo() }
      #expect(family.parent.children.map(\.name) == family.children.map(\.name))
      #expect(!family.context.hasChanges)
      for _ in family.children { family.undo.redo() }
      #expect(family.parent.children.isEmpty)
    }
  }

  @Test func undoingOneEventOfSingleRemovals() throws {
    try expectLinear(1500) { family in
      family.context.undoManager = family.undo
      family.record { for child in family.children { child.parent = nil } }
      family.undo.undo()
      #expect(family.parent.children.map(\.name) == family.children.map(\.name))
    }
  }

  // MARK: Lists in place

  /// Where the accessor changes a copy, each of these takes time by the square.
  private func expectLinearEdits(
    _ edit: @escaping (inout [Graph.Child], Int) -> Void
  ) throws {
    try expectLinear { family in
      let count = family.children.count
      for step in 0..<count { edit(&family.parent.children, step) }
      #expect(family.parent.children.allSatisfy { $0.parent === family.parent })
    }
  }

  @Test func appendingOneByOne() throws {
    try expectLinearEdits { children, step in children.append(Graph.Child("\(step)")) }
  }

  @Test func appendingBeforeTheFirstSave() throws {
    try expectLinear(saved: false) { family in
      for child in family.children { family.parent.children.append(Graph.Child(child.name)) }
      #expect(family.parent.children.count == 2 * family.children.count)
    }
  }

  @Test func appendingWithoutContext() throws {
    try expectLinear { family in
      let parent = Graph.Parent("alone")
      for child in family.children { parent.children.append(Graph.Child(child.name)) }
      #expect(parent.children.count == family.children.count)
    }
  }

  @Test func appendingWhatNamesItsParentAlready() throws {
    try expectLinear { family in
      for child in family.children {
        family.parent.children.append(Graph.Child(child.name, parent: family.parent))
      }
      #expect(family.parent.children.count == 2 * family.children.count)
    }
  }

  @Test func insertingInFront() throws {
    try expectLinearEdits { children, step in children.insert(Graph.Child("\(step)"), at: 0) }
  }

  @Test func removingTheFirstAndTheLast() throws {
    try expectLinearEdits { children, step in
      if step % 2 == 0 { children.removeFirst() } else { children.removeLast() }
    }
  }

  @Test func replacingOneByOne() throws {
    try expectLinearEdits { children, step in children[step] = Graph.Child("\(step)") }
  }

  @Test func readingByIndex() throws {
    try expectLinear { family in
      var letters = 0
      for index in family.children.indices { letters += family.parent.children[index].name.count }
      #expect(letters > family.children.count)
    }
  }

  @Test func countingAfterEachNewChild() throws {
    try expectLinear { family in
      for child in family.children {
        family.context.insert(Graph.Child(child.name, parent: family.parent))
        #expect(family.parent.children.last?.name == child.name)
      }
    }
  }
}
