import Foundation
import SwiftData
import Testing

/// Edits that a context can't store: each save throws them until they can be stored, are replaced or
/// taken back.
@Suite(.databases) struct RefusedEditTests {
  typealias Parent = Graph.Parent
  typealias Child = Graph.Child

  private let first: ModelContext
  private let second: ModelContext

  init() throws {
    first = try Graph.context()
    second = ModelContext(first.container)
  }

  private func inserted<T: PersistentModel>(_ model: T, _ context: ModelContext) -> T {
    context.insert(model)
    return model
  }

  /// - Returns: The failures of a save.
  @discardableResult private func expectRefusal(
    _ location: SourceLocation = #_sourceLocation
  ) throws -> [SwiftDataError] {
    #expect(second.hasChanges, sourceLocation: location)
    let error = #expect(throws: SwiftDataError.modelValidationFailure, sourceLocation: location) {
      try second.save()
    }
    return error?.failures ?? []
  }

  private func storedParents() throws -> [String?] {
    try first.stored(Child.self).map { $0.parent?.name }
  }

  /// A new model refers to a model whose row was deleted before its values were read.
  @Test(arguments: [false, true])
  func aModelWithoutValuesThatANewOneRefersTo(isCompleted: Bool) throws {
    let gone = inserted(Parent("gone"), first)
    try first.save()
    let known = try #require(second.model(for: gone.persistentModelID) as? Parent)
    try second.delete(model: Parent.self)
    let child = Child("c")
    child.parent = known
    second.insert(child)
    for _ in 0..<2 { try expectRefusal() }
    if isCompleted {
      known.name = "again"
      known.children = [child]
      second.insert(known)
    } else {
      child.parent = nil
    }
    try second.save()
    #expect(try storedParents() == [isCompleted ? "again" : nil])
  }

  /// An observer of the save makes the edit.
  @Test func anEditOfAnObserverIsKept() throws {
    nonisolated(unsafe) let child = inserted(Child("c"), second)
    nonisolated(unsafe) let parent = inserted(Parent("p"), first)
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: second, queue: nil
    ) { _ in child.parent = parent }
    defer { NotificationCenter.default.removeObserver(observer) }
    try expectRefusal()
    try first.save()
    try second.save()
    #expect(child.parent?.name == "p")
    #expect(try storedParents() == ["p"])
  }

  @Test(arguments: [false, true])
  func aLinkToANewModelOfAnotherContextIsMadeAfterItsSave(isTriedBefore: Bool) throws {
    let child = inserted(Child("c"), second)
    child.parent = inserted(Parent("p"), first)
    let person = inserted(Graph.Person("n"), second)
    person.passport = inserted(Graph.Passport(1), first)
    let route = inserted(Graph.Route("r"), second)
    route.stops.append(inserted(Graph.Stop("s"), first))
    let course = inserted(Graph.Course("c"), second)
    course.students.append(inserted(Graph.Student("a"), first))
    course.students.append(inserted(Graph.Student("b"), first))
    if isTriedBefore {
      for _ in 0..<2 {
        let failures = try expectRefusal()
        #expect(
          failures.map(\.property) == ["parent", "passport", "stops", "students", "students"])
        #expect(try first.count(Child.self) == 0)
      }
    }
    try first.save()
    try second.save()
    #expect(!second.hasChanges && child.parent?.name == "p")
    #expect(try storedParents() == ["p"])
    #expect(try first.stored(Graph.Passport.self).first?.holder?.name == "n")
    #expect(try first.stored(Graph.Route.self).first?.stops.map(\.name) == ["s"])
    #expect(try first.stored(Graph.Student.self).map { $0.courses.count } == [1, 1])
  }

  @Test func aStoredModelKeepsItsLinkUntilThen() throws {
    let child = inserted(Child("c", parent: Parent("old")), second)
    try second.save()
    let new = inserted(Parent("new"), first)
    child.parent = new
    #expect(child.parent?.name == "old" && child.hasChanges)
    try expectRefusal()
    #expect(try storedParents() == ["old"])
    try first.save()
    try second.save()
    #expect(try storedParents() == ["new"])
    child.parent = inserted(Parent("third"), first)
    second.rollback()
    #expect(!second.hasChanges)
    try second.save()
    #expect(try storedParents() == ["new"])
  }

  @Test func assigningThePropertyReplacesARefusedLink() throws {
    let child = inserted(Child("c"), second)
    let parent = inserted(Parent("p"), second)
    child.parent = inserted(Parent("q"), first)
    try expectRefusal()
    child.parent = nil
    try second.save()
    child.parent = inserted(Parent("r"), first)
    // By the other side.
    parent.children = [child]
    try second.save()
    #expect(try storedParents() == ["p"])
    parent.children = [child, inserted(Child("d"), first)]
    try expectRefusal()
    // Only the list itself replaces what it did not take.
    parent.children.append(Child("e"))
    #expect(try expectRefusal().map(\.property) == ["children"])
    parent.children = []
    try second.save()
    #expect(try first.count(Child.self) == 2)
  }

  @Test func aDeletedOwnerHasNoRefusedLinks() throws {
    let child = inserted(Child("c"), second)
    try second.save()
    child.parent = inserted(Parent("p"), first)
    second.delete(child)
    second.insert(child)
    try expectRefusal()
    second.delete(child)
    try second.save()
    #expect(!second.hasChanges)
    #expect(try first.count(Child.self) == 0)
  }

  @Test(arguments: [false, true])
  func bothModelsMayBeInsertedIntoOneContext(isOwnerMoved: Bool) throws {
    let (parent, child) = (inserted(Parent("p"), first), inserted(Child("c"), second))
    child.parent = parent
    let course = inserted(Graph.Course("c"), second)
    let student = inserted(Graph.Student("s"), first)
    course.students.append(student)
    try expectRefusal()
    if isOwnerMoved {
      second.delete(child)
      second.delete(course)
      #expect(child.parent === parent)
      first.insert(child)
      first.insert(course)
      #expect(parent.children.first === child)
      try second.save()
      try first.save()
    } else {
      first.delete(parent)
      first.delete(student)
      // They are in no context.
      #expect(try expectRefusal().count == 2)
      second.insert(parent)
      second.insert(student)
      try second.save()
    }
    #expect(try storedParents() == ["p"])
    #expect(try first.stored(Graph.Course.self).first?.students.map(\.name) == ["s"])
  }

  @Test func anUndoOfAnotherEditForgetsNoRefusedLink() throws {
    let child = inserted(Child("c"), second)
    try second.save()
    let manager = UndoManager()
    second.undoManager = manager
    child.name = "d"
    second.processPendingChanges()
    child.parent = inserted(Parent("p"), first)
    second.processPendingChanges()
    manager.undo()
    #expect(child.name == "c")
    try expectRefusal()
    try first.save()
    try second.save()
    #expect(try storedParents() == ["p"])
  }

  @Test func aTransactionIsUndoneWithARefusedLink() throws {
    let child = inserted(Child("c"), second)
    try second.save()
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try second.transaction {
        child.name = "d"
        child.parent = inserted(Parent("p"), first)
      }
    }
    #expect(!second.hasChanges && child.name == "c")
    try second.save()
  }

  @Test func aDeletionOfAnotherContextsModelIsNotForgotten() throws {
    let parent = inserted(Parent("p"), first)
    try first.save()
    second.delete(parent)
    for _ in 0..<2 { try expectRefusal() }
    let own = try #require(second.model(for: parent.persistentModelID) as? Parent)
    second.delete(own)
    try second.save()
    #expect(!second.hasChanges)
    #expect(try first.count(Parent.self) == 0)

    let other = inserted(Parent("q"), first)
    try first.save()
    second.delete(other)
    second.insert(other)
    try second.save()
    second.delete(other)
    first.delete(other)
    try first.save()
    try second.save()
    #expect(!second.hasChanges)
  }

  @Test func anInsertionOfAnotherContextsNewModelIsNotForgotten() throws {
    let (parent, child) = (inserted(Parent("p"), first), inserted(Child("c"), first))
    second.insert(parent)
    second.insert(child)
    for _ in 0..<2 { #expect(try expectRefusal().count == 2) }
    first.delete(parent)
    second.insert(parent)
    #expect(try expectRefusal().count == 1)
    try first.save()
    try second.save()
    #expect(!second.hasChanges)
    #expect(try first.count(Parent.self) == 1 && first.count(Child.self) == 1)
  }

  @Test @MainActor func anAutosaveStoresNoModelWithoutItsLink() async throws {
    let context = try Graph.container().mainContext
    context.autosaveDelay = .zero
    let other = ModelContext(context.container)
    func failure(of edit: @MainActor () -> Void) async -> SwiftDataError? {
      edit()
      return await withCheckedContinuation { continuation in
        context.autosaveErrorHandler = { continuation.resume(returning: $0 as? SwiftDataError) }
      }
    }
    let child = Child("c")
    let parent = Parent("p")
    other.insert(parent)
    let first = await failure {
      context.insert(child)
      child.parent = parent
    }
    #expect(first?.property == "parent")
    let second = await failure { child.name = "d" }
    #expect(second?.property == "parent")
    #expect(try context.count(Child.self) == 0)
    try other.save()
    try await context.container.settle()
    #expect(try context.stored(Child.self).map { $0.parent?.name } == ["p"])

    // Nothing else is unsaved.
    let outside = await failure { context.insert(Graph.Engine("e")) }
    #expect(outside == .unknownSchema)
    context.rollback()
    #expect(!context.hasChanges)
  }
}
