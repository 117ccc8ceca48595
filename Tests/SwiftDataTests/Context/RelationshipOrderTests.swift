import Foundation
import SwiftData
import Testing

/// The order of to-many relationships, and arrays set in unusual ways.
@Suite(.databases) struct RelationshipOrderTests {
  typealias Parent = Graph.Parent
  typealias Child = Graph.Child

  @Test func anArrayKeepsItsOrderThroughTheSave() throws {
    let context = try Graph.context()
    let parent = Parent("p")
    let children = ["d", "b", "a", "c"].map { Child($0) }
    for child in children.reversed() { context.insert(child) }
    context.insert(parent)
    try context.save()
    parent.children = children
    #expect(parent.children.map(\.name) == ["d", "b", "a", "c"])
    try context.save()
    #expect(parent.children.map(\.name) == ["d", "b", "a", "c"])
    parent.children.insert(Child("first"), at: 0)
    try context.save()
    #expect(parent.children.map(\.name) == ["first", "d", "b", "a", "c"])
    parent.children.remove(at: 2)
    parent.children.append(Child("last"))
    try context.save()
    #expect(parent.children.map(\.name) == ["first", "d", "a", "c", "last"])
    let late = Child("late", parent: parent)
    #expect(parent.children.last === late)
    try context.save()
    #expect(parent.children.map(\.name) == ["first", "d", "a", "c", "last", "late"])
    parent.children.sort { $0.name < $1.name }
    try context.save()
    #expect(parent.children.map(\.name) == ["a", "c", "d", "first", "last", "late"])
  }

  @Test func anExistingModelMovedAfterNewerOnesStaysThere() throws {
    let context = try Graph.context()
    let (early, parent) = (Child("early"), Parent("p"))
    context.insert(early)
    try context.save()
    parent.children = [Child("young")]
    context.insert(parent)
    try context.save()
    parent.children.append(early)
    try context.save()
    #expect(parent.children.map(\.name) == ["young", "early"])
  }

  @Test func everyFreshContextReadsTheSameOrder() throws {
    let context = try Graph.context()
    let student = Graph.Student("s")
    let courses = (0..<50).map { Graph.Course("\($0)") }
    for course in courses.shuffled() { context.insert(course) }
    try context.save()
    student.courses = courses.shuffled()
    context.insert(student)
    try context.save()
    let orders = try (0..<3).map { _ in
      try #require(try context.stored(Graph.Student.self).first).courses.map(\.title)
    }
    #expect(orders[0].count == 50)
    #expect(orders[0] == orders[1] && orders[1] == orders[2])
  }

  @Test func aMovedMemberLeavesTheKeptOrderOfItsOldOwner() throws {
    let context = try Graph.context()
    let (a, b) = (Parent("a"), Parent("b"))
    let children = (0..<4).map { Child("\($0)") }
    for child in children { context.insert(child) }
    context.insert(b)
    context.insert(a)
    try context.save()
    a.children = children.reversed()
    try context.save()
    children[2].parent = b
    #expect(a.children.map(\.name) == ["3", "1", "0"])
    try context.save()
    #expect(a.children.map(\.name) == ["3", "1", "0"])
    #expect(b.children.map(\.name) == ["2"])
    context.delete(children[1])
    try context.save()
    #expect(a.children.map(\.name) == ["3", "0"])
    context.rollback()
    #expect(Set(a.children.map(\.name)) == ["3", "0"])
  }

  @Test func swappingWholeArraysMovesEveryMember() throws {
    let context = try Graph.context()
    let (a, b) = (Parent("a"), Parent("b"))
    a.children = [Child("1"), Child("2")]
    b.children = [Child("3")]
    context.insert(a)
    context.insert(b)
    try context.save()
    let (ofA, ofB) = (a.children, b.children)
    a.children = ofB
    b.children = ofA
    #expect(a.children.map(\.name) == ["3"] && b.children.map(\.name) == ["1", "2"])
    #expect(ofA.allSatisfy { $0.parent === b })
    try context.save()
    let stored = try context.stored(Parent.self)
    #expect(stored.first { $0.name == "b" }?.children.map(\.name) == ["1", "2"])
  }

  @Test func movingWhileIteratingBothLists() throws {
    let context = try Graph.context()
    let (a, b) = (Parent("a"), Parent("b"))
    a.children = (0..<10).map { Child("\($0)") }
    context.insert(a)
    context.insert(b)
    try context.save()
    for child in a.children where child.name < "5" { b.children.append(child) }
    for child in b.children { child.name += "!" }
    #expect(a.children.count == 5 && b.children.count == 5)
    try context.save()
    let stored = try context.stored(Parent.self)
    #expect(stored.allSatisfy { $0.children.count == 5 })
  }

  @Test func aBaseClassListHoldsMixedSubclassesInOrder() throws {
    let container = try ModelContainer(
      for: Animal.self, Dog.self, Puppy.self, Owner.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let owner = Owner(name: "o")
    let animals: [Animal] = [
      Puppy(name: "p", breed: "b", weeks: 2), Animal(name: "a"), Dog(name: "d", breed: "c"),
    ]
    context.insert(owner)
    for animal in animals.reversed() { context.insert(animal) }
    try context.save()
    owner.animals = animals
    owner.favourite = animals[0]
    try context.save()
    #expect(owner.animals.map(\.name) == ["p", "a", "d"])
    let other = ModelContext(container)
    let stored = try #require(try other.fetch(FetchDescriptor<Owner>()).first)
    #expect(stored.animals.count == 3)
    #expect(stored.favourite is Puppy)
    #expect((stored.animals.first { $0.name == "d" } as? Dog)?.breed == "c")
    stored.animals.removeAll { $0 is Puppy }
    #expect(stored.favourite?.owner == nil)
    try other.save()
    context.processPendingChanges()
    #expect(owner.animals.map(\.name).sorted() == ["a", "d"])
    #expect(animals[0].owner == nil)
    #expect(owner.favourite === animals[0])
  }

  @Test func emptinessAndMembershipAreAnsweredByTheStore() throws {
    let context = try Graph.context()
    for index in 0..<3 {
      let parent = Parent("\(index)")
      parent.children = (0..<index).map { Child("\($0)") }
      context.insert(parent)
    }
    try context.save()
    let other = ModelContext(context.container)
    let child = try #require(
      try other.fetch(FetchDescriptor<Child>(predicate: #Predicate { $0.name == "1" })).first)
    let id = child.persistentModelID
    let empty = FetchDescriptor<Parent>(predicate: #Predicate { $0.children.isEmpty })
    #expect(try other.fetch(empty).map(\.name) == ["0"])
    let two = FetchDescriptor<Parent>(predicate: #Predicate { $0.children.count == 2 })
    #expect(try other.fetch(two).map(\.name) == ["2"])
    let owner = FetchDescriptor<Parent>(
      predicate: #Predicate { $0.children.contains { $0.persistentModelID == id } })
    #expect(try other.fetch(owner).map(\.name) == ["2"])
    let parent = try #require(child.parent).persistentModelID
    let ofParent = FetchDescriptor<Child>(
      predicate: #Predicate { $0.parent?.persistentModelID == parent })
    #expect(try other.fetchCount(ofParent) == 2)
  }
}
