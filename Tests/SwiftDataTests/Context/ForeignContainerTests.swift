import Foundation
import SwiftData
import Testing

/// Links between models of two containers.
@Suite(.databases) struct ForeignContainerTests {
  typealias Parent = Graph.Parent
  typealias Child = Graph.Child

  private func stored(_ model: some PersistentModel) throws -> ModelContext {
    let context = try Graph.context()
    context.insert(model)
    try context.save()
    return context
  }

  @Test(arguments: [false, true])
  func aToOneToAnotherContainerMakesTheSaveThrow(_ isSaved: Bool) throws {
    let parent = Parent("p")
    let first = try Graph.context()
    first.insert(parent)
    if isSaved { try first.save() }
    let second = try Graph.context()
    let child = Child("c")
    second.insert(child)
    child.parent = parent
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try second.save() }
    #expect(error?.entity == "Child" && error?.property == "parent")
    let text = error?.description ?? ""
    #expect(text.contains("another container"))
    #expect(
      text.contains("\(parent.persistentModelID)") && text.contains("\(child.persistentModelID)"))
    for context in [first, second] {
      let store = try #require(context.container.stores.first)
      #expect(text.contains(store.identifier))
    }
    #expect(parent.children.isEmpty && parent.modelContext === first)
    #expect(throws: SwiftDataError.modelValidationFailure) { try second.save() }
    child.parent = nil
    try second.save()
    #expect(try second.stored(Child.self).map(\.name) == ["c"])
  }

  @Test func membersOfAnotherContainerMakeTheSaveThrow() throws {
    let child = Child("theirs")
    let first = try stored(child)
    let parent = Parent("p")
    let second = try Graph.context()
    second.insert(parent)
    parent.children = [Child("own"), child]
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try second.save() }
    #expect(error?.property == "children")
    #expect(error?.description.contains("another container") == true)
    parent.children.append(child)
    #expect(throws: SwiftDataError.modelValidationFailure) { try second.save() }
    #expect(child.parent == nil && child.modelContext === first)
    parent.children = [Child("own")]
    try second.save()
    #expect(try second.stored(Child.self).map(\.name).sorted() == ["own", "own"])
  }

  @Test func aGraphThatReachesAnotherContainerIsRefusedWhenItIsInserted() throws {
    let parent = Parent("p")
    let first = try stored(parent)
    let second = try Graph.context()
    let toy = Graph.Toy("t", owner: Child("c", parent: parent))
    second.insert(toy)
    #expect(throws: SwiftDataError.modelValidationFailure) { try second.save() }
    #expect(try first.count(Parent.self) == 1)
  }

  @Test func insertingAModelOfAnotherContainerNamesBoth() throws {
    let parent = Parent("p")
    _ = try stored(parent)
    let second = try Graph.context()
    second.insert(parent)
    for _ in 0..<2 {
      let error = #expect(throws: SwiftDataError.modelValidationFailure) { try second.save() }
      #expect(error?.description.contains("another container") == true)
    }
    second.delete(parent)
    try second.save()
    #expect(!second.hasChanges && !parent.isDeleted)
  }

  @Test func twoContainersOfOneFileLinkByIdentifier() throws {
    let folder = try TemporaryFolder()
    let first = try Graph.context(at: folder.store)
    let parent = Parent("p")
    first.insert(parent)
    try first.save()
    let second = try Graph.context(at: folder.store)
    let child = Child("c")
    second.insert(child)
    child.parent = parent
    try second.save()
    #expect(try first.stored(Child.self).first?.parent?.name == "p")
  }
}
