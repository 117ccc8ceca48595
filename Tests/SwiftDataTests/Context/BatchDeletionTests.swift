import Foundation
import Observation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Synchronization
import Testing

/// Delete rules that the store applies to rows that nobody has loaded.
@Suite(.databases) struct BatchDeletionTests {
  /// The statements that the store runs meanwhile.
  private func statements(_ context: ModelContext, _ body: () throws -> Void) throws -> [String] {
    let store = try #require(context.container.stores.first as? DefaultStore)
    var found: [String] = []
    try store.pool.write { $0.trace { found.append($0.sql) } }
    try body()
    try store.pool.write { $0.trace(nil) }
    return found
  }

  /// Two parents with two children with two toys each, and another one alone.
  private func families(_ count: Int = 2) throws -> ModelContext {
    let context = try Graph.context()
    for index in 0..<count {
      let parent = Graph.Parent("\(index)")
      context.insert(parent)
      for number in 0..<2 {
        let child = Graph.Child("\(index)-\(number)", parent: parent)
        for _ in 0..<2 { context.insert(Graph.Toy("t", owner: child)) }
      }
    }
    try context.save()
    return ModelContext(context.container)
  }

  @Test(.sqliteOnly("asks the default store")) func cascadesTakeLevelAfterLevelAlong() throws {
    let context = try families()
    let run = try statements(context) {
      try context.delete(model: Graph.Parent.self, where: #Predicate { $0.name == "0" })
    }
    #expect(run.count < 30)
    #expect(try context.stored(Graph.Parent.self).map(\.name) == ["1"])
    #expect(try context.stored(Graph.Child.self).map(\.name).sorted() == ["1-0", "1-1"])
    #expect(try context.count(Graph.Toy.self) == 4)
  }

  @Test(.sqliteOnly("asks the default store")) func theNumberOfStatementsDoesNotGrowWithTheRows()
    throws
  {
    let (few, many) = (try families(2), try families(200))
    let first = try statements(few) { try few.delete(model: Graph.Parent.self) }
    let second = try statements(many) { try many.delete(model: Graph.Parent.self) }
    #expect(first.count == second.count)
    #expect(try many.count(Graph.Toy.self) == 0)
  }

  @Test func cyclesEnd() throws {
    let context = try Graph.context()
    let rings = ["a", "b", "c"].map(Graph.Ring.init)
    for ring in rings { context.insert(ring) }
    for index in 0..<3 { rings[index].next = rings[(index + 1) % 3] }
    let root = Graph.Node("root")
    context.insert(root)
    for _ in 0..<5 { context.insert(Graph.Node("leaf", parent: root)) }
    try context.save()
    try context.delete(model: Graph.Ring.self, where: #Predicate { $0.name == "b" })
    try context.delete(model: Graph.Node.self, where: #Predicate { $0.name == "root" })
    #expect(try context.count(Graph.Ring.self) == 0)
    #expect(try context.count(Graph.Node.self) == 0)
    #expect(rings.map(\.isDeleted) == [true, true, true])
  }

  @Test func liveModelsAndOtherContextsFollow() throws {
    let context = try Graph.context()
    let person = Graph.Person("p")
    let passport = Graph.Passport(1)
    context.insert(person)
    person.passport = passport
    let students = ["x", "y"].map(Graph.Student.init)
    let course = Graph.Course("c")
    context.insert(course)
    course.students = students
    try context.save()
    let other = ModelContext(context.container)
    let theirs = try #require(try other.fetch(FetchDescriptor<Graph.Passport>()).first)
    let theirCourse = try #require(try other.fetch(FetchDescriptor<Graph.Course>()).first)
    #expect(theirs.holder?.name == "p")
    #expect(theirCourse.students.count == 2)
    try context.delete(model: Graph.Person.self)
    try context.delete(model: Graph.Student.self, where: #Predicate { $0.name == "x" })
    #expect(person.isDeleted && students[0].isDeleted && !students[1].isDeleted)
    #expect(passport.holder == nil)
    #expect(course.students.map(\.name) == ["y"])
    #expect(!context.hasChanges)
    other.processPendingChanges()
    #expect(theirs.holder == nil)
    #expect(theirCourse.students.map(\.name) == ["y"])
    #expect(try context.stored(Graph.Course.self).first?.students.map(\.name) == ["y"])
  }

  @Test func noActionLeavesTheOthersAlone() throws {
    let context = try Graph.context()
    let depot = Graph.Depot("d")
    context.insert(depot)
    depot.crates = [Graph.Crate("c")]
    try context.save()
    try context.delete(model: Graph.Depot.self)
    #expect(try context.stored(Graph.Crate.self).map(\.label) == ["c"])
    #expect(try context.stored(Graph.Crate.self).first?.depot == nil)
  }

  @Test func aDenialNamesFiveAndChangesNothing() throws {
    let context = try Graph.context()
    let project = Graph.Project("p")
    context.insert(project)
    project.tickets = (0..<7).map { Graph.Ticket("\($0)") }
    project.memos = [Graph.Memo("m")]
    try context.save()
    let error = #expect(throws: SwiftDataError.self) {
      try context.delete(model: Graph.Project.self)
    }
    let text = error?.description ?? ""
    let named = project.tickets.filter { text.contains($0.persistentModelID.description) }
    #expect(named.count == 5)
    #expect(text.contains("and 2 more"))
    #expect(!project.isDeleted && project.memos.count == 1)
    #expect(try context.count(Graph.Memo.self) == 1)
  }

  /// No actor is known, so queries read at the end of each call. With an undo manager models are deleted one by one.
  @Test func resultsKeepTheModelsOfAFailedDeletion() throws {
    let context = try Graph.context()
    let project = Graph.Project("p")
    context.insert(project)
    project.tickets = [Graph.Ticket("t")]
    try context.save()
    context.undoManager = UndoManager()
    nonisolated(unsafe) let observer = try ResultsObserver<Graph.Project, Never>(
      modelContext: context)
    let calls = Mutex(0)
    @Sendable func follow() {
      withObservationTracking {
        _ = observer.results.count
      } onChange: {
        let count = calls.withLock { calls in
          calls += 1
          return calls
        }
        if count < 9 { follow() }
      }
    }
    follow()
    #expect(throws: SwiftDataError.self) { try context.delete(model: Graph.Project.self) }
    // Deleted while the save runs, and there again.
    #expect(calls.withLock { $0 } == 2)
    #expect(observer.results.map(\.name) == ["p"])
  }

  @Test func aRequiredRelationshipIsNotEmptied() throws {
    let container = try ModelContainer(
      for: Graph.Engine.self, Graph.Part.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let engine = Graph.Engine("e")
    context.insert(engine)
    let part = Graph.Part("p", of: engine)
    context.insert(part)
    context.insert(Graph.Engine("free"))
    try context.save()
    let error = #expect(throws: SwiftDataError.self) {
      try context.delete(model: Graph.Engine.self)
    }
    #expect(error?.description.contains(part.persistentModelID.description) == true)
    #expect(try context.count(Graph.Engine.self) == 2)
    try context.delete(model: Graph.Engine.self, where: #Predicate { $0.name == "free" })
    #expect(try context.count(Graph.Engine.self) == 1)
    #expect(part.engine === engine)
  }

  @Test func pendingChangesOfModelsThatItConcernsMakeItPartOfTheNextSave() throws {
    let context = try families()
    let child = try #require(try context.fetch(FetchDescriptor<Graph.Child>()).first)
    child.name = "edited"
    try context.delete(model: Graph.Parent.self)
    #expect(try context.count(Graph.Parent.self) == 2)
    try context.save()
    #expect(try context.count(Graph.Child.self) == 0)
    context.insert(Graph.Course("pending"))
    try context.delete(model: Graph.Toy.self)
    #expect(context.insertedModelsArray.count == 1)
  }

  @Test(.sqliteOnly("asks the default store")) func cascadesOfASaveReadEachRelationshipOnce() throws
  {
    let context = try families(1000)
    let parents = try context.fetch(FetchDescriptor<Graph.Parent>())
    for parent in parents { context.delete(parent) }
    let run = try statements(context) { try context.save() }
    let reads = run.filter { $0.hasPrefix("SELECT") }
    #expect(reads.count <= 10, "\(Set(reads))")
    #expect(try context.count(Graph.Toy.self) == 0)
  }
}
