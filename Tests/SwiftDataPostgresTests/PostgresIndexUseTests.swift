import Foundation
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

@Model
final class CatalogEntry {
  #Index<CatalogEntry>([\.rank], [\.updated], [\.shelf, \.title])

  @Attribute(.unique) var code: String
  var rank: Int
  var updated: Date?
  var shelf: Int
  var title: String

  init(_ number: Int) {
    code = String(format: "c%06d", number)
    rank = number * 7919 % 20_011
    updated = number.isMultiple(of: 10) ? nil : Date(timeIntervalSinceReferenceDate: Double(number))
    shelf = number % 50
    title = number.isMultiple(of: 3) ? "caf\u{e9} \(number)" : "cafe\u{301} \(number)"
  }
}

private enum Papers {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Paper.self] }

    @Model final class Paper {
      @Attribute(.unique) var code = ""
      init() {}
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Paper.self] }

    @Model final class Paper {
      @Attribute(.unique, originalName: "code") var number = ""
      init() {}
    }
  }
}

/// The server finds rows and their order through the indexes of the models, so that a page of a list
/// costs the same in a large table.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct PostgresIndexUseTests {
  private static let count = 5000
  private let url: String
  private let container: ModelContainer
  private let log = Texts()

  /// The texts of the statements, with their values.
  private final class Texts: Sendable {
    let all = Mutex<[String]>([])

    var last: String? { all.withLock { $0.last { $0.hasPrefix("SELECT") } } }
  }

  init() throws {
    url = try TestDatabase.addressOfNewSchema()
    var configuration = try PostgresConfiguration(url: url)
    let log = log
    configuration.statementLog = StatementLog(includesValues: true) { event in
      guard case .statement(let statement) = event, let text = statement.sqlWithValues else {
        return
      }
      log.all.withLock { $0.append(text) }
    }
    container = try ModelContainer(for: CatalogEntry.self, configurations: configuration)
    let context = ModelContext(container)
    for number in 0..<PostgresIndexUseTests.count { context.insert(CatalogEntry(number)) }
    try context.save()
    _ = try TestDatabase.texts(url, "ANALYZE \"ZCATALOGENTRY\"")
  }

  /// The steps of the server for a fetch, and whether it answers as Swift does.
  private func plan(_ descriptor: FetchDescriptor<CatalogEntry>) throws -> String {
    let found = try ModelContext(container).fetch(descriptor).map(\.code)
    let all = try ModelContext(container).fetch(FetchDescriptor<CatalogEntry>())
    var wanted = try descriptor.predicate.map { try all.filter($0.evaluate) } ?? all
    if !descriptor.sortBy.isEmpty { wanted.sort(using: descriptor.sortBy) }
    if let limit = descriptor.fetchLimit { wanted = Array(wanted.prefix(limit)) }
    #expect(found == wanted.map(\.code))
    log.all.withLock { $0 = [] }
    _ = try ModelContext(container).fetch(descriptor)
    let text = try #require(log.last)
    return try TestDatabase.texts(url, "EXPLAIN " + text).joined(separator: "\n")
  }

  private func page(
    _ predicate: Predicate<CatalogEntry>? = nil, _ order: SortDescriptor<CatalogEntry>...
  ) -> FetchDescriptor<CatalogEntry> {
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: order)
    descriptor.fetchLimit = 20
    return descriptor
  }

  @Test func pagesFollowIndexes() throws {
    let shelf = 7
    let pages = [
      page(nil, SortDescriptor(\.rank)),
      page(nil, SortDescriptor(\.rank, order: .reverse)),
      page(nil, SortDescriptor(\.updated)),
      page(nil, SortDescriptor(\.updated, order: .reverse)),
      page(nil, SortDescriptor(\.code)),
      page(#Predicate { $0.code < "c000100" }, SortDescriptor(\.code, order: .reverse)),
      page(#Predicate { $0.shelf == shelf }, SortDescriptor(\.title)),
    ]
    for page in pages {
      let plan = try plan(page)
      #expect(plan.contains("Index Scan") && !plan.contains("Seq Scan"), "\(plan)")
      #expect(!plan.replacing("Incremental Sort", with: "").contains("Sort  ("), "\(plan)")
    }
  }

  /// Without an order, pages have that of the keys.
  @Test func pagesWithoutAnOrderFollowTheKey() throws {
    let plan = try plan(page())
    #expect(plan.contains("_pkey") && !plan.contains("Sort"), "\(plan)")
  }

  /// A text that is not composed, beside an index of the composed form.
  @Test func otherFormsOfTextAreFound() throws {
    let title = "caf\u{e9} 7"
    let found = try ModelContext(container).fetch(
      FetchDescriptor<CatalogEntry>(predicate: #Predicate { $0.title == title }))
    #expect(found.map(\.code) == ["c000007"])
  }

  enum Shelves {
    enum Before {
      @Model final class Box {
        var label = ""
        var number = 0
        init() {}
      }
    }

    enum After {
      @Model final class Box {
        #Index<Box>([\.label], [\.number])
        var label = ""
        var number = 0
        init() {}
      }
    }
  }

  /// A new `#Index` makes no other version of the models.
  @Test func anIndexThatIsAddedIsCreatedAtTheNextOpening() throws {
    let url = try TestDatabase.addressOfNewSchema()
    func indexes() throws -> [String] {
      try TestDatabase.texts(
        url,
        "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() "
          + "AND tablename = 'ZBOX' ORDER BY 1")
    }
    func open(allowsMigration: Bool = true) throws {
      var configuration = try PostgresConfiguration(url: url)
      configuration.allowsMigration = allowsMigration
      let context = ModelContext(
        try ModelContainer(for: Shelves.After.Box.self, configurations: configuration))
      try context.enumerate(FetchDescriptor<Shelves.After.Box>()) { _ in }
    }
    let before = ModelContext(
      try ModelContainer(
        for: Shelves.Before.Box.self, configurations: PostgresConfiguration(url: url)))
    before.insert(Shelves.Before.Box())
    try before.save()
    #expect(try indexes() == ["ZBOX_pkey"])
    try open(allowsMigration: false)
    #expect(try indexes() == ["ZBOX_pkey"])
    for _ in 0..<2 {
      try open()
      #expect(
        try indexes() == [
          "ZBOX_pkey", "Z_Box_SwiftDataIndexOnBinarylabel", "Z_Box_SwiftDataIndexOnBinarylabel_NFC",
          "Z_Box_SwiftDataIndexOnBinarynumber",
        ])
    }
  }

  /// Nothing is changed if a stored value does not fit into an index that is added.
  @Test(arguments: [4_000, 40_000])
  func anIndexThatHasNoRoomForAStoredValueNamesItsProperty(_ length: Int) throws {
    let url = try TestDatabase.addressOfNewSchema()
    let before = ModelContext(
      try ModelContainer(
        for: Shelves.Before.Box.self, configurations: PostgresConfiguration(url: url)))
    let box = Shelves.Before.Box()
    box.label = TestDatabase.incompressibleText(length)
    before.insert(box)
    try before.save()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Shelves.After.Box.self, configurations: PostgresConfiguration(url: url))
    }
    #expect(error?.entity == "Box" && error?.property == "label")
    #expect(error?.description.contains("2,700 bytes") == true)
    box.label = "short"
    try before.save()
    _ = try ModelContainer(
      for: Shelves.After.Box.self, configurations: PostgresConfiguration(url: url))
  }

  /// A migration gives an older store the indexes of a new one.
  /// - Parameter composed: The composed form in the indexes of the older store; `nil` if it has none.
  @Test(arguments: [nil, "normalize(\"ZCODE\", NFC)"])
  func aMigratedStoreHasTheIndexesOfANewOne(_ composed: String?) throws {
    func indexes(_ schema: any VersionedSchema.Type, _ url: String) throws -> [String] {
      let configuration = try PostgresConfiguration(url: url)
      _ = try ModelContainer(
        for: Schema(versionedSchema: schema),
        configurations: [configuration] as [any DataStoreConfiguration])
      return try TestDatabase.texts(
        url,
        """
        SELECT regexp_replace(indexdef, ' ON [^ ]*[.]', ' ON ') FROM pg_indexes \
        WHERE schemaname = current_schema() AND tablename = 'ZPAPER' ORDER BY indexname
        """)
    }
    let url = try TestDatabase.addressOfNewSchema()
    let first = try indexes(Papers.V1.self, url)
    #expect(
      first.contains { $0.contains("NORMALIZE(\"ZCODE\", NFC)") && $0.contains("NULLS FIRST") },
      "\(first)")
    // The indexes of an earlier build.
    var statements = [
      "DROP INDEX \"Z_Paper_UNIQUE_code_NFC\"", "DROP INDEX \"Z_Paper_UNIQUE_code\"",
      "CREATE UNIQUE INDEX \"Z_Paper_UNIQUE_code\" ON \"ZPAPER\" (\"ZCODE\")",
    ]
    if let composed {
      statements.append(
        "CREATE INDEX \"Z_Paper_UNIQUE_code_NFC\" ON \"ZPAPER\" ((\(composed)) NULLS FIRST)")
    }
    for sql in statements { _ = try TestDatabase.texts(url, sql) }
    let migrated = try indexes(Papers.V2.self, url)
    #expect(try migrated == indexes(Papers.V2.self, TestDatabase.addressOfNewSchema()))
  }

  /// `CREATE INDEX CONCURRENTLY` leaves such an index if it fails.
  @Test func anInvalidIndexIsCreatedAgain() throws {
    func states() throws -> [String] {
      try TestDatabase.texts(
        url,
        """
        SELECT indisvalid::text FROM pg_index WHERE indrelid = '"ZCATALOGENTRY"'::regclass \
        ORDER BY indexrelid::regclass::text
        """)
    }
    let count = try states().count
    _ = try TestDatabase.texts(
      url,
      """
      UPDATE pg_index SET indisvalid = false WHERE indrelid = '"ZCATALOGENTRY"'::regclass \
      AND NOT indisprimary
      """)
    #expect(try states().contains("false"))
    _ = try ModelContainer(
      for: CatalogEntry.self, configurations: PostgresConfiguration(url: url))
    #expect(try states() == Array(repeating: "true", count: count))
  }
}
