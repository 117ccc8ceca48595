import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// Results of observers follow changes of a few models without being fetched again.
@MainActor
struct ResultsPatchTests {
  @Model final class Task {
    var title: String
    var rank: Int
    var note = ""
    var parent: Task?

    init(_ title: String, _ rank: Int) {
      self.title = title
      self.rank = rank
    }
  }

  private let container: ModelContainer
  private let context: ModelContext
  private let statements = StatementRecorder()

  init() throws {
    container = try statements.container([Task.self])
    context = ModelContext(container)
    for number in 0..<100 { context.insert(Task("task \(number)", number * 10)) }
    try context.save()
  }

  private func ranked(limit: Int? = nil) throws -> ResultsObserver<Task, Never> {
    var descriptor = FetchDescriptor<Task>(
      predicate: #Predicate { $0.rank >= 0 }, sortBy: [SortDescriptor(\.rank)])
    descriptor.fetchLimit = limit
    return try ResultsObserver(fetchDescriptor: descriptor, modelContext: context)
  }

  /// The statements that read tasks while an observer is brought up to date, which has to be as a fetch then.
  private func reads(
    _ observer: ResultsObserver<Task, Never>, _ location: SourceLocation = #_sourceLocation,
    after change: () throws -> Void
  ) throws -> [String] {
    try change()
    let reads = statements.during { _ = observer.results.count }.map(\.sql)
    let fetched = try context.fetch(observer.fetchDescriptor)
    #expect(
      observer.results.elementsEqual(fetched, by: ===),
      "\(observer.results.map(\.title)) for \(fetched.map(\.title))", sourceLocation: location)
    return reads.filter { $0.hasPrefix("SELECT") && $0.contains("ZTASK") }
  }

  @Test func changesOfTheContextRunNoStatement() throws {
    let observer = try ranked()
    let tasks = Array(observer.results)
    #expect(try reads(observer) { tasks[3].rank = 505 }.isEmpty)
    #expect(observer.results[50] === tasks[3])
    #expect(try reads(observer) { tasks[4].rank = -1 }.isEmpty)
    #expect(observer.results.count == 99)
    let new = Task("new", 505)
    #expect(try reads(observer) { context.insert(new) }.isEmpty)
    #expect(try reads(observer) { try context.save() }.isEmpty)
    #expect(try reads(observer) { context.delete(tasks[5]) }.isEmpty)
    #expect(try reads(observer) { try context.save() }.isEmpty)
    #expect(try reads(observer) { tasks[6].note = "not read" }.isEmpty)
    let all = FetchDescriptor<Task>()
    let unordered = try ResultsObserver<Task, Never>(fetchDescriptor: all, modelContext: context)
    #expect(try reads(unordered) { context.insert(Task("last", 0)) }.isEmpty)
    #expect(try reads(unordered) { context.delete(tasks[7]) }.isEmpty)
    #expect(try reads(unordered) { try context.save() }.isEmpty)
  }

  @Test func newRowsOfOtherContextsAreReadAlone() throws {
    let observer = try ranked()
    let other = ModelContext(container)
    let read = try reads(observer) {
      other.insert(Task("between", 15))
      other.insert(Task("hidden", -5))
      try other.save()
    }
    #expect(read.count == 1 && read.allSatisfy { $0.contains("\"Z_PK\" IN") }, "\(read)")
    #expect(observer.results[2].title == "between")
    // The context reads the row of a model that it has; the list is not asked for.
    let there = try #require(
      try other.fetch(FetchDescriptor(predicate: #Predicate<Task> { $0.rank == 20 })).first)
    let fresh = try reads(observer) {
      there.rank = 995
      try other.save()
    }
    #expect(fresh.count == 1 && fresh[0].contains("\"Z_PK\" = "), "\(fresh)")
    #expect(observer.results.last?.rank == 995)
    let gone = try reads(observer) {
      other.delete(there)
      try other.save()
    }
    #expect(gone.isEmpty, "\(gone)")
  }

  @Test func aLimitIsRefilledOnlyWhereItIsShort() throws {
    let observer = try ranked(limit: 10)
    let tasks = Array(observer.results)
    #expect(try reads(observer) { context.insert(Task("first", 5)) }.isEmpty)
    #expect(observer.results.count == 10 && observer.results.last === tasks[8])
    #expect(try reads(observer) { tasks[2].rank = 45 }.isEmpty)
    #expect(try reads(observer) { context.insert(Task("behind", 5000)) }.isEmpty)
    #expect(try reads(observer) { context.delete(tasks[3]) }.count == 1)
    #expect(try reads(observer) { tasks[8].rank = 700 }.count == 1)
    let long = try ranked(limit: 1000)
    #expect(try reads(long) { context.delete(tasks[4]) }.isEmpty)
    #expect(try reads(long) { context.insert(Task("behind", 6000)) }.isEmpty)
  }

  @Test func changesThatCannotBePatchedAreFetched() throws {
    let observer = try ranked()
    let tasks = Array(observer.results)
    let many = try reads(observer) {
      for number in 0..<300 { context.insert(Task("more", number)) }
    }
    #expect(many.count == 1)
    #expect(try reads(observer) { context.rollback() }.count == 1)
    let deleted = try reads(observer) {
      try context.delete(model: Task.self, where: #Predicate { $0.rank > 900 })
    }
    // The rows are named, so that nothing is fetched.
    #expect(deleted.isEmpty && observer.results.allSatisfy { $0.rank <= 900 })
    let children = FetchDescriptor<Task>(
      predicate: #Predicate { $0.parent?.rank == 0 }, sortBy: [SortDescriptor(\.rank)])
    let followed = try ResultsObserver<Task, Never>(
      fetchDescriptor: children, modelContext: context)
    #expect(try reads(followed) { tasks[9].parent = tasks[0] }.count >= 1)
    #expect(followed.results.count == 1)
    var late = FetchDescriptor<Task>(sortBy: [SortDescriptor(\.rank)])
    late.fetchOffset = 5
    let shifted = try ResultsObserver<Task, Never>(fetchDescriptor: late, modelContext: context)
    #expect(try reads(shifted) { tasks[9].rank = 1 }.count == 1)
    var saved = FetchDescriptor<Task>(sortBy: [SortDescriptor(\.rank)])
    saved.includePendingChanges = false
    let stored = try ResultsObserver<Task, Never>(fetchDescriptor: saved, modelContext: context)
    #expect(try reads(stored) { tasks[8].rank = 2 }.count == 1)
  }

  @Test func modelsThatWereSetByHandAreNotPatched() throws {
    let observer = try ranked()
    let tasks = Array(observer.results)
    observer.results = FetchResultsCollection([tasks[1]])
    #expect(observer.results.count == 1)
    #expect(try reads(observer) { tasks[0].rank = 1 }.count == 1)
    #expect(observer.results.count == 100)
  }

  @Test func anUpsertLeavesOneModelOfARow() async throws {
    let container = try ModelContainer(
      for: Travel.Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let known = Travel.Trip(name: "a", start: Date(timeIntervalSince1970: 1))
    context.insert(known)
    try context.save()
    let observer = try ResultsObserver<Travel.Trip, Never>(
      sortBy: [SortDescriptor(\.start)], modelContext: context)
    let again = Travel.Trip(name: "a", start: Date(timeIntervalSince1970: 2))
    context.insert(again)
    #expect(observer.results.count == 2)
    try await quietly(.milliseconds(20))
    let calls = Mutex(0)
    withObservationTracking {
      _ = observer.results
    } onChange: {
      calls.withLock { $0 += 1 }
    }
    try context.save()
    try await eventually("a call") { calls.withLock { $0 } > 0 }
    #expect(calls.withLock { $0 } == 1)
    #expect(observer.results.count == 1 && observer.results.first === known)
    #expect(known.start == Date(timeIntervalSince1970: 2))
    context.insert(Travel.Trip(name: "b", start: .distantPast))
    #expect(observer.results.map(\.name) == ["b", "a"])
  }

  /// What a save has deleted in memory comes back when it fails, without an edit.
  @Test func aFailedSaveIsFollowed() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try World.container(folder.store))
    let (member, chore) = (World.Member(1), World.Chore(2))
    chore.assignee = member
    context.insert(chore)
    try context.save()
    context.undoManager = UndoManager()
    nonisolated(unsafe) let observer = try ResultsObserver<World.Member, Never>(
      sortBy: [SortDescriptor(\.number)], modelContext: context)
    nonisolated(unsafe) var seen: [Int] = []
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: context, queue: nil
    ) { _ in
      seen.append(observer.results.count)
    }
    #expect(throws: SwiftDataError.self) { try context.delete(model: World.Member.self) }
    NotificationCenter.default.removeObserver(token)
    #expect(seen == [0])
    #expect(observer.results.count == 1 && observer.results.first === member)
  }

  @Test func sectionsArePatched() throws {
    let observer = try ResultsObserver(
      filterBy: #Predicate<Task> { $0.rank < 50 }, sortBy: [SortDescriptor(\.rank)],
      sectionBy: \.note, modelContext: context)
    #expect(observer.sections?.map(\.count) == [5])
    let tasks = Array(observer.results)
    let none = statements.during {
      tasks[3].note = "b"
      tasks[1].note = "a"
      context.insert(Task("more", 7))
      #expect(observer.sections?.sectionTitles == ["", "a", "b"])
      #expect(observer.sections?.map(\.count) == [4, 1, 1])
    }
    #expect(none.isEmpty, "\(none)")
  }

  @Test func evaluatingThePredicateIsNotObserved() throws {
    let observer = try ranked()
    let hidden = Task("hidden", -1)
    context.insert(hidden)
    let calls = Mutex(0)
    withObservationTracking {
      _ = observer.results
    } onChange: {
      calls.withLock { $0 += 1 }
    }
    hidden.rank = -2
    #expect(observer.results.count == 100)
    #expect(calls.withLock { $0 } == 0)
    hidden.rank = 2
    #expect(observer.results.count == 101)
    #expect(calls.withLock { $0 } == 1)
  }

  /// A fetch gives a model its fresh row before the commit of another container is noticed: until then it stands where
  /// its old value belongs, and what is placed by a look at it may be wrong for a while.
  @Test func resultsAreSortedAgainAfterTheirRowsWereOutOfDate() async throws {
    let folder = try TemporaryFolder()
    func container() throws -> ModelContainer {
      try ModelContainer(for: Task.self, configurations: ModelConfiguration(url: folder.store))
    }
    let context = ModelContext(try container())
    for number in 0..<31 { context.insert(Task("task \(number)", number * 10)) }
    try context.save()
    let order = FetchDescriptor<Task>(sortBy: [SortDescriptor(\.rank)])
    let observer = try ResultsObserver<Task, Never>(fetchDescriptor: order, modelContext: context)
    let there = ModelContext(try container())
    let moving = try there.fetch(order)
    var random = SeededRandom(1)
    for _ in 0..<20 {
      let task = try #require(moving.randomElement(using: &random))
      task.rank = Int.random(in: 0..<300, using: &random)
      try there.save()
      _ = try context.fetch(FetchDescriptor<Task>())
      context.insert(Task("new", Int.random(in: 0..<300, using: &random)))
      _ = observer.results
    }
    func isSorted() -> Bool {
      let ranks = observer.results.map(\.rank)
      return ranks == ranks.sorted() && ranks.count == 51
    }
    try await eventually("the results are sorted") { isSorted() }
    #expect(observer.results.elementsEqual(try context.fetch(order), by: ===))
  }

  /// What costs in proportion to the list is a look at each model, no statement and no comparison.
  @Test(arguments: 0..<12) func randomChangesAreFollowed(seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    let other = ModelContext(container)
    let limit = 40
    var requests = [
      FetchDescriptor<Task>(sortBy: [SortDescriptor(\.rank, order: .reverse)]),
      FetchDescriptor<Task>(
        predicate: #Predicate { $0.rank > 300 }, sortBy: [SortDescriptor(\.title)]),
      FetchDescriptor<Task>(
        sortBy: [SortDescriptor(\.note, comparator: .lexical), SortDescriptor(\.rank)]),
      FetchDescriptor<Task>(predicate: #Predicate { $0.title.contains("1") }),
      FetchDescriptor<Task>(),
      FetchDescriptor<Task>(sortBy: [SortDescriptor(\.rank), SortDescriptor(\.title)]),
    ]
    requests[5].fetchLimit = limit
    let observers = try requests.map {
      try ResultsObserver<Task, Never>(fetchDescriptor: $0, modelContext: context)
    }
    let notes = ["", "a", "A", "ä", "10", "9"]
    func change(_ context: ModelContext) throws {
      let tasks = try context.fetch(FetchDescriptor<Task>())
      let task = try #require(tasks.randomElement(using: &random))
      switch Int.random(in: 0..<8, using: &random) {
      case 0: context.delete(task)
      case 1, 2:
        context.insert(Task("task \(tasks.count)", Int.random(in: 0..<1000, using: &random)))
      case 3: task.title = "task \(Int.random(in: 0..<100, using: &random))"
      case 4: task.note = notes.randomElement(using: &random) ?? ""
      default: task.rank = Int.random(in: 0..<1000, using: &random)
      }
    }
    for step in 0..<60 {
      let elsewhere = Int.random(in: 0..<3, using: &random) == 0
      for _ in 0..<Int.random(in: 1...4, using: &random) { try change(elsewhere ? other : context) }
      if elsewhere { try other.save() }
      if Int.random(in: 0..<4, using: &random) == 0 { try context.save() }
      if Int.random(in: 0..<15, using: &random) == 0 { context.rollback() }
      if Bool.random(using: &random) { continue }
      for (place, observer) in observers.enumerated() {
        let shown = observer.results.map { ObjectIdentifier($0) }
        let fetched = try context.fetch(requests[place]).map { ObjectIdentifier($0) }
        #expect(shown == fetched, "request \(place) at step \(step)")
      }
    }
  }
}
