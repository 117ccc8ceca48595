import SwiftData
import Testing

@Suite(.databases) struct SeveralContextsTests {
  @Test func aSaveIsSeenByTheNextFetchOfAnotherContext() throws {
    let container = try Library.container()
    let (first, second) = (ModelContext(container), ModelContext(container))
    let book = Book(title: "One", pages: 1)
    first.insert(book)
    try first.save()
    let copy = try #require(try second.fetch(FetchDescriptor<Book>()).first)
    #expect(copy !== book)
    #expect(copy == book)
    book.pages = 2
    try first.save()
    #expect(copy.pages == 1)
    _ = try second.fetch(FetchDescriptor<Book>())
    #expect(copy.pages == 2)
  }

  @Test func unsavedEditsSurviveAFetchOfFreshRows() throws {
    let container = try Library.container()
    let (first, second) = (ModelContext(container), ModelContext(container))
    first.insert(Book(title: "One", pages: 1))
    try first.save()
    let mine = try #require(try first.fetch(FetchDescriptor<Book>()).first)
    let theirs = try #require(try second.fetch(FetchDescriptor<Book>()).first)
    theirs.title = "Theirs"
    try second.save()
    mine.pages = 7
    _ = try first.fetch(FetchDescriptor<Book>())
    #expect(mine.pages == 7)
    #expect(mine.title == "Theirs")
    try first.save()
    _ = try second.fetch(FetchDescriptor<Book>())
    #expect(theirs.pages == 7 && theirs.title == "Theirs")
  }

  @Test func aModelDeletedByAnotherContextStaysDeletedWhenItsEditIsSaved() throws {
    let container = try Library.container()
    let (first, second) = (ModelContext(container), ModelContext(container))
    first.insert(Book(title: "One", pages: 1))
    try first.save()
    let mine = try #require(try first.fetch(FetchDescriptor<Book>()).first)
    try second.delete(model: Book.self)
    #expect(mine.title == "One")
    mine.pages = 2
    try first.save()
    #expect(mine.isDeleted && !first.hasChanges)
    #expect(try first.fetchCount(FetchDescriptor<Book>()) == 0)
  }

  @Test func aModelOfAnotherContextIsFoundByIdentifierWhenLinked() throws {
    let container = try Library.container()
    let (first, second) = (ModelContext(container), ModelContext(container))
    let author = Author(name: "Ann")
    first.insert(author)
    try first.save()
    let book = Book(title: "One", pages: 1)
    second.insert(book)
    book.author = author
    #expect(book.author !== author)
    #expect(book.author?.name == "Ann")
    try second.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Book>()).first?.author == author)
  }

  @Test func modelsOutliveTheirContext() throws {
    let container = try Library.container()
    func fetched() throws -> Author {
      let context = ModelContext(container)
      let author = Author(name: "Ann")
      context.insert(author)
      author.books = [Book(title: "One", pages: 1)]
      try context.save()
      return try #require(try ModelContext(container).fetch(FetchDescriptor<Author>()).first)
    }
    let author = try fetched()
    #expect(author.modelContext == nil)
    #expect(author.name == "Ann")
    #expect(author.books.first?.title == "One")
  }

  @Test func savesAreAnnouncedWithIdentifiers() throws {
    let container = try Library.container()
    let context = ModelContext(container)
    let book = Book(title: "One", pages: 1)
    context.insert(book)
    let center = NotificationCenter.default
    nonisolated(unsafe) var inserted: [[PersistentIdentifier]] = []
    let observer = center.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { note in
      let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
      inserted.append(note.userInfo?[key] as? [PersistentIdentifier] ?? [])
    }
    try context.save()
    center.removeObserver(observer)
    #expect(inserted == [[book.persistentModelID]])
  }

  @Test func aTransactionIsSavedWholeOrNotAtAll() throws {
    struct Stop: Error {}
    let container = try Library.container()
    let context = ModelContext(container)
    try context.transaction { context.insert(Book(title: "One", pages: 1)) }
    #expect(throws: Stop.self) {
      try context.transaction {
        context.insert(Book(title: "Two", pages: 2))
        throw Stop()
      }
    }
    #expect(!context.hasChanges)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Book>()).map(\.title) == ["One"])
  }
}
