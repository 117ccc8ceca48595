import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Synchronization
import Testing

/// What one container commits, contexts of another on the same file see.
@Suite struct RemoteChangesTests {
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

    /// Whether a condition comes true within some seconds, asked again and again.
    func wait(_ condition: (Notes) throws -> Bool) rethrows -> Bool {
      let deadline = ContinuousClock.now + .seconds(5)
      while ContinuousClock.now < deadline {
        if try condition(self) { return true }
        Thread.sleep(forTimeInterval: 0.005)
      }
      return false
    }

    /// The number of notifications, once no more are on their way.
    func settled() -> Int {
      Thread.sleep(forTimeInterval: 0.3)
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

    /// Saves what others did, and catches up.
    func exchange(_ condition: () -> Bool) throws -> Bool {
      try theirs.save()
      return notes.wait { _ in
        mine.processPendingChanges()
        return condition()
      }
    }
  }

  @Test func modelsFollowOtherContainers() throws {
    let shared = try Shared()
    let (author, books) = (shared.author, shared.books)
    shared.theirAuthor.born = Date(timeIntervalSince1970: 0)
    #expect(try shared.exchange { author.born == Date(timeIntervalSince1970: 0) })
    let theirs = shared.theirAuthor.books.sorted { $0.pages < $1.pages }
    shared.theirs.delete(theirs[0])
    #expect(try shared.exchange { author.books.map(\.title) == ["book 1"] })
    let added = Book(title: "added", pages: 7, author: shared.theirAuthor)
    shared.theirs.insert(added)
    #expect(try shared.exchange { Set(author.books.map(\.title)) == ["book 1", "added"] })
    let shelf = Shelf(label: "s")
    shared.theirs.insert(shelf)
    shelf.books = [theirs[1]]
    #expect(books[1].shelves.isEmpty)
    #expect(try shared.exchange { books[1].shelves.map(\.label) == ["s"] })
    #expect(!shared.mine.hasChanges)
  }

  @Test func notificationsNameStoreAndPlace() throws {
    let shared = try Shared()
    shared.theirAuthor.name = "Bea"
    #expect(try shared.exchange { shared.author.name == "Bea" && !shared.notes.all.isEmpty })
    let note = try #require(shared.notes.all.last)
    let store = try #require(shared.mine.container.stores.first).identifier
    #expect(note.store == store)
    let last = try SQLiteFile.integer("SELECT max(Z_PK) FROM ATRANSACTION", in: shared.folder.store)
    #expect(note.token?.tokenValue == [store: last])
  }

  /// Neither saves of the container itself nor what only reads the file.
  @Test func ownSavesAreNotRemote() throws {
    let shared = try Shared()
    _ = shared.notes.settled()
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
    #expect(shared.notes.settled() == before)
  }

  /// A transaction that was undone has had a number, which another container gets.
  @Test func aNumberThatWasUndoneIsTheOthers() throws {
    let shared = try Shared()
    let before = shared.notes.settled()
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
    #expect(try shared.exchange { shared.author.born == Date(timeIntervalSince1970: 5) })
    #expect(shared.notes.settled() == before + 1)
  }

  @Test func unsavedEditsStayOnTopAndAreContested() throws {
    let shared = try Shared()
    shared.author.name = "mine"
    shared.theirAuthor.name = "theirs"
    shared.theirAuthor.born = Date(timeIntervalSince1970: 9)
    #expect(try shared.exchange { shared.author.born == Date(timeIntervalSince1970: 9) })
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
  @Test func rowsThatWereWrittenWithoutHistoryAreReadAgain() throws {
    let shared = try Shared()
    _ = shared.notes.settled()
    try SQLiteFile.execute("UPDATE ZAUTHOR SET ZNAME = 'changed'", in: shared.folder.store)
    #expect(try shared.exchange { shared.author.name == "changed" })
    try SQLiteFile.execute("DELETE FROM ZBOOK WHERE ZTITLE = 'book 0'", in: shared.folder.store)
    #expect(try shared.exchange { shared.author.books.map(\.title) == ["book 1"] })
  }

  /// A container that keeps no history leaves a gap, which is no gap for itself.
  @Test func aContainerWithoutHistoryIsFollowedAndFollows() throws {
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
    _ = notes.settled()
    for index in 0..<20 {
      author.born = Date(timeIntervalSince1970: Double(index))
      try loading.save()
    }
    let follows = shared.notes.wait { _ in
      shared.mine.processPendingChanges()
      return shared.author.born == Date(timeIntervalSince1970: 19)
    }
    #expect(follows)
    #expect(notes.settled() == 0)
    shared.theirAuthor.name = "Bea"
    try shared.theirs.save()
    let followsToo = notes.wait { _ in
      loading.processPendingChanges()
      return author.name == "Bea"
    }
    #expect(followsToo)
  }

  @Test func withoutTablesOfHistoryEverythingMayHaveChanged() throws {
    let folder = try StoreFolder(authors: 3)
    for table in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] {
      try SQLiteFile.execute("DROP TABLE \(table)", in: folder.store)
    }
    let mine = ModelContext(try StoreFolder.container(folder.store, allowsSave: false))
    let author = try #require(
      try mine.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)])).first)
    let notes = Notes(mine.container)
    mine.container.observesRemoteChanges = true
    try SQLiteFile.execute(
      "UPDATE ZAUTHOR SET ZNAME = 'changed' WHERE ZNAME = 'Author 0'", in: folder.store)
    let follows = notes.wait { _ in
      mine.processPendingChanges()
      return author.name == "changed"
    }
    #expect(follows)
  }

  @Test func aReadOnlyContainerFollows() throws {
    let folder = try StoreFolder(authors: 1)
    let writing = try StoreFolder.container(folder.store)
    let theirs = ModelContext(writing)
    let mine = ModelContext(try StoreFolder.container(folder.store, allowsSave: false))
    let author = try #require(try mine.fetch(FetchDescriptor<Author>()).first)
    let notes = Notes(mine.container)
    mine.container.observesRemoteChanges = true
    try #require(try theirs.fetch(FetchDescriptor<Author>()).first).name = "changed"
    try theirs.save()
    let follows = notes.wait { _ in
      mine.processPendingChanges()
      return author.name == "changed"
    }
    #expect(follows)
  }

  /// The container keeps the file that it has open; what takes its place is noticed.
  @Test func aReplacedFileIsNoticed() throws {
    let shared = try Shared()
    let before = shared.notes.settled()
    let other = try StoreFolder(authors: 3)
    #expect(rename(other.store.path, shared.folder.store.path) == 0)
    #expect(shared.notes.wait { $0.all.count > before })
    shared.mine.processPendingChanges()
    #expect(shared.author.name == "Ann")
    let removed = shared.notes.settled()
    try FileManager.default.removeItem(at: shared.folder.store)
    #expect(shared.notes.wait { $0.all.count > removed })
    #expect(try shared.mine.fetchCount(FetchDescriptor<Author>()) == 1)
  }

  @Test func watchingEndsWithItsReason() throws {
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
    #expect(notes.settled() == 0)
    container?.observesRemoteChanges = true
    container = nil
    #expect(weakContainer == nil)
  }

  @Test @MainActor func theMainContextFollowsByItself() async throws {
    let folder = try StoreFolder(authors: 1)
    let container = try StoreFolder.container(folder.store)
    container.observesRemoteChanges = true
    let author = try #require(
      try container.mainContext.fetch(FetchDescriptor<Author>()).first)
    let theirs = ModelContext(try StoreFolder.container(folder.store))
    try #require(try theirs.fetch(FetchDescriptor<Author>()).first).name = "changed"
    try theirs.save()
    let deadline = ContinuousClock.now + .seconds(5)
    while author.name != "changed", ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(author.name == "changed")
  }
}
