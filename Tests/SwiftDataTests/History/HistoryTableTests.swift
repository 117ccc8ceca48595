import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// The tables of the history as plain SQL shows them.
struct HistoryTableTests {
  /// What sqlite_schema holds of the history in a file of Apple's framework, without quotes and spaces
  /// at parentheses.
  private static let objects = [
    "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
    "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
    "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
    "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
    "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
    "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
    """
    CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION \
    (ZTIMESTAMP COLLATE BINARY ASC)
    """,
    """
    CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
    ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB)
    """,
    """
    CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
    ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, \
    ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, \
    ZPROCESSID VARCHAR, ZQUERYGEN BLOB)
    """,
    """
    CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
    ZNAME VARCHAR)
    """,
    """
    CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING \
    (ZNAME COLLATE BINARY ASC)
    """,
  ]

  @Test func aNewFileHasTheTablesOfTheHistory() throws {
    let store = try HistoryStore(Library.types)
    let found = try store.lines(
      "SELECT sql FROM sqlite_schema WHERE tbl_name GLOB 'A[CT]*' AND sql IS NOT NULL")
    #expect(
      found.map {
        $0.replacing("\"", with: "").replacing("( ", with: "(").replacing(" )", with: ")")
      }.sorted() == Self.objects)
    #expect(
      try store.lines(
        "SELECT Z_ENT || ' ' || Z_NAME || ' ' || Z_SUPER || ' ' || Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 9"
      ) == ["16001 CHANGE 0 0", "16002 TRANSACTION 0 0", "16003 TRANSACTIONSTRING 0 0"])
  }

  private static let counters = """
    SELECT Z_ENT || ' ' || Z_NAME || ' ' || Z_SUPER || ' ' || Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 9
    """

  /// Apple's framework makes the tables first, and lists their entities with the first transaction.
  @Test(arguments: [0, 2])
  func aFileThatListsNoEntitiesOfTheHistoryGetsThem(_ saves: Int) throws {
    let store = try HistoryStore(Library.types)
    for number in 0..<saves {
      store.context.insert(Shelf(label: "\(number)"))
      try store.context.save()
    }
    try store.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 9")
    let context = try store.reopened()
    context.author = "sync"
    context.insert(Shelf(label: "top"))
    context.insert(Shelf(label: "bottom"))
    try context.save()
    let texts = try store.lines("SELECT max(Z_PK) FROM ATRANSACTIONSTRING")
    #expect(
      try store.lines(Self.counters) == [
        "16001 CHANGE 0 \(saves + 2)", "16002 TRANSACTION 0 \(saves + 1)",
        "16003 TRANSACTIONSTRING 0 \(texts[0])",
      ])
  }

  @Test func aMigrationListsTheEntitiesOfTheHistory() throws {
    let store = try MigratedStore()
    try store.make([Graded.First.Item.self]) { $0.insert(Graded.First.Item("a")) }
    try SQLiteFile.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 9", in: store.url)
    _ = try store.open([Graded.Second.Item.self])
    #expect(
      try SQLiteFile.texts(
        """
        SELECT Z_ENT FROM Z_PRIMARYKEY AS e WHERE Z_ENT > 9 AND Z_MAX >= \
        (SELECT ifnull(max(Z_PK), 0) FROM ACHANGE)
        """, in: store.url
      ).contains("16001"))
  }

  @Test func aSaveIsOneTransaction() throws {
    let store = try HistoryStore(Library.types)
    let context = store.context
    context.author = "sync"
    let author = Author(name: "Ann")
    let book = Book(title: "a", pages: 1, author: author)
    context.insert(book)
    context.insert(Shelf(label: "top"))
    let start = Date()
    try context.save()
    (book.title, book.price) = ("b", 2)
    context.author = nil
    try context.save()
    try context.save()
    context.delete(book)
    try context.save()
    #expect(
      try store.changes() == [
        "1: insert Author 1", "1: insert Book 1", "1: insert Shelf 1",
        // Bits: author, isRead, pages, price, title, shelves.
        "2: update Book 1 00011000",
        "3: delete Book 1",
        // Bits: born, name, books.
        "3: update Author 1 00100000",
      ])
    #expect(try store.transactions() == ["1 by sync", "2 by none", "3 by none"])
    let times = try store.lines("SELECT ZTIMESTAMP FROM ATRANSACTION").compactMap(Double.init)
    #expect(times.count == 3 && times == times.sorted())
    #expect(abs((times.first ?? 0) - start.timeIntervalSinceReferenceDate) < 60)
    #expect(
      try store.lines("SELECT Z_ENT || ' ' || Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 9")
        .prefix(2) == ["16001 6", "16002 3"])
    #expect(
      try store.lines(
        """
        SELECT DISTINCT quote(Z_OPT) || Z_ENT FROM ACHANGE UNION ALL
        SELECT DISTINCT quote(Z_OPT) || Z_ENT FROM ATRANSACTION UNION ALL
        SELECT DISTINCT quote(Z_OPT) || Z_ENT FROM ATRANSACTIONSTRING
        """) == ["NULL16001", "NULL16002", "NULL16003"])
    #expect(try store.lines("SELECT ZNAME || Z_OPT FROM ZAUTHOR") == ["Ann2"])
  }

  @Test func aTransactionNamesItsContext() throws {
    let store = try HistoryStore(Library.types)
    let context = store.context
    (context.author, context.name) = ("sync", "import")
    context.insert(Shelf(label: "top"))
    try context.save()
    #expect(context.editingState.contextName == "import")
    context.name = nil
    context.insert(Shelf(label: "low"))
    try context.save()
    context.name = "sync"
    try context.delete(model: Shelf.self)
    #expect(
      try store.lines(
        """
        SELECT t.Z_PK || ' ' || a.ZNAME || ' ' || coalesce(c.ZNAME, 'none') FROM ATRANSACTION AS t
        LEFT JOIN ATRANSACTIONSTRING AS c ON c.Z_PK = t.ZCONTEXTNAMETS
        LEFT JOIN ATRANSACTIONSTRING AS a ON a.Z_PK = t.ZAUTHORTS
        """) == ["1 sync import", "2 sync none", "3 sync sync"])
  }

  @Test func aSaveThatFailsLeavesNoHistory() throws {
    let store = try HistoryStore(Library.types)
    let (first, second) = (Author(name: "a"), Author(name: "b"))
    store.context.insert(first)
    store.context.insert(second)
    try store.context.save()
    second.name = "a"
    #expect(throws: SwiftDataError.modelValidationFailure) { try store.context.save() }
    store.context.rollback()
    #expect(try store.changes() == ["1: insert Author 1", "1: insert Author 2"])
  }

  /// What a save knows of the end of the history is used only if nothing else was written since.
  @Test func aSaveContinuesTheStoredHistory() throws {
    let store = try HistoryStore(Library.types)
    let other = try store.reopened()
    struct Failure: Error {}
    func save(_ context: ModelContext, _ author: String? = nil) throws {
      context.author = author
      context.insert(Shelf(label: "shelf"))
      try context.save()
    }
    try save(store.context)
    try save(store.context)
    try save(other)
    try save(store.context)
    #expect(throws: Failure.self) {
      try store.context.transaction {
        try save(store.context, "rolled back")
        try save(store.context, "rolled back")
        throw Failure()
      }
    }
    store.context.rollback()
    try save(store.context)
    try save(store.context)
    #expect(try store.transactions() == (1...6).map { "\($0) by none" })
    #expect(try store.lines("SELECT Z_PK FROM ACHANGE") == (1...6).map(String.init))
    try save(store.context, "sync")
    // Texts that no transaction has are deleted too.
    try store.context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try save(store.context, "sync")
    try store.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 20 WHERE Z_ENT = 16002")
    try save(store.context, "sync")
    #expect(try store.transactions() == ["8 by sync", "21 by sync"])
    #expect(
      try store.lines(
        """
        SELECT count(*) FROM ATRANSACTION WHERE ZBUNDLEIDTS NOT IN (SELECT Z_PK FROM ATRANSACTIONSTRING)
        """) == ["0"])
  }

  @Test func keysOfPrunedHistoryAreNotUsedAgain() throws {
    let store = try HistoryStore(Library.types)
    store.context.insert(Shelf(label: "top"))
    try store.context.save()
    try store.execute("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    try store.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 70 WHERE Z_ENT > 9")
    store.context.insert(Shelf(label: "low"))
    try store.context.save()
    #expect(try store.changes() == ["71: insert Shelf 2"])
    #expect(try store.lines("SELECT Z_PK FROM ACHANGE") == ["71"])
    // Texts outlive the transactions.
    #expect(
      try store.lines("SELECT max(Z_PK) FROM ATRANSACTIONSTRING").first.map { Int($0) ?? 9 } ?? 9
        < 3)
  }

  @Test func aFileWithoutTheTablesGetsThem() throws {
    let store = try HistoryStore(Library.types)
    store.context.insert(Shelf(label: "top"))
    try store.context.save()
    try store.execute(
      """
      DROP TABLE ACHANGE; DROP TABLE ATRANSACTION; DROP TABLE ATRANSACTIONSTRING; \
      DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 9
      """)
    let reopened = try store.reopened()
    reopened.insert(Shelf(label: "new"))
    try reopened.save()
    #expect(try store.changes() == ["1: insert Shelf 2"])
    #expect(
      try reopened.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.changes.count)
        == [1])
  }

  @Test func aFileWithTablesOfAnotherFormGetsNoHistory() throws {
    let store = try HistoryStore(Library.types)
    store.context.insert(Shelf(label: "top"))
    try store.context.save()
    try store.execute("ALTER TABLE ATRANSACTION RENAME COLUMN ZTIMESTAMP TO ZTIME")
    let reopened = try store.reopened()
    let engine = try #require(reopened.container.stores.first as? DefaultStore).engine
    #expect(!engine.writesHistory)
    let shelf = try #require(try reopened.fetch(FetchDescriptor<Shelf>()).first)
    shelf.label = "low"
    reopened.insert(Shelf(label: "new"))
    try reopened.save()
    try reopened.delete(model: Shelf.self)
    let error = #expect(throws: SwiftDataError.self) {
      try reopened.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    #expect(error?.description.contains("has no history") == true)
    try reopened.container.erase()
    #expect(try store.lines("SELECT count(*) FROM ZSHELF") == ["0"])
  }

  @Test func preservedValuesOutliveTheirRows() throws {
    let store = try HistoryStore([Preserving.Note.self, Preserving.Draft.self, Preserving.Tag.self])
    let columns = try store.lines("SELECT name FROM pragma_table_info('ACHANGE') WHERE cid > 7")
    #expect(columns == ["ZTOMBSTONE0", "ZTOMBSTONE1"])
    let context = store.context
    for index in 1...2 {
      context.insert(Preserving.Note(code: "n\(index)", size: index))
      context.insert(Preserving.Draft(code: "d\(index)", size: index, reason: "r\(index)"))
      context.insert(Preserving.Tag(name: "t\(index)"))
    }
    try context.save()
    let first = try context.fetch(
      FetchDescriptor<Preserving.Note>(sortBy: [SortDescriptor(\.code)]))
    for note in first where note.code.hasSuffix("1") { context.delete(note) }
    try context.save()
    try context.delete(model: Preserving.Note.self)
    try context.delete(model: Preserving.Tag.self, where: #Predicate { $0.name == "t2" })
    try context.container.erase()
    #expect(
      try store.lines(
        """
        SELECT c.ZTRANSACTIONID || ' ' || e.Z_NAME || ' ' || quote(ZTOMBSTONE0) || ' '
          || quote(ZTOMBSTONE1)
        FROM ACHANGE AS c JOIN Z_PRIMARYKEY AS e ON e.Z_ENT = c.ZENTITY WHERE ZCHANGETYPE = 2
        ORDER BY 1
        """) == [
          "2 Draft 'd1' 'r1'", "2 Note 'n1' NULL", "3 Draft 'd2' 'r2'", "3 Note 'n2' NULL",
          "4 Tag 't2' NULL", "5 Tag 't1' NULL",
        ])
  }
}

enum Preserving {
  @Model class Note {
    @Attribute(.preserveValueOnDeletion) var code: String
    var size: Int

    init(code: String, size: Int) {
      self.code = code
      self.size = size
    }
  }

  @Model final class Draft: Note {
    @Attribute(.preserveValueOnDeletion) var reason: String

    init(code: String, size: Int, reason: String) {
      self.reason = reason
      super.init(code: code, size: size)
    }
  }

  @Model final class Tag {
    @Attribute(.preserveValueOnDeletion) var name: String

    init(name: String) { self.name = name }
  }
}

/// A store on a file whose history is read as lines.
final class HistoryStore {
  let folder: TemporaryFolder
  let types: [any PersistentModel.Type]
  let context: ModelContext

  init(
    _ types: [any PersistentModel.Type], _ configure: (inout ModelConfiguration) -> Void = { _ in }
  ) throws {
    folder = try TemporaryFolder()
    self.types = types
    context = try HistoryStore.context(types, folder.store, configure)
  }

  private static func context(
    _ types: [any PersistentModel.Type], _ url: URL,
    _ configure: (inout ModelConfiguration) -> Void
  ) throws -> ModelContext {
    var configuration = ModelConfiguration(url: url)
    configure(&configuration)
    return ModelContext(try ModelContainer(for: Schema(types), configurations: [configuration]))
  }

  /// Another container on the file.
  func reopened(
    _ configure: (inout ModelConfiguration) -> Void = { _ in }
  ) throws -> ModelContext { try HistoryStore.context(types, folder.store, configure) }

  /// The numbers of the transactions that are left, where no change is without one.
  func numbers() throws -> [Int] {
    let homeless = try lines(
      "SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)")
    if !homeless.isEmpty { return [] }
    return try lines("SELECT Z_PK FROM ATRANSACTION ORDER BY 1").compactMap { Int($0) }
  }

  func execute(_ sql: String) throws { try SQLiteFile.execute(sql, in: folder.store) }

  /// The first column of all rows.
  func lines(_ sql: String) throws -> [String] {
    let connection = try Connection(path: folder.store.path)
    return try withExtendedLifetime(connection) {
      let statement = try connection.prepare(sql)
      var lines: [String] = []
      while try statement.step() { lines.append(statement.string(0)) }
      return lines
    }
  }

  /// `1: update Book 1 00011000`, in the order of transactions, types, entities and keys.
  func changes() throws -> [String] {
    try lines(
      """
      SELECT ZTRANSACTIONID || ': ' || iif(ZCHANGETYPE = 0, 'insert', iif(ZCHANGETYPE = 1, 'update', 'delete'))
        || ' ' || Z_NAME || ' ' || ZENTITYPK || iif(ZCOLUMNS IS NULL, '', ' ' || hex(ZCOLUMNS))
      FROM ACHANGE AS c LEFT JOIN Z_PRIMARYKEY AS e ON e.Z_ENT = c.ZENTITY
      ORDER BY ZTRANSACTIONID, 1, ZENTITY, ZENTITYPK
      """
    ).map { line in
      let words = line.split(separator: " ")
      guard words.count == 5 else { return line }
      let bytes = stride(from: 0, to: words[4].count, by: 2).map { place in
        let bits = String(Int(words[4].dropFirst(place).prefix(2), radix: 16) ?? 0, radix: 2)
        return String(repeating: "0", count: 8 - bits.count) + bits
      }
      return (words.dropLast() + [Substring(bytes.joined())]).joined(separator: " ")
    }
  }

  func transactions() throws -> [String] {
    try lines(
      """
      SELECT t.Z_PK || ' by ' || ifnull(s.ZNAME, 'none') FROM ATRANSACTION AS t
      LEFT JOIN ATRANSACTIONSTRING AS s ON s.Z_PK = t.ZAUTHORTS ORDER BY t.Z_PK
      """)
  }
}
