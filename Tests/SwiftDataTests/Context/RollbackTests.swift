import Foundation
import SwiftData
import Testing

@Suite(.databases) struct RollbackTests {
  @Test func bothSidesOfMovedRelationshipsGoBack() throws {
    let context = try Graph.context()
    let (a, b) = (Graph.Parent("a"), Graph.Parent("b"))
    let child = Graph.Child("c", parent: a)
    context.insert(child)
    context.insert(b)
    try context.save()
    child.parent = b
    child.name = "edited"
    b.children.append(Graph.Child("new"))
    context.rollback()
    #expect(a.children.map(\.name) == ["c"])
    #expect(b.children.isEmpty)
    #expect(child.parent === a)
    #expect(child.name == "c")
    #expect(!context.hasChanges)
    try context.save()
    #expect(try context.count(Graph.Child.self) == 1)
  }

  @Test func manyToManyGoesBackOnBothSides() throws {
    let context = try Graph.context()
    let student = Graph.Student("s")
    let (a, b) = (Graph.Course("a"), Graph.Course("b"))
    student.courses = [a]
    context.insert(student)
    context.insert(b)
    try context.save()
    student.courses = [b]
    #expect(a.students.isEmpty)
    context.rollback()
    #expect(student.courses.map(\.title) == ["a"])
    #expect(a.students.count == 1)
    #expect(b.students.isEmpty)
  }

  @Test func newModelsAreDroppedAndCanBeInsertedLater() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    context.insert(parent)
    try context.save()
    let child = Graph.Child("c", parent: parent)
    context.insert(child)
    context.rollback()
    #expect(child.modelContext == nil)
    #expect(parent.children.isEmpty)
    context.insert(child)
    #expect(parent.children.count == 1)
    try context.save()
    #expect(try context.stored(Graph.Parent.self).first?.children.map(\.name) == ["c"])
  }

  @Test func aThrowingTransactionLeavesNothing() throws {
    struct Stop: Error {}
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    try context.transaction { context.insert(parent) }
    #expect(try context.count(Graph.Parent.self) == 1)
    #expect(throws: Stop.self) {
      try context.transaction {
        parent.name = "q"
        context.insert(Graph.Child("c", parent: parent))
        throw Stop()
      }
    }
    #expect(parent.name == "p")
    #expect(parent.children.isEmpty)
    #expect(!context.hasChanges)
  }

  @Test func aFailedSaveKeepsEverythingPending() throws {
    let context = try Graph.context()
    let kept = Graph.Parent("kept")
    let doomed = Graph.Parent("doomed")
    let owner = Graph.Child("owner")
    let toy = Graph.Toy("toy", owner: owner)
    for model in [kept, doomed] { context.insert(model) }
    context.insert(toy)
    try context.save()
    kept.name = "edited"
    context.delete(doomed)
    context.insert(Graph.Stop("new"))
    // A toy needs its owner, who goes away without it.
    owner.toys = []
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(kept.name == "edited")
    #expect(doomed.isDeleted)
    #expect(context.insertedModelsArray.count == 1)
    #expect(try context.count(Graph.Stop.self) == 0)
    #expect(try context.count(Graph.Parent.self) == 2)
    toy.owner = owner
    try context.save()
    #expect(!context.hasChanges)
    #expect(try context.stored(Graph.Parent.self).map(\.name) == ["edited"])
    #expect(try context.count(Graph.Stop.self) == 1)
  }

  @Test func rollbackAfterAFailedSaveRestoresTheStoredState() throws {
    let context = try Graph.context()
    let project = Graph.Project("p")
    project.tickets = [Graph.Ticket("t")]
    project.memos = [Graph.Memo("m")]
    context.insert(project)
    try context.save()
    project.name = "q"
    context.delete(project)
    #expect(throws: SwiftDataError.self) { try context.save() }
    context.rollback()
    #expect(project.name == "p")
    #expect(!project.isDeleted)
    #expect(project.tickets.count == 1)
    #expect(project.memos.first?.project === project)
    #expect(!context.hasChanges)
  }
}
