import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable))
struct MigrationTests {
  let store: MigratedServerStore

  init() throws { store = try MigratedServerStore() }

  enum Plain {
    @Model final class Sign {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum Marked {
    @Model final class Sign {
      var name: String
      var text: String = "'\u{301} \\\u{301} \"\u{301}"
      var accent: String = "'\u{301}"
      init(_ name: String) { self.name = name }
    }
  }

  enum Zero {
    @Model final class Sign {
      var name: String
      var text: String = "x\u{0}y"
      init(_ name: String) { self.name = name }
    }
  }

  @Test func aDeclaredTextThatTheServerCannotStoreIsNamed() throws {
    let plain = ModelContext(try store.container(Schema([Plain.Sign.self])))
    plain.insert(Plain.Sign("a"))
    try plain.save()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try store.container(Schema([Zero.Sign.self]))
    }
    let text = error?.description ?? ""
    #expect(text.contains("Sign.text") && text.contains("U+0000"), "\(text)")
    #expect(!text.contains("ALTER TABLE"), "\(text)")
    let context = ModelContext(try store.container(Schema([Plain.Sign.self])))
    #expect(try context.fetchCount(FetchDescriptor<Plain.Sign>()) == 1)
  }

  /// A quote or backslash and the mark after it are one character.
  @Test func declaredTextsWithMarksAreKept() throws {
    let plain = ModelContext(try store.container(Schema([Plain.Sign.self])))
    plain.insert(Plain.Sign("a"))
    try plain.save()
    let context = ModelContext(try store.container(Schema([Marked.Sign.self])))
    let sign = try #require(try context.fetch(FetchDescriptor<Marked.Sign>()).first)
    let (text, accent) = ("'\u{301} \\\u{301} \"\u{301}", "'\u{301}")
    #expect(sign.text == text)
    #expect(sign.accent == accent)
  }

  @Test func lightweightChangesKeepAllValues() throws {
    try store.fillV1()
    let context = try store.open(Library.V2.self)
    let books = try context.fetch(
      FetchDescriptor<Library.V2.Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.title) == (0..<5).map { "book \($0)" })
    #expect(books.map(\.pages) == [0, 1, 2, 3, 4])
    #expect(books.map(\.isLent) == [true, false, true, false, true])
    #expect(books.allSatisfy { $0.price == 1.5 && $0.kind == .poem && $0.size.height == nil })
    #expect(books.map(\.size.width) == [0, 1, 2, 3, 4])
    #expect(books.allSatisfy { $0.added.timeIntervalSinceReferenceDate == 12.345_678 })
    #expect(books.allSatisfy { $0.code.uuidString == "00010203-0405-0607-0809-0A0B0C0D0E0F" })
    #expect(books.allSatisfy { $0.cost == Decimal(string: "123456789012345678.000000001")! })
    #expect(books.map(\.subtitle) == ["none", "it's \\ \"quoted\"", "none", "none", "none"])
    #expect(books.allSatisfy { $0.rating == 3 && $0.isNew && $0.remark == nil })
    #expect(Set(books.map(\.token)).count == 5)
    #expect(books.map(\.authors.count) == [0, 1, 1, 1, 1])
    #expect(try context.fetchCount(FetchDescriptor<Library.V2.Note>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Library.V2.Archive>()) == 0)
    // The changed tables take new rows and relationships.
    let author = try #require(try context.fetch(FetchDescriptor<Library.V2.Author>()).first)
    let new = Library.V2.Book("new")
    context.insert(new)
    context.insert(Library.V2.Archive("a"))
    new.authors = [author]
    try context.save()
    #expect(author.books.count == 5)
    let title = "new"
    let other = try store.open(Library.V2.self)
    #expect(
      try other.fetchCount(
        FetchDescriptor<Library.V2.Book>(predicate: #Predicate { $0.title == title && $0.isNew }))
        == 1)
  }

  @Test func aPlanRunsItsCodeOnOldAndNewModels() throws {
    try store.fillV1()
    let context = try store.open(Library.V3.self, plan: Library.Plan.self) {
      $0.allowsMigrationLosses = true
    }
    let books = try context.fetch(
      FetchDescriptor<Library.V3.Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.length) == (0..<5).map { "\($0) pages, migrated \($0)" })
    #expect(books.map(\.authors.count) == [0, 1, 1, 1, 1])
    #expect(
      try store.integer(
        "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND (tablename LIKE 'OLD%' OR tablename LIKE 'NEW%' OR tablename LIKE '%NOTE%' OR tablename LIKE '%ARCHIVE%')"
      ) == 0)
    // The unique constraint of the last version holds.
    context.insert(Library.V3.Book("book 1"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Library.V3.Book>()) == 5)
  }

  @Test func historyFollowsRenamedEntitiesAndProperties() throws {
    try store.fillV1()
    let context = try store.open(Library.V2.self)
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let inserted = transactions.flatMap(\.changes).compactMap { change -> String? in
      if case .insert(let insert) = change {
        insert.changedPersistentIdentifier.entityName
      } else {
        nil
      }
    }
    #expect(inserted.filter { $0 == "Book" }.count == 5)
    #expect(inserted.filter { $0 == "Author" }.count == 1)
    let updates = transactions.flatMap(\.changes).compactMap { change -> [String]? in
      guard case .update(let update as DefaultHistoryUpdate<Library.V2.Book>) = change else {
        return nil
      }
      return update.updatedAttributes.compactMap { "\($0)" }
    }
    // New values are updates by the migration.
    #expect(updates.count >= 5)
  }

  @Test func lossesAreRefusedUnlessAllowed() throws {
    try store.fillV1()
    let error = #expect(throws: SwiftDataError.self) {
      try store.open(Library.V3.self, plan: Library.Plan.self)
    }
    #expect(error?.description.contains("would delete") == true)
    #expect(error?.description.contains("allowsMigrationLosses") == true)
    // Nothing has changed, and the old version works.
    let context = try store.open(Library.V1.self)
    #expect(try context.fetchCount(FetchDescriptor<Library.V1.Book>()) == 5)
    #expect(try context.fetchCount(FetchDescriptor<Library.V1.Note>()) == 1)
  }

  @Test func aRemovedMemberOfAStructIsALoss() throws {
    let context = try store.open(Places.V1.self)
    context.insert(Places.V1.Place(street: "Via Appia"))
    try context.save()
    let error = #expect(throws: SwiftDataError.self) { try store.open(Places.V2.self) }
    #expect(
      error?.description.contains("would delete 1 value of Place.address.street (String)") == true)
    let places = try store.open(Places.V2.self) { $0.allowsMigrationLosses = true }
      .fetch(FetchDescriptor<Places.V2.Place>())
    #expect(places.map(\.address.city) == ["Rome"])
  }

  /// The version hashes of the models are equal, the names of their columns are not.
  @Test func membersInAnotherOrderKeepTheirValues() throws {
    let old = try store.open(Maps.V1.self)
    old.insert(Maps.V1.Map())
    try old.save()
    let error = #expect(throws: SwiftDataError.self) {
      try store.open(Maps.V2.self) { $0.allowsMigration = false }
    }
    #expect(error?.description.contains("has to be migrated") == true)
    for _ in 0..<2 {
      let boxes = try store.open(Maps.V2.self).fetch(FetchDescriptor<Maps.V2.Map>()).map(\.box)
      #expect(boxes.map(\.min.x) == [1] && boxes.map(\.max.x) == [2])
    }
    old.insert(Maps.V1.Map())
    let late = #expect(throws: SwiftDataError.self) { try old.save() }
    #expect(late?.description.contains("was migrated by another process") == true)
    _ = try store.open(Maps.V2.self) { $0.allowsMigration = false }
  }

  /// The version hashes of the models are equal.
  @Test func anEnumThatBecomesRequiredGetsItsDefault() throws {
    let old = try store.open(Boxes.V1.self)
    for kind in [nil, Boxes.Kind.large] { old.insert(Boxes.V1.Box(kind)) }
    try old.save()
    for _ in 0..<2 {
      let context = try store.open(Boxes.V2.self)
      let small = Boxes.Kind.small
      let predicate = #Predicate<Boxes.V2.Box> { $0.kind == small }
      #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == 1)
      let boxes = try context.fetch(FetchDescriptor<Boxes.V2.Box>())
      #expect(Set(boxes.map(\.size.kind)) == [.small, .large])
    }
  }

  @Test func aMigrationThatIsNotAllowedNamesTheDifferences() throws {
    try store.fillV1()
    let error = #expect(throws: SwiftDataError.self) {
      try store.open(Library.V2.self) { $0.allowsMigration = false }
    }
    #expect(error?.description.contains("has to be migrated") == true)
    #expect(error?.description.contains("rating") == true)
    #expect(error?.description.contains("postgres") == true)
    _ = try store.open(Library.V1.self) { $0.allowsMigration = false }
  }

  @Test func aPreviewListsStagesAndChangesNothing() throws {
    try store.fillV1()
    let tables =
      "SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = current_schema()"
    let before = try store.integer(tables)
    let statements = Mutex<[String]>([])
    var configuration = try PostgresConfiguration(url: store.url)
    configuration.statementLog = StatementLog { event in
      if case .statement(let statement) = event {
        statements.withLock { $0.append(statement.sql) }
      }
    }
    let preview = try #require(
      try ModelContainer.migrationPreview(
        for: Schema(versionedSchema: Library.V3.self), migrationPlan: Library.Plan.self,
        configurations: [configuration]
      ).first)
    // It has locks, and no limit of its statements: the server has to notice that it has vanished.
    let first = statements.withLock(\.first)
    #expect(first?.contains("client_connection_check_interval") == true)
    #expect(preview.stages.map(\.kind) == [.custom, .transform])
    #expect(preview.rowCounts == ["Book": 5, "Author": 1, "Note": 1])
    #expect(preview.fromVersion == "1.0.0")
    #expect(
      preview.stages[0].statements.contains {
        $0.contains("RENAME COLUMN") || $0.contains("NEW_ZBOOK")
      })
    #expect(preview.stages[1].statements.contains { $0.contains("ZARCHIVE") })
    #expect(!preview.description.contains("password"))
    #expect(try store.integer(tables) == before)
    #expect(try store.open(Library.V1.self).fetchCount(FetchDescriptor<Library.V1.Book>()) == 5)
  }

  @Test func duplicatesUnderANewUniqueConstraintAreRefused() throws {
    let context = try store.open(Library.V1.self)
    for _ in 0..<2 { context.insert(Library.V1.Author("same")) }
    try context.save()
    enum Unique: VersionedSchema {
      static let versionIdentifier = Schema.Version(2, 0, 0)
      static var models: [any PersistentModel.Type] {
        [Book.self, Author.self, Library.V1.Note.self]
      }
      typealias Book = UniqueAuthors.Book
      typealias Author = UniqueAuthors.Author
    }
    let error = #expect(throws: SwiftDataError.self) { try store.open(Unique.self) }
    #expect(error?.description.contains("repeat the values of another row") == true)
    #expect(error?.description.contains("p2") == true)
    #expect(try store.open(Library.V1.self).fetchCount(FetchDescriptor<Library.V1.Author>()) == 2)
  }

  @Test func eightContainersMigrateOnce() throws {
    try store.fillV1(200)
    let found = Mutex<[Int]>([])
    let errors = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      do {
        let context = try store.open(Library.V2.self, plan: CountingPlan.self) {
          $0.connections = 2
        }
        let count = try context.fetchCount(FetchDescriptor<Library.V2.Book>())
        found.withLock { $0.append(count) }
      } catch {
        errors.withLock { $0.append("\(error)") }
      }
    }
    #expect(errors.withLock { $0 } == [])
    #expect(found.withLock { $0 } == Array(repeating: 200, count: 8))
    let context = try store.open(Library.V2.self, plan: CountingPlan.self)
    #expect(try context.fetchCount(FetchDescriptor<Library.V2.Archive>()) == 1)
  }

  @Test func anOldContainerNoticesTheMigration() throws {
    try store.fillV1()
    let old = try store.open(Library.V1.self)
    #expect(try old.fetchCount(FetchDescriptor<Library.V1.Book>()) == 5)
    _ = try store.open(Library.V2.self)
    let write = #expect(throws: SwiftDataError.self) {
      old.insert(Library.V1.Author("late"))
      try old.save()
    }
    #expect(write?.description.contains("was migrated by another process") == true)
    guard case .schemaMismatch? = write?.reason else {
      Issue.record("\(String(describing: write?.reason))")
      return
    }
    let read = #expect(throws: SwiftDataError.self) {
      try old.fetch(FetchDescriptor<Library.V1.Book>())
    }
    #expect(read?.description.contains("was migrated by another process") == true)
    guard case .schemaMismatch? = read?.reason else {
      Issue.record("\(String(describing: read?.reason))")
      return
    }
    #expect(try store.open(Library.V2.self).fetchCount(FetchDescriptor<Library.V2.Author>()) == 1)
  }

  /// What another program does that adds an index.
  private func rewriteDescription() throws {
    try store.connect().execute("UPDATE \"Z_METADATA\" SET \"Z_VERSION\" = \"Z_VERSION\"")
  }

  /// Another program has written the description of the same tables again.
  @Test func aTransactionBeginsAfterAnotherVersionGotTheSameTables() async throws {
    try store.fillV1()
    let context = try store.open(Library.V1.self)
    // With two connections its units run one after the other, in one transaction.
    let writer = ModelWriter(
      try store.open(Library.V1.self) { $0.connections = 2 }.container)
    try rewriteDescription()
    var runs = 0
    try context.transaction {
      runs += 1
      context.insert(Library.V1.Author("late"))
    }
    #expect(runs == 1)
    try await writer.write { $0.insert(Library.V1.Author("later")) }
    let names = try context.fetch(
      FetchDescriptor<Library.V1.Author>(sortBy: [SortDescriptor(\.name)])
    ).map(\.name)
    #expect(names == ["Ann", "late", "later"])
  }

  /// The check of its transaction fails with its first statement, or with its first save.
  @Test(arguments: [true, false])
  func aUnitBesideOthersRunsAgainOnceAfterAnotherVersionGotTheSameTables(
    _ reads: Bool
  ) async throws {
    try store.fillV1()
    let writer = ModelWriter(
      try store.open(Library.V1.self) { $0.connections = 8 }.container)
    let context = try store.open(Library.V1.self)
    try rewriteDescription()
    let runs = Mutex(0)
    try await writer.write { context in
      runs.withLock { $0 += 1 }
      if reads { _ = try context.fetchCount(FetchDescriptor<Library.V1.Author>()) }
      context.insert(Library.V1.Author("late"))
      try context.save()
    }
    #expect(runs.withLock { $0 } == 2)
    #expect(try context.fetchCount(FetchDescriptor<Library.V1.Author>()) == 2)
  }

  /// Such an index is left by a `CREATE INDEX CONCURRENTLY` that failed; the server does not use it.
  @Test func anInvalidIndexIsMadeAnew() throws {
    try store.fillV1()
    _ = try store.open(Library.V2.self)
    let invalid =
      "SELECT count(*) FROM pg_index WHERE NOT indisvalid AND indrelid = '\"ZBOOK\"'::regclass"
    let rows = try store.connect().prepare(
      """
      SELECT i.relname::text FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid \
      WHERE x.indrelid = '"ZBOOK"'::regclass AND NOT x.indisprimary LIMIT 1
      """
    ).values()
    guard case .text(let name)? = rows.first?.first else {
      Issue.record("no index")
      return
    }
    let other = try MigratedServerStore()
    try other.fillV1()
    try other.connect().execute(
      "CREATE INDEX \(PostgresConnection.quoted(name)) ON \"ZBOOK\" (\"ZNAME\"); UPDATE pg_index "
        + "SET indisvalid = false WHERE indexrelid = '\(PostgresConnection.quoted(name))'::regclass"
    )
    #expect(try other.integer(invalid) == 1)
    _ = try other.open(Library.V2.self)
    #expect(try other.integer(invalid) == 0)
    #expect(
      try other.integer(
        "SELECT count(*) FROM pg_class WHERE relname = '\(name)' AND "
          + "relnamespace = current_schema()::regnamespace") == 1)
  }

  /// The table in the article PostgreSQL says which changes rewrite a table.
  @Test func onlyChangesOfValuesRewriteATable() throws {
    func file() throws -> Int64? {
      try store.integer(
        "SELECT relfilenode::bigint FROM pg_class WHERE oid = '\"ZPART\"'::regclass")
    }
    let context = try store.open(Parts.V1.self)
    for number in 0..<10 { context.insert(Parts.V1.Part("part \(number)", size: number)) }
    try context.save()
    let first = try #require(try file())
    let second = try store.open(Parts.V2.self) { $0.allowsMigrationLosses = true }
    #expect(
      try second.fetch(FetchDescriptor<Parts.V2.Part>()).map(\.weight)
        == Array(repeating: 7, count: 10))
    #expect(try file() == first)
    _ = try store.open(Parts.V3.self)
    let third = try #require(try file())
    #expect(third != first)
    let last = try store.open(Parts.V4.self)
    #expect(try file() != third)
    let parts = try last.fetch(FetchDescriptor<Parts.V4.Part>(sortBy: [SortDescriptor(\.title)]))
    #expect(parts.map(\.title) == (0..<10).map { "part \($0)" })
    #expect(parts.map(\.size) == (0..<10).map(Double.init))
  }

  @Test func rewrittenTablesHaveStatisticsForThePlanner() throws {
    try store.fillV1(200)
    _ = try store.open(Library.V2.self)
    #expect(
      try store.integer(
        "SELECT count(*) FROM pg_stats WHERE schemaname = current_schema() AND tablename = 'ZBOOK' "
          + "AND attname = 'ZPAGES'") == 1)
  }

  @Test func anOpenTransactionOfAnotherSessionIsNamed() throws {
    try store.fillV1()
    let other = try store.connect()
    try other.execute("SET application_name = 'report'; BEGIN; SELECT * FROM \"ZBOOK\"")
    let error = #expect(throws: SwiftDataError.self) {
      try store.open(Library.V2.self) { $0.migrationLockTimeout = .milliseconds(300) }
    }
    #expect(error?.description.contains("its tables are in use") == true)
    #expect(error?.description.contains("process \(other.serverProcess) (report") == true)
    other.rollback()
    #expect(try store.open(Library.V2.self).fetchCount(FetchDescriptor<Library.V2.Book>()) == 5)
  }

  /// It holds its locks until somebody ends it, and no process is there for it.
  @Test func aPreparedTransactionThatHoldsLocksIsNamed() throws {
    let store = try MigratedServerStore()
    try store.fillV1()
    let (other, name) = (try store.connect(), "it's \(UUID())")
    let literal = PostgresConnection.literal(name)
    try other.execute("BEGIN; SELECT * FROM \"ZBOOK\"; PREPARE TRANSACTION \(literal)")
    defer { try? other.execute("ROLLBACK PREPARED \(literal)") }
    let error = #expect(throws: SwiftDataError.self) {
      try store.open(Library.V2.self) { $0.migrationLockTimeout = .milliseconds(300) }
    }
    let quoted = "'\(name.replacing("'", with: "''"))'"
    #expect(error?.description.contains("prepared transaction \(quoted) of ") == true)
    #expect(error?.description.contains("ROLLBACK PREPARED \(quoted) ends it") == true)
    try other.execute("ROLLBACK PREPARED \(literal)")
    #expect(try store.open(Library.V2.self).fetchCount(FetchDescriptor<Library.V2.Book>()) == 5)
  }

  /// As in a file: the identifier of a deleted model does not lead to a new one.
  @Test func aStageGivesNoKeyOfADeletedModel() throws {
    let url = try PostgresServer.shared.addressOfNewSchema()
    let store = MigratedServerStore(url: url)
    let context = try store.open(Library.V1.self)
    let notes = ["a", "b", "c"].map(Library.V1.Note.init)
    for note in notes { context.insert(note) }
    try context.save()
    let key = try store.integer("SELECT max(\"Z_PK\") FROM \"ZNOTE\"")
    for note in notes { context.delete(note) }
    try context.save()
    let migrated = try store.open(NewNotes.self, plan: NewNotes.Plan.self) {
      $0.migrationLockTimeout = .seconds(Int64.max)
    }
    #expect(try migrated.fetch(FetchDescriptor<NewNotes.Note>()).map(\.text) == ["new"])
    #expect(try store.integer("SELECT min(\"Z_PK\") FROM \"ZNOTE\"")! > key!)
  }

  @Test func aFailingStageLeavesEverything() throws {
    try store.fillV1()
    let error = #expect(throws: SwiftDataError.self) {
      try store.open(Library.V2.self, plan: FailingPlan.self)
    }
    #expect(error?.description.contains("didMigrate") == true)
    let context = try store.open(Library.V1.self)
    #expect(try context.fetch(FetchDescriptor<Library.V1.Book>()).count == 5)
    #expect(try context.fetchCount(FetchDescriptor<Library.V1.Note>()) == 1)
  }
}
