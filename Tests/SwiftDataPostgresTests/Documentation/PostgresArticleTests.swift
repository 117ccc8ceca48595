import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

/// The samples of the article *PostgreSQL*, and its SQL.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct PostgresArticleTests {
  @Model
  final class Author {
    @Attribute(.unique) var name: String
    var born: Int?
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Book {
    var title: String
    var price: Decimal = 0
    var author: Author?

    init(_ title: String, by author: Author) {
      self.title = title
      self.author = author
    }
  }

  let address: String

  init() throws {
    address = try TestDatabase.addressOfNewSchema()
    let address = "postgresql://app@db.example/library?sslmode=verify-full&sslrootcert=system"
    #expect(throws: Never.self) { try PostgresConfiguration(url: address) }
  }

  private func fill() throws -> ModelContainer {
    let configuration = try PostgresConfiguration(url: address)
    let container = try ModelContainer(for: Author.self, Book.self, configurations: configuration)
    let context = ModelContext(container)

    let ursula = Author(name: "Ursula K. Le Guin")
    context.insert(ursula)
    context.insert(Book("A Wizard of Earthsea", by: ursula))
    try context.save()
    return container
  }

  @Model
  final class Trip {
    var name: String

    init(name: String) { self.name = name }
  }

  /// Needs a server with a name of its own, so it is compiled only.
  private func opened() throws -> ModelContainer {
    let configuration = try PostgresConfiguration(
      url: "postgresql://app@db.example/shop?sslmode=verify-full&sslrootcert=system")
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    return container
  }

  @Test func samplesOfTypes() throws {
    let copy = try StoreCopy(
      from: .file(URL(filePath: "/data/trips.store")),
      to: .database("postgresql://owner@db.example/trips"))
    #expect(copy.source.description == "/data/trips.store")
  }

  @Test func readingAndTuning() throws {
    _ = try fill()
    var reading = try PostgresConfiguration(url: address)
    reading.allowsSave = false
    let reports = try ModelContainer(for: Author.self, Book.self, configurations: reading)
    let count = try ModelContext(reports).fetchCount(FetchDescriptor<Book>())
    #expect(count == 1)

    var tuned = try PostgresConfiguration(url: address)
    tuned.connections = 16
    tuned.statementTimeout = .seconds(10)
    let container = try ModelContainer(for: Author.self, Book.self, configurations: tuned)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 1)
  }

  @Test func observersStandbysAndMigrations() throws {
    _ = try fill()
    var observed = try PostgresConfiguration(url: address)
    observed.notifiesCommits = true
    observed.historyRetention = HistoryRetention(maximumAge: 7 * 24 * 3600)
    let container = try ModelContainer(for: Author.self, Book.self, configurations: observed)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 1)

    // There is no standby, so it is not opened.
    let scaled = try PostgresConfiguration(
      url: address, readURLs: ["postgresql://app@standby.example/library?sslmode=verify-full"])
    #expect(scaled.name == "default")

    var served = try PostgresConfiguration(url: address)
    served.allowsMigration = false
    let server = try ModelContainer(for: Author.self, Book.self, configurations: served)
    #expect(try ModelContext(server).fetchCount(FetchDescriptor<Book>()) == 1)
  }

  enum ShopV2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Author.self, Book.self] }
  }

  enum ShopPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [ShopV2.self] }
    static var stages: [MigrationStage] { [] }
  }

  /// The samples of `ModelContainer.migrationPreview`.
  @Test func previews() throws {
    let url = address
    let configuration = try PostgresConfiguration(url: url)
    for preview in try ModelContainer.migrationPreview(
      for: Schema(versionedSchema: ShopV2.self), migrationPlan: ShopPlan.self,
      configurations: [configuration])
    where preview.isNeeded {
      print(preview)
    }
    // Nothing was created.
    let tables = try TestDatabase.texts(
      address,
      "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace")
    #expect(tables.isEmpty)
  }

  /// The samples of the portable profile, and of tokens that another process reads.
  @Test func profilesAndTokens() throws {
    let url = address
    var configuration = try PostgresConfiguration(url: url)
    configuration.profile = .portable
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    let context = ModelContext(container)
    context.insert(Trip(name: "Lisbon"))
    try context.save()
    let cookie = try JSONEncoder().encode(container.lastHistoryToken())

    let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: cookie)
    container.includeInReads(token)
    let trips = try ModelContext(container).fetch(FetchDescriptor<Trip>())
    #expect(trips.map(\.name) == ["Lisbon"])
  }

  /// The queries of the article, and the types of its table.
  @Test func plainSQLSeesTheRows() throws {
    _ = try fill()
    let books = try TestDatabase.texts(
      address,
      """
      SELECT b."ZTITLE", b."ZPRICE"
      FROM "ZBOOK" b JOIN "ZAUTHOR" a ON a."Z_PK" = b."ZAUTHOR"
      WHERE a."ZNAME" = 'Ursula K. Le Guin';
      """)
    #expect(books == ["A Wizard of Earthsea 0"])
    let age = try TestDatabase.texts(
      address,
      """
      SELECT extract(epoch FROM now() - (timestamptz '2001-01-01 00:00:00Z' \
      + "ZTIMESTAMP" * interval '1 second'))::bigint FROM "ATRANSACTION"
      """)
    #expect(try #require(age.first.flatMap { Int($0) }) < 3_600)
    let types = try TestDatabase.texts(
      address,
      """
      SELECT column_name::text, data_type::text FROM information_schema.columns \
      WHERE table_schema = current_schema() AND table_name IN ('ZBOOK', 'ZAUTHOR') ORDER BY 1
      """)
    for type in ["ZPRICE numeric", "ZTITLE text", "ZBORN bigint", "ZAUTHOR bigint", "Z_PK bigint"] {
      #expect(types.contains(type))
    }
  }

  @Test func plainSQLRepeatsRowsOfTheHistory() throws {
    let container = try fill()
    let context = ModelContext(container)
    let names = (0..<3).map { "author \($0)" }
    for name in names { context.insert(Author(name: name)) }
    try context.save()
    let stored = try TestDatabase.texts(address, "SELECT count(*) FROM \"ACHANGE\"")
    #expect(stored == ["3"])
    let changes = try TestDatabase.texts(
      address,
      """
      SELECT c."ZCHANGETYPE", c."ZENTITY", k AS key FROM "ACHANGE" AS c
      CROSS JOIN LATERAL generate_series(coalesce(c."ZFIRSTPK", c."ZENTITYPK"), c."ZENTITYPK") AS k;
      """)
    let authors = try TestDatabase.texts(address, "SELECT 0, \"Z_ENT\", \"Z_PK\" FROM \"ZAUTHOR\"")
    let books = try TestDatabase.texts(address, "SELECT 0, \"Z_ENT\", \"Z_PK\" FROM \"ZBOOK\"")
    #expect(changes.sorted() == (authors + books).sorted())
  }

  @Test func moving() throws {
    let folder = try CopyFolder()
    let file = folder.file("library.store")
    do {
      let container = try ModelContainer(
        for: Author.self, Book.self, configurations: ModelConfiguration(url: file))
      let context = ModelContext(container)
      context.insert(Author(name: "Ursula K. Le Guin"))
      try context.save()
    }
    do {
      let copy = StoreCopy(
        from: .file(URL(filePath: "/var/lib/library/library.store")), to: try .database(address))
      #expect(throws: SwiftDataError.loadIssueModelContainer) { try copy.preview() }
    }
    let source = StoreCopy(from: .file(file), to: try .database(address))
    try run(source)
    let other = folder.file("other.store")
    let copy = try StoreCopy(from: .database(address), to: .file(other))
    print(try copy.run())
    let container = try ModelContainer(
      for: Author.self, Book.self, configurations: PostgresConfiguration(url: address))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 1)
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try source.run() }
  }

  private func run(_ copy: StoreCopy) throws {
    let preview = try copy.preview()
    if preview.problems.isEmpty {
      let report = try copy.run { progress in print(progress.table, progress.rows, progress.total) }
      print(report)
    }
  }
}
