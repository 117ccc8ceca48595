import Foundation
import SwiftData
import Testing

/// A row goes in one context while another has plans for it.
@Suite(.databases) struct ExternalDeletionTests {
  typealias Parent = Graph.Parent
  typealias Child = Graph.Child

  private func twoContexts() throws -> (
    first: ModelContext, second: ModelContext, mine: Parent, theirs: Parent
  ) {
    let first = try Graph.context()
    let mine = Parent("p")
    first.insert(mine)
    try first.save()
    let second = ModelContext(first.container)
    let theirs = try #require(try second.fetch(FetchDescriptor<Parent>()).first)
    return (first, second, mine, theirs)
  }

  @Test func theModelKeepsItsLastValuesAndSaysThatItIsGone() throws {
    let (first, second, mine, theirs) = try twoContexts()
    first.delete(mine)
    try first.save()
    #expect(!theirs.isDeleted)
    #expect(try second.fetch(FetchDescriptor<Parent>()).isEmpty)
    #expect(theirs.isDeleted)
    #expect(theirs.modelContext == nil)
    #expect(theirs.name == "p")
    #expect(theirs.children.isEmpty)
    #expect(!second.hasChanges)
    // It is found again as itself, by the identifier.
    let found: Parent? = second.registeredModel(for: theirs.persistentModelID)
    #expect(found === theirs)
    #expect(second.model(for: theirs.persistentModelID) as? Parent === theirs)
  }

  /// What the saves of a context say was not stored, while `body` runs.
  private func discarded(
    by context: ModelContext, while body: () throws -> Void
  ) throws -> [[PersistentIdentifier: [String]]] {
    nonisolated(unsafe) var found: [[PersistentIdentifier: [String]]] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didOverwrite, object: context, queue: nil
    ) { note in
      let names = note.userInfo?[ModelContext.discardedPropertiesKey]
      found.append(names as? [PersistentIdentifier: [String]] ?? [:])
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try body()
    return found
  }

  @Test func anUnsavedEditOfItIsLeftOutOfTheSaveAndAnnounced() throws {
    let (first, second, mine, theirs) = try twoContexts()
    let other = Child("other")
    first.insert(other)
    try first.save()
    let theirOther = try #require(try second.fetch(FetchDescriptor<Child>()).first)
    theirs.name = "edited"
    theirOther.name = "edited too"
    second.insert(Child("new"))
    first.delete(mine)
    try first.save()
    let lost = try discarded(by: second) { try second.save() }
    #expect(lost == [[theirs.persistentModelID: ["name"]]])
    #expect(theirs.isDeleted && theirs.modelContext == nil)
    #expect(theirs.name == "edited")
    #expect(!second.hasChanges)
    #expect(try first.count(Parent.self) == 0)
    #expect(try Set(first.stored(Child.self).map(\.name)) == ["edited too", "new"])
    #expect(try discarded(by: second) { try second.save() }.isEmpty)
  }

  @Test func aFailedSaveAnnouncesTheLostEditsWhenItIsPutRight() throws {
    let (first, second, mine, theirs) = try twoContexts()
    theirs.name = "edited"
    let child = Child("c")
    second.insert(child)
    try second.save()
    theirs.name = "edited again"
    let toy = Graph.Toy("t", owner: child)
    second.insert(toy)
    first.delete(mine)
    let firstChild = try #require(try first.fetch(FetchDescriptor<Child>()).first)
    first.delete(firstChild)
    try first.save()
    #expect(throws: SwiftDataError.self) { try second.save() }
    second.delete(toy)
    let lost = try discarded(by: second) { try second.save() }
    #expect(lost == [[theirs.persistentModelID: ["name"]]])
  }

  @Test func aRollbackForgetsTheEdit() throws {
    let (first, second, mine, theirs) = try twoContexts()
    theirs.name = "edited"
    first.delete(mine)
    try first.save()
    second.processPendingChanges()
    second.rollback()
    #expect(theirs.isDeleted)
    #expect(theirs.name == "p")
    #expect(try discarded(by: second) { try second.save() }.isEmpty)
  }

  @Test func anEditAfterItIsKnownToBeGoneIsNotLostInSilence() throws {
    let (first, second, mine, theirs) = try twoContexts()
    first.delete(mine)
    try first.save()
    second.processPendingChanges()
    theirs.name = "late"
    let lost = try discarded(by: second) { try second.save() }
    #expect(lost == [[theirs.persistentModelID: ["name"]]])
    #expect(try first.count(Parent.self) == 0)
    #expect(try discarded(by: second) { try second.save() }.isEmpty)
  }

  @Test func itCanBeInsertedAnew() throws {
    let (first, second, mine, theirs) = try twoContexts()
    first.delete(mine)
    try first.save()
    second.processPendingChanges()
    second.insert(theirs)
    #expect(!theirs.isDeleted)
    #expect(theirs.modelContext === second)
    theirs.name = "back"
    try second.save()
    #expect(try first.stored(Parent.self).map(\.name) == ["back"])
    theirs.name = "still tracked"
    try second.save()
    #expect(try first.stored(Parent.self).map(\.name) == ["still tracked"])
  }

  @Test func anEditedOneCanBeInsertedAnew() throws {
    let (first, second, mine, theirs) = try twoContexts()
    theirs.name = "edited"
    first.delete(mine)
    try first.save()
    try second.save()
    second.insert(theirs)
    try second.save()
    #expect(try first.stored(Parent.self).map(\.name) == ["edited"])
    #expect(!second.hasChanges)
  }

  @Test func anUnsavedLinkOfItLeadsToTheStoredModel() throws {
    let first = try Graph.context()
    first.insert(Parent("p"))
    let mine = Child("c")
    first.insert(mine)
    try first.save()
    let second = ModelContext(first.container)
    let theirs = try #require(try second.fetch(FetchDescriptor<Child>()).first)
    theirs.parent = try second.fetch(FetchDescriptor<Parent>()).first
    first.delete(mine)
    try first.save()
    try second.save()
    #expect(theirs.isDeleted && theirs.parent?.name == "p")
    second.insert(theirs)
    try second.save()
    #expect(try first.stored(Child.self).map(\.parent?.name) == ["p"])
  }

  @Test func aNewChildOfItIsSavedWithoutIt() throws {
    let (first, second, mine, theirs) = try twoContexts()
    let child = Child("c", parent: theirs)
    second.insert(child)
    first.delete(mine)
    try first.save()
    try second.save()
    #expect(theirs.isDeleted)
    #expect(!second.hasChanges)
    #expect(child.parent == nil)
    let stored = try #require(try first.stored(Child.self).first)
    #expect(stored.parent == nil)
    let orphans = FetchDescriptor<Child>(predicate: #Predicate { $0.parent == nil })
    #expect(try first.fetchCount(orphans) == 1)
  }

  @Test func aDeletedModelOfARequiredRelationshipIsNamed() throws {
    let first = try Graph.context()
    let child = Child("c")
    first.insert(child)
    try first.save()
    let second = ModelContext(first.container)
    let theirs = try #require(try second.fetch(FetchDescriptor<Child>()).first)
    let toy = Graph.Toy("t", owner: theirs)
    second.insert(toy)
    first.delete(child)
    try first.save()
    second.processPendingChanges()
    #expect(toy.owner === theirs)
    let error = #expect(throws: SwiftDataError.self) { try second.save() }
    #expect(error?.description.contains("Toy.owner") == true)
    #expect(toy.owner === theirs)
    second.rollback()
    #expect(try first.count(Graph.Toy.self) == 0)
  }

  @Test func aPendingLinkToItIsDroppedBeforeTheSave() throws {
    let (first, second, mine, theirs) = try twoContexts()
    let child = Child("c", parent: theirs)
    let toy = Graph.Toy("t", owner: child)
    second.insert(toy)
    first.delete(mine)
    try first.save()
    second.processPendingChanges()
    #expect(child.parent == nil)
    #expect(toy.owner === child)
  }

  @Test func aDeletionThatAnotherContextWasFirstWithIsNotDenied() throws {
    let first = try Graph.context()
    let project = Graph.Project("p")
    let ticket = Graph.Ticket("t")
    first.insert(project)
    first.insert(ticket)
    try first.save()
    let second = ModelContext(first.container)
    let theirs = try #require(try second.fetch(FetchDescriptor<Graph.Project>()).first)
    let theirTicket = try #require(try second.fetch(FetchDescriptor<Graph.Ticket>()).first)
    theirTicket.project = theirs
    second.delete(theirs)
    first.delete(project)
    try first.save()
    try second.save()
    #expect(theirTicket.project == nil)
    #expect(try first.count(Graph.Project.self) == 0)
    #expect(try first.count(Graph.Ticket.self) == 1)
  }

  @Test func bothDeletingIsFine() throws {
    let (first, second, mine, theirs) = try twoContexts()
    second.delete(theirs)
    first.delete(mine)
    try first.save()
    try second.save()
    #expect(theirs.isDeleted && mine.isDeleted)
    #expect(!second.hasChanges)
  }

  @Test func movingAChildAwayFromItIsNoEditOfIt() throws {
    let first = try Graph.context()
    let (old, new) = (Parent("old"), Parent("new"))
    let child = Child("c", parent: old)
    first.insert(child)
    first.insert(new)
    try first.save()
    let second = ModelContext(first.container)
    let parents = try second.fetch(FetchDescriptor<Parent>(sortBy: [SortDescriptor(\.name)]))
    let moved = try #require(try second.fetch(FetchDescriptor<Child>()).first)
    #expect(moved.parent === parents[1])
    old.children = []
    first.delete(old)
    try first.save()
    second.processPendingChanges()
    #expect(moved.parent == nil)
    moved.parent = parents[0]
    try second.save()
    #expect(try first.stored(Child.self).first?.parent?.name == "new")
  }

  @Test func anUnreadFaultOfADeletedRowIsGoneWhenItIsRead() throws {
    let (first, _, mine, _) = try twoContexts()
    let id = mine.persistentModelID
    let third = ModelContext(first.container)
    let fault = try #require(third.model(for: id) as? Parent)
    first.delete(mine)
    try first.save()
    #expect(fault.name == "")
    #expect(fault.isDeleted)
    #expect(fault.children.isEmpty)
  }

  @Test func aLinkToAModelThatIsKnownToBeGoneIsDropped() throws {
    let (first, second, mine, theirs) = try twoContexts()
    first.delete(mine)
    try first.save()
    second.processPendingChanges()
    let child = Child("c")
    second.insert(child)
    child.parent = theirs
    try second.save()
    #expect(child.parent == nil)
    #expect(try first.stored(Child.self).first?.parent == nil)
  }

  /// A context of another container on the same file, where the row of `Parent` is gone.
  private func twoContainers() throws -> (
    folder: TemporaryFolder, first: ModelContext, second: ModelContext, theirs: Parent
  ) {
    let folder = try TemporaryFolder()
    let first = try Graph.context(at: folder.store)
    let second = try Graph.context(at: folder.store)
    let mine = Parent("p")
    first.insert(mine)
    first.insert(Parent("kept"))
    try first.save()
    let theirs = try #require(
      try second.fetch(FetchDescriptor<Parent>(predicate: #Predicate { $0.name == "p" })).first)
    first.delete(mine)
    try first.save()
    return (folder, first, second, theirs)
  }

  @Test func anEditOfARowThatAnotherContainerDeletedIsLeftOut() throws {
    let (folder, first, second, theirs) = try twoContainers()
    theirs.name = "edited"
    let kept = try #require(
      try second.fetch(FetchDescriptor<Parent>(predicate: #Predicate { $0.name == "kept" })).first)
    kept.name = "changed"
    let child = Child("c", parent: theirs)
    second.insert(child)
    let lost = try discarded(by: second) { try second.save() }
    #expect(
      lost == [[theirs.persistentModelID: ["name"], child.persistentModelID: ["parent"]]])
    #expect(theirs.isDeleted && !second.hasChanges)
    #expect(child.parent == nil)
    #expect(try first.stored(Parent.self).map(\.name) == ["changed"])
    let stored = try #require(try first.stored(Child.self).first)
    #expect(stored.parent == nil)
    #expect(try second.fetch(FetchDescriptor<Parent>()) == [kept])
    withExtendedLifetime(folder) {}
  }

  @Test func aModelOfARequiredRelationshipThatAnotherContainerDeletedIsNamed() throws {
    let folder = try TemporaryFolder()
    let first = try Graph.context(at: folder.store)
    let second = try Graph.context(at: folder.store)
    let child = Child("c")
    first.insert(child)
    try first.save()
    let theirs = try #require(try second.fetch(FetchDescriptor<Child>()).first)
    first.delete(child)
    try first.save()
    theirs.name = "edited"
    second.insert(Graph.Toy("t", owner: theirs))
    let error = #expect(throws: SwiftDataError.self) { try second.save() }
    #expect(error?.description.contains("Toy.owner") == true)
    #expect(try first.count(Graph.Toy.self) == 0)
    second.rollback()
    try second.save()
  }
}
