import Foundation
import SwiftData
import Testing

/// Relationships that change: links are kept wherever the new relationship has a place for them.
@Suite struct RelationshipMigrationTests {
  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  /// Small tables are made anew, large ones altered.
  static let sizes: [Int64] = [20_000, 0]

  // A one-way link, a list with inverse, a list without inverse, and pairs.

  enum OneWay {
    @Model final class Book {
      var title: String
      var author: Writer?

      init(_ title: String, _ author: Writer? = nil) { (self.title, self.author) = (title, author) }
    }
    @Model final class Writer {
      var name: String

      init(_ name: String) { self.name = name }
    }
  }

  enum Owned {
    @Model final class Book {
      var title: String
      var author: Writer?

      init(_ title: String, _ author: Writer? = nil) { (self.title, self.author) = (title, author) }
    }
    @Model final class Writer {
      var name: String
      @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum Listed {
    @Model final class Book {
      var title: String

      init(_ title: String) { self.title = title }
    }
    @Model final class Writer {
      var name: String
      var books: [Book] = []

      init(_ name: String, _ books: [Book] = []) { (self.name, self.books) = (name, books) }
    }
  }

  enum Paired {
    @Model final class Book {
      var title: String
      @Relationship(originalName: "author", inverse: \Writer.books) var authors: [Writer] = []

      init(_ title: String, _ authors: [Writer] = []) {
        (self.title, self.authors) = (title, authors)
      }
    }
    @Model final class Writer {
      var name: String
      var books: [Book] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum Single {
    @Model final class Book {
      var title: String
      @Relationship(originalName: "authors") var author: Writer?

      init(_ title: String) { self.title = title }
    }
    @Model final class Writer {
      var name: String
      @Relationship(inverse: \Book.author) var books: [Book] = []

      init(_ name: String) { self.name = name }
    }
  }

  private func makeOneWay() throws {
    try store.make([OneWay.Book.self, OneWay.Writer.self]) { context in
      let (eco, calvino) = (OneWay.Writer("Eco"), OneWay.Writer("Calvino"))
      for book in [
        OneWay.Book("Rose", eco), OneWay.Book("Baudolino", eco), OneWay.Book("Baron", calvino),
        OneWay.Book("Bible"),
      ] { context.insert(book) }
    }
  }

  @Test(arguments: sizes) func anInverseIsAdded(_ size: Int64) throws {
    try makeOneWay()
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([Owned.Book.self, Owned.Writer.self])
      let writers = try context.fetch(
        FetchDescriptor<Owned.Writer>(sortBy: [SortDescriptor(\.name)]))
      #expect(writers.map { Set($0.books.map(\.title)) } == [["Baron"], ["Rose", "Baudolino"]])
      context.delete(writers[1])
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Owned.Book>()) == 2)
    }
  }

  @Test(arguments: sizes) func anInverseIsRemoved(_ size: Int64) throws {
    try store.make([Owned.Book.self, Owned.Writer.self]) { context in
      context.insert(Owned.Book("Rose", Owned.Writer("Eco")))
    }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([OneWay.Book.self, OneWay.Writer.self])
      #expect(try context.fetch(FetchDescriptor<OneWay.Book>()).map(\.author?.name) == ["Eco"])
    }
  }

  @Test(arguments: sizes) func aLinkBecomesAListOfTheOtherSide(_ size: Int64) throws {
    // The column of the list without inverse has another name than that of the link.
    try store.make([Owned.Book.self, Owned.Writer.self]) { context in
      let eco = Owned.Writer("Eco")
      for title in ["Rose", "Baudolino"] { context.insert(Owned.Book(title, eco)) }
      context.insert(Owned.Writer("Calvino"))
    }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([Listed.Book.self, Listed.Writer.self])
      let writers = try context.fetch(
        FetchDescriptor<Listed.Writer>(sortBy: [SortDescriptor(\.name)]))
      #expect(writers.map { Set($0.books.map(\.title)) } == [[], ["Rose", "Baudolino"]])
    }
    let back = try store.open([Owned.Book.self, Owned.Writer.self])
    let books = try back.fetch(FetchDescriptor<Owned.Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.author?.name) == ["Eco", "Eco"])
  }

  @Test(arguments: sizes) func aLinkBecomesPairsAndBack(_ size: Int64) throws {
    try makeOneWay()
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([Paired.Book.self, Paired.Writer.self])
      let books = try context.fetch(FetchDescriptor<Paired.Book>(sortBy: [SortDescriptor(\.title)]))
      #expect(books.map(\.title) == ["Baron", "Baudolino", "Bible", "Rose"])
      #expect(books.map { $0.authors.map(\.name) } == [["Calvino"], ["Eco"], [], ["Eco"]])
      let writers = try context.fetch(
        FetchDescriptor<Paired.Writer>(sortBy: [SortDescriptor(\.name)]))
      #expect(writers.map { Set($0.books.map(\.title)) } == [["Baron"], ["Rose", "Baudolino"]])
    }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([Single.Book.self, Single.Writer.self])
      let books = try context.fetch(FetchDescriptor<Single.Book>(sortBy: [SortDescriptor(\.title)]))
      #expect(books.map(\.author?.name) == ["Calvino", "Eco", nil, "Eco"])
    }
  }

  @Test func severalMembersDoNotFitOneLink() throws {
    try store.make([Paired.Book.self, Paired.Writer.self]) { context in
      context.insert(Paired.Book("Talmud", [Paired.Writer("Ravina"), Paired.Writer("Ashi")]))
      context.insert(Paired.Book("Rose", [Paired.Writer("Eco")]))
    }
    let text = try store.refusal([Single.Book.self, Single.Writer.self])
    #expect(text.contains("Book.author") && text.contains("several members"), "\(text)")
    #expect(text.contains("1 row"), "\(text)")
  }

  enum ListedWithoutInverse {
    @Model final class Book {
      var title: String
      @Relationship(originalName: "author") var authors: [Writer] = []

      init(_ title: String) { self.title = title }
    }
    @Model final class Writer {
      var name: String

      init(_ name: String) { self.name = name }
    }
  }

  /// A member of a list without an inverse is in no other one.
  @Test(arguments: sizes) func sharedModelsDoNotFitListsWithoutInverse(_ size: Int64) throws {
    try makeOneWay()
    try SchemaChange.$smallTable.withValue(size) {
      let text = try store.refusal([
        ListedWithoutInverse.Book.self, ListedWithoutInverse.Writer.self,
      ])
      #expect(
        text.contains(
          "Book.authors is a list without an inverse, but shares its models in the store: 1 row ("),
        "\(text)")
      #expect(text.contains("of Writer would be in several lists"), "\(text)")
      #expect(text.contains(#"@Relationship(inverse: \Writer.…)"#), "\(text)")
      #expect(!text.contains("surplus") && !text.contains("willMigrate"), "\(text)")
    }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([Paired.Book.self, Paired.Writer.self])
      let books = try context.fetch(FetchDescriptor<Paired.Book>(sortBy: [SortDescriptor(\.title)]))
      #expect(books.map { $0.authors.map(\.name) } == [["Calvino"], ["Eco"], [], ["Eco"]])
    }
  }

  enum Texts {
    @Model final class Book {
      var title: String
      var author: String?
      var tags: [String]

      init(_ title: String) { (self.title, author, tags) = (title, "Eco", ["a"]) }
    }
  }

  enum Models {
    @Model final class Book {
      var title: String
      var author: Writer?
      var tags: [Writer] = []

      init(_ title: String) { self.title = title }
    }
    typealias Writer = OneWay.Writer
  }

  @Test func valuesAndLinksDoNotReplaceEachOther() throws {
    try store.make([Texts.Book.self]) { $0.insert(Texts.Book("Rose")) }
    let text = try store.refusal([Models.Book.self, Models.Writer.self])
    #expect(text.contains("Book.author") && text.contains("Book.tags"), "\(text)")
  }

  @Test func listsOfModelsDoNotBecomeValues() throws {
    try store.make([Models.Book.self, Models.Writer.self]) { context in
      let book = Models.Book("Rose")
      book.tags = [Models.Writer("Eco")]
      context.insert(book)
    }
    let text = try store.refusal([Texts.Book.self])
    #expect(text.contains("Book.tags") && text.contains("1 row"), "\(text)")
  }

  // MARK: Models that go

  enum WithoutWriter {
    typealias Book = Listed.Book
  }

  /// Without a plan nothing says that a model is gone for good: it may be another program's.
  @Test func modelsThatAreNotNamedStay() throws {
    try makeOneWay()
    let container = try ModelContainer(
      for: WithoutWriter.Book.self, configurations: ModelConfiguration(url: store.url))
    let books = try ModelContext(container).fetch(FetchDescriptor<WithoutWriter.Book>())
    #expect(books.count == 4)
    #expect(try SQLiteFile.integer("SELECT count(*) FROM ZWRITER", in: store.url) == 2)
    let again = try store.open([OneWay.Book.self, OneWay.Writer.self])
    let writers = try again.fetch(
      FetchDescriptor<OneWay.Writer>(sortBy: [SortDescriptor(\.name)]))
    #expect(writers.map(\.name) == ["Calvino", "Eco"])
  }

  // MARK: Pairs under other names

  enum Tagged {
    @Model final class Note {
      var text: String
      @Relationship(inverse: \Tag.notes) var tags: [Tag] = []

      init(_ text: String, _ tags: [Tag] = []) { (self.text, self.tags) = (text, tags) }
    }
    @Model final class Tag {
      var name: String
      var notes: [Note] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum Labelled {
    @Model final class Note {
      var text: String
      @Relationship(originalName: "tags", inverse: \Tag.remarks) var labels: [Tag] = []

      init(_ text: String) { self.text = text }
    }
    @Model final class Tag {
      var name: String
      @Relationship(originalName: "notes") var remarks: [Note] = []

      init(_ name: String) { self.name = name }
    }
    @Model final class Author {
      var name: String

      init(_ name: String) { self.name = name }
    }
  }

  @Test(arguments: sizes) func pairsKeepTheirLinksUnderOtherNames(_ size: Int64) throws {
    try store.make([Tagged.Note.self, Tagged.Tag.self]) { context in
      let (red, blue) = (Tagged.Tag("red"), Tagged.Tag("blue"))
      context.insert(Tagged.Note("a", [red]))
      context.insert(Tagged.Note("b", [red, blue]))
      context.insert(Tagged.Note("c"))
    }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([Labelled.Note.self, Labelled.Tag.self, Labelled.Author.self])
      let notes = try context.fetch(
        FetchDescriptor<Labelled.Note>(sortBy: [SortDescriptor(\.text)]))
      #expect(notes.map { Set($0.labels.map(\.name)) } == [["red"], ["red", "blue"], []])
      let tags = try context.fetch(FetchDescriptor<Labelled.Tag>(sortBy: [SortDescriptor(\.name)]))
      #expect(tags.map { Set($0.remarks.map(\.text)) } == [["b"], ["a", "b"]])
    }
    // Back again without names of before, the links would be lost.
    let text = try store.refusal([Tagged.Note.self, Tagged.Tag.self])
    #expect(text.contains("@Relationship(originalName: \"labels\")"), "\(text)")
  }

  // A removed list leaves two relationships without an inverse, which become each other's.

  enum Housed {
    @Model final class Owner {
      var name: String
      @Relationship(inverse: \Pet.owner) var pets: [Pet] = []
      var best: Pet?

      init(_ name: String) { self.name = name }
    }
    @Model final class Pet {
      var name: String
      var owner: Owner?

      init(_ name: String, _ owner: Owner? = nil) { (self.name, self.owner) = (name, owner) }
    }
  }

  enum Unlisted {
    @Model final class Owner {
      var name: String
      var best: Pet?

      init(_ name: String) { self.name = name }
    }
    @Model final class Pet {
      var name: String
      var owner: Owner?

      init(_ name: String) { self.name = name }
    }
  }

  private func makeHoused(pets: Int) throws {
    try store.make([Housed.Owner.self, Housed.Pet.self]) { context in
      let owner = Housed.Owner("Ann")
      context.insert(owner)
      let pets = (0..<pets).map { Housed.Pet("pet \($0)", owner) }
      for pet in pets { context.insert(pet) }
      owner.best = pets[0]
    }
  }

  @Test func relationshipsThatBecomeInversesAreNamed() throws {
    try makeHoused(pets: 2)
    let text = try store.refusal([Unlisted.Owner.self, Unlisted.Pet.self])
    #expect(
      text.contains(
        "Owner.best is the inverse of Pet.owner, but another relationship in the store"),
      "\(text)")
    #expect(text.contains("1 row (p1) would have several models"), "\(text)")
    #expect(!text.contains("surplus") && !text.contains("a list"), "\(text)")
  }

  @Test func relationshipsWithTheSameLinksBecomeInverses() throws {
    try makeHoused(pets: 1)
    let context = try store.open([Unlisted.Owner.self, Unlisted.Pet.self])
    let owner = try #require(try context.fetch(FetchDescriptor<Unlisted.Owner>()).first)
    #expect(owner.best?.name == "pet 0")
    #expect(owner.best?.owner === owner)
  }
}
