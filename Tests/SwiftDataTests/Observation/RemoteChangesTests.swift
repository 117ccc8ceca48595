import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Synchronization
import Testing

/// What one container commits, contexts of another on the same file see.
@Suite(.databases) struct RemoteChangesTests {
  /// The notifications of a container.
  private final class Notes: Sendable {
    private let found = Mutex<[(store: String?, token: DefaultHistoryToken?)]>([])
    nonisolated(unsafe) private var observer: (any NSObjectProtocol)?

    init(_ container: ModelContainer) {
      observer = NotificationCenter.default.addObserver(
        forName: ModelContainer.remoteChange, object: container, queue: nil
      ) { [found = Weak(self)] notification in
        let info = notification.userInfo
        found.notes?.add(
          info?[ModelContainer.remoteChangeStoreKey] as? String,
          info?[ModelContainer.remoteChangeTokenKey] as? DefaultHistoryToken)
      }
    }

    deinit { observer.map(NotificationCenter.default.removeObserver) }

    private struct Weak: Sendable {
      weak var notes: Notes?
      init(_ notes: Notes) { self.notes = notes }
    }

    private func add(_ store: String?, _ token: DefaultHistoryToken?) {
      found.withLock { $0.append((store, token)) }
    }

    var all: [(store: String?, token: DefaultHistoryToken?)] { found.withLock { $0 } }

    /// The number of notifications, once no more are under way.
    func settled() async throws -> Int {
      try await quietly(.milliseconds(300))
      return all.count
    }
  }

  /// An author with two books, in a container that observes and in another one.
  private struct Shared {
    let folder: TemporaryFolder
    let mine: ModelContext
    let theirs: ModelContext
    let author: Author
    let books: [Book]
    let theirAuthor: Author
    let notes: Notes

    init() throws {
      folder = try TemporaryFolder()
      mine = ModelContext(try StoreFolder.container(folder.store))
      author = Author(name: "Ann")
      books = (0..<2).map { Book(title: "book \($0)", pages: $0) }
      mine.insert(author)
      author.books = books
      try mine.save()
      theirs = ModelContext(try StoreFolder.container(folder.store))
      theirAuthor = try #require(try theirs.fetch(FetchDescriptor<Author>()).first)
      notes = Notes(mine.container)
      mine.container.observesRemoteChanges = true
    }

    /// Saves the edits of the other container, and waits until the models of this one show them.
    func exchange(
      _ expected: String, sourceLocation: SourceLocation = #_sourceLocation,
      _ condition: () -> Bool
    ) async throws {
      try theirs.save()
      try await eventually(expected, sourceLocation: sourceLocation) {
        mine.processPendingChanges()
        return condition()
      }
    }
  }

  @Test func modelsFollowOtherContainers() async throws {
    let shared = try Shared()
    let (author, books) = (shared.author, shared.books)
    shared.theirAuthor.born = Date(timeIntervalSince1970: 0)
    try await shared.exchange("the new date") { author.born == Date(timeIntervalSince1970: 0) }
    let theirs = shared.theirAuthor.books.sorted { $0.pages < $1.pages }
    shared.theirs.delete(theirs[0])
    try await shared.exchange("the deletion of a book") { author.books.map(\.title) == ["book 1"] }
    let added = Book(title: "added", pages: 7, author: shared.theirAuthor)
    shared.theirs.insert(added)
    try await shared.exchange("the added book") {
      Set(author.books.map(\.title)) == ["book 1", "added"]
    }
    let shelf = Shelf(label: "s")
    shared.theirs.insert(shelf)
    shelf.books = [theirs[1]]
    #expect(books[1].shelves.isEmpty)
    try await shared.exchange("the shelf") { books[1].shelves.map(\.label) == ["s"] }
    #expect(!shared.mine.hasChanges)
  }

  @Test func notificationsNameStoreAndToken() async throws {
    let shared = try Shared()
    shared.theirAuthor.name = "Bea"
    try await shared.exchange("the new name, and a notification") {
      shared.author.name == "Bea" && !shared.notes.all.isEmpty
    }
    let note = try #require(shared.notes.all.last)
    let store = try #require(shared.mine.container.stores.first).identifier
    #expect(note.store == store)
    let last = try StoredTables.integer(
      "SELECT max(Z_PK) FROM ATRANSACTION", in: shared.folder.store)
    #expect(note.token?.tokenValue == [store: last])
  }

  /// Neither saves of the container itself nor what only reads the file.
  @Test func ownSavesAreNotRemote() async throws {
    let shared = try Shared()
    _ = try await shared.notes.settled()
    let before = shared.notes.all.count
    for index in 0..<30 {
      shared.books[0].pages = index
      try shared.mine.save()
    }
    let second = ModelContext(shared.mine.container)
    try second.delete(model: Book.self, where: #Predicate { $0.title == "book 1" })
    second.insert(Shelf(label: "own"))
    try second.save()
    let third = ModelContext(try StoreFolder.container(shared.folder.store))
    #expect(try third.fetchCount(FetchDescriptor<Book>()) == 1)
    try shared.mine.container.erase()
    #expect(try await shared.notes.settled() == before)
  }

  /// A transaction that was rolled back has had a number, which another container gets.
  @Test func aTransactionThatWasRolledBackLeavesItsNumberToOtherContainers() async throws {
    let shared = try Shared()
    let before = try await shared.notes.settled()
    let third = Author(name: "Cem")
    shared.mine.insert(third)
    try shared.mine.save()
    for _ in 0..<3 {
      #expect(throws: (any Error).self) {
        try shared.mine.transaction {
          shared.mine.insert(Shelf(label: "x"))
          third.name = "Ann"
          try shared.mine.save()
        }
      }
      shared.mine.rollback()
    }
    shared.theirAuthor.born = Date(timeIntervalSince1970: 5)
    try await shared.exchange("the new date") {
      shared.author.born == Date(timeIntervalSince1970: 5)
    }
    let count = try await shared.notes.settled() - before
    #expect(count == 1)
  }

  @Test func unsavedEditsAreKeptAndOverwritesAreReported() async throws {
    let shared = try Shared()
    shared.author.name = "mine"
    shared.theirAuthor.name = "theirs"
    shared.theirAuthor.born = Date(timeIntervalSince1970: 9)
    try await shared.exchange("the new date") {
      shared.author.born == Date(timeIntervalSince1970: 9)
    }
    #expect(shared.author.name == "mine")
    nonisolated(unsafe) var overwritten: [PersistentIdentifier: [String]]?
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didOverwrite, object: shared.mine, queue: nil
    ) {
      overwritten =
        $0.userInfo?[ModelContext.overwrittenPropertiesKey] as? [PersistentIdentifier: [String]]
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try shared.mine.save()
    #expect(overwritten == [shared.author.persistentModelID: ["name"]])
  }

  /// Another program writes rows and no history.
  @Test func rowsThatWereWrittenWithoutHistoryAreReadAgain() async throws {
    let shared = try Shared()
    _ = try await shared.notes.settled()
    try StoredTables.execute("UPDATE ZAUTHOR SET ZNAME = 'changed'", in: shared.folder.store)
    try await shared.exchange("the new name") { shared.author.name == "changed" }
    try StoredTables.execute("DELETE FROM ZBOOK WHERE ZTITLE = 'book 0'", in: shared.folder.store)
    try await shared.exchange("the deletion of a book") {
      shared.author.books.map(\.title) == ["book 1"]
    }
  }

  /// A container that keeps no history leaves a gap, which is no gap for itself.
  @Test(.sqliteOnly("writes without history")) func aContainerWithoutHistoryIsFollowedAndFollows()
    async throws
  {
    let shared = try Shared()
    let configuration = {
      var configuration = ModelConfiguration(url: shared.folder.store)
      configuration.keepsHistory = false
      return configuration
    }()
    let loading = ModelContext(
      try ModelContainer(for: Schema(Library.types), configurations: configuration))
    let author = try #require(try loading.fetch(FetchDescriptor<Author>()).first)
    let notes = Notes(loading.container)
    loading.container.observesRemoteChanges = true
    _ = try await notes.settled()
    for index in 0..<20 {
      author.born = Date(timeIntervalSince1970: Double(index))
      try loading.save()
    }
    try await eventually("the last date") {
      shared.mine.processPendingChanges()
      return shared.author.born == Date(timeIntervalSince1970: 19)
    }
    #expect(try await notes.settled() == 0)
    shared.theirAuthor.name = "Bea"
    try shared.theirs.save()
    try await eventually("the new name") {
      loading.processPendingChanges()
      return author.name == "Bea"
    }
  }

  @Test(.sqliteOnly("the store needs its tables of history"))
  func withoutTablesOfHistoryEverythingMayHaveChanged() async throws {
    let folder = try StoreFolder(authors: 3)
    for table in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] {
      try StoredTables.execute("DROP TABLE \(table)", in: folder.store)
    }
    let mine = ModelContext(try StoreFolder.container(folder.store, allowsSave: false))
    let author = try #require(
      try mine.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)])).first)
    mine.container.observesRemoteChanges = true
    try StoredTables.execute(
      "UPDATE ZAUTHOR SET ZNAME = 'changed' WHERE ZNAME = 'Author 0'", in: folder.store)
    try await eventually("the new name") {
      mine.processPendingChanges()
      return author.name == "changed"
    }
  }

  @Test func aReadOnlyContainerFollows() async throws {
    let folder = try StoreFolder(authors: 1)
    let writing = try StoreFolder.container(folder.store)
    let theirs = ModelContext(writing)
    let mine = ModelContext(try StoreFolder.container(folder.store, allowsSave: false))
    let author = try #require(try mine.fetch(FetchDescriptor<Author>()).first)
    mine.container.observesRemoteChanges = true
    try #require(try theirs.fetch(FetchDescriptor<Author>()).first).name = "changed"
    try theirs.save()
    try await eventually("the new name") {
      mine.processPendingChanges()
      return author.name == "changed"
    }
  }

  /// The container keeps the file that it has open; what takes its place is noticed.
  @Test(.sqliteOnly("replaces the file")) func aReplacedFileIsNoticed() async throws {
    let shared = try Shared()
    let before = try await shared.notes.settled()
    let other = try StoreFolder(authors: 3)
    #expect(rename(other.store.path, shared.folder.store.path) == 0)
    try await eventually("a notification of the replacement") {
      shared.notes.all.count > before
    }
    shared.mine.processPendingChanges()
    #expect(shared.author.name == "Ann")
    let removed = try await shared.notes.settled()
    try FileManager.default.removeItem(at: shared.folder.store)
    try await eventually("a notification of the removal") {
      shared.notes.all.count > removed
    }
    #expect(try shared.mine.fetchCount(FetchDescriptor<Author>()) == 1)
  }

  /// Another thread of the process writes for long. Neither its commit nor one after it is lost.
  @Test func observersBeginBesideATransaction() async throws {
    let folder = try TemporaryFolder()
    let container = try StoreFolder.container(folder.store)
    let notes = Notes(container)
    let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let transaction = startThread {
      let context = ModelContext(container)
      var wasReleased = false
      try context.transaction {
        context.insert(Shelf(label: "mine"))
        try context.save()
        begun.signal()
        wasReleased = mayEnd.wait(timeout: .now() + 20) == .success
      }
      return wasReleased
    }
    #expect(try await onThread { begun.wait(timeout: .now() + 20) } == .success)
    container.observesRemoteChanges = true
    let context = ModelContext(container)
    let observer = try ResultsObserver<Shelf, Never>(
      sortBy: [SortDescriptor(\.label)], modelContext: context)
    #expect(observer.results.isEmpty)
    mayEnd.signal()
    #expect(try await transaction.value, "the observers waited for the transaction")
    let theirs = ModelContext(try StoreFolder.container(folder.store))
    theirs.insert(Shelf(label: "theirs"))
    try theirs.save()
    try await eventually("both shelves, and a notification") {
      observer.results.map(\.label) == ["mine", "theirs"] && !notes.all.isEmpty
    }
  }

  /// The store can't be read for longer than its file is looked at after a write. No commit follows.
  @Test(.sqliteOnly("makes statements of the file fail")) func aFailedLookIsRepeated() async throws
  {
    let folder = try TemporaryFolder()
    let failing = FailingStatements()
    let mine = ModelContext(
      try ModelContainer(
        for: Schema(Library.types),
        configurations: failing.configuration(ModelConfiguration(url: folder.store))))
    mine.insert(Shelf(label: "a"))
    try mine.save()
    let notes = Notes(mine.container)
    let observer = try FailedLooks.$defaultPauses.withValue(
      .milliseconds(10)...Duration.milliseconds(50)
    ) {
      mine.container.observesRemoteChanges = true
      return try ResultsObserver<Shelf, Never>(
        sortBy: [SortDescriptor(\.label)], modelContext: mine)
    }
    #expect(observer.results.map(\.label) == ["a"])
    failing.set { _ in true }
    let theirs = ModelContext(try StoreFolder.container(folder.store))
    theirs.insert(Shelf(label: "b"))
    try theirs.save()
    // Nobody reads meanwhile.
    try await eventually("failures") { failing.count > 30 }
    let store = try #require(mine.container.stores.first).identifier
    #expect(notes.all.map(\.token?.tokenValue) == [[store: 1]])
    failing.set(nil)
    try await eventually("the notification") { notes.all.last?.token?.tokenValue == [store: 2] }
    #expect(observer.results.map(\.label) == ["a", "b"] && observer.fetchError == nil)
  }

  @Test func observingEndsWithItsSettingOrItsContainer() async throws {
    let folder = try StoreFolder(authors: 1)
    var container: ModelContainer? = try StoreFolder.container(folder.store)
    weak let weakContainer = container
    #expect(container?.observesRemoteChanges == false)
    container?.observesRemoteChanges = true
    #expect(container?.observesRemoteChanges == true)
    container?.observesRemoteChanges = false
    #expect(container?.observesRemoteChanges == false)
    let notes = try Notes(#require(container))
    let theirs = ModelContext(try StoreFolder.container(folder.store))
    theirs.insert(Author(name: "new"))
    try theirs.save()
    #expect(try await notes.settled() == 0)
    container?.observesRemoteChanges = true
    container = nil
    #expect(weakContainer == nil)
  }

  @Test @MainActor func theMainContextFollowsWithoutACall() async throws {
    let folder = try StoreFolder(authors: 1)
    let container = try StoreFolder.container(folder.store)
    container.observesRemoteChanges = true
    let author = try #require(
      try container.mainContext.fetch(FetchDescriptor<Author>()).first)
    let theirs = ModelContext(try StoreFolder.container(folder.store))
    try #require(try theirs.fetch(FetchDescriptor<Author>()).first).name = "changed"
    try theirs.save()
    try await eventually("the new name") { author.name == "changed" }
  }
}
