import Foundation
import SwiftData
import Testing

/// Both sides of a relationship are in step, whichever side is set, before and after insertion.
@Suite(.databases) struct InverseTests {
  typealias Parent = Graph.Parent
  typealias Child = Graph.Child

  @Test(arguments: 0..<6)
  func bothSidesAgreeInEveryOrderOfAssignment(order: Int) throws {
    let context = try Graph.context()
    let parent = Parent("p")
    let child = Child("c")
    switch order {
    case 0:
      context.insert(parent)
      context.insert(child)
      child.parent = parent
    case 1:
      context.insert(parent)
      context.insert(child)
      parent.children.append(child)
    case 2:
      context.insert(parent)
      child.parent = parent
    case 3:
      child.parent = parent
      context.insert(child)
    case 4:
      parent.children = [child]
      context.insert(parent)
    default:
      parent.children.append(child)
      context.insert(child)
      context.insert(parent)
    }
    #expect(parent.children.map(\.name) == ["c"])
    #expect(child.parent === parent)
    #expect(child.modelContext === context)
    try context.save()
    #expect(parent.children.map(\.name) == ["c"])
    #expect(child.parent === parent)
    let stored = try #require(try context.stored(Parent.self).first)
    #expect(stored.children.map(\.name) == ["c"])
    #expect(stored.children.first?.parent === stored)
  }

  @Test func insertingAnyNodeInsertsTheWholeGraph() throws {
    for start in 0..<3 {
      let context = try Graph.context()
      let parent = Parent("p")
      let child = Child("c", parent: parent)
      let toy = Graph.Toy("t", owner: child)
      parent.children = [child]
      child.toys = [toy]
      switch start {
      case 0: context.insert(parent)
      case 1: context.insert(child)
      default: context.insert(toy)
      }
      #expect(context.insertedModelsArray.count == 3)
      try context.save()
      #expect(try context.count(Parent.self) == 1)
      #expect(try context.count(Child.self) == 1)
      #expect(try context.stored(Graph.Toy.self).first?.owner.parent?.name == "p")
    }
  }

  @Test func movingAChildTakesItFromItsOldParent() throws {
    let context = try Graph.context()
    let (a, b) = (Parent("a"), Parent("b"))
    let child = Child("c", parent: a)
    context.insert(child)
    context.insert(b)
    try context.save()
    child.parent = b
    #expect(a.children.isEmpty)
    #expect(b.children.map(\.name) == ["c"])
    a.children.append(child)
    #expect(b.children.isEmpty)
    #expect(child.parent === a)
    b.children = [child]
    #expect(a.children.isEmpty)
    try context.save()
    let stored = try context.stored(Parent.self)
    #expect(stored.first { $0.name == "a" }?.children.count == 0)
    #expect(stored.first { $0.name == "b" }?.children.count == 1)
  }

  @Test func replacingAnArrayFreesTheOldMembers() throws {
    let context = try Graph.context()
    let parent = Parent("p")
    parent.children = [Child("1"), Child("2"), Child("3")]
    context.insert(parent)
    try context.save()
    let old = parent.children
    let kept = try #require(old.first { $0.name == "2" })
    parent.children = [kept, Child("4")]
    #expect(old.filter { $0.parent == nil }.count == 2)
    try context.save()
    #expect(Set(parent.children.map(\.name)) == ["2", "4"])
    #expect(try context.count(Child.self) == 4)
    let stored = try #require(try context.stored(Parent.self).first)
    #expect(Set(stored.children.map(\.name)) == ["2", "4"])
  }

  @Test func membersCanBeRemovedWhileIterating() throws {
    let context = try Graph.context()
    let parent = Parent("p")
    parent.children = (0..<10).map { Child("\($0)") }
    context.insert(parent)
    try context.save()
    for child in parent.children where Int(child.name)! % 2 == 0 {
      parent.children.removeAll { $0 === child }
    }
    #expect(Set(parent.children.map(\.name)) == ["1", "3", "5", "7", "9"])
    for child in parent.children { context.delete(child) }
    try context.save()
    #expect(parent.children.isEmpty)
    #expect(try context.count(Child.self) == 5)
  }

  @Test func theSameObjectTwiceIsKeptOnce() throws {
    let context = try Graph.context()
    let parent = Parent("p")
    context.insert(parent)
    let child = Child("c")
    parent.children = [child, child]
    parent.children.append(child)
    try context.save()
    #expect(parent.children.count == 1)
    #expect(try context.count(Child.self) == 1)
    let (student, course) = (Graph.Student("s"), Graph.Course("c"))
    course.students = [student, student]
    student.courses = [course]
    context.insert(student)
    try context.save()
    #expect(student.courses.count == 1)
    #expect(course.students.count == 1)
    #expect(try context.stored(Graph.Course.self).first?.students.count == 1)
  }

  @Test func aNewHolderDisplacesTheOldOneInAOneToOne() throws {
    let context = try Graph.context()
    let (ann, bob) = (Graph.Person("Ann"), Graph.Person("Bob"))
    let (one, two) = (Graph.Passport(1), Graph.Passport(2))
    ann.passport = one
    bob.passport = two
    context.insert(ann)
    context.insert(bob)
    try context.save()
    ann.passport = two
    #expect(two.holder === ann)
    #expect(bob.passport == nil)
    #expect(one.holder == nil)
    try context.save()
    one.holder = ann
    #expect(ann.passport === one)
    #expect(two.holder == nil)
    try context.save()
    let stored = try context.stored(Graph.Person.self)
    #expect(stored.first { $0.name == "Ann" }?.passport?.number == 1)
    #expect(stored.first { $0.name == "Bob" }?.passport == nil)
    let free = try context.stored(Graph.Passport.self).first { $0.number == 2 }
    #expect(free != nil && free?.holder == nil)
  }

  @Test func displacementWorksAcrossAFreshContext() throws {
    let context = try Graph.context()
    let ann = Graph.Person("Ann")
    ann.passport = Graph.Passport(1)
    context.insert(ann)
    try context.save()
    let other = ModelContext(context.container)
    let stored = try #require(try other.fetch(FetchDescriptor<Graph.Person>()).first)
    let new = Graph.Passport(2)
    new.holder = stored
    #expect(stored.passport === new)
    try other.save()
    let passports = try context.stored(Graph.Passport.self)
    #expect(passports.first { $0.number == 1 }?.holder == nil)
    #expect(passports.first { $0.number == 2 }?.holder?.name == "Ann")
  }

  @Test func manyToManyIsInStepAndStored() throws {
    let context = try Graph.context()
    let students = (0..<3).map { Graph.Student("s\($0)") }
    let courses = (0..<3).map { Graph.Course("c\($0)") }
    for student in students { context.insert(student) }
    for course in courses { course.students = students }
    #expect(students.allSatisfy { $0.courses.count == 3 })
    try context.save()
    students[0].courses.removeAll { $0 === courses[1] }
    #expect(courses[1].students.count == 2)
    courses[2].students = [students[2]]
    try context.save()
    let stored = try context.stored(Graph.Student.self).sorted { $0.name < $1.name }
    let titles = stored.map { $0.courses.map(\.title).sorted().joined() }
    #expect(titles == ["c0", "c0c1", "c0c1c2"])
  }

  @Test func unidirectionalRelationshipsAreStoredAndReadBack() throws {
    let context = try Graph.context()
    let route = Graph.Route("r")
    let stops = (0..<4).map { Graph.Stop("s\($0)") }
    route.stops = stops
    route.start = stops[0]
    context.insert(route)
    let second = Graph.Route("q")
    second.start = stops[0]
    context.insert(second)
    try context.save()
    #expect(Set(route.stops.map(\.name)) == ["s0", "s1", "s2", "s3"])
    let stored = try #require(try context.stored(Graph.Route.self).first { $0.name == "r" })
    #expect(Set(stored.stops.map(\.name)) == ["s0", "s1", "s2", "s3"])
    #expect(stored.start?.name == "s0")
    route.stops.removeAll { $0.name == "s1" }
    route.stops.append(Graph.Stop("s9"))
    try context.save()
    let again = try #require(try context.stored(Graph.Route.self).first { $0.name == "r" })
    #expect(Set(again.stops.map(\.name)) == ["s0", "s2", "s3", "s9"])
  }

  @Test func deletingTheTargetOfAUnidirectionalRelationshipLeavesNothingBehind() throws {
    let context = try Graph.context()
    let route = Graph.Route("r")
    let stops = (0..<2).map { Graph.Stop("s\($0)") }
    route.stops = stops
    route.start = stops[0]
    context.insert(route)
    try context.save()
    context.delete(stops[0])
    try context.save()
    #expect(route.stops.map(\.name) == ["s1"])
    #expect(route.start == nil)
    let stored = try #require(try context.stored(Graph.Route.self).first)
    #expect(stored.stops.map(\.name) == ["s1"])
    #expect(stored.start == nil)
  }

  @Test func treesAreSavedAndMoved() throws {
    let context = try Graph.context()
    let root = Graph.Node("root")
    let (a, b) = (Graph.Node("a", parent: root), Graph.Node("b", parent: root))
    let leaf = Graph.Node("leaf", parent: a)
    context.insert(leaf)
    context.insert(b)
    try context.save()
    #expect(Set(root.children.map(\.name)) == ["a", "b"])
    leaf.parent = b
    try context.save()
    let stored = try context.stored(Graph.Node.self)
    let storedRoot = try #require(stored.first { $0.parent == nil })
    #expect(storedRoot.name == "root")
    #expect(stored.first { $0.name == "b" }?.children.map(\.name) == ["leaf"])
    #expect(stored.first { $0.name == "a" }?.children.isEmpty == true)
  }

  @Test func aModelCanBeRelatedToItself() throws {
    let context = try Graph.context()
    let node = Graph.Node("self")
    node.parent = node
    context.insert(node)
    #expect(node.children.first === node)
    try context.save()
    let stored = try #require(try context.stored(Graph.Node.self).first)
    #expect(stored.parent === stored)
    #expect(stored.children.map(\.name) == ["self"])
    node.parent = nil
    #expect(node.children.isEmpty)
    try context.save()
    #expect(try context.stored(Graph.Node.self).first?.children.isEmpty == true)
  }

  @Test func optionalToManyCanBeSetToNilAndAppendedTo() throws {
    let context = try Graph.context()
    let child = Child("c")
    context.insert(child)
    child.toys?.append(Graph.Toy("a", owner: child))
    #expect(child.toys?.count == 1)
    let toy = Graph.Toy("b", owner: child)
    context.insert(toy)
    #expect(child.toys?.count == 2)
    try context.save()
    #expect(try context.stored(Child.self).first?.toys?.count == 2)
  }

  @Test func anUnloadedToManyTakesNewMembersWithoutLosingStoredOnes() throws {
    let context = try Graph.context()
    let parent = Parent("p")
    parent.children = [Child("1")]
    context.insert(parent)
    try context.save()
    let other = ModelContext(context.container)
    let stored = try #require(try other.fetch(FetchDescriptor<Parent>()).first)
    let new = Child("2", parent: stored)
    other.insert(new)
    #expect(Set(stored.children.map(\.name)) == ["1", "2"])
    try other.save()
    #expect(Set(stored.children.map(\.name)) == ["1", "2"])
  }

  @Test func manyMembersAreAppendedOneByOne() throws {
    let context = try Graph.context()
    let parent = Parent("p")
    context.insert(parent)
    for index in 0..<1000 { parent.children.append(Child("\(index)")) }
    let other = Parent("q")
    context.insert(other)
    for index in 0..<1000 { context.insert(Child("\(index)", parent: other)) }
    #expect(parent.children.map(\.name) == (0..<1000).map(String.init))
    #expect(other.children.count == 1000)
    try context.save()
    #expect(try context.stored(Parent.self).map { $0.children.count } == [1000, 1000])
  }

  @Test func settingToNilAndBackIsNoLoss() throws {
    let context = try Graph.context()
    let parent = Parent("p")
    let child = Child("c", parent: parent)
    context.insert(child)
    try context.save()
    child.parent = nil
    child.parent = parent
    parent.children = []
    parent.children = [child]
    try context.save()
    #expect(try context.stored(Parent.self).first?.children.map(\.name) == ["c"])
    child.parent = child.parent
    parent.children = parent.children
    try context.save()
    #expect(try context.stored(Child.self).first?.parent?.name == "p")
  }

  @Test func removedAndAddedPairsOfAManyToManyAreStoredOnce() throws {
    let context = try Graph.context()
    let student = Graph.Student("s")
    let course = Graph.Course("c")
    student.courses = [course]
    context.insert(student)
    try context.save()
    student.courses = []
    course.students = [student]
    try context.save()
    #expect(try context.stored(Graph.Student.self).first?.courses.count == 1)
    course.students.append(Graph.Student("t"))
    student.courses.removeAll()
    course.students.append(student)
    try context.save()
    #expect(try context.stored(Graph.Course.self).first?.students.count == 2)
    #expect(try context.stored(Graph.Student.self).allSatisfy { $0.courses.count == 1 })
  }

  @Test func changesOfAnotherContextAreSeenAfterAFetch() throws {
    let context = try Graph.context()
    let parent = Parent("p")
    parent.children = [Child("a")]
    context.insert(parent)
    try context.save()
    #expect(parent.children.count == 1)
    let other = ModelContext(context.container)
    let same = try #require(try other.fetch(FetchDescriptor<Parent>()).first)
    same.children.append(Child("b"))
    same.name = "renamed"
    try other.save()
    _ = try context.fetch(FetchDescriptor<Parent>())
    #expect(parent.name == "renamed")
    #expect(Set(parent.children.map(\.name)) == ["a", "b"])
  }
}
