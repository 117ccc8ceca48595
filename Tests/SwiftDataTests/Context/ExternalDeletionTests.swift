import Foundation
import SwiftData
import Testing

/// A row goes in one context while another has plans for it.
@Suite struct ExternalDeletionTests {
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
    let found: Parent? = second.registeredModel(for: theirs.persistentModelID)
    #expect(found == nil)
  }

  @Test func anUnsavedEditOfItMakesTheSaveThrowUntilItIsDroppedOrDeleted() throws {
    for way in 0..<2 {
      let (first, second, mine, theirs) = try twoContexts()
      theirs.name = "edited"
      second.insert(Child("waits"))
      first.delete(mine)
      try first.save()
      let error = #expect(throws: SwiftDataError.self) { try second.save() }
      #expect(error?.description.contains("Parent.name") == true)
      #expect(error?.description.contains("deleted by another context") == true)
      #expect(error?.description.contains(theirs.persistentModelID.description) == true)
      #expect(theirs.isDeleted)
      #expect(theirs.name == "edited")
      #expect(try second.fetch(FetchDescriptor<Parent>()).isEmpty)
      #expect(try first.count(Child.self) == 0)
      if way == 0 {
        second.delete(theirs)
        try second.save()
        #expect(try first.count(Child.self) == 1)
      } else {
        second.rollback()
        #expect(theirs.isDeleted)
        #expect(theirs.name == "p")
        #expect(!second.hasChanges)
        try second.save()
      }
      #expect(try first.count(Parent.self) == 0)
    }
  }

  @Test func anEditAfterItIsKnownToBeGoneIsNotLostInSilence() throws {
    let (first, second, mine, theirs) = try twoContexts()
    first.delete(mine)
    try first.save()
    second.processPendingChanges()
    theirs.name = "late"
    let error = #expect(throws: SwiftDataError.self) { try second.save() }
    #expect(error?.description.contains("Parent.name") == true)
    try second.save()
    #expect(try first.count(Parent.self) == 0)
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
    #expect(throws: SwiftDataError.self) { try second.save() }
    second.insert(theirs)
    try second.save()
    #expect(try first.stored(Parent.self).map(\.name) == ["edited"])
    #expect(!second.hasChanges)
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

  @Test func aRequiredPartnerThatIsGoneIsNamed() throws {
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
    let error = #expect(throws: SwiftDataError.self) { try second.save() }
    #expect(error?.description.contains("Toy.owner") == true)
    second.rollback()
    #expect(try first.count(Graph.Toy.self) == 0)
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

  @Test func anotherProcessThatDeletedTheRowIsReported() throws {
    let folder = try TemporaryFolder()
    let first = try Graph.context(at: folder.store)
    let second = try Graph.context(at: folder.store)
    let mine = Parent("p")
    first.insert(mine)
    try first.save()
    let theirs = try #require(try second.fetch(FetchDescriptor<Parent>()).first)
    first.delete(mine)
    try first.save()
    theirs.name = "edited"
    let error = #expect(throws: SwiftDataError.self) { try second.save() }
    #expect(error?.description.contains("deleted in the store") == true)
    second.rollback()
    #expect(try second.fetch(FetchDescriptor<Parent>()).isEmpty)
  }
}
