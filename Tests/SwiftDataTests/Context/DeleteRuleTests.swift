import Foundation
import SwiftData
import Testing

/// Delete rules where they are hard: deep, in cycles, in combination, with unsaved models.
@Suite(.databases) struct DeleteRuleTests {
  @Test func aModelWithoutInverseThatIsDeletedBeforeItsFirstSaveIsNotRelated() throws {
    let context = try Graph.context()
    let (route, stop, other) = (Graph.Route("r"), Graph.Stop("s"), Graph.Stop("o"))
    context.insert(route)
    try context.save()
    route.start = stop
    route.stops = [stop, other]
    context.delete(stop)
    try context.save()
    #expect(route.start == nil)
    #expect(route.stops.map(\.name) == ["o"])
    let found = try #require(
      try ModelContext(context.container).fetch(FetchDescriptor<Graph.Route>()).first)
    #expect(found.start == nil)
    #expect(found.stops.map(\.name) == ["o"])
  }

  @Test func aChainOfTenThousandIsDeletedFromAFreshContext() throws {
    let context = try Graph.context()
    let rings = (0..<10_000).map { Graph.Ring("\($0)") }
    for index in 1..<rings.count { rings[index - 1].next = rings[index] }
    context.insert(rings[0])
    try context.save()
    let other = ModelContext(context.container)
    let first = try #require(
      try other.fetch(FetchDescriptor<Graph.Ring>(predicate: #Predicate { $0.name == "0" })).first)
    other.delete(first)
    try other.save()
    #expect(try context.count(Graph.Ring.self) == 0)
  }

  @Test func aChainOfUnsavedModelsIsDroppedWithoutRecursion() throws {
    let context = try Graph.context()
    do {
      let root = Graph.Node("0")
      var last = root
      for index in 1..<10_000 { last = Graph.Node("\(index)", parent: last) }
      context.insert(last)
      #expect(context.insertedModelsArray.count == 10_000)
      context.delete(root)
    }
    #expect(!context.hasChanges)
    try context.save()
    #expect(try context.count(Graph.Node.self) == 0)
  }

  @Test func denyNamesAllThatStandInTheWay() throws {
    let context = try Graph.context()
    let projects = (0..<2).map { Graph.Project("\($0)") }
    for project in projects {
      project.tickets = (0..<7).map { Graph.Ticket("\($0)") }
      context.insert(project)
    }
    try context.save()
    for project in projects { context.delete(project) }
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    let text = try #require(error).description
    for project in projects {
      #expect(text.contains(project.persistentModelID.description))
      let named = project.tickets.count { text.contains($0.persistentModelID.description) }
      #expect(named == 5)
    }
    #expect(text.contains("and 2 more"))
    #expect(context.deletedModelsArray.count == 2)
    #expect(context.changedModelsArray.isEmpty)
  }

  @Model final class Driver {
    @Relationship(deleteRule: .deny, inverse: \Licence.driver) var licence: Licence?

    init() {}
  }

  @Model final class Licence {
    var driver: Driver?

    init() {}
  }

  /// Both rows of a one-to-one relationship have a column for it.
  @Test func denyNamesTheModelOfAOneToOneRelationshipOnce() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Driver.self, Licence.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let (driver, licence) = (Driver(), Licence())
    context.insert(driver)
    driver.licence = licence
    try context.save()
    context.delete(driver)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    let text = try #require(error).description
    #expect(text.ranges(of: licence.persistentModelID.description).count == 1, "\(text)")
    #expect(error?.reason == .deletionDenied(entity: "Driver", property: "licence"))
  }

  @Model final class Depot {
    @Relationship(deleteRule: .cascade, inverse: \Van.depot) var vans: [Van] = []

    init() {}
  }

  @Model final class Van {
    var depot: Depot?
    @Relationship(deleteRule: .deny) var load: Load?
    @Relationship(deleteRule: .deny, inverse: \Load.vans) var shared: Load?
    @Relationship(deleteRule: .deny, inverse: \Load.single) var own: Load?
    @Relationship(.unique, deleteRule: .deny) var unique: Load?
    @Relationship(deleteRule: .deny, inverse: \Load.pairs) var pairs: [Load] = []
    @Relationship(deleteRule: .deny) var list: [Load] = []
    @Relationship(deleteRule: .cascade) var waste: Load?

    init() {}
  }

  @Model final class Load {
    var vans: [Van] = []
    var single: Van?
    var pairs: [Van] = []

    init() {}
  }

  private func storedVan() throws -> (ModelContext, Van) {
    let context = ModelContext(
      try ModelContainer(
        for: Depot.self, Van.self, Load.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let (depot, van) = (Depot(), Van())
    context.insert(depot)
    depot.vans = [van]
    try context.save()
    return (context, van)
  }

  /// How a van leads to a load.
  private static let links: [(property: String, set: @Sendable (Van, Load) -> Void)] = [
    ("load", { $0.load = $1 }), ("shared", { $0.shared = $1 }), ("own", { $0.own = $1 }),
    ("unique", { $0.unique = $1 }), ("pairs", { $0.pairs = [$1] }), ("list", { $0.list = [$1] }),
  ]

  @Test(arguments: links.indices, [false, true])
  func anUnsavedLinkDeniesToo(_ index: Int, toStoredModel isStored: Bool) throws {
    let (context, van) = try storedVan()
    let load = Load()
    context.insert(load)
    if isStored { try context.save() }
    let (property, link) = DeleteRuleTests.links[index]
    link(van, load)
    context.delete(van)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.reason == .deletionDenied(entity: "Van", property: property))
    let text = error?.description ?? ""
    #expect(text.contains(van.persistentModelID.description), "\(text)")
    #expect(text.contains(load.persistentModelID.description), "\(text)")
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Van>()) == 1)
    context.delete(load)
    try context.save()
    #expect(try context.count(Van.self) == 0 && context.count(Load.self) == 0)
  }

  @Test func anUnsavedLinkOfARowThatACascadeDeletesDeniesToo() throws {
    let (context, van) = try storedVan()
    van.load = Load()
    context.delete(try #require(van.depot))
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.reason == .deletionDenied(entity: "Van", property: "load"))
    context.rollback()
    #expect(try context.count(Depot.self) == 1 && context.count(Van.self) == 1)
    #expect(try context.count(Load.self) == 0)
  }

  @Test func anUnsavedModelThatIsDeletedTooDoesNotDeny() throws {
    let (context, van) = try storedVan()
    let load = Load()
    (van.load, van.waste) = (load, load)
    context.delete(van)
    try context.save()
    #expect(try context.count(Van.self) == 0 && context.count(Load.self) == 0)
  }

  @Test func anUnsavedRelatedModelDeniesToo() throws {
    let context = try Graph.context()
    let project = Graph.Project("p")
    context.insert(project)
    try context.save()
    let ticket = Graph.Ticket("new")
    context.insert(ticket)
    ticket.project = project
    context.delete(project)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.description.contains(ticket.persistentModelID.description) == true)
    #expect(ticket.project === project)
    #expect(context.insertedModelsArray.count == 1)
    context.delete(ticket)
    try context.save()
    #expect(try context.count(Graph.Project.self) == 0)
  }

  @Test func aRelatedModelThatAnotherContextAddedDenies() throws {
    let context = try Graph.context()
    let project = Graph.Project("p")
    context.insert(project)
    try context.save()
    #expect(project.tickets.isEmpty)
    let other = ModelContext(context.container)
    let theirs = try #require(try other.fetch(FetchDescriptor<Graph.Project>()).first)
    theirs.tickets = [Graph.Ticket("t")]
    try other.save()
    context.delete(project)
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(try context.count(Graph.Project.self) == 1)
    context.rollback()
    #expect(project.tickets.count == 1)
  }

  @Test func aFailedDeletionNotifiesObserversTwice() throws {
    let context = try Graph.context()
    let project = Graph.Project("p")
    project.tickets = [Graph.Ticket("t")]
    project.memos = [Graph.Memo("m")]
    let student = Graph.Student("s")
    student.courses = [Graph.Course("c")]
    context.insert(project)
    context.insert(student)
    try context.save()
    let course = student.courses[0]
    context.delete(course)
    context.delete(project)
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(student.courses.count == 1)
    #expect(student.courses[0] === course)
    #expect(project.memos.count == 1)
    context.rollback()
    #expect(student.courses.map(\.title) == ["c"])
  }

  @Test func aLoadedListWithoutInverseLosesDeletedMembers() throws {
    let context = try Graph.context()
    let route = Graph.Route("r")
    let stops = (0..<3).map { Graph.Stop("\($0)") }
    route.stops = stops
    route.start = stops[0]
    context.insert(route)
    try context.save()
    #expect(route.stops.count == 3)
    context.delete(stops[0])
    try context.save()
    #expect(route.stops.map(\.name) == ["1", "2"])
    #expect(route.start == nil)
    route.stops.append(Graph.Stop("3"))
    try context.save()
    #expect(try context.stored(Graph.Route.self).first?.stops.map(\.name) == ["1", "2", "3"])
  }

  @Test func aBatchDeletionOfTargetsWithoutInverseLeavesNothingDangling() throws {
    let context = try Graph.context()
    let route = Graph.Route("r")
    let stops = (0..<3).map { Graph.Stop("\($0)") }
    route.stops = stops
    route.start = stops[1]
    context.insert(route)
    try context.save()
    try context.delete(model: Graph.Stop.self, where: #Predicate { $0.name != "2" })
    #expect(route.start == nil)
    #expect(route.stops.map(\.name) == ["2"])
    #expect(stops.map(\.isDeleted) == [true, true, false])
    let dangling = FetchDescriptor<Graph.Route>(predicate: #Predicate { $0.start != nil })
    #expect(try context.fetchCount(dangling) == 0)
  }

  @Test func aBatchDeletionOfOneClassSparesItsSubclassesWhenAsked() throws {
    let container = try ModelContainer(
      for: Animal.self, Dog.self, Puppy.self, Owner.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let owner = Owner(name: "o")
    let (cat, dog) = (Animal(name: "cat"), Dog(name: "dog", breed: "b"))
    owner.animals = [cat, dog, Puppy(name: "puppy", breed: "b", weeks: 3)]
    owner.favourite = cat
    context.insert(owner)
    try context.save()
    try context.delete(model: Animal.self, includeSubclasses: false)
    #expect(Set(owner.animals.map(\.name)) == ["dog", "puppy"])
    #expect(owner.favourite == nil)
    #expect(cat.isDeleted && !dog.isDeleted)
    try context.delete(model: Dog.self)
    #expect(owner.animals.isEmpty)
    #expect(try context.count(Animal.self) == 0)
    #expect(try context.count(Owner.self) == 1)
  }

  @Test func aDeniedBatchDeletionNamesTheRowsAndChangesNothing() throws {
    let context = try Graph.context()
    for index in 0..<4 {
      let project = Graph.Project("\(index)")
      project.memos = [Graph.Memo("m")]
      if index == 2 { project.tickets = [Graph.Ticket("t")] }
      context.insert(project)
    }
    try context.save()
    let other = ModelContext(context.container)
    let blocked = try #require(
      try other.fetch(FetchDescriptor<Graph.Project>(predicate: #Predicate { $0.name == "2" }))
        .first)
    let error = #expect(throws: SwiftDataError.self) {
      try other.delete(model: Graph.Project.self)
    }
    #expect(error?.description.contains(blocked.persistentModelID.description) == true)
    #expect(!other.hasChanges)
    #expect(!blocked.isDeleted)
    #expect(blocked.memos.count == 1)
    #expect(try context.count(Graph.Project.self) == 4)
    #expect(try context.count(Graph.Memo.self) == 4)
  }

  @Test func membersOfADeletedManyToManyModelAreNoOrphans() throws {
    let context = try Graph.context()
    let students = (0..<3).map { Graph.Student("\($0)") }
    let courses = (0..<3).map { Graph.Course("\($0)") }
    for course in courses { course.students = students }
    for course in courses { context.insert(course) }
    try context.save()
    let other = ModelContext(context.container)
    for course in try other.fetch(FetchDescriptor<Graph.Course>()) where course.title != "1" {
      other.delete(course)
    }
    try other.save()
    #expect(try context.count(Graph.Student.self) == 3)
    let stored = try context.stored(Graph.Student.self)
    #expect(stored.allSatisfy { $0.courses.map(\.title) == ["1"] })
    let one = FetchDescriptor<Graph.Student>(predicate: #Predicate { $0.courses.count == 1 })
    #expect(try context.fetchCount(one) == 3)
    context.processPendingChanges()
    #expect(students.allSatisfy { $0.courses.count == 1 })
  }

  @Model final class Boss {
    @Relationship(deleteRule: .cascade, inverse: \Worker.boss) var workers: [Worker] = []

    init() {}
  }

  @Model final class Worker {
    var boss: Boss?
    @Relationship(deleteRule: .deny, inverse: \Duty.worker) var duties: [Duty] = []

    init() {}
  }

  @Model final class Duty {
    var worker: Worker?

    init() {}
  }

  @Test func aNewModelThatADeletionTakesAlongDeniesNothing() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Boss.self, Worker.self, Duty.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let (boss, duty) = (Boss(), Duty())
    context.insert(boss)
    context.insert(duty)
    try context.save()
    let worker = Worker()
    boss.workers = [worker]
    worker.duties = [duty]
    context.delete(boss)
    try context.save()
    #expect(try context.count(Boss.self) == 0 && context.count(Worker.self) == 0)
    #expect(try context.stored(Duty.self).map(\.worker) == [nil])
    #expect(worker.modelContext == nil && duty.worker == nil)
  }

  @Model final class Friend {
    var name: String
    @Relationship var friends: [Friend] = []

    init(_ name: String) { self.name = name }
  }

  /// No macro declares such a relationship.
  @Test func listsThatAreTheirOwnInverseLoseDeletedMembers() throws {
    let entity = try #require(Schema([Friend.self]).entitiesByName["Friend"])
    try #require(entity.relationshipsByName["friends"]).inverseName = "friends"
    let context = ModelContext(
      try ModelContainer(
        for: Schema(entity), configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let friends = ["a", "b", "c"].map(Friend.init)
    for friend in friends { context.insert(friend) }
    friends[0].friends = [friends[1], friends[2]]
    try context.save()
    #expect(friends[1].friends == [friends[0]])
    context.delete(friends[1])
    try context.save()
    let stored = try context.stored(Friend.self)
    #expect(
      Set(stored.map { "\($0.name) \($0.friends.map(\.name))" }) == ["a [\"c\"]", "c [\"a\"]"])
    let single = FetchDescriptor<Friend>(predicate: #Predicate { $0.friends.count == 1 })
    #expect(try context.fetchCount(single) == 2)
    try context.delete(model: Friend.self, where: #Predicate { $0.name == "c" })
    let lonely = FetchDescriptor<Friend>(predicate: #Predicate { $0.friends.isEmpty })
    #expect(try context.fetchCount(lonely) == 1)
  }

  @Test func listsWithoutInverseAloneLoseDeletedMembers() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Graph.Route.self, Graph.Stop.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let route = Graph.Route("r")
    let stops = ["a", "b"].map(Graph.Stop.init)
    route.stops = stops
    context.insert(route)
    try context.save()
    #expect(route.stops.count == 2)
    context.delete(stops[0])
    try context.save()
    #expect(route.stops == [stops[1]])
  }
}
