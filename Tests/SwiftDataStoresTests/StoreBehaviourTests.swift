import Foundation
import SwiftData
import SwiftDataStores
import Testing

/// A store of each kind that can be opened again.
struct Kind: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let make: @Sendable () throws -> @Sendable () throws -> ModelContainer

  static let all = all(library)

  static func all(_ schema: Schema) -> [Kind] {
    [
      Kind(testDescription: "JSONStore") {
        let folder = try Folder()
        return { try folder.open(schema) }
      },
      Kind(testDescription: "DictionaryStore") {
        let contents = DictionaryStoreContents()
        return {
          try ModelContainer(
            for: schema, configurations: [DictionaryStoreConfiguration(contents: contents)])
        }
      },
    ]
  }
}

@Suite("Saves and fetches of both stores")
struct StoreBehaviourTests {
  func context(_ open: () throws -> ModelContainer) throws -> ModelContext {
    let context = ModelContext(try open())
    context.autosaveEnabled = false
    return context
  }

  @Test(arguments: Kind.all)
  func rowsAreThereAfterReopening(_ kind: Kind) throws {
    let open = try kind.make()
    let first = try context(open)
    let author = Author("Tove", born: 1914)
    first.insert(author)
    first.insert(Book("Comet", by: author))
    first.insert(Book("Moominsummer", by: author))
    try first.save()
    let second = try context(open)
    let found = try #require(try second.author("Tove"))
    #expect(Set(found.books.map(\.title)) == ["Comet", "Moominsummer"])
    #expect(found.persistentModelID == author.persistentModelID)
    found.books[0].pages = 12
    second.delete(found.books[1])
    try second.save()
    let third = try context(open)
    #expect(try third.all(Book.self).map(\.pages) == [12])
    #expect(try third.author("Tove")?.books.count == 1)
  }

  /// The row of the moved book has the same attributes as before.
  @Test(arguments: Kind.all)
  func aPrefetchThatLeadsBackShowsWhereAnotherContainerMovedAModel(_ kind: Kind) throws {
    let open = try kind.make()
    let first = try context(open)
    for (name, title) in [("Tove", "Comet"), ("Lars", "Ocean")] {
      let book = Book(title, by: Author(name))
      book.cover = Cover("red")
      first.insert(book)
    }
    try first.save()
    let reader = try context(open)
    let (books, authors) = (try reader.all(Book.self), try reader.all(Author.self))
    let moved = try #require(books.first { $0.title == "Comet" })
    #expect(moved.author?.name == "Tove" && authors.count == 2)
    let writer = try context(open)
    try #require(try writer.book("Comet")).author = try writer.author("Lars")
    try writer.save()
    var descriptor = FetchDescriptor<Cover>()
    descriptor.relationshipKeyPathsForPrefetching = [\.book?.author?.books]
    let covers = try reader.fetch(descriptor)
    #expect(covers.count == 2 && moved.author?.name == "Lars")
    let owner = try #require(authors.first { $0.name == "Lars" })
    #expect(Set(owner.books.map(\.title)) == ["Comet", "Ocean"])
  }

  /// The members of a list and a single one refer to their owner by properties of the same name.
  @Test(arguments: [true, false], [true, false])
  func relationshipsOfTheSameNameAreKeptApart(_ isJSON: Bool, _ isOneSave: Bool) throws {
    let folder = try Folder()
    let contents = DictionaryStoreContents()
    let schema = Schema([Voyage.self, Halt.self, Pass.self])
    func open() throws -> ModelContext {
      ModelContext(
        isJSON
          ? try ModelContainer(
            for: schema, configurations: [JSONStoreConfiguration(url: folder.file)])
          : try ModelContainer(
            for: schema, configurations: [DictionaryStoreConfiguration(contents: contents)]))
    }
    let context = try open()
    let voyage = Voyage()
    context.insert(voyage)
    voyage.halts = [Halt("1"), Halt("2")]
    if !isOneSave { try context.save() }
    voyage.pass = Pass()
    try context.save()
    let reopened = try open()
    let halts = try reopened.fetch(FetchDescriptor<Halt>())
    #expect(halts.count == 2 && halts.allSatisfy { $0.voyage?.pass != nil })
    // A second one takes the place of the first.
    halts[0].voyage?.pass = Pass()
    try reopened.save()
    let passes = try open().fetch(FetchDescriptor<Pass>())
    #expect(passes.count == 2 && passes.filter { $0.voyage != nil }.count == 1)
    #expect(try open().fetch(FetchDescriptor<Halt>()).allSatisfy { $0.voyage != nil })
  }

  /// A fetch gives a changed model a new row.
  @Test(arguments: Kind.all, [true, false])
  func aRelationshipIsUndoneAndRedoneOverAFetch(_ kind: Kind, _ isFetched: Bool) throws {
    let open = try kind.make()
    let context = try context(open)
    let manager = UndoManager()
    context.undoManager = manager
    let author = Author("Tove", born: 1914)
    let book = Book("Comet", by: author)
    context.insert(author)
    context.insert(book)
    try context.save()
    book.author = nil
    if isFetched { _ = try context.fetch(FetchDescriptor<Book>()) }
    manager.undo()
    #expect(book.author === author && !context.hasChanges)
    manager.redo()
    #expect(book.author == nil && context.hasChanges)
    try context.save()
    #expect(try self.context(open).all(Book.self).map { $0.author == nil } == [true])
    book.author = author
    _ = try context.fetch(FetchDescriptor<Book>())
    context.rollback()
    #expect(book.author == nil && !context.hasChanges)
  }

  @Test(arguments: Kind.all)
  func predicatesOrderLimitAndCount(_ kind: Kind) throws {
    let open = try kind.make()
    let context = try context(open)
    for number in 0..<20 { context.insert(Book("Title \(number)")) }
    for book in context.insertedModelsArray.compactMap({ $0 as? Book }) {
      book.pages = Int(book.title.dropFirst(6)) ?? 0
    }
    try context.save()
    var descriptor = FetchDescriptor<Book>(
      predicate: #Predicate { $0.pages >= 5 }, sortBy: [SortDescriptor(\.pages, order: .reverse)])
    descriptor.fetchOffset = 2
    descriptor.fetchLimit = 3
    #expect(try context.fetch(descriptor).map(\.pages) == [17, 16, 15])
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 20)
    #expect(
      try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.pages < 3 })) == 3)
    var page = FetchDescriptor<Book>()
    page.fetchLimit = 5
    #expect(try context.fetch(page).count == 5)
    #expect(try context.fetchIdentifiers(page).count == 5)
  }

  @Test(arguments: Kind.all)
  func aNewModelWithAUniqueValueBecomesTheRow(_ kind: Kind) throws {
    let open = try kind.make()
    let first = try context(open)
    let author = Author("Tove", born: 1914)
    first.insert(author)
    first.insert(Book("Comet", by: author))
    try first.save()
    let second = try context(open)
    let again = Author("Tove", born: 1915)
    second.insert(again)
    second.insert(Book("Summer", by: again))
    try second.save()
    #expect(again.persistentModelID == author.persistentModelID)
    let third = try context(open)
    #expect(try third.all(Author.self).map(\.born) == [1915])
    #expect(Set(try third.author("Tove")?.books.map(\.title) ?? []) == ["Comet", "Summer"])
  }

  @Test(arguments: Kind.all)
  func deleteRulesApplyAlsoToRowsOfOtherContexts(_ kind: Kind) throws {
    let open = try kind.make()
    let first = try context(open)
    let author = Author("Tove")
    let shelf = Shelf("Top")
    let book = Book("Comet", by: author)
    first.insert(author)
    first.insert(book)
    book.shelves = [shelf]
    try first.save()
    #expect(author.books.count == 1)
    let second = try context(open)
    second.insert(Book("Summer", by: try second.author("Tove")))
    try second.save()
    // The first context does not know of the second book.
    first.delete(author)
    try first.save()
    let third = try context(open)
    #expect(try third.all(Book.self).isEmpty)
    #expect(try third.all(Shelf.self).map(\.books.count) == [0])
  }

  @Test(arguments: Kind.all)
  func linksOfBothSidesAgree(_ kind: Kind) throws {
    let open = try kind.make()
    let context = try context(open)
    let (a, b) = (Book("A"), Book("B"))
    let shelf = Shelf("Top")
    let cover = Cover("red")
    for model in [a, b] { context.insert(model) }
    context.insert(shelf)
    context.insert(cover)
    shelf.books = [a, b]
    a.cover = cover
    try context.save()
    cover.book = b
    shelf.books = [b]
    try context.save()
    let other = try self.context(open)
    #expect(try other.book("A")?.cover == nil)
    #expect(try other.book("B")?.cover?.color == "red")
    #expect(try other.all(Cover.self)[0].book?.title == "B")
    #expect(try other.book("A")?.shelves.isEmpty == true)
    #expect(try other.all(Shelf.self)[0].books.map(\.title) == ["B"])
  }

  @Test(arguments: Kind.all)
  func aSingleRelatedModelBelongsToTheLastWriter(_ kind: Kind) throws {
    let open = try kind.make()
    let setup = try context(open)
    for title in ["A", "B"] { setup.insert(Book(title)) }
    setup.insert(Cover("red"))
    try setup.save()
    let first = try context(open)
    let (a, b) = (try #require(try first.book("A")), try #require(try first.book("B")))
    let cover = try #require(try first.all(Cover.self).first)
    #expect(a.cover == nil && b.cover == nil && cover.book == nil)
    let second = try context(open)
    try second.book("A")?.cover = try second.all(Cover.self).first
    try second.save()
    // The first context does not know that the cover belongs to A, which it changes too.
    a.pages = 5
    b.cover = cover
    try first.save()
    let third = try context(open)
    #expect(try third.book("A")?.cover == nil)
    #expect(try third.book("A")?.pages == 5)
    #expect(try third.book("B")?.cover?.color == "red")
    #expect(a.cover == nil)
  }

  /// A store with the books A and B, of which A has a red cover.
  private func makeCoveredBook(_ kind: Kind) throws -> @Sendable () throws -> ModelContainer {
    let open = try kind.make()
    let setup = try context(open)
    let (a, b) = (Book("A"), Book("B"))
    setup.insert(a)
    setup.insert(b)
    setup.insert(Cover("blue"))
    a.cover = Cover("red")
    try setup.save()
    return open
  }

  /// The cover moves to B, or is deleted.
  @Test(arguments: Kind.all, [true, false])
  func aDisplacedModelKeepsWhatAnotherContextGaveIt(_ kind: Kind, _ isDeleted: Bool) throws {
    let open = try makeCoveredBook(kind)
    let first = try context(open)
    let (a, b) = (try #require(try first.book("A")), try #require(try first.book("B")))
    let red = try #require(a.cover)
    #expect(red.book === a && b.cover == nil)
    let second = try context(open)
    try second.book("A")?.cover = try second.all(Cover.self).first { $0.color == "blue" }
    try second.save()
    // The first context does not know that A has another cover.
    if isDeleted {
      first.delete(red)
    } else {
      b.cover = red
    }
    try first.save()
    #expect(a.cover?.color == "blue")
    let third = try context(open)
    #expect(try third.book("A")?.cover?.color == "blue")
    #expect(try third.book("B")?.cover?.color == (isDeleted ? nil : "red"))
  }

  @Test(arguments: Kind.all)
  func aSingleRelationshipThatIsSetToNilHasNoModel(_ kind: Kind) throws {
    let open = try makeCoveredBook(kind)
    let first = try context(open)
    let (a, b) = (try #require(try first.book("A")), try #require(try first.book("B")))
    let red = try #require(a.cover)
    #expect(red.book === a && b.cover == nil)
    let second = try context(open)
    try second.book("B")?.cover = try second.book("A")?.cover
    try second.save()
    // The first context does not know that the cover belongs to B.
    red.book = nil
    try first.save()
    #expect(a.cover == nil && b.cover == nil && red.book == nil)
    let third = try context(open)
    #expect(try third.book("A")?.cover == nil)
    #expect(try third.book("B")?.cover == nil)
    #expect(try third.all(Cover.self).count == 2)
  }

  /// The old book of the cover drops it, or is deleted.
  @Test(arguments: Kind.all, [true, false])
  func aModelThatAnotherContextLinkedAgainStaysLinked(_ kind: Kind, _ isDeleted: Bool) throws {
    let open = try makeCoveredBook(kind)
    let first = try context(open)
    let a = try #require(try first.book("A"))
    let red = try #require(a.cover)
    #expect(red.book === a)
    let second = try context(open)
    try second.book("B")?.cover = try second.book("A")?.cover
    try second.save()
    if isDeleted {
      first.delete(a)
    } else {
      a.cover = nil
    }
    try first.save()
    #expect(red.book?.title == "B")
    let third = try context(open)
    #expect(try third.book("B")?.cover?.color == "red")
  }

  @Test(arguments: Kind.all)
  func savesOfTwoContextsKeepEachOthersProperties(_ kind: Kind) throws {
    let open = try kind.make()
    let setup = try context(open)
    setup.insert(Author("Tove"))
    let book = Book("Comet")
    setup.insert(book)
    book.shelves = [Shelf("A")]
    try setup.save()
    let (first, second) = (try context(open), try context(open))
    let (one, two) = (try #require(try first.book("Comet")), try #require(try second.book("Comet")))
    #expect(one.shelves.count == 1 && two.shelves.count == 1)
    one.pages = 100
    one.shelves.append(Shelf("B"))
    try first.save()
    two.author = try second.author("Tove")
    two.shelves.append(Shelf("C"))
    try second.save()
    let found = try #require(try context(open).book("Comet"))
    #expect(found.pages == 100)
    #expect(found.author?.name == "Tove")
    #expect(Set(found.shelves.map(\.label)) == ["A", "B", "C"])
    // The save told its context what the other one had stored.
    #expect(two.pages == 100)
  }

  @Test(arguments: Kind.all)
  func editsOfARowThatAnotherContextDeletedAreDropped(_ kind: Kind) throws {
    let open = try kind.make()
    let setup = try context(open)
    setup.insert(Book("Comet"))
    setup.insert(Author("Tove"))
    try setup.save()
    let first = try context(open)
    let book = try #require(try first.book("Comet"))
    let author = try #require(try first.author("Tove"))
    let second = try context(open)
    second.delete(try #require(try second.book("Comet")))
    second.delete(try #require(try second.author("Tove")))
    try second.save()
    book.pages = 3
    let new = Book("Summer", by: author)
    first.insert(new)
    try first.save()
    #expect(book.isDeleted)
    #expect(new.author == nil)
    #expect(try context(open).all(Book.self).map(\.title) == ["Summer"])
    #expect(try context(open).all(Author.self).isEmpty)
  }

  @Test(arguments: Kind.all)
  func batchDeletion(_ kind: Kind) throws {
    let open = try kind.make()
    let context = try context(open)
    let author = Author("Tove")
    context.insert(author)
    for number in 0..<4 { context.insert(Book("\(number)", by: author)) }
    for book in context.insertedModelsArray.compactMap({ $0 as? Book }) {
      book.pages = Int(book.title) ?? 0
    }
    try context.save()
    try context.delete(model: Book.self, where: #Predicate { $0.pages > 1 })
    try context.save()
    #expect(try self.context(open).all(Book.self).count == 2)
    try context.delete(model: Author.self)
    try context.save()
    #expect(try self.context(open).all(Book.self).isEmpty)
  }

  /// The links are stored in the deleted row, because no other side exists.
  @Test(arguments: Kind.all(Schema([Crate.self, Tool.self])))
  func modelsThatASaveUnlinksFromADeletedModelStay(_ kind: Kind) throws {
    let open = try kind.make()
    let context = try context(open)
    let (crate, other) = (Crate("a"), Crate("b"))
    context.insert(crate)
    context.insert(other)
    crate.tools = ["hammer", "saw", "drill"].map(Tool.init)
    crate.best = Tool("level")
    try context.save()
    let moved = try #require(crate.tools.first { $0.name == "saw" })
    crate.tools.removeAll { $0.name != "hammer" }
    other.tools.append(moved)
    crate.best = nil
    context.delete(crate)
    try context.save()
    let reader = try self.context(open)
    #expect(try reader.all(Tool.self).map(\.name).sorted() == ["drill", "level", "saw"])
    #expect(try reader.all(Crate.self).map { $0.tools.map(\.name) } == [["saw"]])
  }

  @Test(arguments: Kind.all(Schema([Crate.self, Tool.self])))
  func batchDeletionObeysDenyOfARelationshipWithoutInverse(_ kind: Kind) throws {
    let open = try kind.make()
    let context = try context(open)
    let crate = Crate("a")
    context.insert(crate)
    crate.locked = [Tool("saw")]
    try context.save()
    let error = #expect(throws: DocumentStoreError.self) {
      try self.context(open).delete(model: Crate.self)
    }
    #expect(error?.code == .deniedDeletion && error?.property == "locked")
    #expect(try self.context(open).all(Crate.self).map(\.locked.count) == [1])
    try self.context(open).delete(model: Tool.self)
    try self.context(open).delete(model: Crate.self)
    #expect(try self.context(open).all(Crate.self).isEmpty)
  }

  /// The clerks are deleted before the rule of the drawers reaches the notes that refer to them.
  @Test(arguments: Kind.all(Schema([Office.self, Clerk.self, Drawer.self, Note.self])))
  func modelsThatALaterRuleDeletesDoNotDenyADeletion(_ kind: Kind) throws {
    let open = try kind.make()
    let context = try context(open)
    let (office, clerk, drawer) = (Office(), Clerk(), Drawer())
    context.insert(office)
    office.clerks = [clerk]
    office.drawers = [drawer]
    let (inside, outside) = (Note("inside"), Note("outside"))
    drawer.notes = [inside]
    clerk.notes = [inside, outside]
    try context.save()
    let error = #expect(throws: DocumentStoreError.self) {
      try self.context(open).delete(model: Office.self)
    }
    #expect(error?.code == .deniedDeletion && error?.property == "clerk")
    #expect(try self.context(open).all(Note.self).count == 2)
    try self.context(open).delete(model: Note.self, where: #Predicate { $0.text == "outside" })
    try self.context(open).delete(model: Office.self)
    #expect(try self.context(open).all(Clerk.self).isEmpty)
    #expect(try self.context(open).all(Note.self).isEmpty)
  }

  @Test func containersWithoutSharedContentsAreIsolated() throws {
    let open = {
      try ModelContainer(for: library, configurations: [DictionaryStoreConfiguration()])
    }
    let context = try context(open)
    context.insert(Shelf("A"))
    try context.save()
    #expect(try self.context(open).all(Shelf.self).isEmpty)
  }

  @Test func rowsOfAClassAndItsSubclassesAreInTheOrderOfNamesAndInsertion() throws {
    let container = try ModelContainer(
      for: Schema([Vehicle.self, Bike.self]), configurations: [DictionaryStoreConfiguration()])
    let context = try context { container }
    for vehicle in [Vehicle("c"), Bike("b"), Vehicle("a"), Bike("d")] {
      context.insert(vehicle)
      try context.save()
    }
    let names = try ModelContext(container).all(Vehicle.self).map(\.name)
    #expect(names == ["b", "d", "c", "a"])
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Vehicle>(predicate: #Predicate { $0.name != "d" }))
    #expect(found.map(\.name) == ["b", "c", "a"])
  }

  @Test func listsWithoutInverseShareMembers() throws {
    let contents = DictionaryStoreContents()
    let open = {
      try ModelContainer(
        for: Album.self, configurations: DictionaryStoreConfiguration(contents: contents))
    }
    let context = try context(open)
    let (photo, albums) = (Photo(), [Album("a"), Album("b")])
    for album in albums {
      context.insert(album)
      album.photos.append(photo)
    }
    try context.save()
    #expect(albums.map(\.photos) == [[photo], [photo]])
    #expect(try self.context(open).all(Album.self).map(\.photos.count) == [1, 1])
  }
}

/// Relationships without an inverse.
@Model
private final class Crate {
  var name: String
  @Relationship(deleteRule: .cascade) var tools: [Tool] = []
  @Relationship(deleteRule: .cascade) var best: Tool?
  @Relationship(deleteRule: .deny) var locked: [Tool] = []

  init(_ name: String) { self.name = name }
}

@Model
private final class Tool {
  var name: String

  init(_ name: String) { self.name = name }
}

@Model
private final class Album {
  var name: String
  var photos: [Photo] = []

  init(_ name: String) { self.name = name }
}

@Model
private final class Photo {
  init() {}
}

@Model
private final class Office {
  @Relationship(deleteRule: .cascade, inverse: \Clerk.office) var clerks: [Clerk] = []
  @Relationship(deleteRule: .cascade, inverse: \Drawer.office) var drawers: [Drawer] = []

  init() {}
}

@Model
private final class Clerk {
  var office: Office?
  @Relationship(deleteRule: .deny, inverse: \Note.clerk) var notes: [Note] = []

  init() {}
}

@Model
private final class Drawer {
  var office: Office?
  @Relationship(deleteRule: .cascade, inverse: \Note.drawer) var notes: [Note] = []

  init() {}
}

@Model
private final class Note {
  var text: String
  var clerk: Clerk?
  var drawer: Drawer?

  init(_ text: String) { self.text = text }
}

@Model
private class Vehicle {
  var name: String

  init(_ name: String) { self.name = name }
}

@Model
private final class Bike: Vehicle {
  var gears = 7

  override init(_ name: String) { super.init(name) }
}
