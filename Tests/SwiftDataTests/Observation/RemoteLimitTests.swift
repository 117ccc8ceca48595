import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// Commits of other containers are seen: few changes and many, before observing begins, and in pairs.
@Suite struct RemoteLimitTests {
  private let folder: TemporaryFolder
  private let mine: ModelContext
  private let theirs: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    let configuration = ModelConfiguration(url: folder.store)
    mine = ModelContext(
      try ModelContainer(for: Schema(Library.types), configurations: configuration))
    for number in 0..<8 { mine.insert(Book(title: "old", pages: number)) }
    mine.insert(Author(name: "old"))
    mine.insert(Shelf(label: "old"))
    try mine.save()
    theirs = ModelContext(
      try ModelContainer(for: Schema(Library.types), configurations: configuration))
  }

  private func expect(
    _ expected: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
  ) async throws {
    try await eventually(expected, sourceLocation: sourceLocation) {
      mine.processPendingChanges()
      return try condition()
    }
  }

  @Test(arguments: 1...7) func noChangeIsLeftOut(count: Int) throws {
    let engine = try #require(mine.container.stores.first as? DefaultStore).engine
    let reader = RemoteCommitReader.$defaultLimit.withValue(3) { RemoteCommitReader(engine) }
    let books = try theirs.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
    for book in books.prefix(count) { book.title = "new" }
    try theirs.save()
    let commits = try #require(try reader.look())
    #expect(commits.isEverything == (count > 3))
    if !commits.isEverything { #expect(commits.updated.count == count) }
    // One transaction each.
    for book in books.prefix(count) {
      book.title = "newer"
      try theirs.save()
    }
    var seen = Set<PersistentIdentifier>()
    var isEverything = false
    while let commits = try reader.look() {
      isEverything = isEverything || commits.isEverything
      seen.formUnion(commits.updated.map(\.0))
    }
    #expect(isEverything || seen.count == count)
  }

  /// The context has read its models before anything observes them.
  @Test func commitsBeforeTheFirstObserverAreSeen() async throws {
    let books = try mine.fetch(FetchDescriptor<Book>())
    #expect(books.allSatisfy { $0.title == "old" })
    for book in try theirs.fetch(FetchDescriptor<Book>()) { book.title = "new" }
    try theirs.save()
    let observer = try ResultsObserver<Shelf, Never>(modelContext: mine)
    try await expect("the new titles") { books.allSatisfy { $0.title == "new" } }
    #expect(observer.results.count == 1)
  }

  /// An edit names a property, the deletion by a request after it names none: observers of other properties
  /// are notified too.
  @Test(arguments: [true, false]) func anEditAndADeletionAreBothSeen(isSibling: Bool) async throws {
    let author = try #require(try mine.fetch(FetchDescriptor<Author>()).first)
    author.books = try mine.fetch(FetchDescriptor<Book>())
    try mine.save()
    let calls = Mutex(0)
    withObservationTracking {
      #expect(author.books.count == 8)
    } onChange: {
      calls.withLock { $0 += 1 }
    }
    let observer = try ResultsObserver<Shelf, Never>(modelContext: mine)
    let other = isSibling ? ModelContext(mine.container) : theirs
    let theirAuthor = try #require(try other.fetch(FetchDescriptor<Author>()).first)
    theirAuthor.name = "new"
    try other.save()
    try other.delete(model: Book.self)
    try other.save()
    try await expect("edit and deletion") { author.name == "new" && author.books.isEmpty }
    #expect(calls.withLock { $0 } == 1)
    #expect(observer.results.count == 1)
  }
}
