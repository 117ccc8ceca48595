import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// A fetch of a few properties reads their columns only, and the rest of a row when it is used.
@Suite(.databases) struct PropertiesToFetchTests {
  let recorder = StatementRecorder()

  private func filled(_ count: Int = 3) throws -> ModelContext {
    let container = try recorder.container(Library.types)
    let context = ModelContext(container)
    let author = Author(name: "Author")
    context.insert(author)
    for number in 0..<count {
      let book = Book(title: "Book \(number)", pages: 100 + number, author: author)
      context.insert(book)
      book.price = Double(number)
    }
    try context.save()
    return ModelContext(container)
  }

  private func titles(_ others: PartialKeyPath<Book>...) -> FetchDescriptor<Book> {
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
    descriptor.propertiesToFetch = [\.title] + others
    return descriptor
  }

  @Test(.sqliteOnly("counts statements")) func onlyTheirColumnsAreRead() throws {
    let context = try filled()
    var books: [Book] = []
    let statements = try recorder.during { books = try context.fetch(titles(\.pages)) }
    #expect(
      statements.map(\.sql) == [
        #"SELECT "t0"."Z_PK", "t0"."ZTITLE", "t0"."ZPAGES" FROM "ZBOOK" AS "t0" "#
          + #"ORDER BY swift_canonical("t0"."ZTITLE"), "t0"."Z_PK""#
      ])
    let reads = recorder.during {
      #expect(books.map(\.title) == ["Book 0", "Book 1", "Book 2"])
      #expect(books.map(\.pages) == [100, 101, 102])
    }
    #expect(reads.isEmpty)
  }

  @Test(.sqliteOnly("counts statements")) func anotherPropertyReadsTheWholeRowOnce() throws {
    let context = try filled()
    let books = try context.fetch(titles())
    let reads = recorder.during {
      #expect(books[1].price == 1)
      #expect(books[1].pages == 101)
      #expect(books[1].isRead == false)
      #expect(books[1].title == "Book 1")
      #expect(books[1].author?.name == "Author")
    }
    #expect(reads.count == 2)  // The book and its author.
    let reads1 = recorder.during { #expect(books[0].title == "Book 0") }
    #expect(reads1.isEmpty)
  }

  @Test(.sqliteOnly("counts statements")) func aRelationshipOfAPartialRowLeadsOn() throws {
    let context = try filled()
    let books = try context.fetch(titles(\.author))
    let reads = recorder.during {
      for book in books { #expect(book.author?.name == "Author") }
    }
    #expect(reads.count == 1)
    #expect(books[0].shelves.isEmpty)
    let authors = try context.fetch(FetchDescriptor<Author>())
    #expect(authors[0].books.count == 3)
    #expect(authors[0].books.allSatisfy { book in books.contains { $0 === book } })
  }

  @Test(.sqliteOnly("counts statements")) func aPathThroughARelationshipReadsItsKey() throws {
    let context = try filled()
    let statements = try recorder.during {
      _ = try context.fetch(titles(\.author?.name, \.persistentModelID))
    }
    #expect(
      statements.first?.sql.hasPrefix(
        #"SELECT "t0"."Z_PK", "t0"."ZTITLE", "t0"."ZAUTHOR" FROM"#) == true)
  }

  @Test(.sqliteOnly("counts statements")) func aChangeIsSavedAndTheRestKept() throws {
    let context = try filled()
    let book = try context.fetch(titles())[1]
    book.pages += 1000
    #expect(book.title == "Book 1")
    try context.save()
    #expect(book.price == 1)
    book.title = "Renamed"
    try context.save()
    let stored = try context.stored(Book.self).first { $0.title == "Renamed" }
    #expect(stored?.pages == 1101)
    #expect(stored?.price == 1)
    #expect(stored?.author?.name == "Author")
  }

  @Test(.sqliteOnly("counts statements")) func aRollbackGivesTheStoredValuesBack() throws {
    let context = try filled()
    let book = try context.fetch(titles())[2]
    book.title = "Edited"
    book.price = 77
    context.rollback()
    #expect(book.title == "Book 2")
    #expect(book.price == 2)
    #expect(!context.hasChanges)
  }

  @Test(.sqliteOnly("counts statements")) func itNeverTakesAwayWhatIsLoaded() throws {
    let context = try filled()
    let loaded = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    let partial = try context.fetch(titles())
    #expect(zip(loaded, partial).allSatisfy { $0 === $1 })
    let reads2 = recorder.during { #expect(loaded.map(\.price) == [0, 1, 2]) }
    #expect(reads2.isEmpty)
  }

  @Test(.sqliteOnly("counts statements")) func itNeverTakesUnsavedChangesAway() throws {
    let context = try filled()
    let book = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))[0]
    book.title = "A new title"
    book.price = 50
    let added = Book(title: "Added", pages: 1)
    context.insert(added)
    let partial = try context.fetch(titles())
    #expect(partial.map(\.title) == ["A new title", "Added", "Book 1", "Book 2"])
    #expect(partial[0] === book && partial[1] === added)
    #expect(book.price == 50)
    try context.save()
    #expect(try context.fetch(titles())[0] === book)
    let reads3 = recorder.during { #expect(book.price == 50 && added.pages == 1) }
    #expect(reads3.isEmpty)
  }

  @Test(.sqliteOnly("counts statements")) func aWholeRowReplacesAPartialOne() throws {
    let context = try filled()
    let partial = try context.fetch(titles())
    let whole = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(zip(whole, partial).allSatisfy { $0 === $1 })
    let reads4 = recorder.during { #expect(partial.map(\.price) == [0, 1, 2]) }
    #expect(reads4.isEmpty)
  }

  @Test(.sqliteOnly("counts statements")) func otherPropertiesReplaceThoseOfAnEarlierFetch() throws
  {
    let context = try filled()
    let book = try context.fetch(titles())[0]
    var prices = FetchDescriptor<Book>()
    prices.propertiesToFetch = [\.price]
    _ = try context.fetch(prices)
    #expect(book.title == "Book 0")
    #expect(book.price == 0)
  }

  @Test(.sqliteOnly("counts statements")) func whatAnotherContextSavedIsNotMixedWithOldValues()
    throws
  {
    let context = try filled()
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    let other = ModelContext(context.container)
    for book in try other.fetch(FetchDescriptor<Book>()) {
      book.title = "New " + book.title
      book.price += 100
    }
    try other.save()
    #expect(try context.fetch(titles()).map(\.title) == ["New Book 0", "New Book 1", "New Book 2"])
    #expect(books.map(\.price) == [100, 101, 102])
  }

  @Test(.sqliteOnly("counts statements"))
  func theRestOfARowThatChangedMeanwhileComesWithItsFreshValues() throws {
    let context = try filled()
    let book = try context.fetch(titles())[0]
    let changed = Mutex(false)
    withObservationTracking {
      _ = book.title
    } onChange: {
      changed.withLock { $0 = true }
    }
    let other = ModelContext(context.container)
    let same = try #require(try other.fetch(titles()).first)
    same.title = "Fresh"
    same.price = 9
    try other.save()
    #expect(book.price == 9)
    #expect(book.title == "Fresh")
    #expect(changed.withLock { $0 })
  }

  @Test(.sqliteOnly("counts statements")) func aDeletedRowKeepsWhatWasRead() throws {
    let context = try filled()
    let book = try context.fetch(titles())[0]
    let other = ModelContext(context.container)
    other.delete(try #require(try other.fetch(titles()).first))
    try other.save()
    #expect(book.price == 9.5)
    #expect(book.isDeleted)
    #expect(book.title == "Book 0")
  }

  @Test(.sqliteOnly("counts statements")) func deletingOneFollowsTheRules() throws {
    let context = try filled()
    var authors = FetchDescriptor<Author>()
    authors.propertiesToFetch = [\.name]
    let author = try #require(try context.fetch(authors).first)
    context.delete(author)
    try context.save()
    #expect(try context.count(Book.self) == 0)
    #expect(author.name == "Author")
  }

  @Test(.sqliteOnly("counts statements")) func snapshotsAreWhole() throws {
    let context = try filled()
    let book = try context.fetch(titles())[1]
    var related: [PersistentIdentifier: any BackingData] = [:]
    let snapshot = DefaultSnapshot(from: book.persistentBackingData, relatedBackingDatas: &related)
    let data = try JSONEncoder().encode(snapshot)
    let values = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(values["pages"] as? Int == 101)
    #expect(values["price"] as? Double == 1)
    let store = try #require(context.container.stores.first as? DefaultStore)
    let request = DataStoreFetchRequest(
      descriptor: titles(), editingState: context.editingState)
    let found = try store.fetch(request).fetchedSnapshots
    let first = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(found[0]))
    #expect((first as? [String: Any])?["pages"] as? Int == 100)
  }

  @Test(.sqliteOnly("counts statements")) func enumerationReadsTheirColumnsOnly() throws {
    let context = try filled(10)
    var seen: [String] = []
    let statements = try recorder.during {
      try context.enumerate(titles(), batchSize: 4) { seen.append($0.title) }
    }
    #expect(seen == (0..<10).map { "Book \($0)" })
    #expect(statements.count == 4)
    #expect(statements.dropFirst().allSatisfy { !$0.sql.contains("ZPRICE") })
    let results = try context.fetch(titles(), batchSize: 4)
    #expect(recorder.during { _ = results[5].title }.map(\.sql.count).count == 1)
    #expect(results[5].price == 5)
  }

  @Test(.sqliteOnly("counts statements")) func aPredicateInMemoryReadsWholeRows() throws {
    let context = try filled()
    var descriptor = titles()
    descriptor.predicate = #Predicate { $0.summary == "Book 1, 101 pages" }
    var books: [Book] = []
    let statements = try recorder.during { books = try context.fetch(descriptor) }
    #expect(books.map(\.price) == [1])
    #expect(statements.count == 1)
  }

  @Test(.sqliteOnly("counts statements")) func aComputedPropertyReadsWholeRows() throws {
    let context = try filled()
    var descriptor = FetchDescriptor<Book>()
    descriptor.propertiesToFetch = [\.summary]
    var books: [Book] = []
    let statements = try recorder.during {
      books = try context.fetch(descriptor)
      #expect(books.first?.summary == "Book 0, 100 pages")
    }
    #expect(statements.count == 1)
  }

  @Test(.sqliteOnly("counts statements")) func everyKindOfPropertyCanBeFetchedAlone() throws {
    let container = try recorder.container([Everything.self])
    let context = ModelContext(container)
    let model = Everything()
    model.int = 7
    model.place = .init(name: "Here", latitude: 1.5, longitude: nil, tags: ["a"], mood: .wild)
    model.strings = ["x", "y"]
    model.shape = .circle(radius: 2)
    model.optionalUUID = model.uuid
    model.mood = .wild
    model.double = .nan
    context.insert(model)
    try context.save()
    func fetched(_ keyPaths: PartialKeyPath<Everything>...) throws -> Everything {
      var descriptor = FetchDescriptor<Everything>()
      descriptor.propertiesToFetch = keyPaths
      return try #require(try ModelContext(container).fetch(descriptor).first)
    }
    let reads = try recorder.during { () throws in
      #expect(try fetched(\.int).int == 7)
      #expect(try fetched(\.place).place == model.place)
      #expect(try fetched(\.place.name).place.latitude == 1.5)
      #expect(try fetched(\.strings).strings == ["x", "y"])
      #expect(try fetched(\.shape).shape == .circle(radius: 2))
      #expect(try fetched(\.optionalUUID).optionalUUID == model.uuid)
      #expect(try fetched(\.mood).mood == .wild)
      #expect(try fetched(\.double).double.isNaN)
      #expect(try fetched(\.wallet).wallet == nil)
    }
    #expect(reads.count == 9)
    #expect(try fetched(\.int).place == model.place)
  }

  @Test(.sqliteOnly("counts statements")) func subclassesComeWithTheirOwnProperties() throws {
    let container = try recorder.container([Animal.self, Dog.self, Puppy.self, Owner.self])
    let context = ModelContext(container)
    let dog = Dog(name: "Rex", breed: "Collie")
    dog.tricks = ["sit"]
    context.insert(Animal(name: "Cat"))
    context.insert(dog)
    try context.save()
    var descriptor = FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name)])
    descriptor.propertiesToFetch = [\.name]
    var animals: [Animal] = []
    let statements = try recorder.during {
      animals = try ModelContext(container).fetch(descriptor)
      #expect(animals.map(\.name) == ["Cat", "Rex"])
    }
    #expect(statements.map { $0.sql.contains("ZBREED") } == [false])
    #expect((animals[1] as? Dog)?.tricks == ["sit"])
    #expect((animals[1] as? Dog)?.breed == "Collie")
    var dogs = FetchDescriptor<Dog>()
    dogs.propertiesToFetch = [\.name, \.breed]
    let read = try recorder.during {
      let found = try ModelContext(container).fetch(dogs)
      #expect(found.map(\.breed) == ["Collie"])
      #expect(found.map(\.name) == ["Rex"])
    }
    #expect(read.count == 1)
  }

  @Test(.sqliteOnly("counts statements")) func constantsAreReadWithTheOthers() throws {
    let container = try recorder.container([Dated.Record.self, Dated.Letter.self])
    let context = ModelContext(container)
    for number in 0..<5 {
      context.insert(Dated.Record("r\(number)", day: number))
      context.insert(Dated.Letter("l\(number)", day: number, place: "Bonn"))
    }
    try context.save()
    var descriptor = FetchDescriptor<Dated.Record>(sortBy: [SortDescriptor(\.name)])
    descriptor.propertiesToFetch = [\.name]
    let statements = try recorder.during {
      let records = try ModelContext(container).fetch(descriptor)
      #expect(records.map(\.day) == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
      let cities = records.compactMap { ($0 as? Dated.Letter)?.place.city }
      #expect(cities == Array(repeating: "Bonn", count: 5))
    }
    #expect(statements.count == 1)
    #expect(statements.map { $0.sql.contains("ZTEXT") || $0.sql.contains("ZNOTE") } == [false])
    let batches = try recorder.during {
      let days = try ModelContext(container).fetch(descriptor, batchSize: 5).map(\.day)
      #expect(days.count == 10)
    }
    #expect(batches.count == 3)
  }
}

private enum Dated {
  struct Place: Codable { var city: String }

  @Model class Record {
    let day: Int
    var name: String
    var text = ""

    init(_ name: String, day: Int) {
      self.name = name
      self.day = day
    }
  }

  @Model final class Letter: Record {
    let place: Place
    var note = ""

    init(_ name: String, day: Int, place: String) {
      self.place = Place(city: place)
      super.init(name, day: day)
    }
  }
}

extension Book {
  fileprivate var summary: String { "\(title), \(pages) pages" }
}
