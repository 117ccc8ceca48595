import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Synchronization
import Testing

/// What the public store protocol lets a store do beside keeping snapshots.
@Suite struct CustomStoreTests {
  typealias Author = Archive.Author
  typealias Book = Archive.Book
  typealias Label = Archive.Label
  typealias Note = Archive.Note
  typealias Behaviour = MemoryStoreBehaviour<ValuesSnapshot>

  private static func container(_ behaviour: Behaviour) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(Archive.types),
      configurations: [MemoryStore<ValuesSnapshot>.Configuration(behaviour: behaviour)])
  }

  @Test func relatedSnapshotsSpareFetches() throws {
    let sending = Behaviour(related: { $0.filter { $0.key.entityName == "Book" } })
    let silent = Behaviour()
    var fetches: [Int] = []
    for behaviour in [silent, sending] {
      let container = try Self.container(behaviour)
      let context = ModelContext(container)
      for title in ["one", "two", "three"] {
        let book = Book(title)
        context.insert(book)
        book.author = Author("of \(title)")
      }
      try context.save()
      let reader = ModelContext(container)
      let authors = try reader.fetch(FetchDescriptor<Author>())
      #expect(authors.count == 3)
      let before = behaviour.count("fetch")
      let ids = try reader.fetchIdentifiers(FetchDescriptor<Book>())
      let found = ids.compactMap { reader.registeredModel(for: $0) as Book? }
      #expect(found.count == (behaviour === sending ? 3 : 0))
      let books = ids.compactMap { reader.model(for: $0) as? Book }
      #expect(Set(books.map(\.title)) == ["one", "two", "three"])
      fetches.append(behaviour.count("fetch") - before)
    }
    // One fetch tells the identifiers. Each model that is not in memory costs two: the store refuses
    // the predicate, and is asked again without.
    #expect(fetches == [7, 1])
  }

  @Test func cachedSnapshotsAreAskedFirst() throws {
    let behaviour = Behaviour(hasCache: true)
    let container = try Self.container(behaviour)
    let context = ModelContext(container)
    let author = Author("a")
    context.insert(author)
    author.books = [Book("one")]
    try context.save()
    let before = behaviour.count("fetch")
    let found = try #require(
      ModelContext(container).model(for: author.persistentModelID) as? Author)
    #expect(found.name == "a")
    #expect(found.books.map(\.title) == ["one"])
    #expect(behaviour.count("fetch") == before)
    #expect(behaviour.count("cached") > 0)
  }

  @Test func valuesThatTheStoreChangedAreReregistered() throws {
    let behaviour = Behaviour(rewrite: { snapshot in
      guard case .text(let name)? = snapshot.values["name"], name.hasPrefix(" ") else { return nil }
      var trimmed = snapshot
      trimmed.values["name"] = .text(name.trimmingCharacters(in: .whitespaces))
      return trimmed
    })
    let container = try Self.container(behaviour)
    let context = ModelContext(container)
    let author = Author("  a")
    context.insert(author)
    try context.save()
    #expect(author.name == "a")
    #expect(!context.hasChanges)
    author.name = "  b"
    try context.save()
    #expect(author.name == "b")
    #expect(try ModelContext(container).fetch(FetchDescriptor<Author>()).map(\.name) == ["b"])
  }

  @Test func aStoreDeletesABatchWithoutLoadingIt() throws {
    let behaviour = Behaviour()
    let container = try Self.container(behaviour)
    let context = ModelContext(container)
    for text in ["a", "b"] { context.insert(Note(text)) }
    try context.save()
    let before = behaviour.count("fetch")
    try context.delete(model: Note.self)
    #expect(behaviour.count("delete") == 1)
    #expect(behaviour.count("fetch") == before)
    #expect(try context.fetchCount(FetchDescriptor<Note>()) == 0)
  }

  /// A store that keeps lists learns which of them have lost members, also if nothing has read them.
  @Test func ownersOfListsThatLoseDeletedModelsAreUpdated() throws {
    let lists = Mutex<[String: ValuesSnapshot.Value]>([:])
    let behaviour = Behaviour(rewrite: { snapshot in
      if case .text(let text) = snapshot.values["text"], let books = snapshot.values["books"] {
        lists.withLock { $0[text] = books }
      }
      return nil
    })
    let container = try Self.container(behaviour)
    let context = ModelContext(container)
    let author = Author("a")
    context.insert(author)
    let (one, two) = (Book("one"), Book("two"))
    author.books = [one, Book("three")]
    let (red, blue) = (Label("red"), Label("blue"))
    one.labels = [red, blue]
    two.labels = [red]
    try context.save()
    let id = two.persistentModelID
    let other = ModelContext(container)
    other.delete(try #require(try other.fetch(FetchDescriptor<Author>()).first))
    try other.save()
    #expect(lists.withLock { $0 } == ["red": .links([id]), "blue": .links([])])
    #expect(red.books.map(\.title) == ["two"])
    #expect(blue.books.isEmpty)
  }

  @Test func aFailedSaveGivesListsTheirDeletedModelsBack() throws {
    struct Refusal: Error {}
    let fails = Mutex(false)
    let behaviour = Behaviour(willSave: { if fails.withLock({ $0 }) { throw Refusal() } })
    let container = try Self.container(behaviour)
    let context = ModelContext(container)
    let (one, two, three) = (Book("one"), Book("two"), Book("three"))
    let label = Label("red")
    context.insert(label)
    label.books = [one, two]
    try context.save()
    label.books.append(three)
    context.delete(one)
    context.delete(two)
    fails.withLock { $0 = true }
    #expect(throws: Refusal.self) { try context.save() }
    context.rollback()
    #expect(label.books.map(\.title) == ["one", "two"])
    #expect(!context.hasChanges)
    fails.withLock { $0 = false }
    context.delete(one)
    try context.save()
    #expect(label.books.map(\.title) == ["two"])
    let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Label>()).first)
    #expect(stored.books.map(\.title) == ["two"])
  }

  @Test func rangesWithoutEffectAreNoneForTheStore() throws {
    let container = try Self.container(Behaviour())
    let context = ModelContext(container)
    for text in ["a", "b"] { context.insert(Note(text)) }
    try context.save()
    for number in [Int.min, -1, 0] {
      var descriptor = FetchDescriptor<Note>()
      descriptor.fetchLimit = number
      descriptor.fetchOffset = number
      #expect(try context.fetch(descriptor).count == 2)
      #expect(try context.fetchCount(descriptor) == 2)
      #expect(try context.fetchIdentifiers(descriptor).count == 2)
    }
  }

  @Test func aBatchThatAStoreRefusesIsDeletedByTheContext() throws {
    let behaviour = Behaviour()
    let container = try Self.container(behaviour)
    let context = ModelContext(container)
    let author = Author("a")
    context.insert(author)
    author.books = [Book("one")]
    try context.save()
    try context.delete(model: Author.self)
    #expect(behaviour.count("delete") == 1)
    #expect(try context.fetchCount(FetchDescriptor<Author>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 0)
  }

  @Test func aBatchBesideUnsavedChangesOfRelatedModelsIsPartOfTheSave() throws {
    let behaviour = Behaviour()
    let container = try Self.container(behaviour)
    let context = ModelContext(container)
    let author = Author("a")
    context.insert(author)
    author.books = [Book("one")]
    try context.save()
    author.books[0].title = "two"
    try context.delete(model: Author.self)
    #expect(behaviour.count("delete") == 0)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 1)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 0)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Book>()) == 0)
  }

  /// The store keeps no lists of chapters, so the other side is asked for them: once for all books.
  @Test func manyUpdatedOwnersCostAsManyFetchesAsOne() throws {
    let behaviour = Behaviour()
    let container = try Self.container(behaviour)
    let context = ModelContext(container)
    for number in 0..<20 {
      let book = Book("\(number)")
      context.insert(book)
      book.chapters = [Archive.Chapter(number)]
    }
    try context.save()
    var fetches: [Int] = []
    for count in [1, 10, 20] {
      let editor = ModelContext(container)
      for book in try editor.fetch(FetchDescriptor<Book>()).prefix(count) { book.pages += 1 }
      let before = behaviour.count("fetch")
      try editor.save()
      fetches.append(behaviour.count("fetch") - before)
    }
    #expect(fetches[0] > 0)
    #expect(Set(fetches).count == 1, "\(fetches)")
    let books = try ModelContext(container).fetch(FetchDescriptor<Book>())
    #expect(books.count == 20)
    #expect(books.allSatisfy { $0.chapters.map { "\($0.number)" } == [$0.title] })
  }

  @Test func aContextAnnouncesItsLife() throws {
    let behaviour = Behaviour()
    let container = try Self.container(behaviour)
    do { _ = ModelContext(container) }
    #expect(behaviour.count("begin") == 1)
    #expect(behaviour.count("end") == 1)
  }

  @Test func aRefusedSaveLeavesTheContextAsItWas() throws {
    struct Refusal: Error {}
    let behaviour = Behaviour(willSave: { throw Refusal() })
    let container = try Self.container(behaviour)
    let context = ModelContext(container)
    let author = Author("a")
    context.insert(author)
    author.books = [Book("one")]
    #expect(throws: Refusal.self) { try context.save() }
    #expect(context.hasChanges)
    #expect(context.insertedModelsArray.count == 2)
    let found: Author? = context.registeredModel(for: author.persistentModelID)
    #expect(found === author)
    #expect(author.books.map(\.title) == ["one"])
  }

  @Test func aDefaultStoreBesideARefusingOneStoresNothing() throws {
    struct Refusal: Error {}
    let refuses = Mutex(true)
    let behaviour = Behaviour(willSave: { if refuses.withLock({ $0 }) { throw Refusal() } })
    var custom = MemoryStore<ValuesSnapshot>.Configuration("custom", behaviour: behaviour)
    custom.schema = Schema([Note.self])
    let graph = Schema(Archive.types.filter { $0 != Note.self })
    let container = try ModelContainer(
      for: Schema(Archive.types),
      configurations: [
        custom, ModelConfiguration("rows", schema: graph, isStoredInMemoryOnly: true),
      ])
    let context = ModelContext(container)
    context.insert(Note("n"))
    context.insert(Author("a"))
    #expect(throws: Refusal.self) { try context.save() }
    #expect(context.hasChanges)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 0)
    // Nothing holds the writer: the next save goes through.
    refuses.withLock { $0 = false }
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 1)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)
  }

  @Test func aDefaultStoreThatFailsKeepsTheOtherFromCommitting() throws {
    let folder = try TemporaryFolder()
    let graph = Schema(Archive.types.filter { $0 != Note.self })
    let files = [
      ModelConfiguration("graph", schema: graph, url: folder.url.appending(path: "graph.store")),
      ModelConfiguration(
        "notes", schema: Schema([Note.self]), url: folder.url.appending(path: "notes.store")),
    ]
    _ = try ModelContainer(for: Schema(Archive.types), configurations: files)
    var readOnly = files[1]
    readOnly = ModelConfiguration(
      "notes", schema: Schema([Note.self]), url: readOnly.url, allowsSave: false)
    let container = try ModelContainer(
      for: Schema(Archive.types), configurations: [files[0], readOnly])
    let context = ModelContext(container)
    context.insert(Author("a"))
    context.insert(Note("n"))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 0)
    context.rollback()
    context.insert(Author("b"))
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Author>()).map(\.name) == ["b"])
  }
}
