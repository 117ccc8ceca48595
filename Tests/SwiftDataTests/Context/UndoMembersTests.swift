import Foundation
import SwiftData
import Testing

/// An undo takes members of lists back that no to-one on the other side leads to.
@Suite(.databases) struct UndoMembersTests {
  private let undo = UndoManager()

  @Test func pairsGoAndComeBack() throws {
    let context = try Graph.context()
    let student = Graph.Student("s")
    let courses = ["a", "b"].map(Graph.Course.init)
    student.courses = [courses[0]]
    for course in courses { context.insert(course) }
    context.insert(student)
    try context.save()
    context.undoManager = undo
    student.courses.append(courses[1])
    context.processPendingChanges()
    undo.undo()
    #expect(student.courses == [courses[0]] && courses[1].students.isEmpty)
    #expect(!context.hasChanges)
    undo.redo()
    #expect(student.courses == courses && courses[1].students == [student])
    try context.save()
    undo.undo()
    try context.save()
    #expect(try context.stored(Graph.Student.self).first?.courses.count == 1)
  }

  @Test func membersWithoutInverseGoAndComeBack() throws {
    let context = try Graph.context()
    let route = Graph.Route("r")
    let stops = ["a", "b"].map(Graph.Stop.init)
    route.stops = [stops[0]]
    for stop in stops { context.insert(stop) }
    context.insert(route)
    try context.save()
    context.undoManager = undo
    route.stops = [stops[1]]
    context.processPendingChanges()
    undo.undo()
    #expect(route.stops == [stops[0]] && !context.hasChanges)
    undo.redo()
    #expect(route.stops == [stops[1]])
  }

  /// A rollback discards what lists have gained.
  @Test func aMemberReturnsToItsOwnerAfterARollback() throws {
    let context = try Graph.context()
    let routes = ["a", "b"].map(Graph.Route.init)
    let stop = Graph.Stop("s")
    for route in routes { context.insert(route) }
    routes[0].stops = [stop]
    try context.save()
    context.undoManager = undo
    routes[1].stops.append(Graph.Stop("t"))
    context.processPendingChanges()
    context.rollback()
    routes[1].stops.append(stop)
    try context.save()
    undo.undo()
    try context.save()
    #expect(routes[0].stops == [stop] && routes[1].stops.isEmpty)
  }

  @Test func aDeletionThatTheSameEventTakesBackIsNoStep() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    parent.children = [Graph.Child("a")]
    context.insert(parent)
    try context.save()
    context.undoManager = undo
    context.delete(parent)
    context.insert(parent)
    context.processPendingChanges()
    #expect(!undo.canUndo && !context.hasChanges)
  }

  // MARK: Deleted models that no relationship leads back from

  /// A route that starts at one stop and has two, in a context with an undo manager.
  /// - Parameter isRead: Whether the context has the route in memory.
  private func route(isRead: Bool = true) throws -> (ModelContext, stops: [Graph.Stop]) {
    let first = try Graph.context()
    let made = Graph.Route("r")
    made.stops = ["a", "b"].map(Graph.Stop.init)
    made.start = made.stops[0]
    first.insert(made)
    try first.save()
    let context = ModelContext(first.container)
    context.undoManager = undo
    if isRead { _ = try context.fetch(FetchDescriptor<Graph.Route>()).map(\.stops.count) }
    let stops = try context.fetch(FetchDescriptor<Graph.Stop>(sortBy: [SortDescriptor(\.name)]))
    return (context, stops)
  }

  private func check(_ context: ModelContext, _ start: String?, _ stops: [String]) throws {
    for context in [context, ModelContext(context.container)] {
      let route = try #require(try context.fetch(FetchDescriptor<Graph.Route>()).first)
      #expect(route.start?.name == start)
      #expect(route.stops.map(\.name).sorted() == stops)
    }
  }

  @Test(arguments: [false, true]) func referencesToADeletedModelComeBack(isRead: Bool) throws {
    let (context, stops) = try route(isRead: isRead)
    context.delete(stops[0])
    try context.save()
    try check(context, nil, ["b"])
    undo.undo()
    try context.save()
    try check(context, "a", ["a", "b"])
    undo.redo()
    try context.save()
    try check(context, nil, ["b"])
    undo.undo()
    try context.save()
    try check(context, "a", ["a", "b"])
  }

  @Test func referencesToSeveralDeletedModelsComeBack() throws {
    let (context, stops) = try route(isRead: false)
    for stop in stops { context.delete(stop) }
    try context.save()
    try check(context, nil, [])
    undo.undo()
    try context.save()
    try check(context, "a", ["a", "b"])
  }

  @Test func withoutASaveNothingIsChanged() throws {
    let (context, stops) = try route()
    context.delete(stops[0])
    context.processPendingChanges()
    undo.undo()
    #expect(!context.hasChanges)
    try check(context, "a", ["a", "b"])
  }

  @Test func anEditOfTheSameEventIsUndoneToo() throws {
    let (context, stops) = try route()
    let route = try #require(try context.fetch(FetchDescriptor<Graph.Route>()).first)
    route.start = stops[1]
    route.stops = [stops[1]]
    context.delete(stops[1])
    try context.save()
    try check(context, nil, [])
    undo.undo()
    try context.save()
    try check(context, "a", ["a", "b"])
  }

  @Test func unsavedReferencesComeBack() throws {
    let (context, _) = try route()
    let route = try #require(try context.fetch(FetchDescriptor<Graph.Route>()).first)
    let stop = Graph.Stop("c")
    route.start = stop
    route.stops.append(stop)
    context.processPendingChanges()
    context.delete(stop)
    try context.save()
    try check(context, nil, ["a", "b"])
    undo.undo()
    try context.save()
    try check(context, "c", ["a", "b", "c"])
  }

  // MARK: Members that a save leaves to another owner

  /// A route with a stop, and one without, in a context with an undo manager.
  /// - Parameter isRead: Whether the context has the first route in memory.
  private func routes(isRead: Bool = true) throws -> (ModelContext, [Graph.Route], Graph.Stop) {
    let first = try Graph.context()
    let routes = ["a", "b"].map(Graph.Route.init)
    for route in routes { first.insert(route) }
    routes[0].stops = [Graph.Stop("s")]
    try first.save()
    let context = ModelContext(first.container)
    context.undoManager = undo
    let stop = try #require(try context.fetch(FetchDescriptor<Graph.Stop>()).first)
    if !isRead {
      let second = FetchDescriptor<Graph.Route>(predicate: #Predicate { $0.name == "b" })
      return (context, try context.fetch(second), stop)
    }
    let read = try context.fetch(FetchDescriptor<Graph.Route>(sortBy: [SortDescriptor(\.name)]))
    #expect(read.map(\.stops.count) == [1, 0])
    return (context, read, stop)
  }

  /// Saves, and returns the numbers of stops, by the names of the routes.
  private func savedCounts(_ context: ModelContext) throws -> [String: Int] {
    try context.save()
    func counts(_ context: ModelContext) throws -> [String: Int] {
      let routes = try context.fetch(FetchDescriptor<Graph.Route>())
      return Dictionary(uniqueKeysWithValues: routes.map { ($0.name, $0.stops.count) })
    }
    let stored = try counts(ModelContext(context.container))
    #expect(try counts(context) == stored)
    return stored
  }

  @Test(arguments: [false, true], [false, true])
  func aMemberReturnsToTheOwnerThatLostIt(isRead: Bool, endsEvent: Bool) throws {
    let (context, routes, stop) = try routes(isRead: isRead)
    try #require(routes.last).stops.append(stop)
    if endsEvent { context.processPendingChanges() }
    #expect(try savedCounts(context) == ["a": 0, "b": 1])
    for _ in 0..<2 {
      undo.undo()
      #expect(try savedCounts(context) == ["a": 1, "b": 0])
      undo.redo()
      #expect(try savedCounts(context) == ["a": 0, "b": 1])
    }
  }

  @Test func aMemberReturnsFromANewOwner() throws {
    let (context, _, stop) = try routes(isRead: false)
    let new = Graph.Route("c")
    new.stops = [stop]
    context.insert(new)
    #expect(try savedCounts(context) == ["a": 0, "b": 0, "c": 1])
    undo.undo()
    #expect(try savedCounts(context) == ["a": 1, "b": 0])
    undo.redo()
    #expect(try savedCounts(context) == ["a": 0, "b": 0, "c": 1])
  }

  /// The first owner gained the member in the same save.
  @Test func aMemberReturnsToAnOwnerThatDidNotStoreIt() throws {
    let (context, routes, _) = try routes()
    let stop = Graph.Stop("t")
    context.insert(stop)
    routes[0].stops.append(stop)
    context.processPendingChanges()
    routes[1].stops.append(stop)
    #expect(try savedCounts(context) == ["a": 1, "b": 1])
    undo.undo()
    #expect(try savedCounts(context) == ["a": 2, "b": 0])
    undo.undo()
    #expect(try savedCounts(context) == ["a": 1, "b": 0])
  }

  @Test func eachMoveIsUndoneByItsOwnStep() throws {
    let (context, routes, stop) = try routes()
    routes[1].stops.append(stop)
    try context.save()
    routes[1].stops = []
    try context.save()
    routes[1].stops = [stop]
    try context.save()
    undo.undo()
    #expect(try savedCounts(context) == ["a": 0, "b": 0])
    undo.undo()
    #expect(try savedCounts(context) == ["a": 0, "b": 1])
    undo.undo()
    #expect(try savedCounts(context) == ["a": 1, "b": 0])
  }

  /// Two events move a member on, and one save stores where it ends.
  @Test(arguments: [false, true]) func movesThatAreSavedTogetherAreUndoneInTurn(
    savesBetween: Bool
  ) throws {
    let (context, routes, stop) = try routes()
    let third = Graph.Route("c")
    context.insert(third)
    try context.save()
    routes[1].stops.append(stop)
    context.processPendingChanges()
    third.stops.append(stop)
    #expect(try savedCounts(context) == ["a": 0, "b": 0, "c": 1])
    undo.undo()
    if savesBetween { #expect(try savedCounts(context) == ["a": 0, "b": 1, "c": 0]) }
    undo.undo()
    #expect(try savedCounts(context) == ["a": 1, "b": 0, "c": 0])
    undo.redo()
    if savesBetween { #expect(try savedCounts(context) == ["a": 0, "b": 1, "c": 0]) }
    undo.redo()
    #expect(try savedCounts(context) == ["a": 0, "b": 0, "c": 1])
  }

  @Test func aMemberThatAThirdOwnerHasNowStaysThere() throws {
    let (context, routes, stop) = try routes()
    routes[1].stops.append(stop)
    try context.save()
    let other = ModelContext(context.container)
    let third = Graph.Route("c")
    other.insert(third)
    third.stops = try other.fetch(FetchDescriptor<Graph.Stop>())
    try other.save()
    context.processPendingChanges()
    undo.undo()
    #expect(try savedCounts(context) == ["a": 0, "b": 0, "c": 1])
  }

  @Test func aMoveThatIsSavedByARedoIsUndoneToo() throws {
    let (context, routes, stop) = try routes()
    routes[1].stops.append(stop)
    context.processPendingChanges()
    undo.undo()
    #expect(routes.map(\.stops.count) == [1, 0] && !context.hasChanges)
    undo.redo()
    #expect(try savedCounts(context) == ["a": 0, "b": 1])
    undo.undo()
    #expect(try savedCounts(context) == ["a": 1, "b": 0])
  }

  @Model final class Crate {
    var name: String
    @Relationship(deleteRule: .cascade) var wares: [Ware] = []
    @Relationship(deleteRule: .cascade) var best: Ware?

    init(_ name: String) { self.name = name }
  }

  @Model final class Ware {
    var name: String

    init(_ name: String) { self.name = name }
  }

  /// A deletion that was not saved before it is undone and redone.
  @Test func theRedoOfADeletionFollowsItsRules() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Crate.self, Ware.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let crate = Crate("a")
    context.insert(crate)
    crate.wares = [Ware("a")]
    crate.best = Ware("b")
    try context.save()
    context.undoManager = undo
    context.delete(crate)
    context.processPendingChanges()
    undo.undo()
    undo.redo()
    try context.save()
    #expect(try context.count(Crate.self) == 0 && context.count(Ware.self) == 0)
    undo.undo()
    try context.save()
    #expect(try context.count(Crate.self) == 1 && context.count(Ware.self) == 2)
  }

  /// No inverse tells the models that they belong to the owner.
  @Test func theUndoOfAnInsertionDeletesNoModelsThatWereThere() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Crate.self, Ware.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let wares = ["a", "b"].map(Ware.init)
    for ware in wares { context.insert(ware) }
    try context.save()
    context.undoManager = undo
    let crate = Crate("new")
    context.insert(crate)
    crate.wares = [wares[0], Ware("new")]
    crate.best = wares[1]
    try context.save()
    func names() throws -> [String] {
      try context.save()
      return try context.stored(Ware.self).map(\.name).sorted()
    }
    #expect(try names() == ["a", "b", "new"])
    for _ in 0..<2 {
      undo.undo()
      #expect(try names() == ["a", "b"])
      undo.redo()
      #expect(try names() == ["a", "b", "new"])
      #expect(crate.wares.map(\.name).sorted() == ["a", "new"] && crate.best === wares[1])
    }
  }
}
