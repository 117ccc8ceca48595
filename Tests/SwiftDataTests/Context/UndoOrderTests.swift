import Foundation
import SwiftData
import Testing

/// An undo gives members back their places.
@Suite(.databases) struct UndoOrderTests {
  private let context: ModelContext
  private let undo = UndoManager()
  private let parent = Graph.Parent("p")
  private let children = (0..<6).map { Graph.Child("\($0)") }

  init() throws {
    context = ModelContext(try Graph.container())
    context.insert(parent)
    parent.children = children
    try context.save()
    #expect(names == "012345")
    context.undoManager = undo
    undo.groupsByEvent = false
  }

  private var names: String { parent.children.map(\.name).joined() }

  private func event(_ body: () -> Void) {
    undo.beginUndoGrouping()
    body()
    context.processPendingChanges()
    undo.endUndoGrouping()
  }

  private func expectUndone(_ before: String = "012345") {
    let after = names
    undo.undo()
    #expect(names == before)
    undo.redo()
    #expect(names == after)
    undo.undo()
    #expect(names == before)
  }

  @Test func membersThatWereTakenOneByOne() {
    event {
      children[3].parent = nil
      children[0].parent = nil
      children[1].parent = nil
      children[5].parent = nil
    }
    #expect(names == "24")
    expectUndone()
    #expect(!context.hasChanges)
  }

  @Test func aMemberThatCameBack() {
    event {
      children[2].parent = nil
      children[2].parent = parent
    }
    #expect(names == "013452")
    expectUndone()
  }

  @Test func aMemberThatCameBackAndLeftWithOthers() {
    event {
      children[0].parent = nil
      context.insert(Graph.Child("x", parent: parent))
      children[0].parent = parent
      children[1].parent = nil
      children[0].parent = nil
    }
    #expect(names == "2345x")
    expectUndone()
  }

  @Test func anArrayInAnotherOrder() {
    event {
      children[4].parent = nil
      parent.children = [children[5], children[1], Graph.Child("x"), children[0]]
      children[1].parent = nil
    }
    #expect(names == "5x0")
    expectUndone()
  }

  @Test func anArrayWithoutSome() {
    event { parent.children.removeAll { $0.name == "1" || $0.name == "4" } }
    #expect(names == "0235")
    expectUndone()
    #expect(!context.hasChanges)
  }

  @Test func eventsInARow() {
    event { children[2].parent = nil }
    event { children[1].parent = nil }
    event { parent.children.swapAt(0, 1) }
    event { children[0].parent = nil }
    #expect(names == "345")
    expectUndone("3045")
    undo.undo()
    #expect(names == "0345")
    undo.undo()
    #expect(names == "01345")
    undo.undo()
    #expect(names == "012345")
    for _ in 0..<4 { undo.redo() }
    #expect(names == "345")
  }

  @Test func anEventThatChangesNothingIsNoStep() {
    event {
      let child = Graph.Child("x", parent: parent)
      context.insert(child)
      child.parent = nil
      context.delete(child)
      children[5].parent = nil
      children[5].parent = parent
    }
    #expect(names == "012345")
    undo.undo()
    #expect(names == "012345")
    #expect(!undo.canUndo)
  }

  @Test func aDeletedParentReturnsWithItsChildrenInOrder() throws {
    event {
      children[2].parent = nil
      context.delete(parent)
    }
    try context.save()
    undo.undo()
    #expect(names == "012345")
  }
}
