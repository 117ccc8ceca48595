import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Testing

/// What every store gives a context, whether it is the default one or somebody's own.
@Suite struct StoreSpecificationTests {
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case defaultStore, ownSnapshots, defaultSnapshots, plainValues

    var testDescription: String { rawValue }

    func container() throws -> ModelContainer {
      let schema = Schema(Archive.types)
      switch self {
      case .defaultStore:
        return try ModelContainer(
          for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      case .ownSnapshots:
        return try ModelContainer(
          for: schema, configurations: [MemoryStore<ValuesSnapshot>.Configuration()])
      case .defaultSnapshots:
        return try ModelContainer(
          for: schema, configurations: [MemoryStore<DefaultSnapshot>.Configuration()])
      case .plainValues:
        return try ModelContainer(for: schema, configurations: [PlainStore.Configuration()])
      }
    }
  }

  typealias Author = Archive.Author
  typealias Book = Archive.Book
  typealias Chapter = Archive.Chapter
  typealias Label = Archive.Label
  typealias Desk = Archive.Desk
  typealias Note = Archive.Note

  private static func names(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  private static func only<T: PersistentModel>(
    _ type: T.Type, _ context: ModelContext
  ) throws -> T {
    let found = try context.fetch(FetchDescriptor<T>())
    #expect(found.count == 1)
    return try #require(found.first)
  }

  @Test(arguments: Kind.allCases)
  func valuesOfAllKindsComeBack(_ kind: Kind) throws {
    let container = try kind.container()
    let context = ModelContext(container)
    let author = Author("Zoë")
    author.born = Date(timeIntervalSinceReferenceDate: 1.25)
    author.languages = ["nl", "de"]
    author.home = Archive.Home(city: "Gent", number: 7)
    author.mood = .wild
    author.motto = "festina lente"
    context.insert(author)
    context.insert(Author("empty"))
    #expect(author.persistentModelID.storeIdentifier == nil)
    try context.save()
    #expect(author.persistentModelID.storeIdentifier != nil)
    #expect(!context.hasChanges)
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.name) == ["empty", "Zoë"].sorted())
    let zoe = try #require(found.first { $0.name == "Zoë" })
    #expect(zoe.persistentModelID == author.persistentModelID)
    #expect(zoe.born == Date(timeIntervalSinceReferenceDate: 1.25))
    #expect(zoe.languages == ["nl", "de"])
    #expect(zoe.home == Archive.Home(city: "Gent", number: 7))
    #expect(zoe.mood == .wild)
    // A store that keeps transformed values keeps capitals; one that keeps the values themselves not.
    #expect(zoe.motto?.lowercased() == "festina lente")
    let empty = try #require(found.first { $0.name == "empty" })
    #expect(empty.born == nil && empty.home == nil && empty.motto == nil)
    #expect(empty.languages == [] && empty.mood == .calm)
  }

  @Test(arguments: Kind.allCases)
  func editsAndDeletionsAreSaved(_ kind: Kind) throws {
    let container = try kind.container()
    let context = ModelContext(container)
    let (first, second) = (Author("a"), Author("b"))
    context.insert(first)
    context.insert(second)
    try context.save()
    first.name = "c"
    first.languages.append("fr")
    context.delete(second)
    try context.save()
    #expect(second.isDeleted)
    let stored = try Self.only(Author.self, ModelContext(container))
    #expect(stored.name == "c")
    #expect(stored.languages == ["fr"])
  }

  @Test(arguments: Kind.allCases)
  func linksOfAllKindsComeBack(_ kind: Kind) throws {
    let container = try kind.container()
    let context = ModelContext(container)
    let author = Author("a")
    context.insert(author)
    let (one, two) = (Book("one"), Book("two"))
    author.books = [one, two]
    author.desk = Desk("attic")
    let (red, blue) = (Label("red"), Label("blue"))
    one.labels = [red, blue]
    two.labels = [red]
    author.favourites = [blue]
    one.chapters = [Chapter(1), Chapter(2)]
    try context.save()
    for context in [ModelContext(container), context] {
      let author = try Self.only(Author.self, context)
      #expect(Set(author.books.map(\.title)) == ["one", "two"])
      #expect(author.books.allSatisfy { $0.author === author })
      #expect(author.desk?.place == "attic")
      #expect(author.desk?.owner === author)
      #expect(author.favourites.map(\.text) == ["blue"])
      let labels = try context.fetch(FetchDescriptor<Label>(sortBy: [SortDescriptor(\.text)]))
      #expect(labels.map(\.text) == ["blue", "red"])
      #expect(labels.map { Set($0.books.map(\.title)) } == [["one"], ["one", "two"]])
      let book = try #require(author.books.first { $0.title == "one" })
      #expect(Set(book.labels.map(\.text)) == ["red", "blue"])
      #expect(Set(book.chapters.map(\.number)) == [1, 2])
    }
  }

  @Test(arguments: Kind.allCases)
  func linksChangeOnBothSides(_ kind: Kind) throws {
    let container = try kind.container()
    let context = ModelContext(container)
    let (a, b) = (Author("a"), Author("b"))
    context.insert(a)
    context.insert(b)
    let book = Book("one")
    let label = Label("red")
    a.books = [book]
    book.labels = [label]
    try context.save()
    // In a context that has loaded no list.
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Book>()).first)
    let target = try #require(
      try other.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == "b" })).first)
    found.author = target
    found.labels = [Label("blue")]
    target.books.append(Book("two"))
    try other.save()
    let reader = ModelContext(container)
    let authors = try reader.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
    #expect(authors.count == 2)
    #expect(authors[0].books.isEmpty)
    #expect(Set(authors[1].books.map(\.title)) == ["one", "two"])
    let labels = try reader.fetch(FetchDescriptor<Label>(sortBy: [SortDescriptor(\.text)]))
    #expect(labels.map(\.text) == ["blue", "red"])
    #expect(labels.map(\.books.count) == [1, 0])
    // The first context sees it.
    #expect(try context.fetchCount(FetchDescriptor<Label>()) == 2)
    #expect(Set(b.books.map(\.title)) == ["one", "two"])
    #expect(a.books.isEmpty)
  }

  @Test(arguments: Kind.allCases)
  func deleteRulesReachRowsThatAreNotInMemory(_ kind: Kind) throws {
    let container = try kind.container()
    let context = ModelContext(container)
    let author = Author("a")
    context.insert(author)
    author.desk = Desk("attic")
    author.books = [Book("one"), Book("two")]
    author.books[0].chapters = [Chapter(1), Chapter(2)]
    author.books[0].labels = [Label("red")]
    try context.save()
    let other = ModelContext(container)
    other.delete(try Self.only(Author.self, other))
    try other.save()
    let reader = ModelContext(container)
    #expect(try reader.fetchCount(FetchDescriptor<Author>()) == 0)
    #expect(try reader.fetchCount(FetchDescriptor<Book>()) == 0)
    #expect(try reader.fetchCount(FetchDescriptor<Chapter>()) == 0)
    #expect(try Self.only(Desk.self, reader).owner == nil)
    #expect(try Self.only(Label.self, reader).books.isEmpty)
  }

  @Test(arguments: Kind.allCases)
  func predicatesOrdersAndSlicesAreAnswered(_ kind: Kind) throws {
    let container = try kind.container()
    let context = ModelContext(container)
    for number in 1...9 {
      let book = Book("book \(number)", pages: number * 10)
      context.insert(book)
      if number > 6 { book.labels = [Label("late")] }
    }
    try context.save()
    let reader = ModelContext(container)
    let sorted = FetchDescriptor<Book>(
      predicate: #Predicate { $0.pages > 30 && $0.title != "book 5" },
      sortBy: [SortDescriptor(\.pages, order: .reverse)])
    #expect(try reader.fetch(sorted).map(\.pages) == [90, 80, 70, 60, 40])
    #expect(try reader.fetchCount(sorted) == 5)
    var sliced = sorted
    sliced.fetchOffset = 1
    sliced.fetchLimit = 2
    #expect(try reader.fetch(sliced).map(\.pages) == [80, 70])
    #expect(try reader.fetchIdentifiers(sliced).count == 2)
    let late = FetchDescriptor<Book>(
      predicate: #Predicate { $0.labels.contains { $0.text == "late" } })
    #expect(Set(try reader.fetch(late).map(\.pages)) == [70, 80, 90])
    var pages: [Int] = []
    try reader.enumerate(sorted, batchSize: 2) { pages.append($0.pages) }
    #expect(pages == [90, 80, 70, 60, 40])
    // Unsaved changes take part.
    let new = Book("new", pages: 85)
    reader.insert(new)
    #expect(try reader.fetch(sliced).map(\.pages) == [85, 80])
  }

  @Test(arguments: Kind.allCases)
  func relationshipsAreFoundByPrefetching(_ kind: Kind) throws {
    let container = try kind.container()
    let context = ModelContext(container)
    for name in ["a", "b"] {
      let author = Author(name)
      context.insert(author)
      author.books = [Book("\(name)1"), Book("\(name)2")]
      author.books[0].labels = [Label(name)]
    }
    try context.save()
    let reader = ModelContext(container)
    var descriptor = FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)])
    descriptor.relationshipKeyPathsForPrefetching = [\.books]
    let authors = try reader.fetch(descriptor)
    #expect(authors.map { Set($0.books.map(\.title)) } == [["a1", "a2"], ["b1", "b2"]])
    var books = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
    books.relationshipKeyPathsForPrefetching = [\.author, \.labels]
    let found = try ModelContext(container).fetch(books)
    #expect(found.map(\.author?.name) == ["a", "a", "b", "b"])
    #expect(found.map { $0.labels.map(\.text) } == [["a"], [], ["b"], []])
  }

  @Test(arguments: Kind.allCases)
  func rollbackRestoresTheLastSave(_ kind: Kind) throws {
    let container = try kind.container()
    let context = ModelContext(container)
    let author = Author("a")
    context.insert(author)
    author.books = [Book("one"), Book("two")]
    author.motto = "M"
    try context.save()
    let books = Set(author.books.map(\.title))
    author.name = "z"
    author.motto = "other"
    author.books = []
    context.insert(Author("new"))
    context.rollback()
    #expect(!context.hasChanges)
    #expect(author.name == "a")
    #expect(author.motto == "M")
    #expect(Set(author.books.map(\.title)) == books)
    #expect(try Self.names(context) == ["a"])
  }

  @Test(arguments: Kind.allCases)
  func contextsSeeEachOthersSaves(_ kind: Kind) throws {
    let container = try kind.container()
    let (first, second) = (ModelContext(container), ModelContext(container))
    let author = Author("a")
    first.insert(author)
    author.books = [Book("one")]
    try first.save()
    let same = try Self.only(Author.self, second)
    #expect(same.books.map(\.title) == ["one"])
    author.name = "b"
    author.books.append(Book("two"))
    try first.save()
    #expect(try Self.names(second) == ["b"])
    #expect(same.name == "b")
    #expect(Set(same.books.map(\.title)) == ["one", "two"])
    // Edits of different properties are both kept.
    same.languages = ["fr"]
    author.name = "c"
    try first.save()
    try second.save()
    #expect(same.name == "c")
    #expect(try Self.only(Author.self, ModelContext(container)).languages == ["fr"])
    #expect(try Self.only(Author.self, ModelContext(container)).name == "c")
    // A deletion reaches the other context.
    first.delete(author)
    try first.save()
    #expect(try Self.names(second) == [])
    #expect(same.isDeleted)
  }

  @Test(arguments: Kind.allCases)
  func aModelIsFoundByIdentifier(_ kind: Kind) throws {
    let container = try kind.container()
    let context = ModelContext(container)
    let author = Author("a")
    context.insert(author)
    author.books = [Book("one")]
    try context.save()
    let other = ModelContext(container)
    let found = try #require(other.model(for: author.persistentModelID) as? Author)
    #expect(found.name == "a")
    #expect(found.books.map(\.title) == ["one"])
    #expect(found.books.first?.author === found)
    #expect(!found.isDeleted)
    let coded = try JSONDecoder().decode(
      PersistentIdentifier.self, from: JSONEncoder().encode(author.persistentModelID))
    #expect((ModelContext(container).model(for: coded) as? Author)?.name == "a")
  }

  @Test(arguments: Kind.allCases)
  func aBatchIsDeletedByTheRules(_ kind: Kind) throws {
    let container = try kind.container()
    let context = ModelContext(container)
    for name in ["a", "b"] {
      let author = Author(name)
      context.insert(author)
      author.books = [Book("of \(name)")]
      context.insert(Note(name))
    }
    try context.save()
    try context.delete(model: Author.self, where: #Predicate { $0.name == "a" })
    #expect(try Self.names(context) == ["b"])
    #expect(try context.fetch(FetchDescriptor<Book>()).map(\.title) == ["of b"])
    try context.delete(model: Note.self, where: #Predicate { $0.text == "a" })
    #expect(try context.fetch(FetchDescriptor<Note>()).map(\.text) == ["b"])
    try context.delete(model: Note.self)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 0)
  }

  @Test(arguments: Kind.allCases)
  func aSavedDeletionIsUndone(_ kind: Kind) throws {
    let container = try kind.container()
    let context = ModelContext(container)
    context.undoManager = UndoManager()
    let author = Author("a")
    context.insert(author)
    try context.save()
    author.name = "b"
    try context.save()
    context.undoManager?.undo()
    #expect(author.name == "a")
    try context.save()
    #expect(try Self.names(ModelContext(container)) == ["a"])
  }
}
