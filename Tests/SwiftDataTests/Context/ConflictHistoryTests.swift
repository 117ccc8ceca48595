import Foundation
import SwiftData
import Synchronization
import Testing

/// Two contexts change one row several times: what is a conflict, and what is shown meanwhile.
@Suite(.databases) struct ConflictHistoryTests {
  private let (first, second): (ModelContext, ModelContext)
  private let (mine, theirs): (Book, Book)

  init() throws {
    let container = try Library.container()
    (first, second) = (ModelContext(container), ModelContext(container))
    mine = Book(title: "One", pages: 1)
    first.insert(mine)
    try first.save()
    theirs = try #require(try second.fetch(FetchDescriptor<Book>()).first)
  }

  /// The properties of others that a save of the second context replaced.
  private func overwritten(while body: () throws -> Void) rethrows -> [String] {
    nonisolated(unsafe) var found: [String] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didOverwrite, object: second, queue: nil
    ) { note in
      let names = note.userInfo?[ModelContext.overwrittenPropertiesKey]
      found += (names as? [PersistentIdentifier: [String]] ?? [:]).values.flatMap(\.self)
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try body()
    return found
  }

  @Test func aRollbackForgetsWhatWasInConflict() throws {
    theirs.title = "Theirs"
    mine.title = "Mine"
    try first.save()
    second.processPendingChanges()
    second.rollback()
    theirs.title = "Again"
    #expect(try overwritten { try second.save() } == [])
  }

  @Test func anEditOfWhatWasReadIsNoConflictBesideOneThatIs() throws {
    theirs.title = "Theirs"
    (mine.title, mine.pages) = ("Mine", 2)
    try first.save()
    second.processPendingChanges()
    #expect(theirs.title == "Theirs" && theirs.pages == 2)
    theirs.pages = 3
    #expect(try overwritten { try second.save() } == ["title"])
  }

  @Test func severalSavesOfOneRowAreAppliedTogether() throws {
    let isTold = Mutex(false)
    withObservationTracking {
      _ = theirs.pages
    } onChange: {
      isTold.withLock { $0 = true }
    }
    mine.title = "Mine"
    try first.save()
    mine.pages = 2
    try first.save()
    second.processPendingChanges()
    #expect(theirs.title == "Mine" && theirs.pages == 2)
    #expect(isTold.withLock { $0 })
  }

  @Test func aRollbackBringsNoMemberBackThatAnotherContextDeleted() throws {
    let author = Author(name: "Ann")
    second.insert(author)
    author.books = [theirs, Book(title: "Two", pages: 2)]
    try second.save()
    #expect(author.books.count == 2)
    author.books.append(Book(title: "Three", pages: 3))
    first.delete(mine)
    try first.save()
    second.processPendingChanges()
    #expect(author.books.map(\.title) == ["Two", "Three"])
    second.rollback()
    #expect(author.books.map(\.title) == ["Two"])
  }

  @Test(arguments: [false, true])
  func aListLacksAMemberThatIsElsewhereHere(isPrefetched: Bool) throws {
    let authors = ["Ann", "Bob"].map { Author(name: $0) }
    for author in authors { first.insert(author) }
    try first.save()
    let (name, other) = ("Ann", "Bob")
    let ann = try #require(
      try second.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == name })).first)
    theirs.author = ann
    mine.author = authors[1]
    try first.save()
    var descriptor = FetchDescriptor<Author>(predicate: #Predicate { $0.name == other })
    if isPrefetched { descriptor.relationshipKeyPathsForPrefetching = [\.books] }
    let bob = try #require(try second.fetch(descriptor).first)
    #expect(theirs.author === ann)
    #expect(bob.books.isEmpty && ann.books == [theirs])
  }

  @Test func aMemberThatAnotherContextMovedKeepsItsNewOwner() throws {
    let (ann, bob) = (Author(name: "Ann"), Author(name: "Bob"))
    for author in [ann, bob] { second.insert(author) }
    ann.books = [theirs]
    try second.save()
    #expect(ann.books.count == 1)
    ann.books.append(Book(title: "Two", pages: 2))
    first.processPendingChanges()
    let name = "Bob"
    mine.author = try first.fetch(
      FetchDescriptor<Author>(predicate: #Predicate { $0.name == name })
    ).first
    try first.save()
    second.processPendingChanges()
    #expect(theirs.author === bob)
    ann.books = []
    #expect(theirs.author === bob)
    try second.save()
    #expect(try second.stored(Author.self).map { $0.books.count }.sorted() == [0, 1])
  }
}
