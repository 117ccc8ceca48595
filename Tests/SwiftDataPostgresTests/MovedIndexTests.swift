import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// Versions in which an index of the same name belongs to another column or table.
private enum Stock {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Product.self, User.self] }

    @Model final class Product {
      @Attribute(.unique) var code: String

      init(_ code: String) { self.code = code }
    }

    @Model final class User {
      @Attribute(.unique) var mail: String

      init(_ mail: String) { self.mail = mail }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Product.self, OldUser.self, User.self] }

    @Model final class Product {
      @Attribute(originalName: "code") var codeText: String
      @Attribute(.unique) var code: Int?

      init(_ code: Int?, text: String = "") { (codeText, self.code) = (text, code) }
    }

    @Model(originalName: "User") final class OldUser {
      var mail: String

      init(_ mail: String) { self.mail = mail }
    }

    @Model final class User {
      @Attribute(.unique) var mail: String
      var name = ""

      init(_ mail: String) { self.mail = mail }
    }
  }
}

@Suite(.enabled(if: PostgresServer.isAvailable))
struct MovedIndexTests {
  private let store: MigratedServerStore

  init() throws { store = try MigratedServerStore() }

  private func uniqueIndexes(of store: MigratedServerStore? = nil) throws -> [String] {
    try TestDatabase.texts(
      (store ?? self.store).url,
      """
      SELECT regexp_replace(pg_get_indexdef(i.indexrelid), ' ON [^ ]*[.]', ' ON ') \
      FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_class AS t ON t.oid = i.indrelid \
      WHERE c.relnamespace = current_schema()::regnamespace AND i.indisunique \
      AND c.relname LIKE 'Z_%_UNIQUE_%' AND t.relname LIKE 'Z%' ORDER BY c.relname
      """)
  }

  @Test func uniqueIndexesDoNotFollowWhatIsRenamed() throws {
    let old = try store.open(Stock.V1.self)
    for number in 1...5 {
      old.insert(Stock.V1.Product("\(number)"))
      old.insert(Stock.V1.User("\(number)@x"))
    }
    try old.save()
    let context = try store.open(Stock.V2.self)
    for _ in 0..<2 {
      context.insert(Stock.V2.Product(7))
      context.insert(Stock.V2.User("3@x"))
      context.insert(Stock.V2.OldUser("3@x"))
      try context.save()
    }
    #expect(try context.fetchCount(FetchDescriptor<Stock.V2.Product>()) == 6)
    #expect(try context.fetchCount(FetchDescriptor<Stock.V2.User>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Stock.V2.OldUser>()) == 7)
    let indexes = try uniqueIndexes()
    let new = try MigratedServerStore()
    _ = try new.open(Stock.V2.self)
    #expect(indexes.count == 2)
    #expect(try indexes == uniqueIndexes(of: new))
  }

  /// Stores that an earlier build has migrated.
  @Test(arguments: [
    "UNIQUE INDEX \"Z_Product_UNIQUE_code\" ON \"ZPRODUCT\" (\"ZCODETEXT\" NULLS FIRST)",
    "INDEX \"Z_Product_UNIQUE_code\" ON \"ZPRODUCT\" (\"ZCODE\")",
    "UNIQUE INDEX \"Z_Product_UNIQUE_code\" ON \"ZPRODUCT\" (\"ZCODE\") WHERE \"ZCODE\" > 5",
    "UNIQUE INDEX \"Z_Product_UNIQUE_code\" ON \"ZUSER\" (\"ZMAIL\")",
  ])
  func anIndexOfAnotherDefinitionIsReplaced(_ definition: String) throws {
    let first = try store.open(Stock.V2.self)
    for number in 1...3 { first.insert(Stock.V2.Product(number, text: "\(number)")) }
    try first.save()
    let expected = try uniqueIndexes()
    for sql in ["DROP INDEX \"Z_Product_UNIQUE_code\"", "CREATE " + definition] {
      _ = try TestDatabase.texts(store.url, sql)
    }
    let context = try store.open(Stock.V2.self)
    #expect(try uniqueIndexes() == expected)
    context.insert(Stock.V2.Product(2))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Stock.V2.Product>()) == 3)
  }

  @Test func duplicatesUnderAnIndexOfAnotherColumnAreRefused() throws {
    let first = try store.open(Stock.V2.self)
    for number in 1...2 { first.insert(Stock.V2.Product(number, text: "\(number)")) }
    try first.save()
    for sql in [
      "DROP INDEX \"Z_Product_UNIQUE_code\"",
      "CREATE UNIQUE INDEX \"Z_Product_UNIQUE_code\" ON \"ZPRODUCT\" (\"ZCODETEXT\" NULLS FIRST)",
      "UPDATE \"ZPRODUCT\" SET \"ZCODE\" = 1",
    ] {
      _ = try TestDatabase.texts(store.url, sql)
    }
    let indexes = try uniqueIndexes()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try store.open(Stock.V2.self)
    }
    #expect(error?.entity == "Product" && error?.property == "code")
    #expect(try uniqueIndexes() == indexes)
  }

  /// An index that an administrator has made with more columns keeps the values unique too.
  @Test func anIndexOfTheSameColumnsStays() throws {
    _ = try store.open(Stock.V2.self)
    for sql in [
      "DROP INDEX \"Z_Product_UNIQUE_code\"",
      "CREATE UNIQUE INDEX \"Z_Product_UNIQUE_code\" ON \"ZPRODUCT\" (\"ZCODE\") INCLUDE (\"ZCODETEXT\")",
    ] {
      _ = try TestDatabase.texts(store.url, sql)
    }
    let indexes = try uniqueIndexes()
    _ = try store.open(Stock.V2.self)
    #expect(try uniqueIndexes() == indexes)
  }
}
