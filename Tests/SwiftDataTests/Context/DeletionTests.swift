import Foundation
import SwiftData
import Testing

@Suite(.databases) struct DeletionTests {
  @Test func cascadeReachesAllLevels() throws {
    let context = try Graph.context()
    let root = Graph.Node("root")
    for i in 0..<3 {
      let middle = Graph.Node("m\(i)", parent: root)
      for j in 0..<3 { context.insert(Graph.Node("l\(i)\(j)", parent: middle)) }
    }
    try context.save()
    #expect(try context.count(Graph.Node.self) == 13)
    let other = ModelContext(context.container)
    let stored = try #require(
      try other.fetch(
        FetchDescriptor<Graph.Node>(predicate: #Predicate { $0.name == "root" })
      ).first)
    other.delete(stored)
    try other.save()
    #expect(try context.count(Graph.Node.self) == 0)
  }

  @Test func cascadeGoesThroughRequiredRelationships() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    let child = Graph.Child("c", parent: parent)
    context.insert(Graph.Toy("t", owner: child))
    try context.save()
    context.delete(parent)
    try context.save()
    #expect(try context.count(Graph.Child.self) == 0)
    #expect(try context.count(Graph.Toy.self) == 0)
  }

  @Test func cascadeInACycleEnds() throws {
    let context = try Graph.context()
    let rings = (0..<4).map { Graph.Ring("\($0)") }
    for (index, ring) in rings.enumerated() { ring.next = rings[(index + 1) % 4] }
    context.insert(rings[0])
    try context.save()
    #expect(rings[0].previous === rings[3])
    context.delete(rings[2])
    try context.save()
    #expect(try context.count(Graph.Ring.self) == 0)
  }

  @Test func nullifyFreesTheOtherSide() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    let child = Graph.Child("c", parent: parent)
    context.insert(child)
    try context.save()
    context.delete(child)
    try context.save()
    #expect(parent.children.isEmpty)
    #expect(try context.stored(Graph.Parent.self).first?.children.isEmpty == true)
    let person = Graph.Person("a")
    person.passport = Graph.Passport(7)
    context.insert(person)
    try context.save()
    let passport = try #require(person.passport)
    context.delete(person)
    try context.save()
    #expect(passport.holder == nil)
    #expect(try context.stored(Graph.Passport.self).first?.holder == nil)
  }

  @Test func deletingOneSideOfAManyToManyKeepsTheOther() throws {
    let context = try Graph.context()
    let student = Graph.Student("s")
    let (a, b) = (Graph.Course("a"), Graph.Course("b"))
    student.courses = [a, b]
    context.insert(student)
    try context.save()
    context.delete(a)
    try context.save()
    #expect(student.courses.map(\.title) == ["b"])
    #expect(try context.stored(Graph.Student.self).first?.courses.map(\.title) == ["b"])
    context.delete(student)
    try context.save()
    #expect(b.students.isEmpty)
    #expect(try context.stored(Graph.Course.self).map { $0.students.count } == [0])
  }

  @Test func denyKeepsStoreAndContextUntilItIsResolved() throws {
    let context = try Graph.context()
    let project = Graph.Project("p")
    let (ticket, memo) = (Graph.Ticket("t"), Graph.Memo("m"))
    project.tickets = [ticket]
    project.memos = [memo]
    context.insert(project)
    try context.save()
    context.delete(project)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.description.contains("Project") == true)
    #expect(error?.description.contains("tickets") == true)
    #expect(try context.count(Graph.Project.self) == 1)
    #expect(try context.count(Graph.Memo.self) == 1)
    #expect(context.deletedModelsArray.count == 1)
    #expect(context.changedModelsArray.isEmpty)
    #expect(!memo.isDeleted)
    #expect(memo.project === project)
    #expect(ticket.project === project)
    ticket.project = nil
    try context.save()
    #expect(try context.count(Graph.Project.self) == 0)
    #expect(try context.count(Graph.Memo.self) == 0)
    #expect(try context.count(Graph.Ticket.self) == 1)
  }

  @Test func aDeniedDeletionSucceedsOnceTheRelatedModelsAreDeletedToo() throws {
    let context = try Graph.context()
    let project = Graph.Project("p")
    project.tickets = [Graph.Ticket("t")]
    context.insert(project)
    try context.save()
    context.delete(project)
    #expect(throws: SwiftDataError.self) { try context.save() }
    context.delete(project.tickets[0])
    try context.save()
    #expect(try context.count(Graph.Project.self) == 0)
    #expect(try context.count(Graph.Ticket.self) == 0)
  }

  @Test func noActionDoesNotChangeTheRelatedModel() throws {
    let context = try Graph.context()
    let depot = Graph.Depot("d")
    depot.crates = [Graph.Crate("c")]
    context.insert(depot)
    try context.save()
    context.delete(depot)
    try context.save()
    let crate = try #require(try context.stored(Graph.Crate.self).first)
    #expect(crate.label == "c")
    #expect(crate.depot == nil || crate.depot?.isDeleted == true)
  }

  @Test func nullifyingARequiredRelationshipNamesItAndKeepsEverything() throws {
    let schema = Schema([Graph.Engine.self, Graph.Part.self])
    let context = ModelContext(
      try ModelContainer(for: schema, configurations: .init(isStoredInMemoryOnly: true)))
    let engine = Graph.Engine("e")
    let part = Graph.Part("p", of: engine)
    context.insert(part)
    try context.save()
    context.delete(engine)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.description.contains("Part") == true)
    #expect(error?.description.contains("engine") == true)
    #expect(part.engine === engine)
    #expect(try context.count(Graph.Engine.self) == 1)
    context.delete(part)
    try context.save()
    #expect(try context.count(Graph.Engine.self) == 0)
  }

  @Test func aRequiredRelationshipToADroppedNewModelIsRefused() throws {
    let context = ModelContext(
      try ModelContainer(for: Graph.Part.self, configurations: .init(isStoredInMemoryOnly: true)))
    let engine = Graph.Engine("e")
    let part = Graph.Part("p", of: engine)
    context.insert(part)
    context.delete(engine)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.description.contains("Part") == true)
    #expect(error?.description.contains("engine") == true)
    part.engine = Graph.Engine("f")
    try context.save()
    #expect(try context.stored(Graph.Part.self).first?.engine.name == "f")
    #expect(try context.count(Graph.Engine.self) == 1)
  }

  @Test func insertAndDeleteBeforeASaveLeavesNothing() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    context.insert(parent)
    let child = Graph.Child("c", parent: parent)
    context.insert(child)
    context.delete(child)
    #expect(parent.children.isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<Graph.Child>()) == 0)
    context.delete(parent)
    #expect(!context.hasChanges)
    try context.save()
    #expect(try context.count(Graph.Parent.self) == 0)
    #expect(try context.count(Graph.Child.self) == 0)
  }

  @Test func aDroppedNewModelTakesItsNewChildrenAlong() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    let child = Graph.Child("c", parent: parent)
    context.insert(Graph.Toy("t", owner: child))
    #expect(context.insertedModelsArray.count == 3)
    context.delete(parent)
    #expect(!context.hasChanges)
    try context.save()
    #expect(try context.count(Graph.Child.self) == 0)
  }

  @Test func cascadeReachesNewModelsThroughNewModels() throws {
    let context = try Graph.context()
    let project = Graph.Project("p")
    let parent = Graph.Parent("p")
    project.tickets = [Graph.Ticket("t")]
    context.insert(project)
    context.insert(parent)
    try context.save()
    let child = Graph.Child("c", parent: parent)
    let toy = Graph.Toy("t", owner: child)
    context.insert(toy)
    context.delete(parent)
    context.delete(project)
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(parent.children.first === child)
    #expect(toy.owner === child)
    #expect(context.insertedModelsArray.count == 2)
    #expect(context.deletedModelsArray.count == 2)
    project.tickets = []
    try context.save()
    #expect(try context.count(Graph.Parent.self) == 0)
    #expect(try context.count(Graph.Child.self) == 0)
    #expect(try context.count(Graph.Toy.self) == 0)
    #expect(try context.count(Graph.Project.self) == 0)
  }

  @Test func aDroppedNewModelCanBeInsertedAgain() throws {
    let context = try Graph.context()
    let child = Graph.Child("c")
    context.insert(child)
    context.delete(child)
    context.insert(child)
    child.name = "d"
    try context.save()
    #expect(try context.stored(Graph.Child.self).map(\.name) == ["d"])
  }

  @Test func aPendingDeletionIsTakenBackByInsertingWithItsEdits() throws {
    let context = try Graph.context()
    let child = Graph.Child("c")
    context.insert(child)
    try context.save()
    child.name = "d"
    context.delete(child)
    context.insert(child)
    #expect(!child.isDeleted)
    #expect(context.hasChanges)
    try context.save()
    #expect(try context.stored(Graph.Child.self).map(\.name) == ["d"])
  }

  @Test func aDeletedModelCanBeInsertedAnew() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    let child = Graph.Child("c", parent: parent)
    context.insert(child)
    try context.save()
    let old = child.persistentModelID
    context.delete(child)
    try context.save()
    #expect(child.isDeleted)
    context.insert(child)
    #expect(!child.isDeleted)
    child.parent = parent
    try context.save()
    #expect(child.persistentModelID != old || child.persistentModelID.storeIdentifier != nil)
    let stored = try context.stored(Graph.Child.self)
    #expect(stored.map(\.name) == ["c"])
    #expect(stored.first?.parent?.name == "p")
  }

  @Test func rollbackTakesADeletionBack() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    let child = Graph.Child("c", parent: parent)
    context.insert(child)
    try context.save()
    context.delete(parent)
    context.rollback()
    #expect(!parent.isDeleted)
    #expect(parent.children.first === child)
    #expect(child.parent === parent)
    try context.save()
    #expect(try context.count(Graph.Parent.self) == 1)
  }

  @Test func batchDeletionFollowsTheRules() throws {
    let context = try Graph.context()
    let project = Graph.Project("p")
    project.tickets = [Graph.Ticket("t")]
    context.insert(project)
    context.insert(Graph.Project("free"))
    try context.save()
    #expect(throws: SwiftDataError.self) { try context.delete(model: Graph.Project.self) }
    #expect(try context.count(Graph.Project.self) == 2)
    #expect(!context.hasChanges)
    try context.delete(model: Graph.Project.self, where: #Predicate { $0.name == "free" })
    #expect(try context.count(Graph.Project.self) == 1)
    try context.delete(model: Graph.Ticket.self)
    try context.delete(model: Graph.Project.self)
    #expect(try context.count(Graph.Project.self) == 0)
  }

  @Test func deletingTwiceAndEditingWhatIsDeletedIsHarmless() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    context.insert(parent)
    try context.save()
    context.delete(parent)
    context.delete(parent)
    parent.name = "late"
    #expect(context.deletedModelsArray.count == 1)
    try context.save()
    context.delete(parent)
    parent.name = "later"
    #expect(!context.hasChanges)
    try context.save()
    #expect(try context.count(Graph.Parent.self) == 0)
  }

  @Test func aChildOfADeletedParentDoesNotKeepIt() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    context.insert(parent)
    try context.save()
    context.delete(parent)
    let child = Graph.Child("c")
    context.insert(child)
    child.parent = parent
    try context.save()
    #expect(try context.count(Graph.Parent.self) == 0)
    let stored = try context.stored(Graph.Child.self)
    #expect(stored.allSatisfy { $0.parent == nil })
    #expect(!context.hasChanges)
  }

  @Test func aChildMovedAwayBeforeTheDeletionSurvives() throws {
    let context = try Graph.context()
    let (old, new) = (Graph.Parent("old"), Graph.Parent("new"))
    let child = Graph.Child("c", parent: old)
    context.insert(child)
    context.insert(new)
    try context.save()
    let other = ModelContext(context.container)
    let parents = try other.fetch(FetchDescriptor<Graph.Parent>(sortBy: [SortDescriptor(\.name)]))
    let moved = try #require(try other.fetch(FetchDescriptor<Graph.Child>()).first)
    moved.parent = parents[0]
    other.delete(parents[1])
    try other.save()
    #expect(try context.stored(Graph.Child.self).first?.parent?.name == "new")
  }

  @Test func aLongChainIsSavedAndDeletedWithoutRecursion() throws {
    let context = try Graph.context()
    let rings = (0..<5000).map { Graph.Ring("\($0)") }
    for index in 1..<rings.count { rings[index - 1].next = rings[index] }
    context.insert(rings[0])
    try context.save()
    #expect(try context.count(Graph.Ring.self) == 5000)
    context.delete(rings[0])
    try context.save()
    #expect(try context.count(Graph.Ring.self) == 0)
  }

  @Test func deletingAModelOfAnotherContextIsRefused() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    context.insert(parent)
    try context.save()
    let other = ModelContext(context.container)
    other.delete(parent)
    for _ in 0..<2 { #expect(throws: SwiftDataError.self) { try other.save() } }
    #expect(try context.count(Graph.Parent.self) == 1)
    other.rollback()
    try other.save()
  }
}
