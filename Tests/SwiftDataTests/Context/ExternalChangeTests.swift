import Foundation
import SwiftData
import Synchronization
import Testing

/// What one context saves, the others of its container see without fetching each model.
@Suite(.databases) struct ExternalChangeTests {
  typealias Parent = Graph.Parent
  typealias Child = Graph.Child

  private func changes(of apply: () -> Void, when mutate: () throws -> Void) rethrows -> Bool {
    let called = Mutex(false)
    withObservationTracking(apply) { called.withLock { $0 = true } }
    try mutate()
    return called.withLock { $0 }
  }

  /// A saved family in one context, and the same models in another.
  private func family() throws -> (
    first: ModelContext, second: ModelContext, mine: Parent, theirs: Parent
  ) {
    let first = try Graph.context()
    let mine = Parent("p")
    mine.children = [Child("a"), Child("b")]
    first.insert(mine)
    try first.save()
    let second = ModelContext(first.container)
    let theirs = try #require(try second.fetch(FetchDescriptor<Parent>()).first)
    #expect(theirs.children.count == 2)
    return (first, second, mine, theirs)
  }

  /// The models of two changes can't be read at first.
  @Test(.sqliteOnly("makes statements of the file fail"))
  func changesThatCouldNotBeAppliedAreKept() throws {
    let folder = try TemporaryFolder()
    let failing = FailingStatements()
    let container = try ModelContainer(
      for: Schema(Graph.types + Library.types),
      configurations: failing.configuration(ModelConfiguration(url: folder.store)))
    let (mine, theirs) = (ModelContext(container), ModelContext(container))
    let (depot, shelf) = (Graph.Depot("old"), Shelf(label: "s"))
    let models: [any PersistentModel] = [depot, shelf, Book(title: "b", pages: 1)]
    for model in models { mine.insert(model) }
    try mine.save()
    let their = try #require(try theirs.fetch(FetchDescriptor<Graph.Depot>()).first)
    let theirShelf = try #require(try theirs.fetch(FetchDescriptor<Shelf>()).first)
    their.name = "new"
    try theirs.save()
    failing.set {
      $0.hasPrefix("SELECT") && ($0.contains("\"ZDEPOT\"") || $0.contains("\"ZLABEL\""))
    }
    mine.processPendingChanges()
    let first = failing.count
    theirShelf.label = "new"
    try theirs.save()
    mine.processPendingChanges()
    #expect(first > 0 && failing.count > first)
    #expect(depot.name == "old")
    failing.set(nil)
    mine.processPendingChanges()
    #expect(depot.name == "new")
  }

  @Test func aFetchOfAnythingBringsRegisteredModelsUpToDate() throws {
    let (first, second, mine, theirs) = try family()
    mine.name = "q"
    mine.children[0].name = "c"
    try first.save()
    let child = theirs.children[0]
    #expect(theirs.name == "p")
    _ = try second.fetchCount(FetchDescriptor<Graph.Toy>())
    #expect(theirs.name == "q")
    #expect(child.name == "c")
    #expect(!second.hasChanges)
  }

  @Test(arguments: 0..<5)
  func everySafePointCatchesUp(point: Int) throws {
    let (first, second, mine, theirs) = try family()
    mine.name = "q"
    try first.save()
    switch point {
    case 0: second.processPendingChanges()
    case 1: try second.save()
    case 2: _ = second.model(for: theirs.persistentModelID)
    case 3: second.rollback()
    default: try second.enumerate(FetchDescriptor<Graph.Toy>()) { _ in }
    }
    #expect(theirs.name == "q")
  }

  @Test func onlyObserversOfChangedPropertiesAreNotified() throws {
    let (first, second, mine, theirs) = try family()
    let name = try changes(of: { _ = theirs.name }) {
      mine.name = "q"
      try first.save()
      second.processPendingChanges()
    }
    let unrelated = try changes(of: { _ = theirs.children }) {
      mine.name = "r"
      try first.save()
      second.processPendingChanges()
    }
    let list = try changes(of: { _ = theirs.children }) {
      mine.children.append(Child("c"))
      try first.save()
      second.processPendingChanges()
    }
    #expect(name)
    #expect(!unrelated)
    #expect(list)
    #expect(theirs.name == "r")
    #expect(Set(theirs.children.map(\.name)) == ["a", "b", "c"])
  }

  @Test func aMemberDeletedByAnotherContextLeavesTheList() throws {
    let (first, second, mine, theirs) = try family()
    let gone = try #require(theirs.children.first { $0.name == "a" })
    let doomed = try #require(mine.children.first { $0.name == "a" })
    first.delete(doomed)
    try first.save()
    second.processPendingChanges()
    #expect(theirs.children.map(\.name) == ["b"])
    #expect(gone.isDeleted)
    #expect(gone.name == "a")
  }

  @Test func aChildMovedByAnotherContextIsInOneListOnly() throws {
    let (first, second, mine, theirs) = try family()
    let other = Parent("other")
    first.insert(other)
    try first.save()
    let moved = try #require(mine.children.first { $0.name == "a" })
    let theirOther = try #require(
      try second.fetch(FetchDescriptor<Parent>(predicate: #Predicate { $0.name == "other" })).first)
    #expect(theirOther.children.isEmpty)
    moved.parent = other
    try first.save()
    second.processPendingChanges()
    #expect(theirs.children.map(\.name) == ["b"])
    #expect(theirOther.children.map(\.name) == ["a"])
    #expect(theirOther.children.first?.parent === theirOther)
  }

  @Test func manyToManyListsFollow() throws {
    let first = try Graph.context()
    let (student, course) = (Graph.Student("s"), Graph.Course("c"))
    first.insert(student)
    first.insert(course)
    try first.save()
    let second = ModelContext(first.container)
    let theirStudent = try #require(try second.fetch(FetchDescriptor<Graph.Student>()).first)
    let theirCourse = try #require(try second.fetch(FetchDescriptor<Graph.Course>()).first)
    #expect(theirStudent.courses.isEmpty && theirCourse.students.isEmpty)
    course.students = [student]
    try first.save()
    second.processPendingChanges()
    #expect(theirStudent.courses.first === theirCourse)
    #expect(theirCourse.students.first === theirStudent)
    student.courses = []
    try first.save()
    second.processPendingChanges()
    #expect(theirCourse.students.isEmpty)
    #expect(theirStudent.courses.isEmpty)
  }

  @Test func unsavedAdditionsToAListSurviveThoseOfAnotherContext() throws {
    let (first, second, mine, theirs) = try family()
    let new = Child("mine")
    theirs.children.append(new)
    mine.children.append(Child("theirs"))
    try first.save()
    second.processPendingChanges()
    #expect(Set(theirs.children.map(\.name)) == ["a", "b", "mine", "theirs"])
    #expect(theirs.children.contains { $0 === new })
    try second.save()
    #expect(try first.stored(Parent.self).first?.children.count == 4)
    first.processPendingChanges()
    #expect(mine.children.count == 4)
  }

  @Test func aDeletionCascadesToWhatAnotherContextAdded() throws {
    let (first, second, mine, theirs) = try family()
    #expect(theirs.children.count == 2)
    second.delete(theirs)
    mine.children.append(Child("late"))
    try first.save()
    try second.save()
    #expect(try first.count(Child.self) == 0)
    #expect(try first.count(Parent.self) == 0)
    first.processPendingChanges()
    #expect(mine.isDeleted)
  }

  @Test func aRowChangedByAnUpsertIsSeen() throws {
    let first = try Upserting.context()
    let second = ModelContext(first.container)
    second.insert(Upserting.Maker("a", "old"))
    try second.save()
    let live = try #require(try second.fetch(FetchDescriptor<Upserting.Maker>()).first)
    first.insert(Upserting.Maker("a", "new"))
    try first.save()
    second.processPendingChanges()
    #expect(live.title == "new")
    #expect(try second.fetchCount(FetchDescriptor<Upserting.Maker>()) == 1)
  }

  @Test func aBatchDeletionIsSeen() throws {
    let first = try Upserting.context()
    for number in 0..<10 { first.insert(Upserting.Seat("A", number)) }
    try first.save()
    let second = ModelContext(first.container)
    let seats = try second.fetch(FetchDescriptor<Upserting.Seat>())
    try first.delete(model: Upserting.Seat.self, where: #Predicate { $0.number < 5 })
    second.processPendingChanges()
    #expect(seats.count { $0.isDeleted } == 5)
    #expect(seats.allSatisfy { $0.isDeleted == ($0.number < 5) })
    #expect(seats.allSatisfy { ($0.modelContext == nil) == $0.isDeleted })
  }

  @Test func anErasedContainerIsSeen() throws {
    let (first, second, mine, theirs) = try family()
    try first.container.erase()
    second.processPendingChanges()
    #expect(theirs.isDeleted)
    #expect(theirs.name == "p")
    #expect(try first.fetch(FetchDescriptor<Parent>()).isEmpty)
    #expect(mine.isDeleted)
  }

  /// The edit names its property. What the batch deletion changes is found by comparing rows.
  @Test func anEditAndThenABatchDeletionNotifyOfBoth() throws {
    let first = try Graph.context()
    let mine = Graph.Passport(1)
    mine.holder = Graph.Person("p")
    first.insert(mine)
    try first.save()
    let second = ModelContext(first.container)
    let theirs = try #require(try second.fetch(FetchDescriptor<Graph.Passport>()).first)
    mine.number = 2
    try first.save()
    try first.delete(model: Graph.Person.self)
    let wasNotified = try changes(of: { _ = theirs.holder?.persistentModelID }) {
      _ = try second.fetchCount(FetchDescriptor<Graph.Toy>())
    }
    #expect(wasNotified)
    #expect(theirs.number == 2)
    #expect(theirs.holder == nil)
  }

  @Test func aContextThatSleptThroughManySavesSeesAll() throws {
    let container = try Library.container()
    let (first, second) = (ModelContext(container), ModelContext(container))
    let books = (0..<3000).map { Book(title: "\($0)", pages: 0) }
    for book in books { first.insert(book) }
    try first.save()
    let theirs = try second.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    let edited = theirs[7]
    edited.price = 1
    for round in 1...8 {
      for book in books { book.pages = round }
      try first.save()
    }
    first.delete(books[0])
    try first.save()
    _ = try second.fetchCount(FetchDescriptor<Author>())
    #expect(theirs.count { $0.pages == 8 } == 2999)
    #expect(theirs.filter(\.isDeleted).map(\.title) == ["0"])
    #expect(edited.price == 1)
    try second.save()
    first.processPendingChanges()
    #expect(books.first { $0.title == edited.title }?.price == 1)
  }

  @Test @MainActor func theMainContextCatchesUpByItself() async throws {
    let container = try Library.container()
    let book = Book(title: "One", pages: 1)
    container.mainContext.insert(book)
    try container.mainContext.save()
    let notified = Mutex(0)
    withObservationTracking {
      _ = book.pages
    } onChange: {
      notified.withLock { $0 += 1 }
    }
    let turner = PageTurner(modelContainer: container)
    try await turner.turn(book.persistentModelID, to: 9)
    try await eventually("the new number of pages") { book.pages == 9 }
    #expect(notified.withLock { $0 } == 1)
  }

  @Test func modelsOfAClosedContextStayAsTheyAre() throws {
    let (first, _, mine, theirs) = try family()
    mine.name = "q"
    try first.save()
    #expect(theirs.name == "p" || theirs.modelContext == nil)
    let third = ModelContext(first.container)
    #expect(try third.fetch(FetchDescriptor<Parent>()).first?.name == "q")
  }

  @Test func anotherContainerOnTheFileIsSeenByTheNextFetch() throws {
    let folder = try TemporaryFolder()
    let first = try Graph.context(at: folder.store)
    let second = try Graph.context(at: folder.store)
    let mine = Parent("p")
    mine.children = [Child("a")]
    first.insert(mine)
    try first.save()
    let theirs = try #require(try second.fetch(FetchDescriptor<Parent>()).first)
    #expect(theirs.children.count == 1)
    mine.name = "q"
    mine.children.append(Child("b"))
    try first.save()
    _ = try second.fetch(FetchDescriptor<Parent>())
    #expect(theirs.name == "q")
    #expect(theirs.children.count == 2)
    let keys = try #require(theirs.children.first { $0.name == "b" }).persistentModelID
    #expect(second.model(for: keys).persistentModelID == keys)
  }

  @Test func manyContextsInTurnLoseNothing() throws {
    let container = try Library.container()
    let contexts = (0..<8).map { _ in ModelContext(container) }
    contexts[0].insert(Book(title: "", pages: 0))
    try contexts[0].save()
    let books = try contexts.map { try #require(try $0.fetch(FetchDescriptor<Book>()).first) }
    for round in 0..<40 {
      let turn = round % contexts.count
      contexts[turn].processPendingChanges()
      books[turn].pages += 1
      try contexts[turn].save()
    }
    for (context, book) in zip(contexts, books) {
      context.processPendingChanges()
      #expect(book.pages == 40)
    }
  }
}

@ModelActor
private actor PageTurner {
  func turn(_ id: PersistentIdentifier, to pages: Int) throws {
    self[id, as: Book.self]?.pages = pages
    try modelContext.save()
  }
}
