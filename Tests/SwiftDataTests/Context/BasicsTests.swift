import SwiftData
import Testing

@Suite(.databases) struct BasicsTests {
  @Test func insertedModelsAreFetchedBeforeAndAfterASave() throws {
    let context = ModelContext(try Library.container())
    context.insert(Book(title: "Emma", pages: 474))
    #expect(try context.fetch(FetchDescriptor<Book>()).map(\.title) == ["Emma"])
    #expect(context.hasChanges)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try context.fetch(FetchDescriptor<Book>()).map(\.title) == ["Emma"])
  }

  @Test func aStoreFileIsReadBackAsItWasWritten() throws {
    let folder = try TemporaryFolder()
    let born = Date(timeIntervalSinceReferenceDate: -7_000_000_000.25)
    do {
      let container = try ModelContainer(
        for: Schema(Library.types), configurations: ModelConfiguration(url: folder.store))
      let context = ModelContext(container)
      let author = Author(name: "Jane Austen", born: born)
      context.insert(author)
      for (title, pages) in [("Emma", 474), ("Persuasion", 249)] {
        author.books.append(Book(title: title, pages: pages))
      }
      let shelf = Shelf(label: "A")
      context.insert(shelf)
      shelf.books = author.books
      try context.save()
    }
    let container = try ModelContainer(
      for: Schema(Library.types), configurations: ModelConfiguration(url: folder.store))
    let context = ModelContext(container)
    let author = try #require(try context.fetch(FetchDescriptor<Author>()).first)
    #expect(author.name == "Jane Austen")
    #expect(author.born == born)
    #expect(Set(author.books.map(\.title)) == ["Emma", "Persuasion"])
    #expect(author.books.allSatisfy { $0.author === author && !$0.isRead && $0.price == 9.5 })
    let shelf = try #require(try context.fetch(FetchDescriptor<Shelf>()).first)
    #expect(Set(shelf.books.map(\.pages)) == [474, 249])
    #expect(shelf.books.first?.shelves.first === shelf)
  }

  @Test func editsAreSavedAndDeletionsCascade() throws {
    let container = try Library.container()
    let context = ModelContext(container)
    let author = Author(name: "Ann")
    context.insert(author)
    author.books = [Book(title: "One", pages: 1), Book(title: "Two", pages: 2)]
    try context.save()
    author.books.first { $0.title == "One" }?.pages = 100
    try context.save()
    let other = ModelContext(container)
    let pages = try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
    #expect(pages.map(\.pages) == [2, 100])
    context.delete(author)
    try context.save()
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 0)
    #expect(author.isDeleted)
    #expect(author.modelContext == nil)
    #expect(author.name == "Ann")
  }

  @Test func predicatesSortsAndSlices() throws {
    let context = ModelContext(try Library.container())
    for number in 1...20 { context.insert(Book(title: "Book \(number)", pages: number * 10)) }
    try context.save()
    let wanted = 50
    var descriptor = FetchDescriptor<Book>(
      predicate: #Predicate { $0.pages > wanted && $0.title.contains("1") },
      sortBy: [SortDescriptor(\.pages, order: .reverse)])
    #expect(
      try context.fetch(descriptor).map(\.pages) == [
        190, 180, 170, 160, 150, 140, 130, 120, 110, 100,
      ])
    descriptor.fetchLimit = 3
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).map(\.pages) == [180, 170, 160])
    #expect(try context.fetchCount(descriptor) == 3)
    #expect(try context.fetchIdentifiers(descriptor).count == 3)
  }

  @Test func anUpsertKeepsTheRowAndTakesTheNewValues() throws {
    let container = try Library.container()
    let context = ModelContext(container)
    context.insert(Author(name: "Ann"))
    try context.save()
    let first = try #require(try context.fetch(FetchDescriptor<Author>()).first)
    let date = Date(timeIntervalSinceReferenceDate: 1)
    context.insert(Author(name: "Ann", born: date))
    try context.save()
    let all = try ModelContext(container).fetch(FetchDescriptor<Author>())
    #expect(all.count == 1)
    #expect(all.first?.born == date)
    #expect(first.born == date)
    #expect(all.first?.persistentModelID == first.persistentModelID)
  }

  @Test func rollbackGivesLiveModelsTheirStoredValuesBack() throws {
    let context = ModelContext(try Library.container())
    let author = Author(name: "Ann")
    let book = Book(title: "One", pages: 1, author: author)
    context.insert(book)
    try context.save()
    book.pages = 7
    book.author = nil
    #expect(author.books.isEmpty)
    context.insert(Book(title: "New", pages: 0))
    context.rollback()
    #expect(book.pages == 1)
    #expect(book.author === author)
    #expect(author.books.count == 1)
    #expect(!context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 1)
  }

  @Test func temporaryIdentifiersBecomePermanentInPlace() throws {
    let context = ModelContext(try Library.container())
    let book = Book(title: "One", pages: 1)
    context.insert(book)
    let temporary = book.persistentModelID
    #expect(temporary.storeIdentifier == nil)
    #expect(context.registeredModel(for: temporary) as Book? === book)
    try context.save()
    #expect(book.persistentModelID != temporary)
    #expect(book.persistentModelID.storeIdentifier != nil)
    #expect(context.model(for: temporary) === book)
    let coded = try JSONDecoder().decode(
      PersistentIdentifier.self, from: JSONEncoder().encode(book.persistentModelID))
    #expect(coded == book.persistentModelID)
    #expect(ModelContext(context.container).model(for: coded).persistentModelID == coded)
  }
}
