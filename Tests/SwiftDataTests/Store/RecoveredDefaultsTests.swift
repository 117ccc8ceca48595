import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import SwiftDataTools
import Testing

/// Rows that are older than a column have no value of it in their bytes, only the definition of the table has.
@Suite struct RecoveredDefaultsTests {
  private let store: MigratedStore
  private var recovered: URL { store.folder.url.appending(path: "recovered.store") }

  /// A store whose table got columns without being written anew, as those of many rows do.
  init() throws {
    store = try MigratedStore()
    try store.make([Graded.First.Item.self]) { context in
      for number in 0..<500 {
        context.insert(
          Graded.First.Item(
            "item \(number)", image: number == 3 ? External.bytes(4) : nil))
      }
    }
    try SchemaChange.$smallTable.withValue(0) {
      let context = try open(store.url)
      context.insert(Graded.Second.Item("new"))
      try context.save()
    }
    let definition = try SQLiteFile.text(
      "SELECT sql FROM sqlite_schema WHERE name = 'ZITEM'", in: store.url)
    try #require(definition?.contains("DEFAULT") == true)
  }

  private func open(_ url: URL) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Graded.Second.Item.self, configurations: ModelConfiguration(url: url)))
  }

  /// - Returns: The rows, in the order of their names.
  private func expectDefaults(
    _ count: Int, at location: SourceLocation = #_sourceLocation
  ) throws -> [Graded.Second.Item] {
    let context = try open(recovered)
    #expect(
      try context.fetchCount(
        FetchDescriptor<Graded.Second.Item>(predicate: #Predicate { $0.grade == 7 })) == count,
      sourceLocation: location)
    #expect(
      try SQLiteFile.integer(
        "SELECT count(*) FROM ZITEM WHERE ZGRADE IS 7 AND ZUNIT IS 'pieces'", in: recovered)
        == Int64(count), sourceLocation: location)
    return try context.fetch(
      FetchDescriptor<Graded.Second.Item>(sortBy: [SortDescriptor(\.name)]))
  }

  @Test(arguments: [false, true]) func defaultsAreRecovered(_ hasModels: Bool) throws {
    let recovery = try ModelContainer.recoverStore(
      at: store.url, to: recovered, for: hasModels ? Schema([Graded.Second.Item.self]) : nil)
    #expect(recovery.isComplete)
    let items = try expectDefaults(501)
    #expect(items.first { $0.name == "item 3" }?.image == External.bytes(4))
  }

  /// Rows that only a damaged page led to are found by their entity, though they lack the new columns.
  @Test func rowsBelowADamagedPageKeepTheirDefaults() throws {
    let root = try SQLiteFile.integer(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'ZITEM'", in: store.url)
    let file = try FileHandle(forUpdating: store.url)
    try file.seek(toOffset: UInt64(root - 1) * 4096)
    try file.write(contentsOf: Data(repeating: 0, count: 4096))
    try file.close()
    let recovery = try ModelContainer.recoverStore(
      at: store.url, to: recovered, for: Schema([Graded.Second.Item.self]))
    #expect(recovery.tables.first { $0.name == "ZITEM" }?.copiedRows == 501)
    _ = try expectDefaults(501)
  }

  /// The definition of the models, which takes the place of a damaged one, has no defaults.
  @Test func aDamagedDefinitionKeepsItsDefaults() throws {
    let folder = try TemporaryFolder()
    try makeRows(at: folder.store)
    try SQLiteFile.execute(
      """
      ALTER TABLE ZITEM DROP COLUMN ZIMAGE; ALTER TABLE ZITEM ADD COLUMN ZIMAGE BLOB DEFAULT x'0109'
      """, in: folder.store)
    let bytes = try Data(contentsOf: folder.store)
    try bytes.replacing(Data("ZUNIT".utf8), with: Data("ZUNIX".utf8)).write(to: folder.store)
    _ = try ModelContainer.recoverStore(
      at: folder.store, to: recovered, for: Schema([Graded.Second.Item.self]))
    let items = try open(recovered).fetch(FetchDescriptor<Graded.Second.Item>())
    #expect(items.count == 20 && items.allSatisfy { $0.image == Data([9]) })
  }

  private func makeRows(_ count: Int = 20, at url: URL) throws {
    let context = try open(url)
    for number in 0..<count { context.insert(Graded.Second.Item("item \(number)")) }
    try context.save()
  }

  /// Where the file does not tell the defaults any more, that is said.
  @Test func lostDefaultsAreNamed() throws {
    let bytes = try Data(contentsOf: store.url)
    let definition = try #require(
      bytes.range(of: Data("CREATE TABLE ZITEM".utf8))
        ?? bytes.range(of: Data(#"CREATE TABLE "ZITEM""#.utf8)))
    let file = try FileHandle(forUpdating: store.url)
    try file.seek(toOffset: UInt64(definition.lowerBound))
    try file.write(contentsOf: Data("CRXATE".utf8))
    try file.close()
    let recovery = try ModelContainer.recoverStore(
      at: store.url, to: recovered, for: Schema([Graded.Second.Item.self]))
    #expect(!recovery.isComplete && recovery.unreadableParts.contains(.tables))
    // The damaged definition tells the order of the columns, which is not that of the models.
    #expect(recovery.tables.first { $0.name == "ZITEM" }?.copiedRows == 501)
    #expect(
      try SQLiteFile.integer(
        "SELECT count(*) FROM ZITEM WHERE ZNAME LIKE 'item %' AND ZGRADE IS NULL", in: recovered)
        == 500)
    #expect(
      try SQLiteFile.texts(
        "SELECT ZNAME FROM ZITEM WHERE ZGRADE = 7 AND ZUNIT = 'pieces'", in: recovered) == ["new"])
  }

  /// Columns that were added are the last ones in the file, but not in the definition of the models.
  @Test func rowsWhoseColumnsNothingTellsAreNotCopied() throws {
    try SQLiteFile.execute(
      "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'ZITEM'",
      in: store.url)
    let list = try SQLiteFile.integer(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'Z_METADATA'", in: store.url)
    let file = try FileHandle(forUpdating: store.url)
    try file.seek(toOffset: UInt64(list - 1) * 4096)
    try file.write(contentsOf: Data(repeating: 0, count: 4096))
    try file.close()
    let recovery = try ModelContainer.recoverStore(
      at: store.url, to: recovered, for: Schema([Graded.Second.Item.self]))
    let items = try #require(recovery.tables.first { $0.name == "ZITEM" })
    #expect(items.hasUnknownColumns && !items.isComplete && items.copiedRows == 0)
    #expect(items.lostKeys == [1...501])
    #expect(recovery.description.contains("Item: the definition of the table is lost"))
    #expect(try open(recovered).fetchCount(FetchDescriptor<Graded.Second.Item>()) == 0)
  }

  /// The definition of the table is damaged, and some records have a text as a number. One of twenty is
  /// lost; three of twenty mean that the models have the columns in another order.
  @Test(arguments: [1, 3]) func singleRecordsThatDoNotFitAreLost(_ count: Int64) throws {
    let folder = try TemporaryFolder()
    try makeRows(at: folder.store)
    try SQLiteFile.execute(
      "UPDATE ZITEM SET ZGRADE = 'wrong' WHERE Z_PK BETWEEN 5 AND \(4 + count)", in: folder.store)
    try damageDefinition(at: folder.store)
    let recovery = try ModelContainer.recoverStore(
      at: folder.store, to: recovered, for: Schema([Graded.Second.Item.self]))
    let items = try #require(recovery.tables.first { $0.name == "ZITEM" })
    #expect(items.hasUnknownColumns == (count == 3) && !items.isComplete)
    #expect(items.copiedRows == (count == 1 ? 19 : 0))
    #expect(items.lostKeys == (count == 1 ? [5...5] : [1...20]))
    let names = try open(recovered).fetch(FetchDescriptor<Graded.Second.Item>()).map(\.name)
    #expect(names.count == items.copiedRows && names.allSatisfy { $0.hasPrefix("item ") })
  }

  @Test(arguments: [2, 4, 9]) func rowsOfASmallTableAreKeptBesideOneThatDoesNotFit(
    _ count: Int
  ) throws {
    let folder = try TemporaryFolder()
    try makeRows(count, at: folder.store)
    try SQLiteFile.execute("UPDATE ZITEM SET ZGRADE = 'wrong' WHERE Z_PK = 2", in: folder.store)
    try damageDefinition(at: folder.store)
    let recovery = try ModelContainer.recoverStore(
      at: folder.store, to: recovered, for: Schema([Graded.Second.Item.self]))
    let items = try #require(recovery.tables.first { $0.name == "ZITEM" })
    #expect(!items.hasUnknownColumns && !items.isComplete)
    #expect(items.copiedRows == count - 1 && items.lostKeys == [2...2])
    #expect(
      recovery.description.contains(
        "Item: \(count - 1) rows were copied; those with the keys 2 are lost."))
    let found = try open(recovered).fetch(FetchDescriptor<Graded.Second.Item>())
    #expect(found.count == count - 1 && found.allSatisfy { $0.grade == 7 })
  }

  /// The only row tells nothing of the columns.
  @Test func theOnlyRowThatDoesNotFitIsLost() throws {
    let folder = try TemporaryFolder()
    try makeRows(1, at: folder.store)
    try SQLiteFile.execute("UPDATE ZITEM SET ZGRADE = 'wrong'", in: folder.store)
    try damageDefinition(at: folder.store)
    let recovery = try ModelContainer.recoverStore(
      at: folder.store, to: recovered, for: Schema([Graded.Second.Item.self]))
    let items = try #require(recovery.tables.first { $0.name == "ZITEM" })
    #expect(items.hasUnknownColumns && items.copiedRows == 0)
  }

  /// Nulls fit every column, so rows with them do not tell the order of the columns, not even many.
  @Test(arguments: [7, nil], [1, 9, 40]) func rowsWithNullsDoNotTellTheOrderOfColumns(
    _ beta: Int?, _ count: Int
  ) throws {
    try expectUnknownOrder(beta, count)
  }

  /// No order explains the text in the first column, but another one explains the other row.
  @Test(arguments: [7, nil]) func aDamagedRowDoesNotHideTheOrderOfColumns(_ beta: Int?) throws {
    try expectUnknownOrder(beta, 40, damage: "UPDATE ZITEM SET ZALPHA = 'wrong' WHERE Z_PK = 2")
  }

  private func expectUnknownOrder(_ beta: Int?, _ count: Int, damage: String = "") throws {
    let file = try MigratedStore().make([Measured.Item.self]) { context in
      for _ in 0..<count { context.insert(Measured.Item(1, gamma: 2, nil)) }
      context.insert(Measured.Item(1, gamma: 2, "pieces"))
    }
    // The column that a program has added is the last one in the file.
    try SQLiteFile.execute(
      """
      ALTER TABLE ZITEM DROP COLUMN ZBETA; ALTER TABLE ZITEM ADD COLUMN ZBETA INTEGER;
      UPDATE ZITEM SET ZBETA = NULL;
      UPDATE ZITEM SET ZBETA = \(beta.map(String.init) ?? "NULL") WHERE ZUNIT IS NOT NULL;
      \(damage)
      """, in: file.url)
    try damageDefinition(at: file.url)
    let recovery = try ModelContainer.recoverStore(
      at: file.url, to: recovered, for: Schema([Measured.Item.self]))
    let items = try #require(recovery.tables.first { $0.name == "ZITEM" })
    #expect(items.hasUnknownColumns && items.copiedRows == 0)
    #expect(try SQLiteFile.integer("SELECT count(*) FROM ZITEM", in: recovered) == 0)
  }

  /// No order of the columns has a text where all other rows have a number.
  @Test(arguments: [3, 40]) func rowsWithNullsAreKeptBesideOneThatNoOrderExplains(
    _ count: Int
  ) throws {
    let file = try MigratedStore().make([Measured.Item.self]) { context in
      for _ in 0..<count { context.insert(Measured.Item(1, gamma: 2, nil)) }
    }
    try SQLiteFile.execute("UPDATE ZITEM SET ZALPHA = 'wrong' WHERE Z_PK = 2", in: file.url)
    try damageDefinition(at: file.url)
    let recovery = try ModelContainer.recoverStore(
      at: file.url, to: recovered, for: Schema([Measured.Item.self]))
    let items = try #require(recovery.tables.first { $0.name == "ZITEM" })
    #expect(!items.hasUnknownColumns && items.copiedRows == count - 1)
    #expect(items.lostKeys == [2...2])
    #expect(
      try SQLiteFile.integer(
        "SELECT count(*) FROM ZITEM WHERE ZALPHA = 1 AND ZBETA IS NULL AND ZGAMMA = 2",
        in: recovered) == Int64(count - 1))
  }

  /// The only other column for such a value is the unit, and that has texts.
  @Test func rowsAreKeptBesideATextThatNoOtherColumnHasTheBytesFor() throws {
    let file = try makeArticles()
    try SQLiteFile.execute("UPDATE ZARTICLE SET ZIMAGE = 'wrong' WHERE Z_PK = 2", in: file.url)
    try expectArticles([1, 3, 4], of: file.url)
  }

  /// A price is a number or the bytes of its digits, not any text or bytes.
  @Test(arguments: ["ZCOUNT = 'wrong'", "ZCOUNT = x'00'", "ZPRICE = 'wrong'", "ZPRICE = x'ff'"])
  func rowsWithDecimalsAreKeptBesideOneThatDoesNotFit(_ change: String) throws {
    let file = try makeArticles()
    try SQLiteFile.execute("UPDATE ZARTICLE SET \(change) WHERE Z_PK = 2", in: file.url)
    try expectArticles([1, 3, 4], of: file.url)
  }

  @Test func allFormsOfDecimalsFitALostDefinition() throws {
    let long = try #require(Decimal(string: "1234567890.123456789012"))
    let prices = [1, 1.5, long, .nan]
    let file = try MigratedStore().make([Priced.Article.self]) { context in
      for price in prices { context.insert(Priced.Article(price)) }
    }
    #expect(
      try SQLiteFile.texts("SELECT typeof(ZPRICE) FROM ZARTICLE ORDER BY 1", in: file.url)
        == ["blob", "blob", "integer", "real"])
    try expectArticles([1, 2, 3, 4], of: file.url)
    let context = ModelContext(
      try ModelContainer(
        for: Priced.Article.self, configurations: ModelConfiguration(url: recovered)))
    let found = try context.fetch(FetchDescriptor<Priced.Article>()).map(\.price)
    #expect(Set(found.map(\.description)) == Set(prices.map(\.description)))
  }

  private func makeArticles() throws -> MigratedStore {
    try MigratedStore().make([Priced.Article.self]) { context in
      for number in 1...4 { context.insert(Priced.Article(Decimal(number))) }
    }
  }

  /// Damages the definition of the table and recovers it.
  private func expectArticles(
    _ keys: [Int64], of url: URL, at location: SourceLocation = #_sourceLocation
  ) throws {
    try damageDefinition(of: "ZARTICLE", at: url)
    let recovery = try ModelContainer.recoverStore(
      at: url, to: recovered, for: Schema([Priced.Article.self]))
    let articles = try #require(recovery.tables.first { $0.name == "ZARTICLE" })
    #expect(
      !articles.hasUnknownColumns && articles.copiedRows == keys.count, sourceLocation: location)
    let found = try SQLiteFile.texts(
      """
      SELECT CAST(Z_PK AS TEXT) FROM ZARTICLE
      WHERE ZCOUNT = 5 AND ZUNIT = 'pieces' AND ZIMAGE = x'ff01' ORDER BY Z_PK
      """, in: recovered)
    #expect(found == keys.map(String.init), sourceLocation: location)
  }

  private func damageDefinition(of table: String = "ZITEM", at url: URL) throws {
    var bytes = try Data(contentsOf: url)
    for (text, damaged) in [
      ("CREATE TABLE \(table)", "CRXATE TABLE \(table)"),
      (#"CREATE TABLE "\#(table)""#, #"CRXATE TABLE "\#(table)""#), ("ZUNIT", "ZUNIX"),
    ] {
      bytes = bytes.replacing(Data(text.utf8), with: Data(damaged.utf8))
    }
    try bytes.write(to: url)
  }

  @Test func theHistoryOfTheMigrationIsRecovered() throws {
    _ = try ModelContainer.recoverStore(at: store.url, to: recovered)
    let old = try open(store.url).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let new = try open(recovered).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(new.map(\.changes.count) == old.map(\.changes.count) && !new.isEmpty)
  }
}

private enum Measured {
  @Model final class Item {
    var alpha: Int
    var beta: Int?
    var gamma: Int?
    var unit: String?

    init(_ alpha: Int, gamma: Int?, _ unit: String?) {
      (self.alpha, self.gamma, self.unit) = (alpha, gamma, unit)
    }
  }
}

private enum Priced {
  @Model final class Article {
    var count = 5
    var price: Decimal
    var unit = "pieces"
    var image = Data([255, 1])

    init(_ price: Decimal) { self.price = price }
  }
}
