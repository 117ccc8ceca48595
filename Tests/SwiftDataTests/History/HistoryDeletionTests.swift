import Foundation
import SwiftData
import Testing

/// Deletion of history: what goes, what stays, and the space that it gives back.
struct HistoryDeletionTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  /// Saves by turns by two authors, the first transaction is by `a`.
  private func store(_ count: Int) throws -> HistoryStore {
    let store = try HistoryStore(Library.types)
    for index in 1...count {
      store.context.author = index % 2 == 1 ? "a" : "b"
      store.context.insert(Shelf(label: "\(index)"))
      if index % 3 == 0 { store.context.insert(Author(name: "\(index)")) }
      try store.context.save()
    }
    return store
  }

  @Test func deletesByToken() throws {
    let store = try store(10)
    let all = try store.context.fetchHistory(Descriptor())
    #expect(all.map(\.transactionIdentifier) == Array(1...10))
    let token = all[3].token
    try store.context.deleteHistory(Descriptor(predicate: #Predicate { $0.token <= token }))
    #expect(try store.numbers() == Array(5...10))
    #expect(
      try store.changes()
        == [
          "5: insert Shelf 5", "6: insert Author 2", "6: insert Shelf 6", "7: insert Shelf 7",
          "8: insert Shelf 8", "9: insert Author 3", "9: insert Shelf 9", "10: insert Shelf 10",
        ])
    // A token from the end of what was deleted goes on.
    let next = try store.context.fetchHistory(
      Descriptor(predicate: #Predicate { $0.token > token }))
    #expect(next.map(\.transactionIdentifier) == Array(5...10))
    #expect(try store.lines("SELECT count(*) FROM ZSHELF") == ["10"])
  }

  /// SQLite gives a new row the key after the largest one, which is smaller than the last assigned key
  /// then.
  @Test func changesAreNumberedAfterDeletedOnes() throws {
    let store = try store(4)
    let changes = """
      SELECT Z_PK || ' ' || Z_ENT || ' ' || ZCHANGETYPE || ' ' || ZENTITYPK || ' ' || ZTRANSACTIONID \
      FROM ACHANGE ORDER BY Z_PK
      """
    let last = "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'CHANGE'"
    #expect(try store.lines(last) == ["5"])
    try store.context.deleteHistory(Descriptor())
    #expect(try store.lines(changes) == [])
    for label in ["a", "b"] { store.context.insert(Shelf(label: label)) }
    try store.context.save()
    #expect(try store.lines(changes) == ["6 16001 0 5 5", "7 16001 0 6 5"])
    try store.context.deleteHistory(Descriptor())
    try store.context.delete(model: Shelf.self, where: #Predicate { $0.label < "3" })
    #expect(try store.lines(changes) == ["8 16001 2 1 6", "9 16001 2 2 6"])
    try store.context.deleteHistory(Descriptor())
    for shelf in try store.context.fetch(FetchDescriptor<Shelf>()) { shelf.label += "!" }
    try store.context.save()
    #expect(
      try store.lines(changes) == [
        "10 16001 1 3 7", "11 16001 1 4 7", "12 16001 1 5 7", "13 16001 1 6 7",
      ])
    #expect(try store.lines(last) == ["13"])
  }

  @Test func deletesByAuthorAndByDate() throws {
    let store = try store(9)
    try store.context.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "b" }))
    #expect(try store.numbers() == [1, 3, 5, 7, 9])
    // No transaction names the author any more.
    #expect(
      try store.lines("SELECT ZNAME FROM ATRANSACTIONSTRING WHERE ZNAME IN ('a', 'b')") == ["a"])
    try store.execute(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 86400 WHERE Z_PK IN (1, 3, 7)")
    let day = Date(timeIntervalSinceNow: -43_200)
    try store.context.deleteHistory(Descriptor(predicate: #Predicate { $0.timestamp < day }))
    #expect(try store.numbers() == [5, 9])
  }

  @Test func deletesByChanges() throws {
    let store = try store(9)
    try store.context.deleteHistory(
      Descriptor(predicate: #Predicate { $0.changes.count > 1 }))
    #expect(try store.numbers() == [1, 2, 4, 5, 7, 8])
  }

  @Test func aLimitCountsInTheOrder() throws {
    let store = try store(9)
    var newest = Descriptor(
      predicate: #Predicate { $0.transactionIdentifier != 8 },
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    newest.fetchLimit = 3
    try store.context.deleteHistory(newest)
    #expect(try store.numbers() == [1, 2, 3, 4, 5, 8])
    var oldest = Descriptor()
    oldest.fetchLimit = 2
    try store.context.deleteHistory(oldest)
    #expect(try store.numbers() == [3, 4, 5, 8])
  }

  @Test func numbersAreNotGivenAgain() throws {
    let store = try store(4)
    let texts = try store.lines("SELECT max(Z_PK) FROM ATRANSACTIONSTRING").first
    try store.context.deleteHistory(Descriptor())
    #expect(try store.numbers() == [])
    #expect(try store.lines("SELECT count(*) FROM ACHANGE") == ["0"])
    #expect(try store.lines("SELECT count(*) FROM ATRANSACTIONSTRING") == ["0"])
    let lastKeys = try store.lines("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
    #expect(lastKeys.prefix(2) == ["5", "4"])
    #expect(lastKeys.last == texts)
    store.context.insert(Shelf(label: "new"))
    try store.context.save()
    #expect(try store.changes() == ["5: insert Shelf 5"])
    #expect(try store.lines("SELECT Z_PK FROM ACHANGE") == ["6"])
    #expect(try store.transactions() == ["5 by b"])
  }

  @Test func theFileBecomesSmaller() throws {
    let store = try HistoryStore(Library.types)
    let shelves = (0..<100).map { Shelf(label: "\($0)") }
    for shelf in shelves { store.context.insert(shelf) }
    for round in 0..<60 {
      for (index, shelf) in shelves.enumerated() { shelf.label = "\(index) \(round)" }
      store.context.author = "round \(round)"
      try store.context.save()
    }
    func size() throws -> Int64 {
      try store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      let attributes = try FileManager.default.attributesOfItem(atPath: store.folder.store.path)
      return (attributes[.size] as? Int64) ?? 0
    }
    let before = try size()
    try store.context.deleteHistory(Descriptor())
    let after = try size()
    #expect(before > 250_000)
    #expect(after < before / 2)
    #expect(try store.lines("PRAGMA freelist_count") == ["0"])
    #expect(try store.lines("PRAGMA integrity_check") == ["ok"])
    let labels = try store.reopened().fetch(FetchDescriptor<Shelf>()).map(\.label)
    #expect(Set(labels) == Set((0..<100).map { "\($0) 59" }))
  }

  @Test func aDeletionThatFailsDeletesNothing() throws {
    let store = try store(4)
    try store.execute(
      """
      CREATE TRIGGER keeps BEFORE DELETE ON ATRANSACTION WHEN old.Z_PK = 3
      BEGIN SELECT RAISE(ABORT, 'kept'); END
      """)
    let context = try store.reopened()
    #expect(throws: SwiftDataError.storeWriteFailure) { try context.deleteHistory(Descriptor()) }
    #expect(throws: SwiftDataError.storeWriteFailure) {
      try context.deleteHistory(Descriptor(predicate: #Predicate { $0.transactionIdentifier > 1 }))
    }
    #expect(try store.numbers() == [1, 2, 3, 4])
    #expect(try store.changes().count == 5)
  }

  @Test func aStoreThatIsOnlyReadKeepsItsHistory() throws {
    let store = try store(2)
    let container = try ModelContainer(
      for: Schema(Library.types),
      configurations: ModelConfiguration(url: store.folder.store, allowsSave: false))
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try ModelContext(container).deleteHistory(Descriptor())
    }
    #expect(try store.numbers() == [1, 2])
  }

  @Test func aStoreInMemoryForgetsToo() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Shelf.self, Book.self, Author.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for index in 0..<3 {
      context.insert(Shelf(label: "\(index)"))
      try context.save()
    }
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.transactionIdentifier < 3 }))
    #expect(try context.fetchHistory(Descriptor()).map(\.transactionIdentifier) == [3])
  }

  @Test func aSnapshotDeletesNoHistory() throws {
    let store = try store(2)
    let error = thrownError {
      try store.context.snapshot { try store.context.deleteHistory(Descriptor()) }
    }
    #expect(error == .storeWriteFailure)
    #expect(error?.description.contains("Inside a snapshot nothing can be") == true)
    #expect(try store.numbers() == [1, 2])
    try store.context.transaction { try store.context.deleteHistory(Descriptor()) }
    #expect(try store.numbers() == [])
  }
}
