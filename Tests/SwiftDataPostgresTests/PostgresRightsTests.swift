import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

private enum Freight {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Parcel.self, Crate.self] }

    @Model final class Parcel {
      @Attribute(.unique) var code: String
      init(_ code: String) { self.code = code }
    }

    @Model final class Crate {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Parcel.self, Crate.self] }

    @Model final class Parcel {
      @Attribute(.unique) var code: String
      var note: String?
      init(_ code: String) { self.code = code }
    }

    @Model final class Crate {
      var bytes: Data = Data([0xCA, 0xFE])
      var empty: Data = Data()
      var marks: [String] = []
      var name: String
      var path: String = "C:\\crates\\it's"
      var seal: UUID = UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F")!
      init(_ name: String) { self.name = name }
    }
  }
}

/// The roles that the article PostgreSQL makes, by its statements.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresRightsTests {
  let admin: PostgresConnection
  let schema = "s" + UUID().uuidString.lowercased().filter { $0 != "-" }
  /// Creates and changes the tables.
  let owner: String
  /// Reads and writes rows.
  let app: String
  /// Reads rows.
  let reader: String

  init() throws {
    admin = try PostgresServer.shared.connect()
    owner = "owner_\(schema)"
    app = "app_\(schema)"
    reader = "reader_\(schema)"
    let article = try String(contentsOf: PostgresRightsTests.article, encoding: .utf8)
    let section = try #require(article.components(separatedBy: "\n## Roles and rights\n").last)
    let statements = try #require(section.components(separatedBy: "```sql\n").dropFirst().first)
    try admin.execute(
      try #require(statements.components(separatedBy: "```").first)
        .replacing("DATABASE library", with: "DATABASE postgres")
        .replacing("library_owner", with: owner).replacing("library_app", with: app)
        .replacing("library_reports", with: reader).replacing("library", with: schema))
  }

  private static let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/SwiftData/Documentation.docc/PostgreSQL.md")
    .standardizedFileURL

  private func open(_ role: String, allowsSave: Bool = true) throws -> ModelContainer {
    let folder = try PostgresServer.shared.socketFolder
    var configuration = try PostgresConfiguration(
      url: "host=\(folder) dbname=postgres user=\(role)")
    configuration.allowsSave = allowsSave
    return try ModelContainer(for: City.self, Place.self, configurations: configuration)
  }

  /// Settings that change the texts of the server, and what arrays may contain.
  @Test func unusualSettingsOfARoleDoNotMatter() throws {
    for setting in [
      "quote_all_identifiers = on", "array_nulls = off", "bytea_output = escape",
      "DateStyle = German", "extra_float_digits = -15", "TimeZone = 'Asia/Kathmandu'",
      "standard_conforming_strings = off",
    ] {
      try admin.execute("ALTER ROLE \(owner) SET \(setting)")
    }
    for count in [1, 5, 200] {
      let context = ModelContext(try open(owner))
      context.author = count == 5 ? "somebody" : nil
      for number in 0..<count { context.insert(City("\(count) \(number)")) }
      try context.save()
      try context.delete(model: City.self, where: #Predicate { $0.name == "1 0" })
    }
    let context = ModelContext(try open(owner))
    #expect(try context.fetchCount(FetchDescriptor<City>()) == 205)
    #expect(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.changes.count)
        .reduce(0, +) == 207)
  }

  /// Texts in statements of a migration have no backslashes that the setting changes.
  @Test func aMigrationDoesNotDependOnTheRulesForBackslashes() throws {
    let folder = try PostgresServer.shared.socketFolder
    func open(_ version: any VersionedSchema.Type) throws -> ModelContext {
      let configuration = try PostgresConfiguration(
        url: "host=\(folder) dbname=postgres user=\(owner)")
      return ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: version),
          configurations: [configuration] as [any DataStoreConfiguration]))
    }
    func indexes() throws -> [[PostgresValue]] {
      try admin.prepare(
        """
        SELECT indexrelid::regclass::text, indexrelid::bigint FROM pg_index \
        WHERE indrelid = '\(schema)."ZPARCEL"'::regclass ORDER BY 1
        """
      ).values()
    }
    try admin.execute("ALTER ROLE \(owner) SET standard_conforming_strings = off")
    let before = try open(Freight.V1.self)
    before.insert(Freight.V1.Parcel("a"))
    let crate = Freight.V1.Crate("a")
    before.insert(crate)
    try before.save()
    crate.name = "b"
    try before.save()
    let earlier = try indexes()
    let context = try open(Freight.V2.self)
    let migrated = try #require(context.fetch(FetchDescriptor<Freight.V2.Crate>()).first)
    #expect(migrated.name == "b")
    #expect(migrated.bytes == Data([0xCA, 0xFE]))
    #expect(migrated.empty == Data())
    #expect(migrated.marks == [])
    #expect(migrated.path == "C:\\crates\\it's")
    #expect(migrated.seal.uuidString == "00010203-0405-0607-0809-0A0B0C0D0E0F")
    // The property of the change has another number now.
    let updates = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .flatMap(\.changes).compactMap { change -> Set<PartialKeyPath<Freight.V2.Crate>>? in
        guard case .update(let update as DefaultHistoryUpdate<Freight.V2.Crate>) = change else {
          return nil
        }
        return Set(update.updatedAttributes)
      }
    #expect(updates.contains([\.name]), "\(updates)")
    // None was made anew.
    #expect(earlier.count == 3)
    #expect(try indexes() == earlier)
  }

  private func failure<R>(_ body: () throws -> R) -> String {
    do {
      _ = try body()
      return "no error"
    } catch {
      return "\(error)"
    }
  }

  @Test func theRoleOfTheAppWorksWithoutTheRightToChangeTables() throws {
    _ = try open(owner)
    let container = try open(app)
    let context = ModelContext(container)
    let city = City("Bern")
    context.insert(city)
    for number in 0..<10 { context.insert(Place("p\(number)", visits: number, city: city)) }
    try context.save()
    city.name = "Biel"
    try context.save()
    try context.delete(model: Place.self, where: #Predicate { $0.visits > 4 })
    try context.save()
    context.delete(city)
    try context.save()
    try context.transaction { context.insert(City("Chur")) }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<City>()) == 1)
    #expect(try !context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
    // It can't drop or create tables.
    let folder = try PostgresServer.shared.socketFolder
    let connection = try PostgresConnection(
      ConnectionParameters("host=\(folder) dbname=postgres user=\(app)"))
    #expect(throws: PostgresError.self) {
      try connection.execute("DROP TABLE \(schema).\"ZCITY\"")
    }
    #expect(throws: PostgresError.self) {
      try connection.execute("CREATE TABLE \(schema).x (a INT)")
    }
  }

  @Test func withoutTablesTheRoleOfTheAppIsToldWhatToDo() throws {
    let text = failure { try open(app) }
    #expect(text.contains("42501"))
    #expect(text.contains("as its owner \(owner)") && !text.contains("GRANT"), "\(text)")
  }

  /// The tables would belong to the role of the app, and the one for reports could not read them.
  @Test func beforeTheMigrationTheRoleOfTheAppIsToldWhoMigrates() throws {
    let folder = try PostgresServer.shared.socketFolder
    func open(_ role: String, _ version: any VersionedSchema.Type) throws -> ModelContainer {
      try ModelContainer(
        for: Schema(versionedSchema: version),
        configurations: [
          try PostgresConfiguration(url: "host=\(folder) dbname=postgres user=\(role)")
        ] as [any DataStoreConfiguration])
    }
    _ = try open(owner, Freight.V1.self)
    let text = failure { try open(app, Freight.V2.self) }
    #expect(text.contains("as its owner \(owner)") && !text.contains("GRANT"), "\(text)")
    _ = try open(owner, Freight.V2.self)
    _ = try open(app, Freight.V2.self)
  }

  @Test func theRoleForReportsReadsAndIsRefusedToWrite() throws {
    let context = ModelContext(try open(owner))
    context.insert(City("Bern"))
    try context.save()
    let container = try open(reader, allowsSave: false)
    let reading = ModelContext(container)
    let found = try reading.fetch(FetchDescriptor<City>())
    #expect(found.map(\.name) == ["Bern"])
    #expect(try reading.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
    found.first?.name = "changed"
    #expect(failure { try reading.save() }.contains("allowsSave"))
  }

  @Test func aContainerForReadingErasesNothing() throws {
    let context = ModelContext(try open(owner))
    context.insert(City("Bern"))
    try context.save()
    let container = try open(owner, allowsSave: false)
    #expect(failure { try container.erase() }.contains("allowsSave"))
    #expect(try context.fetchCount(FetchDescriptor<City>()) == 1)
  }

  @Test func aMissingRightIsNamedAndNothingIsStored() throws {
    let context = ModelContext(try open(owner))
    context.insert(City("Bern"))
    try context.save()
    let writing = ModelContext(try open(reader))
    writing.insert(City("no"))
    let text = failure { try writing.save() }
    #expect(text.contains("42501") && text.contains("GRANT") && text.contains("nothing was saved"))
    #expect(try ModelContext(try open(owner)).fetchCount(FetchDescriptor<City>()) == 1)
  }

  @Test func aStoreThatMayNotBeChangedIsNotCreated() throws {
    let text = failure { try open(owner, allowsSave: false) }
    #expect(text.contains("allowsSave"))
    let count = "SELECT count(*) FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace"
    #expect(try admin.prepare(count).integer() == 0)
  }
}
