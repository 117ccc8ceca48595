import Foundation
import SwiftData
import Testing

@Suite(.databases) struct UndoTests {
  private let context: ModelContext
  private let undo = UndoManager()

  init() throws {
    context = ModelContext(try Library.container())
    context.undoManager = undo
  }

  private func titles() throws -> [String] {
    try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])).map(\.title)
  }

  @Test func nothingIsRecordedUnlessAManagerIsSet() throws {
    let plain = ModelContext(try Library.container())
    #expect(plain.undoManager == nil)
    plain.insert(Book(title: "One", pages: 1))
    plain.undoManager = undo
    #expect(!undo.canUndo)
    #expect(context.undoManager === undo)
  }

  @Test func anInsertionIsUndoneAndRedone() throws {
    let book = Book(title: "One", pages: 1)
    context.insert(book)
    let identifier = book.persistentModelID
    #expect(undo.canUndo)
    undo.undo()
    #expect(try titles().isEmpty)
    #expect(book.modelContext == nil)
    #expect(book.title == "One")
    #expect(!context.hasChanges)
    #expect(!undo.canUndo)
    undo.redo()
    #expect(try context.fetch(FetchDescriptor<Book>()).first === book)
    #expect(book.persistentModelID == identifier)
    #expect(context.insertedModelsArray.count == 1)
    try context.save()
    #expect(try context.stored(Book.self).map(\.title) == ["One"])
  }

  @Test func anEditIsUndoneAndRedone() throws {
    let book = Book(title: "One", pages: 1)
    context.insert(book)
    try context.save()
    book.title = "Two"
    book.title = "Three"
    book.pages = 7
    undo.undo()
    #expect(book.title == "One")
    #expect(book.pages == 1)
    undo.redo()
    #expect(book.title == "Three")
    #expect(book.pages == 7)
  }

  @Test func aDeletionIsUndoneAndRedone() throws {
    let book = Book(title: "One", pages: 1)
    context.insert(book)
    try context.save()
    let identifier = book.persistentModelID
    context.delete(book)
    undo.undo()
    #expect(!book.isDeleted)
    #expect(!context.hasChanges)
    #expect(book.persistentModelID == identifier)
    undo.redo()
    #expect(book.isDeleted)
    try context.save()
    #expect(try context.count(Book.self) == 0)
  }

  @Test func anUndoAfterASaveIsAPendingChange() throws {
    let book = Book(title: "One", pages: 1)
    context.insert(book)
    try context.save()
    book.title = "Two"
    try context.save()
    undo.undo()
    #expect(book.title == "One")
    #expect(context.changedModelsArray.count == 1)
    try context.save()
    #expect(try context.stored(Book.self).map(\.title) == ["One"])
    undo.undo()
    #expect(book.isDeleted)
    try context.save()
    #expect(try context.count(Book.self) == 0)
    undo.redo()
    undo.redo()
    try context.save()
    #expect(try context.stored(Book.self).map(\.title) == ["Two"])
    #expect(try context.fetch(FetchDescriptor<Book>()).first === book)
  }

  @Test func undoOfASavedDeletionRestoresRelatedAndCascadedModels() throws {
    let author = Author(name: "Ann")
    let shelf = Shelf(label: "s")
    let books = [Book(title: "One", pages: 1), Book(title: "Two", pages: 2)]
    author.books = books
    books[0].shelves = [shelf]
    context.insert(author)
    try context.save()
    context.delete(author)
    try context.save()
    #expect(try context.count(Book.self) == 0)
    #expect(shelf.books.isEmpty)
    undo.undo()
    #expect(author.modelContext === context)
    #expect(Set(author.books.map(\.title)) == ["One", "Two"])
    #expect(books[0].author === author)
    #expect(shelf.books.first === books[0])
    try context.save()
    let stored = try #require(try context.stored(Author.self).first)
    #expect(Set(stored.books.map(\.title)) == ["One", "Two"])
    #expect(stored.books.flatMap(\.shelves).map(\.label) == ["s"])
    undo.redo()
    try context.save()
    #expect(try context.count(Author.self) == 0)
    #expect(try context.count(Book.self) == 0)
    #expect(try context.count(Shelf.self) == 1)
  }

  @Test func aDeletedFaultComesBackWithItsValues() throws {
    let other = ModelContext(context.container)
    other.insert(Book(title: "One", pages: 1))
    try other.save()
    let identifier = try #require(try context.fetchIdentifiers(FetchDescriptor<Book>()).first)
    let book = try #require(context.model(for: identifier) as? Book)
    context.delete(book)
    try context.save()
    undo.undo()
    try context.save()
    #expect(try context.stored(Book.self).map(\.title) == ["One"])
  }

  @Test func bothSidesOfRelationshipsFollow() throws {
    let (ann, bob) = (Author(name: "Ann"), Author(name: "Bob"))
    let books = (1...3).map { Book(title: "\($0)", pages: $0) }
    ann.books = books
    context.insert(ann)
    context.insert(bob)
    try context.save()
    #expect(ann.books.count == 3)
    ann.books = [books[2], books[0], books[1]]
    context.processPendingChanges()
    books[0].author = bob
    context.processPendingChanges()
    bob.books = [books[1]]
    context.processPendingChanges()
    undo.undo()
    #expect(bob.books.map(\.title) == ["1"])
    #expect(books[1].author === ann)
    undo.undo()
    #expect(bob.books.isEmpty)
    #expect(books[0].author === ann)
    #expect(ann.books.map(\.title) == ["3", "1", "2"])
    undo.undo()
    #expect(Set(ann.books.map(\.title)) == ["1", "2", "3"])
    for _ in 0..<3 { undo.redo() }
    #expect(ann.books.map(\.title) == ["3"])
    #expect(bob.books.map(\.title) == ["2"])
    #expect(books[0].author == nil)
    try context.save()
    #expect(try context.stored(Author.self).filter { $0.name == "Bob" }[0].books.count == 1)
  }

  /// The lists have not been read, so that only what was gained and lost is known.
  @Test func unloadedListsFollow() throws {
    let names = ["a", "b"]
    for name in names {
      let author = Author(name: name)
      author.books = [Book(title: name + "1", pages: 1), Book(title: name + "2", pages: 2)]
      context.insert(author)
    }
    try context.save()
    let other = ModelContext(context.container)
    other.undoManager = undo
    undo.removeAllActions()
    let books = try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    let authors = try other.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
    books[0].author = authors[0]
    other.processPendingChanges()
    #expect(!undo.canUndo)
    books[0].author = authors[1]
    other.processPendingChanges()
    books[0].author = nil
    for _ in 0..<2 {
      undo.undo()
      undo.undo()
      undo.redo()
    }
    #expect(books[0].author === authors[1])
    #expect(authors.map(\.books.count) == [1, 3])
    undo.undo()
    #expect(authors.map(\.books.count) == [2, 2])
    other.delete(authors[0])
    try other.save()
    undo.undo()
    #expect(Set(authors[0].books.map(\.title)) == ["a1", "a2"])
  }

  @Test func undoRestoresADisplacedModel() throws {
    let graph = try Graph.context()
    graph.undoManager = undo
    let (ann, bob) = (Graph.Person("Ann"), Graph.Person("Bob"))
    let (first, second) = (Graph.Passport(1), Graph.Passport(2))
    ann.passport = first
    bob.passport = second
    graph.insert(ann)
    graph.insert(bob)
    try graph.save()
    ann.passport = second
    #expect(first.holder == nil && bob.passport == nil)
    undo.undo()
    #expect(ann.passport === first && first.holder === ann)
    #expect(bob.passport === second && second.holder === bob)
    undo.redo()
    #expect(ann.passport === second && second.holder === ann)
    #expect(first.holder == nil && bob.passport == nil)
  }

  @Test func aReferenceWithoutInverseComesBack() throws {
    let graph = try Graph.context()
    graph.undoManager = undo
    let route = Graph.Route("r")
    let stops = (0..<3).map { Graph.Stop("\($0)") }
    route.start = stops[0]
    route.stops = stops
    graph.insert(route)
    try graph.save()
    route.start = nil
    route.stops.removeLast()
    try graph.save()
    undo.undo()
    try graph.save()
    let stored = try #require(try graph.stored(Graph.Route.self).first)
    #expect(stored.start?.name == "0")
    #expect(Set(stored.stops.map(\.name)) == ["0", "1", "2"])
  }

  @Test func undoRestoresEveryKindOfAttributeAfterASave() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Everything.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let first = ModelContext(context.container)
    let filled = Everything()
    filled.place = .init(name: "home", latitude: 1, longitude: 2, tags: ["a"], mood: .wild)
    filled.optionalPlace = .init(name: "away", latitude: 3)
    filled.shape = .circle(radius: 2)
    filled.mood = .wild
    filled.level = .high
    filled.url = URL(string: "file:///tmp")!
    filled.decimal = Decimal(string: "1.25")!
    filled.optionalUUID = filled.uuid
    filled.data = Data([1, 2])
    filled.float = 1.5
    filled.uint64 = .max
    filled.date = Date(timeIntervalSinceReferenceDate: 5)
    filled.set = [1, 2]
    filled.optionalString = "text"
    first.insert(filled)
    try first.save()

    context.undoManager = undo
    let model = try #require(try context.fetch(FetchDescriptor<Everything>()).first)
    model.place = .init(name: "", latitude: 0)
    model.optionalPlace = nil
    model.wallet = .init(home: .init(name: "", latitude: 0), coins: 3)
    model.shape = .point
    model.mood = .calm
    model.level = .low
    model.url = URL(string: "https://example.org")!
    model.decimal = 7
    model.uuid = UUID()
    model.optionalUUID = nil
    model.data = Data()
    model.float = 0
    model.uint64 = 0
    model.date = .now
    model.set = []
    model.optionalString = nil
    model.optionalInt = 3
    try context.save()
    undo.undo()
    func check(_ model: Everything) {
      #expect(model.place == filled.place)
      #expect(model.optionalPlace == filled.optionalPlace)
      #expect(model.wallet == nil)
      #expect(model.shape == filled.shape)
      #expect(model.mood == .wild && model.level == .high)
      #expect(model.url == filled.url && model.decimal == filled.decimal)
      #expect(model.uuid == filled.uuid && model.optionalUUID == filled.uuid)
      #expect(model.data == filled.data && model.float == 1.5 && model.uint64 == .max)
      #expect(model.date == filled.date && model.set == [1, 2])
      #expect(model.optionalString == "text" && model.optionalInt == nil)
    }
    check(model)
    try context.save()
    check(
      try #require(try ModelContext(context.container).fetch(FetchDescriptor<Everything>()).first))
  }

  @Test func rollbackTakesTheStepsOfTheContextOnly() throws {
    final class Note { var text = "old" }
    let note = Note()
    undo.beginUndoGrouping()
    undo.registerUndo(withTarget: note) { $0.text = "undone" }
    undo.endUndoGrouping()
    let book = Book(title: "One", pages: 1)
    context.insert(book)
    try context.save()
    book.title = "Two"
    context.rollback()
    #expect(book.title == "One")
    #expect(undo.canUndo)
    undo.undo()
    #expect(note.text == "undone")
    #expect(!undo.canUndo)
    #expect(try titles() == ["One"])
  }

  @Test func observersSeeAnUndo() throws {
    let author = Author(name: "Ann")
    let book = Book(title: "One", pages: 1)
    context.insert(author)
    context.insert(book)
    try context.save()
    book.title = "Two"
    book.author = author
    for apply in [{ _ = book.title }, { _ = book.author }, { _ = author.books }] {
      nonisolated(unsafe) var isTold = false
      withObservationTracking(apply) { isTold = true }
      undo.undo()
      #expect(isTold)
      undo.redo()
    }
  }

  @Test func aBatchDeletionIsUndone() throws {
    for number in 0..<3 { context.insert(Book(title: "\(number)", pages: number)) }
    try context.save()
    undo.removeAllActions()
    try context.delete(model: Book.self, where: #Predicate { $0.pages < 2 })
    #expect(try titles() == ["2"])
    #expect(undo.canUndo)
    undo.undo()
    #expect(!undo.canUndo)
    try context.save()
    #expect(try titles() == ["0", "1", "2"])
  }

  @Test(arguments: [false, true]) func aBatchDeletionIsUndoneWithItsReferences(isHeld: Bool) throws
  {
    let first = try Graph.context()
    let (route, stop) = (Graph.Route("r"), Graph.Stop("0"))
    route.start = stop
    route.stops = [stop, Graph.Stop("1")]
    first.insert(route)
    try first.save()
    let graph = ModelContext(first.container)
    graph.undoManager = undo
    let held = isHeld ? try graph.fetch(FetchDescriptor<Graph.Route>()) : []
    try graph.delete(model: Graph.Stop.self, where: #Predicate { $0.name == "0" })
    for _ in 0..<2 {
      undo.undo()
      try graph.save()
      let stored = try #require(try graph.stored(Graph.Route.self).first)
      #expect(stored.start?.name == "0")
      #expect(Set(stored.stops.map(\.name)) == ["0", "1"])
      undo.redo()
      try graph.save()
      #expect(try graph.stored(Graph.Route.self).map { $0.start?.name } == [nil])
    }
    #expect(held.allSatisfy { $0.stops.count == 1 })
  }

  /// With what the observer deletes, or without the batch, which it takes back.
  @Test(arguments: [ModelContext.didSave, ModelContext.willSave])
  func aDeletionBesideABatchIsUndoneWithItsReferences(in notification: Notification.Name) throws {
    let first = try Graph.context()
    for name in ["0", "1"] {
      let route = Graph.Route(name)
      route.start = Graph.Stop(name)
      first.insert(route)
    }
    try first.save()
    let graph = ModelContext(first.container)
    graph.undoManager = undo
    func deleteLast() throws {
      for stop in try graph.fetch(FetchDescriptor<Graph.Stop>()) where stop.name == "1" {
        graph.delete(stop)
      }
    }
    nonisolated(unsafe) let react = {
      if notification == ModelContext.willSave { graph.rollback() } else { try? deleteLast() }
    }
    let observer = NotificationCenter.default.addObserver(
      forName: notification, object: graph, queue: nil
    ) { _ in react() }
    try graph.delete(model: Graph.Stop.self, where: #Predicate { $0.name == "0" })
    NotificationCenter.default.removeObserver(observer)
    try deleteLast()
    try graph.save()
    #expect(try graph.stored(Graph.Route.self).allSatisfy { $0.start == nil || $0.name == "0" })
    while undo.canUndo { undo.undo() }
    try graph.save()
    let routes = try graph.stored(Graph.Route.self).filter { $0.name == "1" }
    #expect(routes.map { $0.start?.name } == ["1"])
  }

  /// It is no step, and does not take what can be redone.
  @Test func aFailedBatchDeletionRecordsNothing() throws {
    let context = try Graph.context()
    let project = Graph.Project("old")
    context.insert(project)
    project.tickets = [Graph.Ticket("t")]
    project.memos = [Graph.Memo("m")]
    try context.save()
    context.undoManager = undo
    project.name = "new"
    undo.undo()
    #expect(project.name == "old" && !context.hasChanges)
    #expect(throws: SwiftDataError.self) { try context.delete(model: Graph.Project.self) }
    #expect(!project.isDeleted && !context.hasChanges)
    #expect(!undo.canUndo && undo.canRedo)
    undo.redo()
    #expect(project.name == "new")
    #expect(project.memos.count == 1 && project.tickets.count == 1)
  }

  @Test func aFailedSaveRecordsNothingOfItsOwn() throws {
    let graph = try Graph.context()
    graph.undoManager = undo
    let project = Graph.Project("p")
    project.tickets = [Graph.Ticket("t")]
    project.memos = [Graph.Memo("m")]
    graph.insert(project)
    try graph.save()
    graph.delete(project)
    #expect(throws: SwiftDataError.self) { try graph.save() }
    undo.undo()
    #expect(!project.isDeleted && project.memos.count == 1 && project.tickets.count == 1)
    #expect(undo.undoCount == 1)
    project.name = "q"
    try graph.save()
    #expect(try graph.stored(Graph.Project.self).map(\.name) == ["q"])
  }

  @Test func whatWasNotRecordedIsKeptConsistent() throws {
    let authors = ["a", "b", "c"].map { Author(name: $0) }
    let book = Book(title: "One", pages: 1)
    for author in authors { context.insert(author) }
    context.insert(book)
    book.author = authors[0]
    try context.save()
    book.author = authors[1]
    undo.disableUndoRegistration()
    book.author = authors[2]
    undo.enableUndoRegistration()
    undo.undo()
    #expect(book.author === authors[0])
    #expect(authors.map(\.books.count) == [1, 0, 0])
  }
}
