import Foundation
import SwiftData
import Testing

/// Stores that keep no history of their changes, and the sign that they leave.
struct HistorySwitchTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  private static let gap = "changes without history"

  /// `3 by a: 2 changes`, and the name of the context of those that have one.
  private func lines(_ store: HistoryStore) throws -> [String] {
    try store.lines(
      """
      SELECT t.Z_PK || ' by ' || ifnull(a.ZNAME, 'none') || ': '
        || (SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = t.Z_PK) || ifnull(' ' || c.ZNAME, '')
      FROM ATRANSACTION AS t LEFT JOIN ATRANSACTIONSTRING AS a ON a.Z_PK = t.ZAUTHORTS
      LEFT JOIN ATRANSACTIONSTRING AS c ON c.Z_PK = t.ZCONTEXTNAMETS ORDER BY t.Z_PK
      """)
  }

  @Test func aStoreWithoutHistoryLeavesASign() throws {
    let store = try HistoryStore(Library.types) { $0.keepsHistory = false }
    let context = store.context
    (context.author, context.name) = ("a", "load")
    for index in 1...3 {
      context.insert(Shelf(label: "\(index)"))
      try context.save()
    }
    // The row keeps its number, and the sign has the last number that was assigned.
    #expect(try lines(store) == ["1 by a: 0 \(Self.gap)"])
    try context.save()
    #expect(try lines(store) == ["1 by a: 0 \(Self.gap)"])
    let seen = try context.fetchHistory(Descriptor())
    #expect(seen.map(\.contextName) == [Self.gap])
    #expect(seen.map(\.changes.count) == [0])
    #expect(seen.map(\.transactionIdentifier) == [3])
    #expect(seen.map(\.author) == ["a"])
    #expect(
      try store.lines(
        "SELECT Z_ENT || ' ' || Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT IN (16001, 16002)")
        == ["16001 0", "16002 3"])
  }

  @Test func everyChangeRenewsTheSign() throws {
    let store = try HistoryStore(Library.types) { $0.keepsHistory = false }
    let context = store.context
    let (shelf, author) = (Shelf(label: "a"), Author(name: "b"))
    context.insert(shelf)
    context.insert(author)
    func expect(_ number: Int64, _ location: SourceLocation = #_sourceLocation) throws {
      #expect(
        try context.fetchHistory(Descriptor()).map(\.transactionIdentifier) == [number],
        sourceLocation: location)
    }
    try context.save()
    try expect(1)
    shelf.label = "c"
    try context.save()
    try expect(2)
    let book = Book(title: "d", pages: 1, author: author)
    book.shelves = [shelf]
    try context.save()
    try expect(3)
    book.shelves = []
    try context.save()
    try expect(4)
    context.delete(book)
    try context.save()
    try expect(5)
    try context.delete(model: Shelf.self, where: #Predicate { $0.label == "c" })
    try expect(6)
    try context.delete(model: Shelf.self, where: #Predicate { $0.label == "c" })
    try expect(6)
    try context.delete(model: Author.self)
    try expect(7)
    context.insert(Shelf(label: "e"))
    try context.save()
    try expect(8)
    try context.container.erase()
    try expect(9)
    try context.container.erase()
    try expect(9)
    #expect(try store.lines("SELECT count(*) FROM ACHANGE") == ["0"])
  }

  @Test func aTableWithoutRelationshipsRenewsIt() throws {
    let store = try HistoryStore([Composed.Place.self]) { $0.keepsHistory = false }
    for zone in 0..<4 {
      store.context.insert(
        Composed.Place(name: "a", spot: .init(latitude: 1, longitude: 2), zone: zone))
    }
    try store.context.save()
    let zone = 2
    for _ in 0..<2 {
      try store.context.delete(model: Composed.Place.self, where: #Predicate { $0.zone == zone })
      #expect(
        try store.context.fetchHistory(Descriptor()).map(\.transactionIdentifier) == [2])
    }
    #expect(try store.lines("SELECT count(*) FROM ZPLACE") == ["3"])
  }

  @Test func historyContinuesAfterTheGap() throws {
    let store = try HistoryStore(Library.types)
    func save(_ context: ModelContext, _ label: String) throws {
      context.insert(Shelf(label: label))
      try context.save()
    }
    try save(store.context, "1")
    let off = try store.reopened { $0.keepsHistory = false }
    try save(off, "2")
    try save(off, "3")
    try save(store.context, "4")
    try save(off, "5")
    try save(off, "6")
    #expect(
      try lines(store) == [
        "1 by none: 1", "3 by none: 0 \(Self.gap)", "4 by none: 1", "5 by none: 0 \(Self.gap)",
      ])
    #expect(
      try off.fetchHistory(Descriptor()).map(\.transactionIdentifier) == [1, 3, 4, 6])
    // Also behind history that was deleted.
    try off.deleteHistory(Descriptor())
    try save(off, "7")
    #expect(try lines(store) == ["7 by none: 0 \(Self.gap)"])
    #expect(try store.changes() == [])
  }

  @Test func aContextMayHaveTheNameOfTheSign() throws {
    let store = try HistoryStore(Library.types)
    store.context.name = Self.gap
    store.context.insert(Shelf(label: "1"))
    try store.context.save()
    let off = try store.reopened { $0.keepsHistory = false }
    off.insert(Shelf(label: "2"))
    try off.save()
    #expect(try lines(store) == ["1 by none: 1 \(Self.gap)", "2 by none: 0 \(Self.gap)"])
  }

  @Test func aSaveThatFailsLeavesNoSign() throws {
    let store = try HistoryStore(Library.types) { $0.keepsHistory = false }
    let (first, second) = (Author(name: "a"), Author(name: "b"))
    store.context.insert(first)
    store.context.insert(second)
    try store.context.save()
    second.name = "a"
    #expect(throws: SwiftDataError.modelValidationFailure) { try store.context.save() }
    #expect(try store.numbers() == [1])
  }

  @Test func aFileWithoutTheTablesStaysSo() throws {
    let store = try HistoryStore(Library.types)
    store.context.insert(Shelf(label: "1"))
    try store.context.save()
    try store.execute(
      """
      DROP TABLE ACHANGE; DROP TABLE ATRANSACTION; DROP TABLE ATRANSACTIONSTRING; \
      DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000
      """)
    let context = try store.reopened {
      $0.keepsHistory = false
      $0.historyRetention = HistoryRetention(maximumCount: 1)
    }
    context.insert(Shelf(label: "2"))
    try context.save()
    try context.delete(model: Shelf.self)
    try context.deleteHistory(Descriptor())
    #expect(try context.fetchHistory(Descriptor()).isEmpty)
    #expect(try store.lines("SELECT count(*) FROM ZSHELF") == ["0"])
  }

  // MARK: Extended gaps

  private func token(_ context: ModelContext) throws -> DefaultHistoryToken {
    try #require(try context.fetchHistory(Descriptor()).last?.token)
  }

  private func numbers(_ context: ModelContext, after token: DefaultHistoryToken) throws -> [Int64]
  {
    try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > token }))
      .map(\.transactionIdentifier)
  }

  /// A reader that has seen the gap is told of the next save, although the row stays as it is.
  @Test func aTokenOfTheGapExpiresWithTheNextSave() throws {
    let store = try HistoryStore(Library.types) { $0.keepsHistory = false }
    let reader = ModelContext(
      try ModelContainer(
        for: Schema(Library.types),
        configurations: ModelConfiguration(url: store.folder.store, allowsSave: false)))
    var before: DefaultHistoryToken?
    for index in 1...4 {
      store.context.insert(Shelf(label: "\(index)"))
      try store.context.save()
      if let before {
        #expect(throws: SwiftDataError.historyTokenExpired) { try numbers(reader, after: before) }
      }
      let token = try token(reader)
      let own = try self.token(store.context)
      #expect(token == own)
      #expect(try numbers(reader, after: token) == [])
      before = token
    }
    #expect(try store.numbers() == [1])
  }

  @Test func predicatesAndOrdersSeeTheNumberOfTheGap() throws {
    let store = try HistoryStore(Library.types)
    for index in 1...3 {
      store.context.insert(Shelf(label: "\(index)"))
      try store.context.save()
    }
    let off = try store.reopened { $0.keepsHistory = false }
    for index in 4...7 {
      off.insert(Shelf(label: "\(index)"))
      try off.save()
    }
    #expect(try store.numbers() == [1, 2, 3, 4])
    func numbers(_ descriptor: Descriptor) throws -> [Int64] {
      try off.fetchHistory(descriptor).map(\.transactionIdentifier)
    }
    #expect(try numbers(Descriptor()) == [1, 2, 3, 7])
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.transactionIdentifier > 4 })) == [7])
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.transactionIdentifier == 4 })) == [])
    #expect(
      try numbers(Descriptor(predicate: #Predicate { $0.transactionIdentifier != 7 })) == [1, 2, 3])
    var descriptor = Descriptor()
    descriptor.fetchLimit = 3
    #expect(try numbers(descriptor) == [1, 2, 3])
    descriptor.sortBy = [SortDescriptor(\.transactionIdentifier, order: .reverse)]
    #expect(try numbers(descriptor) == [7, 3, 2])
    // A deletion finds the gap by the same number.
    try off.deleteHistory(Descriptor(predicate: #Predicate { $0.transactionIdentifier == 4 }))
    #expect(try numbers(Descriptor()) == [1, 2, 3, 7])
    try off.deleteHistory(Descriptor(predicate: #Predicate { $0.transactionIdentifier > 4 }))
    #expect(try numbers(Descriptor()) == [1, 2, 3])
    off.insert(Shelf(label: "8"))
    try off.save()
    #expect(try numbers(Descriptor()) == [1, 2, 3, 8])
  }

  /// A rolled back save leaves nothing that a later one relies on.
  @Test func aRolledBackGapIsNotExtended() throws {
    let store = try HistoryStore(Library.types) { $0.keepsHistory = false }
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try store.context.transaction {
        store.context.insert(Shelf(label: "a"))
        try store.context.save()
        throw Failure()
      }
    }
    let other = try store.reopened()
    other.insert(Shelf(label: "b"))
    try other.save()
    store.context.insert(Shelf(label: "c"))
    try store.context.save()
    #expect(try lines(store) == ["1 by none: 1", "2 by none: 0 \(Self.gap)"])
  }

  @Test func anotherAuthorGetsASignOfItsOwn() throws {
    let store = try HistoryStore(Library.types) { $0.keepsHistory = false }
    for author in ["a", "a", "b"] {
      store.context.author = author
      store.context.insert(Shelf(label: author))
      try store.context.save()
    }
    #expect(try lines(store) == ["3 by b: 0 \(Self.gap)"])
  }
}
