import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

@Suite(.databases) struct PrefetchingTests {
  private func filled() throws -> ModelContainer {
    let container = try Library.container()
    let context = ModelContext(container)
    for number in 0..<50 {
      let author = Author(name: "Author \(number)")
      context.insert(author)
      for index in 0..<3 {
        author.books.append(Book(title: "Book \(number)-\(index)", pages: index))
      }
      let shelf = Shelf(label: "Shelf \(number)")
      context.insert(shelf)
      shelf.books = Array(author.books.prefix(2))
    }
    try context.save()
    return container
  }

  /// How many statements the store runs meanwhile.
  private func statements(_ container: ModelContainer, _ body: () throws -> Void) throws -> Int {
    let store = try #require(container.stores.first as? DefaultStore)
    var count = 0
    try store.pool.read { $0.trace { _ in count += 1 } }
    try body()
    try store.pool.read { $0.trace(nil) }
    return count
  }

  @Test(.sqliteOnly("asks the default store")) func toManyMembersComeWithOneStatement() throws {
    let container = try filled()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Author>(sortBy: [SortDescriptor(\.born)])
    descriptor.relationshipKeyPathsForPrefetching = [\.books]
    var authors: [Author] = []
    #expect(try statements(container) { authors = try context.fetch(descriptor) } == 2)
    let walked = try statements(container) {
      for author in authors {
        let number = author.name.dropFirst(7)
        #expect(Set(author.books.map(\.title)) == Set((0..<3).map { "Book \(number)-\($0)" }))
        #expect(author.books.allSatisfy { $0.author === author })
      }
    }
    #expect(walked == 0)
  }

  /// Owners whose keys follow each other are read as a range, others as a list.
  @Test(
    .sqliteOnly("asks the default store"),
    arguments: [
      (SortOrder.forward, 1, 0), (.reverse, 1, 0), (.forward, 2, 0), (.reverse, 3, 1),
      (.forward, 50, 7),
    ])
  func membersComeForAnyOwners(_ order: SortOrder, _ step: Int, _ rest: Int) throws {
    let container = try filled()
    let context = ModelContext(container)
    for author in try context.fetch(FetchDescriptor<Author>()) {
      let number = Int(author.name.dropFirst(7)) ?? 0
      author.born = Date(timeIntervalSinceReferenceDate: Double(number % step))
      if author.name == "Author 20" { author.books = [] }
    }
    try context.save()
    let reader = ModelContext(container)
    let born = Date(timeIntervalSinceReferenceDate: Double(rest))
    var descriptor = FetchDescriptor<Author>(
      predicate: #Predicate { $0.born == born },
      sortBy: [SortDescriptor(\.persistentModelID, order: order)])
    descriptor.relationshipKeyPathsForPrefetching = [\.books, \.books.first?.shelves]
    var authors: [Author] = []
    #expect(try statements(container) { authors = try reader.fetch(descriptor) } == 3)
    #expect(authors.count == (0..<50).count { $0 % step == rest })
    let walked = try statements(container) {
      for author in authors {
        let number = author.name.dropFirst(7)
        #expect(
          author.books.map(\.title).sorted()
            == (number == "20" ? [] : (0..<3).map { "Book \(number)-\($0)" }))
        #expect(
          author.books.allSatisfy { book in
            book.shelves.map(\.label) == (book.pages < 2 ? ["Shelf \(number)"] : [])
          })
      }
    }
    #expect(walked == 0)
  }

  @Test(.sqliteOnly("asks the default store")) func manyToManyAndToOneComeWithOneStatementEach()
    throws
  {
    let container = try filled()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Book>()
    descriptor.relationshipKeyPathsForPrefetching = [\.author, \.shelves]
    var books: [Book] = []
    #expect(try statements(container) { books = try context.fetch(descriptor) } == 3)
    let walked = try statements(container) {
      for book in books {
        #expect(book.author?.name.isEmpty == false)
        #expect(book.shelves.count == (book.pages < 2 ? 1 : 0))
      }
    }
    #expect(walked == 0)
  }

  private func nested() throws -> ModelContainer {
    let container = try Upserting.context().container
    let context = ModelContext(container)
    let countries = ["FR", "IT", "PT"].map { Upserting.Country($0) }
    for number in 0..<12 {
      let maker = Upserting.Maker("\(number)", "Maker \(number)")
      context.insert(maker)
      if number != 5 { maker.country = countries[number % 3] }
      for index in 0..<4 {
        maker.products.append(Upserting.Product("\(number).\(index)"))
      }
    }
    context.insert(Upserting.Product("orphan"))
    try context.save()
    return container
  }

  @Test(.sqliteOnly("asks the default store")) func pathsThroughToOnesCostOneStatementPerStep()
    throws
  {
    let container = try nested()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Upserting.Product>()
    descriptor.relationshipKeyPathsForPrefetching = [
      \.maker?.country, \.maker, \.maker?.country?.iso,
    ]
    var products: [Upserting.Product] = []
    #expect(try statements(container) { products = try context.fetch(descriptor) } == 3)
    let walked = try statements(container) {
      #expect(products.count == 49)
      #expect(products.filter { $0.maker?.country?.iso == "IT" }.count == 16)
      #expect(products.filter { $0.maker?.country == nil }.count == 5)
    }
    #expect(walked == 0)
  }

  @Test(.sqliteOnly("asks the default store")) func pathsThroughToManiesCostOneStatementPerStep()
    throws
  {
    let container = try nested()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Upserting.Country>(
      sortBy: [SortDescriptor(\.persistentModelID)])
    descriptor.relationshipKeyPathsForPrefetching = [\.makers.first?.products]
    var countries: [Upserting.Country] = []
    #expect(try statements(container) { countries = try context.fetch(descriptor) } == 3)
    let walked = try statements(container) {
      #expect(countries.map { $0.makers.flatMap(\.products).count } == [16, 16, 12])
    }
    #expect(walked == 0)
  }

  @Test(.sqliteOnly("asks the default store"), arguments: [false, true])
  func aPathThatReturnsToTheFetchedModelsKeepsBothSteps(_ isReversed: Bool) throws {
    let container = try filled()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Book>()
    let keyPaths: [PartialKeyPath<Book>] = [\.author, \.author?.books]
    descriptor.relationshipKeyPathsForPrefetching = isReversed ? keyPaths.reversed() : keyPaths
    var books: [Book] = []
    #expect(try statements(container) { books = try context.fetch(descriptor) } == 3)
    let walked = try statements(container) {
      #expect(books.count == 150)
      for book in books {
        #expect(book.author?.name.isEmpty == false)
        #expect(book.author?.books.count == 3)
        #expect(book.author?.books.contains { $0 === book } == true)
      }
    }
    #expect(walked == 0)
  }

  @Test(.sqliteOnly("asks the default store")) func aPathBackToTheOwnersKeepsTheirLists() throws {
    let container = try filled()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Author>()
    descriptor.relationshipKeyPathsForPrefetching = [\.books, \.books.first?.author]
    var authors: [Author] = []
    #expect(try statements(container) { authors = try context.fetch(descriptor) } == 2)
    let walked = try statements(container) {
      for author in authors {
        #expect(author.books.count == 3 && author.books.allSatisfy { $0.author === author })
      }
    }
    #expect(walked == 0)
  }

  @Test(.sqliteOnly("asks the default store")) func aPathGoesOnBehindTheOwners() throws {
    let container = try filled()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Author>()
    descriptor.relationshipKeyPathsForPrefetching = [\.books.first?.author?.books.first?.shelves]
    var authors: [Author] = []
    #expect(try statements(container) { authors = try context.fetch(descriptor) } == 3)
    let walked = try statements(container) {
      for author in authors {
        #expect(author.books.count == 3)
        #expect(author.books.allSatisfy { $0.shelves.count == ($0.pages < 2 ? 1 : 0) })
      }
    }
    #expect(walked == 0)
  }

  @Test(.sqliteOnly("asks the default store")) func aPathBackKeepsOtherLists() throws {
    let container = try filled()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Book>()
    descriptor.relationshipKeyPathsForPrefetching = [\.shelves, \.author?.books]
    var books: [Book] = []
    #expect(try statements(container) { books = try context.fetch(descriptor) } == 4)
    let walked = try statements(container) {
      for book in books {
        #expect(book.shelves.count == (book.pages < 2 ? 1 : 0))
        #expect(book.author?.books.count == 3)
      }
    }
    #expect(walked == 0)
  }

  /// Lists of both sides would retain each other's models.
  @Test(.sqliteOnly("asks the default store"))
  func aStepBackThroughManyToManyKeepsTheFirstList() throws {
    let container = try filled()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Book>()
    descriptor.relationshipKeyPathsForPrefetching = [\.shelves, \.shelves.first?.books]
    var books: [Book] = []
    #expect(try statements(container) { books = try context.fetch(descriptor) } == 2)
    let walked = try statements(container) {
      for book in books {
        #expect(book.shelves.count == (book.pages < 2 ? 1 : 0))
        #expect(book.shelves.allSatisfy { !$0.label.isEmpty })
      }
    }
    #expect(walked == 0)
    let shelf = try #require(books.first { !$0.shelves.isEmpty }?.shelves.first)
    #expect(shelf.books.count == 2)
  }

  /// The books of the authors lead to the shelves from which the authors were reached.
  @Test(.sqliteOnly("asks the default store"))
  func aDetourBackThroughManyToManyKeepsTheFirstList() throws {
    let container = try filled()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Shelf>()
    descriptor.relationshipKeyPathsForPrefetching = [
      \.books.first?.author?.books.first?.shelves
    ]
    let shelves = try context.fetch(descriptor)
    let walked = try statements(container) {
      #expect(shelves.count == 50)
      #expect(shelves.allSatisfy { $0.books.count == 2 })
    }
    #expect(walked == 0)
  }

  /// More than the context keeps of single reads.
  private func manyAuthors() throws -> ModelContainer {
    let container = try Library.container()
    let context = ModelContext(container)
    for number in 0..<1100 {
      let author = Author(name: "Author \(number)")
      context.insert(author)
      author.books.append(Book(title: "Book \(number)", pages: number))
    }
    try context.save()
    return container
  }

  @Test(.sqliteOnly("asks the default store")) func aPathBackKeepsBothStepsOfManyOwners() throws {
    let container = try manyAuthors()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Book>()
    descriptor.relationshipKeyPathsForPrefetching = [\.author, \.author?.books]
    let books = try context.fetch(descriptor)
    let walked = try statements(container) {
      #expect(books.count == 1100)
      for book in books {
        #expect(book.author?.books.count == 1 && book.author?.books.first === book)
      }
    }
    #expect(walked == 0)
  }

  @Test func manyPrefetchedOwnersAreReleased() throws {
    let container = try manyAuthors()
    weak var author: Author?
    do {
      let context = ModelContext(container)
      var descriptor = FetchDescriptor<Book>()
      descriptor.relationshipKeyPathsForPrefetching = [\.author, \.author?.books]
      author = try context.fetch(descriptor).first?.author
      #expect(author != nil)
      _ = try context.fetch(descriptor)
    }
    #expect(author == nil)
  }

  @Test func prefetchedModelsOfBothSidesAreReleased() throws {
    let container = try filled()
    weak var author: Author?
    weak var book: Book?
    do {
      let context = ModelContext(container)
      var descriptor = FetchDescriptor<Book>()
      descriptor.relationshipKeyPathsForPrefetching = [\.author, \.author?.books]
      let books = try context.fetch(descriptor)
      author = books.first?.author
      book = author?.books.first
      #expect(author != nil && book != nil)
    }
    #expect(author == nil && book == nil)
  }

  @Test(.sqliteOnly("asks the default store")) func whatIsInMemoryIsNotReadAgain() throws {
    let container = try nested()
    let context = ModelContext(container)
    let makers = try context.fetch(FetchDescriptor<Upserting.Maker>())
    var descriptor = FetchDescriptor<Upserting.Product>()
    descriptor.relationshipKeyPathsForPrefetching = [\.maker]
    #expect(try statements(container) { _ = try context.fetch(descriptor) } == 1)
    #expect(makers.count == 12)
  }

  @Test func unsavedChangesOfRelationshipsStay() throws {
    let container = try nested()
    let context = ModelContext(container)
    let makers = try context.fetch(
      FetchDescriptor<Upserting.Maker>(sortBy: [SortDescriptor(\.title)]))
    let moved = try #require(makers[0].products.first)
    moved.maker = makers[1]
    makers[2].products.append(Upserting.Product("new"))
    var descriptor = FetchDescriptor<Upserting.Maker>(sortBy: [SortDescriptor(\.title)])
    descriptor.relationshipKeyPathsForPrefetching = [\.products]
    let fetched = try context.fetch(descriptor)
    #expect(fetched.prefix(4).map(\.products.count) == [3, 5, 5, 4])
    #expect(moved.maker === makers[1])
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).prefix(4).map(\.products.count) == [3, 5, 5, 4])
  }

  @Test(.sqliteOnly("asks the default store")) func aLimitPrefetchesForWhatIsLeft() throws {
    let container = try nested()
    let context = ModelContext(container)
    context.insert(Upserting.Maker("new", "A new one"))
    var descriptor = FetchDescriptor<Upserting.Maker>(sortBy: [SortDescriptor(\.title)])
    descriptor.relationshipKeyPathsForPrefetching = [\.products]
    descriptor.fetchLimit = 2
    let makers = try context.fetch(descriptor)
    #expect(makers.map(\.products.count) == [0, 4])
    #expect(try statements(container) { _ = makers[1].products } == 0)
  }

  @Test(.sqliteOnly("asks the default store")) func partialRowsArePrefetchedFor() throws {
    let container = try nested()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Upserting.Product>()
    descriptor.propertiesToFetch = [\.name]
    descriptor.relationshipKeyPathsForPrefetching = [\.maker?.country]
    var products: [Upserting.Product] = []
    #expect(try statements(container) { products = try context.fetch(descriptor) } == 3)
    let walked = try statements(container) {
      #expect(products.filter { $0.name > "" && $0.maker?.country?.iso == "IT" }.count == 16)
    }
    #expect(walked == 0)
  }

  @Test(.sqliteOnly("asks the default store")) func withoutPrefetchingEachOwnerCostsAStatement()
    throws
  {
    let container = try filled()
    let context = ModelContext(container)
    let authors = try context.fetch(FetchDescriptor<Author>())
    #expect(try statements(container) { for author in authors { _ = author.books.count } } == 50)
  }
}
