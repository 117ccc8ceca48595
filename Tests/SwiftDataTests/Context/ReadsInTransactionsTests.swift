import Foundation
import SwiftData
import Testing

/// What other contexts of a thread read while a context of it has a transaction or a snapshot open.
@Suite(.databases) struct ReadsInTransactionsTests {
  private struct Refusal: Error {}

  private func contexts(_ folder: TemporaryFolder) throws -> (ModelContext, ModelContext) {
    let container = try ModelContainer(
      for: Schema(Graph.types + Library.types),
      configurations: ModelConfiguration(url: folder.store))
    return (ModelContext(container), ModelContext(container))
  }

  /// Runs a transaction whose changes are undone.
  private func undone(_ context: ModelContext, _ block: () throws -> Void) throws {
    #expect(throws: Refusal.self) {
      try context.transaction {
        try block()
        throw Refusal()
      }
    }
  }

  @Test func uncommittedValuesAreNotRead() throws {
    let folder = try TemporaryFolder()
    let (first, second) = try contexts(folder)
    let book = Book(title: "One", pages: 1)
    first.insert(book)
    try first.save()
    let theirs = try #require(try second.fetch(FetchDescriptor<Book>()).first)
    try undone(first) {
      book.pages = 100
      try first.save()
      #expect(
        try first.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages == 100 })).count == 1
      )
      #expect(try second.fetch(FetchDescriptor<Book>()).map(\.pages) == [1])
      #expect(
        try second.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 1 })) == 0)
    }
    theirs.pages += 1
    try second.save()
    #expect(try first.fetch(FetchDescriptor<Book>()).map(\.pages) == [2])
  }

  @Test func uncommittedRowsAreNotRead() throws {
    let folder = try TemporaryFolder()
    let (first, second) = try contexts(folder)
    try undone(first) {
      let ghost = Book(title: "ghost", pages: 1)
      first.insert(ghost)
      try first.save()
      #expect(try second.fetch(FetchDescriptor<Book>()).isEmpty)
      #expect(try second.fetchIdentifiers(FetchDescriptor<Book>()).isEmpty)
      #expect(second.registeredModel(for: ghost.persistentModelID) as Book? == nil)
      let history = HistoryDescriptor<DefaultHistoryTransaction>()
      #expect(try second.fetchHistory(history).isEmpty)
      #expect(try first.fetchHistory(history).count == 1)
    }
    first.insert(Book(title: "real", pages: 0))
    try first.save()
    #expect(try second.fetch(FetchDescriptor<Book>()).map(\.title) == ["real"])
  }

  @Test func uncommittedMembersAreNotRead() throws {
    let folder = try TemporaryFolder()
    let (first, second) = try contexts(folder)
    let parent = Graph.Parent("p")
    first.insert(parent)
    parent.children = [Graph.Child("one")]
    try first.save()
    let theirs = try #require(try second.fetch(FetchDescriptor<Graph.Parent>()).first)
    try undone(first) {
      parent.children.append(Graph.Child("two"))
      try first.save()
      #expect(theirs.children.map(\.name) == ["one"])
      #expect(parent.children.count == 2)
    }
    #expect(theirs.children.count == 1)
  }

  @Test func theContextOfTheTransactionReadsItsOwnRows() throws {
    let folder = try TemporaryFolder()
    let (first, second) = try contexts(folder)
    try first.transaction {
      let parent = Graph.Parent("p")
      first.insert(parent)
      parent.children = [Graph.Child("c")]
      try first.save()
      _ = try second.fetch(FetchDescriptor<Graph.Parent>())
      parent.name += "!"
      // Reads stored rows although there are unsaved changes.
      var stored = FetchDescriptor<Graph.Child>(
        predicate: #Predicate { $0.nameOfParent == "p" })
      stored.includePendingChanges = false
      stored.relationshipKeyPathsForPrefetching = [\.parent]
      #expect(try first.fetch(stored).count == 1)
      #expect(try first.snapshot { try first.fetchCount(FetchDescriptor<Graph.Parent>()) } == 1)
      first.delete(parent)
      try first.save()
      #expect(try first.fetchCount(FetchDescriptor<Graph.Child>()) == 0)
    }
  }

  /// A save and a deletion of history would be undone with the transaction.
  @Test func changesOfAnotherContextAreRefused() throws {
    let folder = try TemporaryFolder()
    let (first, second) = try contexts(folder)
    second.insert(Book(title: "One", pages: 1))
    try first.transaction {
      #expect(throws: SwiftDataError.storeWriteFailure) { try second.save() }
      #expect(throws: SwiftDataError.storeWriteFailure) {
        try ModelContext(second.container).delete(model: Shelf.self)
      }
      #expect(throws: SwiftDataError.storeWriteFailure) {
        try second.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      }
      #expect(throws: SwiftDataError.storeWriteFailure) { try second.container.erase() }
    }
    try second.save()
  }

  @Test func aSnapshotDoesNotHoldBackTheReadsOfAnotherContext() throws {
    let folder = try TemporaryFolder()
    let (first, second) = try contexts(folder)
    try first.snapshot {
      #expect(try first.fetchCount(FetchDescriptor<Book>()) == 0)
      second.insert(Book(title: "One", pages: 1))
      try second.save()
      #expect(try second.fetchCount(FetchDescriptor<Book>()) == 1)
      #expect(try first.fetchCount(FetchDescriptor<Book>()) == 0)
      // As another context of the thread has done since the snapshot began.
      try second.transaction {
        second.insert(Book(title: "Two", pages: 1))
        try second.save()
        #expect(try second.fetchCount(FetchDescriptor<Book>()) == 2)
        #expect(try first.fetchCount(FetchDescriptor<Book>()) == 0)
      }
    }
    #expect(try first.fetchCount(FetchDescriptor<Book>()) == 2)
  }

  @Test func moreSnapshotsThanConnectionsEndInAnError() throws {
    let folder = try TemporaryFolder()
    let (first, _) = try contexts(folder)
    func nest(_ depth: Int) throws {
      try ModelContext(first.container).snapshot {
        if depth > 0 { try nest(depth - 1) }
      }
    }
    let start = ContinuousClock.now
    #expect(throws: SwiftDataError.storeReadFailure) { try nest(20) }
    #expect(ContinuousClock.now - start < .seconds(20))
    try nest(0)
  }
}

extension Graph.Child {
  /// Not stored, so a predicate that asks for it is evaluated in memory.
  fileprivate var nameOfParent: String { parent?.name ?? "" }
}

/// A store in memory has one connection, so other contexts cannot read beside uncommitted rows.
@Suite struct ReadsInMemoryTransactionsTests {
  @Test func readsOfAnotherContextAreRefusedWhileRowsAreNotCommitted() throws {
    let container = try Library.container()
    let (first, second) = (ModelContext(container), ModelContext(container))
    first.insert(Book(title: "One", pages: 1))
    try first.save()
    let theirs = try #require(try second.fetch(FetchDescriptor<Book>()).first)
    try first.transaction {
      #expect(try second.fetchCount(FetchDescriptor<Book>()) == 1)
      first.insert(Book(title: "Two", pages: 2))
      #expect(try second.fetchCount(FetchDescriptor<Book>()) == 1)
      try first.save()
      #expect(throws: SwiftDataError.storeReadFailure) {
        try second.fetch(FetchDescriptor<Book>())
      }
      #expect(throws: SwiftDataError.storeReadFailure) {
        try second.snapshot { try second.fetchCount(FetchDescriptor<Book>()) }
      }
      #expect(theirs.title == "One")
      #expect(try first.fetchCount(FetchDescriptor<Book>()) == 2)
    }
    #expect(try second.fetchCount(FetchDescriptor<Book>()) == 2)
  }

  @Test func aSnapshotRefusesTheSavesOfAnotherContext() throws {
    let container = try Library.container()
    let (first, second) = (ModelContext(container), ModelContext(container))
    second.insert(Book(title: "One", pages: 1))
    try first.snapshot {
      let before = try first.fetchCount(FetchDescriptor<Book>())
      let error = #expect(throws: SwiftDataError.self) { try second.save() }
      #expect(error == .storeWriteFailure && error?.description.contains("snapshot") == true)
      #expect(throws: SwiftDataError.storeWriteFailure) { try second.transaction {} }
      #expect(throws: SwiftDataError.storeWriteFailure) {
        try ModelContext(second.container).delete(model: Shelf.self)
      }
      let after = try first.fetchCount(FetchDescriptor<Book>())
      #expect(before == 0 && after == 0)
    }
    try second.save()
    #expect(try first.fetchCount(FetchDescriptor<Book>()) == 1)
  }
}
