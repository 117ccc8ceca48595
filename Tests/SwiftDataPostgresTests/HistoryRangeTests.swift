import Foundation
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// One row of the history for the same change of many rows with consecutive keys.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct HistoryRangeTests {
  let database: MemoDatabase
  let container: ModelContainer

  init() throws {
    database = try MemoDatabase()
    container = try database.container()
  }

  private var rows: StoredRows {
    get throws { try StoredRows(database.url) }
  }

  private func countOfRows() throws -> Int {
    try rows.integer("SELECT count(*) FROM \"ACHANGE\"")
  }

  /// Saves memos, and changes and deletes some of them.
  @discardableResult
  private func fill(_ count: Int) throws -> [Memo] {
    let context = ModelContext(container)
    let memos = (0..<count).map { Memo("\($0)", number: $0) }
    for memo in memos { context.insert(memo) }
    try context.save()
    for memo in memos[(count / 4)..<(count / 2)] { memo.text += "!" }
    for memo in memos[(count / 2)...] { context.delete(memo) }
    memos[1].number = -1
    try context.save()
    return memos
  }

  private func changes(_ container: ModelContainer) throws -> [[String]] {
    try container.transactions().map { transaction in
      transaction.changes.map { change in
        let key = change.changedPersistentIdentifier.text
        switch change {
        case .insert: return "insert \(key)"
        case .update(let update as DefaultHistoryUpdate<Memo>):
          return "update \(key) \(update.updatedAttributes.contains(\.text))"
        case .update: return "update \(key)"
        case .delete: return "delete \(key)"
        }
      }
    }
  }

  @Test func manyRowsOfOneChangeAreOneRow() throws {
    let memos = try fill(400)
    #expect(try countOfRows() == 4)
    let transactions = try container.transactions()
    #expect(transactions.map(\.changes.count) == [400, 301])
    let inserted = transactions[0].changes.map(\.changedPersistentIdentifier.text)
    #expect(Set(inserted).count == 400)
    #expect(inserted == memos.map(\.persistentModelID.text))
    let second = try #require(try changes(container).last)
    #expect(
      second.filter { $0.hasPrefix("update") && $0.hasSuffix("true") }
        == memos[100..<200].map { "update \($0.persistentModelID.text) true" })
    #expect(second.contains("update \(memos[1].persistentModelID.text) false"))
    #expect(
      second.filter { $0.hasPrefix("delete") }
        == memos[200...].map { "delete \($0.persistentModelID.text)" })
  }

  @Test func changesHaveNumbersOfTheirOwnThatAscend() throws {
    try fill(40)
    try container.add("later")
    let numbers = try container.transactions().flatMap(\.changes).map { change -> Int64 in
      switch change {
      case .insert(let insert as DefaultHistoryInsert<Memo>): insert.changeIdentifier
      case .update(let update as DefaultHistoryUpdate<Memo>): update.changeIdentifier
      case .delete(let delete as DefaultHistoryDelete<Memo>): delete.changeIdentifier
      default: 0
      }
    }
    #expect(numbers.count == 72)
    #expect(numbers == Array(1...72))
  }

  @Test func predicatesFindRowsInsideARange() throws {
    let memos = try fill(40)
    let context = ModelContext(container)
    func counts(_ index: Int) throws -> [Int] {
      let identifier = memos[index].persistentModelID
      let found = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(
          predicate: #Predicate { transaction in
            transaction.changes.contains { $0.changedPersistentIdentifier == identifier }
          }))
      return found.map(\.changes.count)
    }
    #expect(try counts(0) == [40])
    #expect(try counts(5) == [40])
    #expect(try counts(15) == [40, 31])
    #expect(try counts(39) == [40, 31])
    let large = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.changes.count == 40 }))
    #expect(large.count == 1)
  }

  @Test func theSizeOfTheHistoryCountsChanges() throws {
    try fill(40)
    #expect(try container.historySize().map(\.changeCount) == [71])
  }

  @Test func rangesAreDeletedWithTheirTransaction() throws {
    try fill(40)
    let first = try #require(try container.transactions().first?.token)
    try ModelContext(container).deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= first }))
    #expect(try container.transactions().map(\.changes.count) == [31])
    #expect(try countOfRows() == 3)
  }

  /// A range counts as a change for each row, so that the limit is that of a file.
  @Test func theLimitOfTheSizeCountsChanges() throws {
    let limited = try database.container {
      $0.historyRetention = HistoryRetention(maximumSize: 40_000)
    }
    let context = ModelContext(limited)
    for _ in 0..<60 {
      for number in 0..<100 { context.insert(Memo("\(number)")) }
      try context.save()
    }
    let kept = try limited.transactions()
    // One with 100 changes takes 3,920 bytes. The limit is checked at every sixteenth transaction.
    #expect((9...26).contains(kept.count), "\(kept.count)")
    #expect(kept.allSatisfy { $0.changes.count == 100 })
    #expect(kept.last?.transactionIdentifier == 60)
  }

  /// Two containers take keys from different blocks.
  @Test func rangesDoNotReachOverRowsOfOthers() throws {
    let other = try database.container()
    let context = ModelContext(container)
    for round in 0..<3 {
      for number in 0..<50 { context.insert(Memo("mine \(round) \(number)")) }
      try context.save()
      try other.add("other \(round)")
    }
    let stored = try ModelContext(other).fetch(FetchDescriptor<Memo>())
      .map(\.persistentModelID.text)
    let inserted = try container.transactions().flatMap(\.changes)
      .map(\.changedPersistentIdentifier.text)
    #expect(inserted.sorted() == stored.sorted())
  }

  /// Another program has written rows with keys that this library does not assign.
  @Test func rangesMayBeginBelowOne() throws {
    try rows.connection.execute(
      """
      INSERT INTO "ZMEMO" ("Z_PK", "Z_ENT", "Z_OPT", "ZTEXT", "ZNUMBER") \
      SELECT k, (SELECT "Z_ENT" FROM "Z_PRIMARYKEY" WHERE "Z_NAME" = 'Memo'), 1, 'foreign', 0 \
      FROM generate_series(-2, 2) AS k
      """)
    let context = ModelContext(container)
    let memos = try context.fetch(FetchDescriptor<Memo>())
    #expect(memos.count == 5)
    for memo in memos { memo.number += 1 }
    try context.save()
    let changed = try #require(try container.transactions().last).changes
      .map(\.changedPersistentIdentifier)
    #expect(changed.count == 5 && Set(changed) == Set(memos.map(\.persistentModelID)))
  }

  // MARK: Stores of earlier versions

  @Test func aStoreWithoutTheColumnGetsIt() async throws {
    for text in ["a", "b"] { try container.add(text) }
    try await container.close()
    try rows.connection.execute("ALTER TABLE \"ACHANGE\" DROP COLUMN \"ZFIRSTPK\"")
    let reader = try database.container { $0.allowsSave = false }
    #expect(try reader.transactions().map(\.changes.count) == [1, 1])
    let column = """
      SELECT count(*) FROM information_schema.columns WHERE table_schema = current_schema() \
      AND column_name = 'ZFIRSTPK'
      """
    #expect(try rows.integer(column) == 0)
    let again = try database.container()
    #expect(try rows.integer(column) == 1)
    let context = ModelContext(again)
    for number in 0..<9 { context.insert(Memo("\(number)")) }
    try context.save()
    #expect(try again.transactions().map(\.changes.count) == [1, 1, 9])
  }

  // MARK: Migrations

  enum Before {
    @Model final class Cat {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum After {
    @Model class Animal {
      init() {}
    }

    @Model final class Cat: Animal {
      var name: String
      init(_ name: String) {
        self.name = name
        super.init()
      }
    }

    @Model final class Dog: Animal {
      var name: String
      init(_ name: String) {
        self.name = name
        super.init()
      }
    }
  }

  /// Rows of two tables that become one get other keys.
  @Test func rangesFollowRowsIntoAnotherTable() throws {
    let configuration = try PostgresConfiguration(url: PostgresServer.shared.addressOfNewSchema())
    let before = ModelContext(
      try ModelContainer(
        for: Before.Cat.self, Before.Dog.self, configurations: configuration))
    for number in 0..<20 {
      before.insert(Before.Cat("\(number)"))
      before.insert(Before.Dog("\(number)"))
    }
    try before.save()
    let container = try ModelContainer(
      for: After.Animal.self, After.Cat.self, After.Dog.self, configurations: configuration)
    let stored = try ModelContext(container).fetch(FetchDescriptor<After.Animal>())
      .map(\.persistentModelID)
    #expect(stored.count == 40)
    let inserted = try #require(try container.transactions().first).changes
      .map(\.changedPersistentIdentifier)
    #expect(Set(inserted) == Set(stored))
    #expect(inserted.count == 40)
  }

  // MARK: Copies

  @Test func aCopyToAFileHasEachChange() throws {
    try fill(5_000)
    let folder = try CopyFolder()
    let file = folder.file("copy.store")
    let copy = StoreCopy(from: try .database(database.url), to: .file(file))
    var last = 0
    do {
      _ = try copy.run { progress in
        guard progress.table == "ACHANGE", progress.phase == .copying else { return }
        last = progress.rows
        if last == 4_000 { throw CancellationError() }
      }
      Issue.record("the copy was not interrupted")
    } catch is CancellationError {}
    let report = try copy.run { progress in
      if progress.table == "ACHANGE" { #expect(progress.total == 8_751) }
    }
    #expect(report.tables.first { $0.name == "ACHANGE" }?.rows == 8_751)
    let copied = try ModelContainer(
      for: Memo.self, configurations: ModelConfiguration(url: file))
    #expect(try changes(copied) == changes(container))

    let back = try MemoDatabase()
    _ = try StoreCopy(from: .file(file), to: .database(back.url)).run()
    #expect(try changes(back.container()) == changes(container))
    #expect(
      try StoreCopy(from: .database(database.url), to: .database(MemoDatabase().url))
        .run().tables.map(\.checksum) == report.tables.map(\.checksum))
  }
}
