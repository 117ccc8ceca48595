import Foundation
import SwiftData
import Testing

/// Graphs of new, stored and foreign models.
@Suite(.databases) struct ForeignModelTests {
  typealias Parent = Graph.Parent
  typealias Child = Graph.Child

  private func storedParent() throws -> (ModelContext, Parent, ModelContext) {
    let first = try Graph.context()
    let parent = Parent("p")
    first.insert(parent)
    try first.save()
    return (first, parent, ModelContext(first.container))
  }

  @Test func aForeignModelSetInInitIsFoundByIdentifier() throws {
    let (first, parent, second) = try storedParent()
    let child = Child("c", parent: nil)
    second.insert(child)
    let early = Child("early")
    let toy = Graph.Toy("t", owner: early)
    second.insert(toy)
    child.parent = parent
    #expect(child.parent !== parent)
    #expect(child.parent == parent)
    #expect(child.parent?.modelContext === second)
    try second.save()
    first.processPendingChanges()
    #expect(parent.children.map(\.name) == ["c"])
  }

  @Test func aNewGraphAroundAForeignModelBelongsToTheContextThatInsertsIt() throws {
    let (first, _, second) = try storedParent()
    let route = Graph.Route("r")
    let stop = Graph.Stop("s")
    first.insert(stop)
    try first.save()
    // Without a context the new model can hold anything; inserting it sorts that out.
    let course = Graph.Course("c")
    let student = Graph.Student("s")
    course.students = [student]
    second.insert(route)
    second.insert(course)
    route.start = stop
    route.stops = [stop, Graph.Stop("new")]
    #expect(route.start !== stop)
    #expect(route.start == stop)
    #expect(route.stops.first === route.start)
    try second.save()
    let stored = try #require(try first.stored(Graph.Route.self).first)
    #expect(stored.stops.count == 2)
    #expect(stored.start?.name == "s")
    #expect(try first.count(Graph.Stop.self) == 2)
  }

  @Test func aRelatedModelThatItsContextHasNotSavedIsRefusedByName() throws {
    let first = try Graph.context()
    let second = ModelContext(first.container)
    let parent = Parent("unsaved")
    first.insert(parent)
    let child = Child("c")
    second.insert(child)
    child.parent = parent
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try second.save() }
    #expect(error?.description.contains("Child.parent") == true)
    #expect(error?.description.contains(parent.persistentModelID.description) == true)
    #expect(error?.description.contains(child.persistentModelID.description) == true)
    #expect(child.parent == nil)
    child.parent = nil
    try second.save()
    #expect(try first.count(Child.self) == 1)
    try first.save()
    child.parent = parent
    try second.save()
    #expect(try first.stored(Child.self).first?.parent?.name == "unsaved")
  }

  @Test func anUnsavedForeignMemberOfAListIsRefused() throws {
    let first = try Graph.context()
    let second = ModelContext(first.container)
    let foreign = Child("foreign")
    first.insert(foreign)
    let parent = Parent("p")
    second.insert(parent)
    parent.children = [Child("own"), foreign]
    #expect(parent.children.map(\.name) == ["own"])
    let error = #expect(throws: SwiftDataError.self) { try second.save() }
    #expect(error?.description.contains("Parent.children") == true)
    parent.children = [Child("other")]
    try second.save()
    #expect(try first.stored(Child.self).map(\.name).sorted() == ["other", "own"])
  }

  @Test func newAndStoredModelsMix() throws {
    let (first, parent, second) = try storedParent()
    let theirs = try #require(try second.fetch(FetchDescriptor<Parent>()).first)
    let child = Child("c", parent: theirs)
    let toy = Graph.Toy("t", owner: child)
    let other = Child("d")
    child.toys?.append(Graph.Toy("u", owner: other))
    second.insert(toy)
    #expect(second.insertedModelsArray.count >= 3)
    #expect(theirs.children.contains { $0 === child })
    try second.save()
    first.processPendingChanges()
    #expect(parent.children.contains { $0.name == "c" })
    let stored = try #require(
      try first.fetch(FetchDescriptor<Child>(predicate: #Predicate { $0.name == "c" })).first)
    #expect(Set(stored.toys?.map(\.name) ?? []) == ["t", "u"])
  }

  @Test func aDeletedForeignModelIsNotRelated() throws {
    let (first, parent, second) = try storedParent()
    let child = Child("c")
    second.insert(child)
    let other = ModelContext(first.container)
    try other.delete(model: Parent.self)
    child.parent = parent
    #expect(child.parent == nil)
    try second.save()
    #expect(try first.stored(Child.self).first?.parent == nil)
  }

  @Test func insertingAForeignModelIsRefusedByName() throws {
    let (_, parent, second) = try storedParent()
    second.insert(parent)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try second.save() }
    #expect(error?.description.contains(parent.persistentModelID.description) == true)
    #expect(parent.modelContext !== second)
    // The row is there, so nothing is lost.
    try second.save()
    #expect(!second.hasChanges)
  }
}
