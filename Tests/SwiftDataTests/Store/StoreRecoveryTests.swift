import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import SwiftDataTools
import Testing

/// What can be read of a damaged file comes into a new store, and the rest is listed.
@Suite struct StoreRecoveryTests {
  static let count = 3000
  let folder: StoreFolder
  var recovered: URL { folder.folder.url.appendingPathComponent("recovered.store") }

  init() throws { folder = try StoreFolder(copying: Self.template.get()) }

  /// Authors with books, and some shelves that have some of the books.
  private static let template = Result {
    let folder = try StoreFolder()
    let context = ModelContext(try StoreFolder.container(folder.store))
    let shelves = (0..<10).map { Shelf(label: "Shelf \($0)") }
    for shelf in shelves { context.insert(shelf) }
    for number in 0..<StoreRecoveryTests.count {
      let author = Author(name: "Author \(number)")
      context.insert(author)
      let book = Book(title: "Book \(number)", pages: number, author: author)
      context.insert(book)
      book.shelves = [shelves[number % 10]]
    }
    try context.save()
    return folder
  }

  // MARK: Pages

  private func root(of name: String, in other: StoreFolder? = nil) throws -> Int {
    let connection = try Connection(path: (other ?? folder).store.path, mode: .readOnly)
    return Int(
      try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'") ?? 0)
  }

  /// The pages below the root of a table with two levels.
  private func children(of root: Int, in other: StoreFolder? = nil) throws -> [Int] {
    let bytes = [UInt8](try Data(contentsOf: (other ?? folder).store))
    let start = (root - 1) * 4096
    let header = root == 1 ? start + 100 : start
    try #require(bytes[header] == 5)
    func number(_ offset: Int) -> Int {
      (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
    }
    let count = Int(bytes[header + 3]) << 8 | Int(bytes[header + 4])
    return (0..<count).map { index in
      let cell = header + 12 + 2 * index
      return number(start + (Int(bytes[cell]) << 8 | Int(bytes[cell + 1])))
    } + [number(header + 8)]
  }

  /// The offsets and values of the keys of two bytes in a page of a table.
  private func keys(of page: Int) throws -> [(offset: Int, key: Int64)] {
    let bytes = [UInt8](try Data(contentsOf: folder.store))
    let start = (page - 1) * 4096
    let isLeaf = bytes[start] == 13
    try #require(isLeaf || bytes[start] == 5)
    let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
    return (0..<count).compactMap { index in
      let pointer = start + (isLeaf ? 8 : 12) + 2 * index
      // The key follows a length, here of one byte, or the number of a page.
      let offset =
        start + (Int(bytes[pointer]) << 8 | Int(bytes[pointer + 1])) + (isLeaf ? 1 : 4)
      guard bytes[offset] >= 0x80, bytes[offset + 1] < 0x80 else { return nil }
      return (offset, Int64(bytes[offset] & 0x7F) << 7 | Int64(bytes[offset + 1]))
    }
  }

  private func write(_ key: Int64, at offset: Int) throws {
    try folder.overwrite([UInt8(key >> 7) | 0x80, UInt8(key & 0x7F)], at: offset)
  }

  private func name(ofAuthor key: Int64, in file: URL) throws -> String? {
    try SQLiteFile.text("SELECT ZNAME FROM ZAUTHOR WHERE Z_PK = \(key)", in: file)
  }

  private func erase(_ page: Int, with byte: UInt8 = 0) throws {
    try folder.overwrite([UInt8](repeating: byte, count: 4096), at: (page - 1) * 4096)
  }

  // MARK: Expectations

  private func recover(for schema: Schema? = nil) throws -> StoreRecovery {
    let before = try folder.content()
    let recovery = try ModelContainer.recoverStore(at: folder.store, to: recovered, for: schema)
    let after = try folder.content()
    #expect(after.keys.sorted() == (before.keys + ["recovered.store"]).sorted())
    #expect(after.filter { before[$0.key] != nil } == before)
    #expect(try SQLiteFile.text("PRAGMA integrity_check", in: recovered) == "ok")
    return recovery
  }

  private func table(_ name: String, _ recovery: StoreRecovery) throws -> StoreRecovery.Table {
    try #require(recovery.tables.first { $0.name == name })
  }

  /// The new store opens with the models, and what is in it is what was there, value by value.
  private func expectRows(
    authors lost: [ClosedRange<Int64>] = [], at location: SourceLocation = #_sourceLocation
  ) throws -> Int {
    let container = try StoreFolder.container(recovered)
    let context = ModelContext(container)
    let authors = try context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
    for author in authors {
      let number = author.name.dropFirst(7)
      #expect(author.books.allSatisfy { $0.title == "Book \(number)" }, sourceLocation: location)
    }
    let connection = try Connection(path: recovered.path, mode: .readOnly)
    let keys = try connection.prepare("SELECT Z_PK FROM ZAUTHOR ORDER BY Z_PK")
    var found: [Int64] = []
    while try keys.step() { found.append(keys.int64(0)) }
    let missing = (1...Int64(StoreRecoveryTests.count)).filter { key in
      lost.contains { $0.contains(key) }
    }
    #expect(
      (found + missing).sorted() == Array(1...Int64(StoreRecoveryTests.count)),
      sourceLocation: location)
    context.insert(Author(name: "New"))
    try context.save()
    #expect(
      try SQLiteFile.integer("SELECT max(Z_PK) FROM ZAUTHOR", in: recovered)
        == Int64(StoreRecoveryTests.count + 1), sourceLocation: location)
    return authors.count
  }

  // MARK: Tests

  @Test func aFileWithoutDamageIsCopiedAsItIs() throws {
    let recovery = try recover()
    #expect(recovery.isComplete && recovery.damagedPages.isEmpty)
    #expect(recovery.description.contains("nothing was lost"))
    let connection = try Connection(path: recovered.path, mode: .readOnly)
    try connection.execute("ATTACH '\(folder.store.path)' AS old")
    let names = try SQLiteFile.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table'", in: folder.store)
    #expect(names.count >= 7)
    for name in names {
      let rows = try connection.integer("SELECT count(*) FROM old.\(name)")
      #expect(try connection.integer("SELECT count(*) FROM main.\(name)") == rows)
      for (one, other) in [("old", "main"), ("main", "old")] {
        let difference =
          "SELECT count(*) FROM (SELECT * FROM \(one).\(name) EXCEPT SELECT * FROM \(other).\(name))"
        #expect(try connection.integer(difference) == 0, "\(name)")
      }
    }
    let objects = "SELECT name || ifnull(sql, '') FROM sqlite_schema ORDER BY name"
    #expect(
      try SQLiteFile.texts(objects, in: recovered) == SQLiteFile.texts(objects, in: folder.store))
  }

  @Test func aZeroedPageLosesItsKeysOnly() throws {
    let leaves = try children(of: root(of: "ZAUTHOR"))
    try #require(leaves.count > 10)
    try erase(leaves[4])
    try erase(leaves[7], with: 0xAB)
    let recovery = try recover()
    let authors = try table("ZAUTHOR", recovery)
    #expect(authors.entities == ["Author"] && authors.lostKeys.count == 2)
    let lost = authors.lostKeys.reduce(0) { $0 + $1.count }
    #expect((20..<500).contains(lost))
    #expect(authors.copiedRows == StoreRecoveryTests.count - lost)
    #expect(recovery.damagedPages == [leaves[4], leaves[7]].sorted())
    #expect(try table("ZBOOK", recovery).isComplete && !recovery.isComplete)
    #expect(recovery.description.contains("Author: \(authors.copiedRows) rows were copied"))
    #expect(try expectRows(authors: authors.lostKeys) == authors.copiedRows)
  }

  /// A key of the root is higher than the one after it, or than all others.
  @Test(arguments: [nil, 8396] as [Int64?])
  func rowsBelowADamagedKeyAreFound(_ damaged: Int64?) throws {
    let root = try root(of: "ZAUTHOR")
    let keys = try keys(of: root)
    try #require(keys.count > 10)
    try write(damaged ?? keys[3].key + 1, at: keys[2].offset)
    let recovery = try recover()
    #expect(recovery.damagedPages == [root])
    #expect(try table("ZAUTHOR", recovery).copiedRows == Self.count && recovery.isComplete)
    #expect(try expectRows() == Self.count)
  }

  /// The rows that a key of the root excludes may be those of other keys.
  @Test func rowsThatContradictAKeyAreListedAsLost() throws {
    let damaged = try #require(
      try keys(of: root(of: "ZAUTHOR")).dropFirst().first { $0.key & 0x7F >= 4 })
    try write(damaged.key - 4, at: damaged.offset)
    let authors = try table("ZAUTHOR", recover())
    #expect(authors.lostKeys == [damaged.key - 3...damaged.key] && !authors.isComplete)
    #expect(try expectRows(authors: authors.lostKeys) == Self.count - 4)
  }

  @Test func aDamagedKeyOfARowLosesThatRowOnly() throws {
    let leaf = try children(of: root(of: "ZAUTHOR"))[2]
    let rows = try keys(of: leaf)
    try #require(rows.count > 60)
    let (damaged, other) = (rows[3], rows[35].key)
    let name = try #require(try name(ofAuthor: other, in: folder.store))
    try write(other, at: damaged.offset)
    let recovery = try recover()
    let authors = try table("ZAUTHOR", recovery)
    #expect(authors.lostKeys == [damaged.key...damaged.key] && !recovery.isComplete)
    #expect(authors.copiedRows == Self.count - 1 && recovery.damagedPages == [leaf])
    #expect(try self.name(ofAuthor: other, in: recovered) == name)
    #expect(try expectRows(authors: authors.lostKeys) == Self.count - 1)
  }

  /// Either of two rows may have the wrong key.
  @Test func rowsWithTheSameKeyAreLost() throws {
    let rows = try keys(of: children(of: root(of: "ZAUTHOR"))[2])
    try #require(rows.count > 60)
    try write(rows[4].key, at: rows[3].offset)
    let authors = try table("ZAUTHOR", recover())
    #expect(authors.lostKeys == [rows[3].key...rows[4].key])
    #expect(try expectRows(authors: authors.lostKeys) == Self.count - 2)
  }

  @Test func rowsBelowADamagedPageAreFound() throws {
    let root = try root(of: "ZAUTHOR")
    try erase(root)
    let recovery = try recover()
    #expect(try table("ZAUTHOR", recovery).isComplete && recovery.isComplete)
    #expect(recovery.damagedPages == [root])
    #expect(try expectRows() == StoreRecoveryTests.count)
  }

  /// Nothing in the tree tells that rows are missing.
  @Test func rowsBelowAPageThatAnotherOneReplacedAreFound() throws {
    let root = try root(of: "ZAUTHOR")
    let leaf = try children(of: root)[3]
    let bytes = [UInt8](try Data(contentsOf: folder.store))[(leaf - 1) * 4096..<leaf * 4096]
    try folder.overwrite(Array(bytes), at: (root - 1) * 4096)
    let recovery = try recover()
    #expect(try table("ZAUTHOR", recovery).copiedRows == Self.count && recovery.isComplete)
    #expect(try expectRows() == Self.count)
  }

  @Test(arguments: [0, 1]) func aDamagedNumberOfCellsLosesNothing(_ level: Int) throws {
    let root = try root(of: "ZAUTHOR")
    let page = try level == 0 ? root : children(of: root)[3]
    try folder.overwrite([0, 2], at: (page - 1) * 4096 + 3)
    let recovery = try recover()
    #expect(try table("ZAUTHOR", recovery).copiedRows == Self.count && recovery.isComplete)
    #expect(try expectRows() == Self.count)
  }

  private func linkTable() throws -> String {
    try #require(
      try SQLiteFile.text(
        "SELECT name FROM sqlite_schema WHERE name LIKE 'Z\\__%' ESCAPE '\\' "
          + "AND type = 'table' AND name NOT IN ('Z_PRIMARYKEY', 'Z_METADATA', 'Z_MODELCACHE')",
        in: folder.store))
  }

  private func expectLinks(
    _ recovery: StoreRecovery, at location: SourceLocation = #_sourceLocation
  ) throws {
    let links = try table(linkTable(), recovery)
    #expect(links.copiedRows == StoreRecoveryTests.count, sourceLocation: location)
    let context = ModelContext(try StoreFolder.container(recovered))
    for shelf in try context.fetch(FetchDescriptor<Shelf>()) {
      #expect(shelf.books.count == StoreRecoveryTests.count / 10, sourceLocation: location)
    }
  }

  @Test func linksBelowADamagedPageAreFound() throws {
    try erase(try root(of: linkTable()))
    try expectLinks(recover())
  }

  /// The root is damaged, and the pages below it are not leaves.
  @Test func linksSeveralLevelsBelowADamagedPageAreFound() throws {
    try SQLiteFile.execute(
      "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM", in: folder.store)
    let bytes = [UInt8](try Data(contentsOf: folder.store))
    let start = (try root(of: linkTable()) - 1) * 512
    let child = bytes[start + 8..<start + 12].reduce(0) { $0 << 8 | Int($1) }
    try #require(bytes[start] == 5 && bytes[(child - 1) * 512] == 5)
    try folder.overwrite([UInt8](repeating: 0, count: 512), at: start)
    try expectLinks(recover())
  }

  @Test(arguments: [0.9, 0.5, 0.3])
  func aTruncatedFile(_ part: Double) throws {
    try folder.truncate(to: Int(Double(try folder.size) * part) + 100)
    let error = #expect(throws: SwiftDataError.self) { try folder.authors() }
    #expect(error?.description.contains("recoverStore(at:to:)") == true)
    let recovery = try recover()
    let authors = try table("ZAUTHOR", recovery)
    let books = try table("ZBOOK", recovery)
    #expect(authors.copiedRows + books.copiedRows > 0)
    #expect(!recovery.isComplete)
    let lost = authors.lostKeys.reduce(0) { $0 + $1.count }
    #expect(authors.copiedRows + lost == StoreRecoveryTests.count)
    #expect(try expectRows(authors: authors.lostKeys) == authors.copiedRows)
  }

  @Test func aDamagedIndexLosesNothing() throws {
    let index = try #require(
      try SQLiteFile.text(
        "SELECT name FROM sqlite_schema WHERE name LIKE '%UNIQUE%' AND tbl_name = 'ZAUTHOR'",
        in: folder.store))
    try erase(try root(of: index), with: 0xAB)
    let recovery = try recover()
    #expect(recovery.isComplete && recovery.rebuiltIndexes == [index])
    #expect(recovery.description.contains(index))
    #expect(try expectRows() == StoreRecoveryTests.count)
  }

  @Test func aFileThatLostItsDescriptionIsReadWithTheModels() throws {
    let identifier = try SQLiteFile.text("SELECT Z_UUID FROM Z_METADATA", in: folder.store)
    try erase(1)
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer.recoverStore(at: folder.store, to: recovered)
    }
    #expect(error == .loadIssueModelContainer)
    #expect(error?.description.contains("recoverStore(at:to:for:)") == true)
    #expect(try folder.content().keys.sorted() == ["test.store"])
    let recovery = try recover(for: Schema(Library.types))
    #expect(recovery.unreadableParts.contains(.tables))
    #expect(try table("ZAUTHOR", recovery).copiedRows == StoreRecoveryTests.count)
    #expect(try table("ZBOOK", recovery).copiedRows == StoreRecoveryTests.count)
    #expect(try SQLiteFile.text("SELECT Z_UUID FROM Z_METADATA", in: recovered) == identifier)
    #expect(try expectRows() == StoreRecoveryTests.count)
  }

  @Test func aPageOfTheListOfTablesIsReplacedByTheModels() throws {
    // Tables of another program make the list longer than a page.
    let columns = (0..<40).map { "column\($0) VARCHAR" }.joined(separator: ", ")
    for number in 0..<20 {
      try SQLiteFile.execute("CREATE TABLE other\(number) (\(columns))", in: folder.store)
    }
    let leaves = try children(of: 1)
    try erase(try #require(leaves.first))
    #expect(throws: SwiftDataError.self) {
      try ModelContainer.recoverStore(at: folder.store, to: recovered)
    }
    let recovery = try recover(for: Schema(Library.types))
    #expect(recovery.unreadableParts.contains(.tables))
    #expect(try table("ZAUTHOR", recovery).copiedRows == StoreRecoveryTests.count)
    #expect(try expectRows() == StoreRecoveryTests.count)
  }

  @Test func rowsOverSeveralPages() throws {
    let other = try StoreFolder()
    let context = ModelContext(try StoreFolder.container(other.store))
    for number in 0..<20 {
      context.insert(Author(name: "\(number)" + String(repeating: "é", count: 5000)))
    }
    try context.save()
    let copy = other.folder.url.appendingPathComponent("copy.store")
    #expect(try ModelContainer.recoverStore(at: other.store, to: copy).isComplete)
    let names = Set(try context.fetch(FetchDescriptor<Author>()).map(\.name))
    let copied = ModelContext(try StoreFolder.container(copy))
    #expect(Set(try copied.fetch(FetchDescriptor<Author>()).map(\.name)) == names)
  }

  /// A long name of an author goes on in a page of books.
  @Test func aDamagedPointerLosesItsRowOnly() throws {
    let other = try StoreFolder()
    do {
      let context = ModelContext(try StoreFolder.container(other.store))
      let author = Author(name: String(repeating: "a", count: 5000))
      context.insert(author)
      for number in 0..<300 {
        context.insert(Book(title: "Book \(number)", pages: number, author: author))
      }
      try context.save()
    }
    let leaf = try #require(
      try children(of: root(of: "ZBOOK", in: other), in: other).dropFirst().first)
    let start = (try root(of: "ZAUTHOR", in: other) - 1) * 4096
    let bytes = [UInt8](try Data(contentsOf: other.store))
    let cell = start + (Int(bytes[start + 8]) << 8 | Int(bytes[start + 9]))
    let length = Int(bytes[cell] & 0x7F) << 7 | Int(bytes[cell + 1])
    try #require(bytes[start + 4] == 1 && bytes[cell + 2] == 1 && length > 5000)
    // The part of a record in its own page (sqlite.org/fileformat2.html, 1.6).
    let local = 489 + (length - 489) % 4092
    let pointer = cell + 3 + (local <= 4061 ? local : 489)
    try other.overwrite([0, 0, UInt8(leaf >> 8), UInt8(leaf & 0xFF)], at: pointer)
    let recovery = try ModelContainer.recoverStore(at: other.store, to: recovered)
    #expect(try table("ZAUTHOR", recovery).lostKeys == [1...1])
    let books = try table("ZBOOK", recovery)
    #expect(books.isComplete && books.copiedRows == 300)
    #expect(try SQLiteFile.integer("SELECT sum(ZPAGES) FROM ZBOOK", in: recovered) == 44_850)
  }

  /// The entries of the pointer map for the pages of long names: a kind, and a page that does not exist
  /// (sqlite.org/fileformat2.html, 1.8).
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt8])
  func aDamagedPointerMapLosesNoLongRow(_ kind: UInt8) throws {
    let other = try StoreFolder()
    do {
      let context = ModelContext(try StoreFolder.container(other.store))
      for number in 0..<20 {
        context.insert(Author(name: "\(number)" + String(repeating: "é", count: 5000)))
      }
      try context.save()
    }
    let bytes = [UInt8](try Data(contentsOf: other.store))
    let entries = (3...bytes.count / 4096).map { 4096 + 5 * ($0 - 3) }
    let overflow = entries.filter { bytes[$0] == 3 || bytes[$0] == 4 }
    try #require(overflow.count >= 40 && entries.count < 4096 / 5)
    for entry in overflow { try other.overwrite([kind, 0, 0xFF, 0xFF, 0xFF], at: entry) }
    let recovery = try ModelContainer.recoverStore(at: other.store, to: recovered)
    let authors = try table("ZAUTHOR", recovery)
    #expect(authors.lostKeys.isEmpty && authors.copiedRows == 20)
    #expect(
      try SQLiteFile.integer("SELECT sum(length(ZNAME)) FROM ZAUTHOR", in: recovered) == 100_030)
  }

  @Test func whatIsInTheLogIsCopied() throws {
    let other = try StoreFolder(interruptedWithAuthors: 400)
    let recovery = try ModelContainer.recoverStore(at: other.store, to: recovered)
    #expect(recovery.isComplete)
    #expect(try table("ZAUTHOR", recovery).copiedRows == 400)
    #expect(try other.authors() == 400)
  }

  @Test func theLogOfAnotherStoreIsNotCopied() throws {
    let other = try StoreFolder()
    let container = try StoreFolder.container(other.store)
    try other.copy("-wal", to: folder.store)
    let before = try folder.content()
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer.recoverStore(at: folder.store, to: recovered)
    }
    #expect(error?.description.contains("is not the log of this file") == true)
    #expect(try folder.content() == before)
    try FileManager.default.removeItem(at: folder.beside("-wal"))
    #expect(try recover().isComplete)
    _ = container
  }

  /// A page of the file is damaged. Later commits, which also delete the history of the file, are only
  /// in the log.
  @Test func theLogOfADamagedFileMayDeleteHistory() throws {
    let other = try StoreFolder()
    let container = try StoreFolder.container(folder.store)
    let context = ModelContext(container)
    let token = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token)
    for name in ["a", "b"] {
      context.insert(Author(name: name))
      try context.save()
    }
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= token }))
    for suffix in ["", "-wal"] { try folder.copy(suffix, to: other.store) }
    let leaf = try children(of: root(of: "ZAUTHOR"))[4]
    try #require(LogPages(path: other.beside("-wal").path)?.page(leaf) == nil)
    try other.overwrite([UInt8](repeating: 0, count: 4096), at: (leaf - 1) * 4096)
    let recovery = try ModelContainer.recoverStore(at: other.store, to: recovered)
    #expect(recovery.damagedPages == [leaf])
    let authors = try table("ZAUTHOR", recovery)
    let lost = authors.lostKeys.reduce(0) { $0 + $1.count }
    #expect((10..<300).contains(lost))
    #expect(authors.copiedRows == StoreRecoveryTests.count - lost + 2)
    #expect(
      try SQLiteFile.integer(
        "SELECT count(*) FROM ZAUTHOR WHERE ZNAME IN ('a', 'b')", in: recovered) == 2)
    _ = container
  }

  /// The header says a size that the file never had.
  @Test func theLogOfAFileWithADamagedHeaderIsCopied() throws {
    let other = try StoreFolder()
    let connection = try Connection(path: folder.store.path)
    try connection.execute("UPDATE ZBOOK SET ZPAGES = 101 WHERE ZPAGES = 100")
    for suffix in ["", "-wal"] { try folder.copy(suffix, to: other.store) }
    // The log has no header of its own.
    try #require(LogPages(path: other.beside("-wal").path)?.page(1) == nil)
    try other.overwrite([0, 0xFF, 0xFF, 0xFF], at: 28)
    let recovery = try ModelContainer.recoverStore(at: other.store, to: recovered)
    #expect(recovery.isComplete)
    #expect(
      try SQLiteFile.integer("SELECT count(*) FROM ZBOOK WHERE ZPAGES = 101", in: recovered) == 2)
    _ = connection
  }

  @Test func ofDuplicatesTheNewestStays() throws {
    let connection = try Connection(path: folder.store.path)
    let index = try #require(
      try connection.text(
        "SELECT name FROM sqlite_schema WHERE name LIKE '%UNIQUE%' AND tbl_name = 'ZAUTHOR'"))
    let sql = try #require(
      try connection.text("SELECT sql FROM sqlite_schema WHERE name = '\(index)'"))
    try connection.execute(
      """
      DROP INDEX \(index); UPDATE ZAUTHOR SET ZNAME = 'Twin' WHERE Z_PK IN (5, 8, 13);
      \(sql.replacing("CREATE UNIQUE", with: "CREATE"));
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = '\(sql)' WHERE name = '\(index)'
      """)
    let recovery = try ModelContainer.recoverStore(at: folder.store, to: recovered)
    let authors = try table("ZAUTHOR", recovery)
    #expect(authors.duplicateKeys == [5, 8] && authors.lostKeys.isEmpty)
    #expect(authors.copiedRows == StoreRecoveryTests.count - 2)
    let context = ModelContext(try StoreFolder.container(recovered))
    #expect(try context.fetchCount(FetchDescriptor<Author>()) == StoreRecoveryTests.count - 2)
    #expect(
      try SQLiteFile.integer("SELECT Z_PK FROM ZAUTHOR WHERE ZNAME = 'Twin'", in: recovered) == 13)
  }

  @Model final class Scan {
    @Attribute(.externalStorage) var image: Data

    init(image: Data) { self.image = image }
  }

  @Test func largeValuesBesideTheStoreAreReadFromTheCopy() throws {
    let other = try StoreFolder()
    let image = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    do {
      let container = try ModelContainer(
        for: Scan.self, configurations: ModelConfiguration(url: other.store))
      let context = ModelContext(container)
      context.insert(Scan(image: image))
      try context.save()
    }
    let copy = try StoreFolder()
    let recovery = try ModelContainer.recoverStore(at: other.store, to: copy.store)
    #expect(recovery.isComplete && recovery.copiedExternalFiles == 1)
    let container = try ModelContainer(
      for: Scan.self, configurations: ModelConfiguration(url: copy.store))
    #expect(try ModelContext(container).fetch(FetchDescriptor<Scan>()).map(\.image) == [image])
  }

  @Test func externalFilesAreCopiedOrNamed() throws {
    let there = UUID().uuidString
    let missing = UUID().uuidString
    let place = folder.folder.url.appending(path: ".test_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Data([7, 8]).write(to: place.appending(path: there))
    func blob(_ name: String, _ end: String) -> String {
      "x'02" + name.utf8.map { String(format: "%02x", $0) }.joined() + end + "'"
    }
    try SQLiteFile.execute(
      """
      UPDATE ZSHELF SET ZLABEL = \(blob(there, "00")) WHERE Z_PK = 1;
      UPDATE ZSHELF SET ZLABEL = \(blob(missing, "")) WHERE Z_PK = 2
      """, in: folder.store)
    let recovery = try ModelContainer.recoverStore(at: folder.store, to: recovered)
    #expect(recovery.copiedExternalFiles == 1 && recovery.missingExternalFiles == [missing])
    #expect(!recovery.isComplete && recovery.description.contains(missing))
    let copy = folder.folder.url.appending(path: ".recovered_SUPPORT/_EXTERNAL_DATA/\(there)")
    #expect(try Data(contentsOf: copy) == Data([7, 8]))
  }

  /// Whatever bytes a file has, the copy is a whole store, or there is an error and no copy.
  @Test(arguments: 1...24)
  func anyDamage(_ seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    let size = try folder.size
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let count = [1, 8, 100, 4096, 20000].randomElement(using: &random) ?? 1
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      try folder.overwrite(bytes, at: Int.random(in: 0..<size - count, using: &random))
    }
    let recovery = try recover(for: Schema(Library.types))
    #expect(recovery.copiedRows > 0)
    let context = ModelContext(try StoreFolder.container(recovered))
    let authors = try table("ZAUTHOR", recovery)
    #expect(try context.fetchCount(FetchDescriptor<Author>()) == authors.copiedRows)
  }
}
