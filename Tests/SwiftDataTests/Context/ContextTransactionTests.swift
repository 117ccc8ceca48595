import Foundation
import SwiftData
import Synchronization
import Testing

/// `ModelContext.transaction`: one transaction of the store, with its models.
@Suite(.databases) struct ContextTransactionTests {
  private struct Refusal: Error {}

  private func container(_ folder: TemporaryFolder) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(Graph.types + Library.types),
      configurations: ModelConfiguration(url: folder.store))
  }

  @Test(arguments: [false, true]) func incrementsAreNotLost(madeOutside: Bool) async throws {
    let folder = try TemporaryFolder()
    let container = try container(folder)
    let context = ModelContext(container)
    context.insert(Book(title: "counter", pages: 0))
    try context.save()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<16 {
        group.addTask {
          let outer = ModelContext(container)
          let known = try outer.fetch(FetchDescriptor<Book>())
          for _ in 0..<20 {
            let context = madeOutside ? outer : ModelContext(container)
            try context.transaction {
              let book =
                madeOutside ? known.first : try context.fetch(FetchDescriptor<Book>()).first
              book?.pages += 1
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try StoredTables.integer("SELECT ZPAGES FROM ZBOOK", in: folder.store) == 320)
  }

  @Test func incrementsOfTwoContainersAreNotLost() async throws {
    let folder = try TemporaryFolder()
    let containers = [try container(folder), try container(folder)]
    let context = ModelContext(containers[0])
    context.insert(Book(title: "counter", pages: 0))
    try context.save()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for container in containers {
        group.addTask {
          let context = ModelContext(container)
          let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
          for _ in 0..<100 { try context.transaction { book.pages += 1 } }
        }
      }
      try await group.waitForAll()
    }
    #expect(try StoredTables.integer("SELECT ZPAGES FROM ZBOOK", in: folder.store) == 200)
  }

  /// Models in memory show what is stored when the transaction begins, whoever has written it.
  @Test func valuesInMemoryAreThoseOfTheBegin() throws {
    let folder = try TemporaryFolder()
    let (first, second) = (
      ModelContext(try container(folder)), ModelContext(try container(folder))
    )
    first.insert(Book(title: "counter", pages: 0))
    try first.save()
    let mine = try #require(try first.fetch(FetchDescriptor<Book>()).first)
    let theirs = try #require(try second.fetch(FetchDescriptor<Book>()).first)
    for number in 0..<3 {
      try first.transaction { mine.pages += 1 }
      try second.transaction {
        #expect(theirs.pages == 2 * number + 1)
        theirs.pages += 1
      }
    }
    try first.transaction { #expect(mine.pages == 6) }
    try StoredTables.execute("UPDATE ZBOOK SET ZPAGES = 40", in: folder.store)
    try first.transaction { mine.pages += 2 }
    #expect(try StoredTables.integer("SELECT ZPAGES FROM ZBOOK", in: folder.store) == 42)
  }

  /// The lock is held although the block has run no statement yet.
  @Test func aSaveWaitsForATransactionThatHasOnlyBegun() async throws {
    let folder = try TemporaryFolder()
    let first = ModelContext(try container(folder))
    let other = try container(folder)
    let hasSaved = Mutex(false)
    let saver = Thread {
      let context = ModelContext(other)
      context.insert(Shelf(label: "theirs"))
      try? context.save()
      hasSaved.withLock { $0 = true }
    }
    try first.transaction {
      saver.start()
      Thread.sleep(forTimeInterval: 0.3)
      #expect(hasSaved.withLock { !$0 })
      let count = try first.fetchCount(FetchDescriptor<Shelf>())
      #expect(count == 0)
    }
    try await eventually("the save after the transaction") { hasSaved.withLock(\.self) }
    #expect(try first.fetchCount(FetchDescriptor<Shelf>()) == 1)
  }

  @Test func savesInsideAreStoredTogetherAndOthersLearnOfThemAtTheEnd() throws {
    let folder = try TemporaryFolder()
    let container = try container(folder)
    let (context, other) = (ModelContext(container), ModelContext(container))
    nonisolated(unsafe) var notes: [Int] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { note in notes.append((note.userInfo?["inserted"] as? [PersistentIdentifier])?.count ?? 0) }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.transaction {
      for index in 0..<3 {
        context.insert(Book(title: "\(index)", pages: index))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Book>()) == index + 1)
      }
      #expect(try StoredTables.integer("SELECT count(*) FROM ZBOOK", in: folder.store) == 0)
      #expect(notes.isEmpty)
    }
    #expect(notes == [3])
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 3)
  }

  @Test func theNotificationNamesEachRowOnce() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try container(folder))
    let (edited, doomed) = (Book(title: "edited", pages: 0), Book(title: "doomed", pages: 0))
    for book in [edited, doomed] { context.insert(book) }
    try context.save()
    nonisolated(unsafe) var notes: [[String: [PersistentIdentifier]]] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { note in
      let names = ["inserted", "updated", "deleted"]
      notes.append(
        Dictionary(
          uniqueKeysWithValues: names.map {
            ($0, note.userInfo?[$0] as? [PersistentIdentifier] ?? [])
          }))
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let (new, passing) = (Book(title: "new", pages: 0), Book(title: "passing", pages: 0))
    try context.transaction {
      for book in [new, passing] { context.insert(book) }
      try context.save()
      for book in [edited, doomed, new] { book.pages = 1 }
      try context.save()
      edited.pages = 2
      context.delete(doomed)
      context.delete(passing)
    }
    #expect(notes.count == 1)
    #expect(notes.first?["inserted"] == [new.persistentModelID])
    #expect(notes.first?["updated"] == [edited.persistentModelID])
    #expect(
      Set(notes.first?["deleted"] ?? []) == [doomed.persistentModelID, passing.persistentModelID])
  }

  @Test func anErrorUndoesEverythingModelsIncluded() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try container(folder))
    let (parent, child) = (Graph.Parent("old"), Graph.Child("child"))
    parent.children = [child]
    let doomed = Graph.Parent("doomed")
    doomed.children = [Graph.Child("taken along")]
    context.insert(parent)
    context.insert(doomed)
    try context.save()
    let taken = doomed.children[0]
    let new = Graph.Parent("new")
    var identifier: PersistentIdentifier?
    #expect(throws: Refusal.self) {
      try context.transaction {
        parent.name = "changed"
        new.children = [Graph.Child("with it")]
        identifier = new.persistentModelID
        context.insert(new)
        context.delete(doomed)
        child.parent = nil
        try context.save()
        #expect(doomed.isDeleted && taken.isDeleted)
        #expect(try context.fetchCount(FetchDescriptor<Graph.Parent>()) == 2)
        parent.name = "again"
        throw Refusal()
      }
    }
    #expect(!context.hasChanges)
    #expect(parent.name == "old")
    #expect(child.parent === parent)
    #expect(parent.children == [child])
    #expect(!doomed.isDeleted && doomed.modelContext === context && doomed.children == [taken])
    #expect(taken.name == "taken along")
    #expect(new.modelContext == nil && new.name == "new")
    #expect(new.children.map(\.name) == ["with it"])
    #expect(new.persistentModelID == identifier)
    let names = try context.fetch(FetchDescriptor<Graph.Parent>()).map(\.name)
    #expect(Set(names) == ["old", "doomed"])
    context.insert(new)
    context.delete(doomed)
    try context.save()
    #expect(try context.count(Graph.Parent.self) == 2)
    #expect(try context.count(Graph.Child.self) == 2)
    #expect(try context.stored(Graph.Parent.self).allSatisfy { $0.children.count == 1 })
  }

  @Test func aFailureOfAnInnerTransactionFailsTheOuterOne() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try container(folder))
    #expect(throws: Refusal.self) {
      try context.transaction {
        context.insert(Shelf(label: "outer"))
        try? context.transaction {
          context.insert(Shelf(label: "inner"))
          throw Refusal()
        }
        context.insert(Shelf(label: "late"))
      }
    }
    #expect(try StoredTables.integer("SELECT count(*) FROM ZSHELF", in: folder.store) == 0)
    try context.transaction {
      context.insert(Shelf(label: "outer"))
      try context.transaction { context.insert(Shelf(label: "inner")) }
    }
    #expect(try StoredTables.integer("SELECT count(*) FROM ZSHELF", in: folder.store) == 2)
  }

  @Test func theWaitForAnotherWriterHasALimit() throws {
    let folder = try TemporaryFolder()
    let (first, second) = (
      ModelContext(try container(folder)), ModelContext(try container(folder))
    )
    try first.transaction {
      var hasRun = false
      let error = #expect(throws: SwiftDataError.storeWriteFailure) {
        try second.transaction(waitingAtMost: .milliseconds(50)) { hasRun = true }
      }
      #expect(!hasRun && error?.reason.isTransient == true)
      first.insert(Shelf(label: "s"))
    }
    #expect(try second.fetchCount(FetchDescriptor<Shelf>()) == 1)
  }

  @Test func theWaitForAnotherThreadHasALimit() async throws {
    let folder = try TemporaryFolder()
    let container = try container(folder)
    let context = ModelContext(container)
    let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = Thread {
      let context = ModelContext(container)
      try? context.transaction {
        began.signal()
        mayEnd.wait()
      }
      began.signal()
    }
    thread.start()
    began.wait()
    let error = #expect(throws: SwiftDataError.storeWriteFailure) {
      try context.transaction(waitingAtMost: .milliseconds(50)) {}
    }
    #expect(error?.reason.isTransient == true)
    mayEnd.signal()
    began.wait()
    try context.transaction(waitingAtMost: .milliseconds(500)) { context.insert(Shelf(label: "s")) }
  }

  @Test(arguments: [Duration.seconds(Int64.max), .zero, .seconds(-5)])
  func aWaitMayHaveAnyLimit(limit: Duration) throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try container(folder))
    try context.transaction(waitingAtMost: limit) { context.insert(Shelf(label: "s")) }
    #expect(try context.fetchCount(FetchDescriptor<Shelf>()) == 1)
  }

  @Test func anotherContextMustNotSaveInside() throws {
    let folder = try TemporaryFolder()
    let container = try container(folder)
    let (context, other) = (ModelContext(container), ModelContext(container))
    other.insert(Shelf(label: "other"))
    try context.transaction {
      #expect(throws: SwiftDataError.storeWriteFailure) { try other.save() }
      #expect(throws: SwiftDataError.storeWriteFailure) {
        try ModelContext(container).delete(model: Book.self)
      }
    }
    try other.save()
    #expect(try context.fetchCount(FetchDescriptor<Shelf>()) == 1)
  }

  @Test func batchDeletionsInsideAreUndoneToo() throws {
    let folder = try TemporaryFolder()
    let container = try container(folder)
    let (context, other) = (ModelContext(container), ModelContext(container))
    let shelf = Shelf(label: "s")
    context.insert(shelf)
    try context.save()
    let theirs = try #require(try other.fetch(FetchDescriptor<Shelf>()).first)
    #expect(throws: Refusal.self) {
      try context.transaction {
        try context.delete(model: Shelf.self)
        #expect(shelf.isDeleted)
        throw Refusal()
      }
    }
    #expect(!shelf.isDeleted && shelf.label == "s" && shelf.modelContext === context)
    other.processPendingChanges()
    #expect(!theirs.isDeleted)
    try context.transaction { try context.delete(model: Shelf.self) }
    other.processPendingChanges()
    #expect(theirs.isDeleted && shelf.isDeleted)
  }

  /// A transaction waits while another context deletes by predicate. It begins with what is stored then, and the
  /// deletion does not wait for it, although the history has to be pruned.
  @Test(.sqliteOnly("on a server a transaction reads all models again"))
  func aBatchDeletionIsKnownToTheNextTransaction() async throws {
    let folder = try TemporaryFolder()
    let (isReady, isDeleting) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (isWaiting, hasDeleted) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var configuration = ModelConfiguration(url: folder.store)
    configuration.historyRetention = HistoryRetention(maximumCount: 1)
    configuration.statementLog = StatementLog { event in
      guard case .statement(let statement) = event,
        statement.sql.hasPrefix("DELETE FROM \"ZBOOK\"")
      else { return }
      isDeleting.signal()
      _ = isWaiting.wait(timeout: .now() + 20)
      // The other thread is about to wait for the writer.
      Thread.sleep(forTimeInterval: 0.1)
    }
    let container = try ModelContainer(
      for: Schema(Library.types), configurations: configuration)
    let context = ModelContext(container)
    for title in ["from", "to"] { context.insert(Book(title: title, pages: 10)) }
    try context.save()
    let transfer = startThread {
      let context = ModelContext(container)
      // The first transaction of a context reads all models again.
      try context.transaction {}
      let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
      isReady.signal()
      _ = isDeleting.wait(timeout: .now() + 20)
      isWaiting.signal()
      var areDeleted: [Bool] = []
      var wasReleased = false
      try context.transaction {
        areDeleted = books.map(\.isDeleted)
        wasReleased = hasDeleted.wait(timeout: .now() + 20) == .success
      }
      return (areDeleted, wasReleased)
    }
    try await onThread {
      _ = isReady.wait(timeout: .now() + 20)
      try ModelContext(container).delete(
        model: Book.self, where: #Predicate { $0.title == "from" })
      hasDeleted.signal()
    }
    let (areDeleted, wasReleased) = try await transfer.value
    #expect(areDeleted == [true, false])
    #expect(wasReleased, "the deletion waited for the transaction")
  }

  @Test func aSnapshotSeesOneState() throws {
    let folder = try TemporaryFolder()
    let (reader, writer) = (
      ModelContext(try container(folder)), ModelContext(try container(folder))
    )
    writer.insert(Graph.Parent("p"))
    try writer.save()
    let parent = try #require(try reader.fetch(FetchDescriptor<Graph.Parent>()).first)
    try reader.snapshot {
      #expect(try reader.fetchCount(FetchDescriptor<Graph.Child>()) == 0)
      let theirs = try #require(try writer.fetch(FetchDescriptor<Graph.Parent>()).first)
      writer.insert(Graph.Child("c", parent: theirs))
      try writer.save()
      #expect(try reader.fetchCount(FetchDescriptor<Graph.Child>()) == 0)
      #expect(parent.children.isEmpty)
      #expect(throws: SwiftDataError.storeWriteFailure) { try reader.save() }
      #expect(throws: SwiftDataError.storeWriteFailure) {
        try reader.delete(model: Graph.Child.self)
      }
      #expect(throws: SwiftDataError.storeWriteFailure) { try reader.transaction {} }
    }
    #expect(try reader.fetchCount(FetchDescriptor<Graph.Child>()) == 1)
  }

  @Test func whatASiblingSavesDuringASnapshotIsSeenAfterIt() throws {
    let folder = try TemporaryFolder()
    let container = try container(folder)
    let (reader, writer) = (ModelContext(container), ModelContext(container))
    writer.insert(Shelf(label: "old"))
    try writer.save()
    let shelf = try #require(try reader.fetch(FetchDescriptor<Shelf>()).first)
    try reader.snapshot {
      try #require(try writer.fetch(FetchDescriptor<Shelf>()).first).label = "new"
      try writer.save()
      #expect(try reader.fetch(FetchDescriptor<Shelf>()).map(\.label) == ["old"])
    }
    reader.processPendingChanges()
    #expect(shelf.label == "new")
  }

  /// Another context of the container saves after each statement with which the snapshot begins. The models in memory
  /// show the state of the snapshot in it, and the last one after it.
  @Test func aSnapshotBeginsBesideASteadyWriter() throws {
    let folder = try TemporaryFolder()
    let writer = SteadyWriter(limit: 20)
    var configuration = ModelConfiguration(url: folder.store)
    configuration.statementLog = StatementLog { event in
      if case .statement = event { writer.write() }
    }
    let container = try ModelContainer(
      for: Schema(Library.types), configurations: configuration)
    let context = ModelContext(container)
    for number in 0...20 { context.insert(Book(title: "\(number)", pages: 0)) }
    try context.save()
    let reader = ModelContext(container)
    let books = try reader.fetch(FetchDescriptor<Book>())
    writer.begin { number in
      let context = ModelContext(container)
      for book in try context.fetch(FetchDescriptor<Book>()) { book.pages = number }
      try context.save()
      let title = "\(number)"
      for book in try context.fetch(
        FetchDescriptor<Book>(predicate: #Predicate { $0.title == title }))
      { context.delete(book) }
      try context.save()
    }
    try reader.snapshot {
      writer.end()
      let shown = Dictionary(
        uniqueKeysWithValues: books.filter { !$0.isDeleted }.map { ($0.title, $0.pages) })
      let fetched = try reader.fetch(FetchDescriptor<Book>())
      #expect(shown == Dictionary(uniqueKeysWithValues: fetched.map { ($0.title, $0.pages) }))
      #expect(fetched.allSatisfy { book in books.contains { $0 === book } })
    }
    let count = writer.count
    #expect(1..<20 ~= count)
    reader.processPendingChanges()
    #expect(Set(books.filter(\.isDeleted).map(\.title)) == Set((1...count).map { "\($0)" }))
    #expect(books.allSatisfy { $0.isDeleted || $0.pages == count })
  }

  /// Writes on another thread, while a thread waits after each of its statements.
  private final class SteadyWriter: Sendable {
    private struct State {
      var count = 0
      var thread: ObjectIdentifier?
      var body: (@Sendable (Int) throws -> Void)?
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// How often it has written.
    var count: Int { state.withLock { $0.count } }

    /// Begins to write after statements of this thread.
    func begin(_ body: @escaping @Sendable (Int) throws -> Void) {
      state.withLock { ($0.thread, $0.body) = (ObjectIdentifier(Thread.current), body) }
    }

    func end() { state.withLock { $0.body = nil } }

    func write() {
      let next = state.withLock { state -> (number: Int, body: @Sendable (Int) throws -> Void)? in
        guard state.thread == ObjectIdentifier(Thread.current), state.count < limit,
          let body = state.body
        else { return nil }
        state.count += 1
        return (state.count, body)
      }
      guard let next else { return }
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        #expect(throws: Never.self) { try next.body(next.number) }
        done.signal()
      }
      done.wait()
    }
  }
}
