import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

/// Versions of models whose tables others have changed too.
private enum Stock {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Shelf.self] }

    @Model final class Item {
      #Index<Item>([\.name])
      var name: String
      var price: Int
      var shelf: Shelf?

      init(_ name: String, price: Int) { (self.name, self.price) = (name, price) }
    }

    @Model final class Shelf {
      var label: String
      @Relationship(inverse: \Item.shelf) var items: [Item] = []

      init(_ label: String) { self.label = label }
    }
  }

  /// The type of a column changes, so its table is created again. Another column has a new name.
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Shelf.self] }

    @Model final class Item {
      #Index<Item>([\.title])
      @Attribute(originalName: "name") var title: String
      var price: Double
      var shelf: Shelf?

      init(_ title: String, price: Double) { (self.title, self.price) = (title, price) }
    }

    @Model final class Shelf {
      var label: String
      @Relationship(inverse: \Item.shelf) var items: [Item] = []

      init(_ label: String) { self.label = label }
    }
  }

  /// The first version with another column and pairs in place of a key, which no table is created
  /// again for.
  enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Shelf.self] }

    @Model final class Item {
      #Index<Item>([\.name])
      var name: String
      var price: Int
      var remark: String?
      @Relationship(originalName: "shelf") var shelves: [Shelf] = []

      init(_ name: String, price: Int) { (self.name, self.price) = (name, price) }
    }

    @Model final class Shelf {
      var label: String
      @Relationship(inverse: \Item.shelves) var items: [Item] = []

      init(_ label: String) { self.label = label }
    }
  }

  enum TransformPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [
        .transform(
          fromVersion: V1.self, toVersion: V2.self,
          transformation: { transformation in
            try transformation.forEach(V1.Item.self, V2.Item.self) { old, new, _ in
              new?.price = Double(old.price)
            }
          })
      ]
    }
  }
}

/// What administrators and other programs have added to tables or set for them, when a migration
/// creates the tables again.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct ForeignPartsTests {
  private let store: MigratedServerStore

  init() throws {
    store = try MigratedServerStore()
    let context = try store.open(Stock.V1.self)
    let shelf = Stock.V1.Shelf("A")
    context.insert(shelf)
    for number in 0..<3 {
      let item = Stock.V1.Item("item \(number)", price: number)
      context.insert(item)
      item.shelf = shelf
    }
    try context.save()
  }

  private func run(_ statements: String...) throws {
    let connection = try store.connect()
    for statement in statements { try connection.execute(statement) }
  }

  private func texts(_ sql: String) throws -> [String] { try store.connect().texts(sql) }

  private func preview(_ version: any VersionedSchema.Type) throws -> MigrationPreview {
    try #require(
      try ModelContainer.migrationPreview(
        for: Schema(versionedSchema: version),
        configurations: [PostgresConfiguration(url: store.url)]
      ).first)
  }

  private func refusal(_ version: any VersionedSchema.Type) throws -> String {
    let error = #expect(throws: SwiftDataError.self) { try store.open(version) }
    return error?.description ?? ""
  }

  /// The lines about a migration with permission.
  private func linesOfLosses(_ version: any VersionedSchema.Type) throws -> [String] {
    let lines = Mutex<[String]>([])
    try WarningLog.$receiver.withValue({ line in lines.withLock { $0.append(line) } }) {
      _ = try store.open(version) { $0.allowsMigrationLosses = true }
    }
    return lines.withLock { $0 }
  }

  // MARK: Columns

  @Test func valuesInForeignColumnsAreLosses() throws {
    try run(
      "ALTER TABLE \"ZITEM\" ADD COLUMN note TEXT, ADD COLUMN empty TEXT",
      "UPDATE \"ZITEM\" SET note = 'x' WHERE \"ZPRICE\" > 0")
    let loss = "2 values of the column note of ZITEM (TEXT)"
    let preview = try preview(Stock.V2.self)
    #expect(preview.losses.map(\.description) == [loss])
    #expect(preview.losses.first?.entity == "Item")
    #expect(preview.losses.first?.object == "column note of ZITEM")
    #expect(preview.description.contains("deletes \(loss)"))
    let text = try refusal(Stock.V2.self)
    #expect(text.contains("would delete \(loss).") && text.contains("allowsMigrationLosses"))
    #expect(try texts("SELECT note FROM \"ZITEM\" WHERE note IS NOT NULL") == ["x", "x"])
    let lines = try linesOfLosses(Stock.V2.self)
    #expect(lines.count == 1 && lines[0].contains("deleted \(loss)"), "\(lines)")
    let context = try store.open(Stock.V2.self)
    #expect(try context.fetchCount(FetchDescriptor<Stock.V2.Item>()) == 3)
  }

  @Test func foreignColumnsWithoutValuesNeedNoPermission() throws {
    try run("ALTER TABLE \"ZITEM\" ADD COLUMN note TEXT")
    #expect(try preview(Stock.V2.self).losses == [])
    let context = try store.open(Stock.V2.self)
    #expect(try context.fetchCount(FetchDescriptor<Stock.V2.Item>()) == 3)
  }

  // MARK: Objects

  private func addObjects() throws {
    try run(
      "CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
      "CREATE TRIGGER audit AFTER UPDATE ON \"ZITEM\" FOR EACH ROW EXECUTE FUNCTION audit()",
      "ALTER TABLE \"ZITEM\" ADD CONSTRAINT positive CHECK (\"ZPRICE\" >= 0)",
      "ALTER TABLE \"ZITEM\" ADD CONSTRAINT shelved FOREIGN KEY (\"ZSHELF\") REFERENCES \"ZSHELF\"",
      "CREATE INDEX cheap ON \"ZITEM\" (\"ZPRICE\") WHERE \"ZPRICE\" < 2",
      "CREATE STATISTICS related ON \"ZNAME\", \"ZPRICE\" FROM \"ZITEM\"",
      "CREATE RULE ignored AS ON DELETE TO \"ZITEM\" WHERE OLD.\"ZPRICE\" > 9 DO INSTEAD NOTHING",
      "ALTER TABLE \"ZITEM\" ENABLE ROW LEVEL SECURITY",
      "CREATE POLICY visible ON \"ZITEM\" USING (\"ZPRICE\" < 100)",
      "CREATE PUBLICATION \(publication) FOR TABLE \"ZITEM\"")
  }

  private var publication: String { "p" + store.url.filter(\.isHexDigit).suffix(32) }

  @Test func viewsOfAnOldTableAreNamed() throws {
    try run(
      "CREATE VIEW cheap AS SELECT \"ZNAME\" FROM \"ZITEM\" WHERE \"ZPRICE\" < 2",
      "CREATE MATERIALIZED VIEW known AS SELECT \"ZLABEL\", count(*) FROM \"ZSHELF\" JOIN \"ZITEM\" "
        + "ON \"ZSHELF\" = \"ZSHELF\".\"Z_PK\" GROUP BY 1")
    let text = try refusal(Stock.V2.self)
    #expect(text.contains("view cheap depends on table \"ZITEM\""), "\(text)")
    #expect(text.contains("materialized view known"), "\(text)")
    #expect(text.contains("Drop the dependents before") && !text.contains("CASCADE"), "\(text)")
    #expect(try texts("SELECT \"ZNAME\" FROM cheap ORDER BY 1") == ["item 0", "item 1"])
    try run("DROP VIEW cheap", "DROP MATERIALIZED VIEW known")
    let context = try store.open(Stock.V2.self)
    #expect(try context.fetchCount(FetchDescriptor<Stock.V2.Item>()) == 3)
  }

  @Test func foreignObjectsAreRefusedByName() throws {
    try addObjects()
    let objects = [
      "check constraint positive on ZITEM", "foreign key shelved on ZITEM", "index cheap on ZITEM",
      "policy visible on ZITEM", "publication \(publication) on ZITEM",
      "row-level security on ZITEM", "rule ignored on ZITEM", "statistics object related on ZITEM",
      "trigger audit on ZITEM",
    ]
    let preview = try preview(Stock.V2.self)
    #expect(preview.losses.map(\.description).sorted() == objects)
    let text = try refusal(Stock.V2.self)
    for object in objects { #expect(text.contains(object), "\(text)") }
    #expect(text.contains("drop the objects before the migration"))
    let triggers = "SELECT tgname::text FROM pg_trigger WHERE tgrelid = '\"ZITEM\"'::regclass"
    #expect(try texts(triggers).contains("audit"))
    let lines = try linesOfLosses(Stock.V2.self)
    #expect(lines.count == objects.count, "\(lines)")
    #expect(try self.preview(Stock.V2.self).isNeeded == false)
  }

  /// Only what is on a table that is created again would be lost.
  @Test func tablesThatAreAlteredKeepEverything() throws {
    try addObjects()
    try run("ALTER TABLE \"ZITEM\" DROP CONSTRAINT shelved, ADD COLUMN note TEXT DEFAULT 'x'")
    #expect(try preview(Stock.V3.self).losses == [])
    _ = try store.open(Stock.V3.self)
    #expect(try texts("SELECT note FROM \"ZITEM\"") == ["x", "x", "x"])
    #expect(
      try texts("SELECT polname::text FROM pg_policy WHERE polrelid = '\"ZITEM\"'::regclass")
        == ["visible"])
  }

  // MARK: Settings

  private struct Roles {
    let owner: String
    let app: String
    let migrator: String
  }

  /// Gives the tables to a role, which is not the migrating one, and rights to another one.
  private func restrict() throws -> Roles {
    let suffix = UUID().uuidString.lowercased().filter { $0 != "-" }
    let roles = Roles(owner: "o\(suffix)", app: "a\(suffix)", migrator: "m\(suffix)")
    let schema = try #require(try texts("SELECT current_schema()::text").first)
    try run(
      "CREATE ROLE \(roles.owner)", "CREATE ROLE \(roles.app)",
      "CREATE ROLE \(roles.migrator) LOGIN IN ROLE \(roles.owner)",
      "GRANT ALL ON SCHEMA \(schema) TO \(roles.owner), \(roles.migrator)")
    for kind in ["TABLE", "SEQUENCE"] {
      let list = kind == "TABLE" ? "pg_tables" : "pg_sequences"
      let name = kind == "TABLE" ? "tablename" : "sequencename"
      for object in try texts(
        "SELECT quote_ident(\(name)) FROM \(list) WHERE schemaname = current_schema()")
      {
        try run("ALTER \(kind) \(object) OWNER TO \(roles.owner)")
      }
    }
    try run(
      "GRANT SELECT, UPDATE ON \"ZITEM\" TO \(roles.app) WITH GRANT OPTION",
      "GRANT INSERT ON \"ZITEM\" TO PUBLIC", "REVOKE TRUNCATE ON \"ZITEM\" FROM \(roles.owner)",
      "GRANT REFERENCES (\"ZNAME\", \"ZPRICE\") ON \"ZITEM\" TO \(roles.app)",
      "ALTER TABLE \"ZITEM\" SET (fillfactor = 70, toast.autovacuum_enabled = false)",
      "ALTER TABLE \"ZITEM\" REPLICA IDENTITY FULL")
    return roles
  }

  private func settings(of table: String) throws -> [String] {
    try texts(
      """
      SELECT 'owner ' || pg_get_userbyid(relowner) || ' ' || relreplident::text || ' ' \
      || coalesce(reloptions::text, '') || coalesce((SELECT t.reloptions::text FROM pg_class AS t \
      WHERE t.oid = c.reltoastrelid), '') FROM pg_class AS c WHERE oid = '"\(table)"'::regclass \
      UNION ALL SELECT coalesce(a.attname::text, '') || ' ' || e.privilege_type || ' ' \
      || e.grantee::bigint::text || ' ' || e.is_grantable::text FROM (SELECT NULL, \
      coalesce(relacl, acldefault('r', relowner)) FROM pg_class \
      WHERE oid = '"\(table)"'::regclass UNION ALL SELECT replace(attname, \
      'ZNAME', 'ZTITLE'), attacl FROM pg_attribute WHERE attrelid = '"\(table)"'::regclass) \
      AS a (attname, acl), aclexplode(a.acl) AS e ORDER BY 1
      """)
  }

  private var primaryKeys: [String] {
    get throws {
      try texts(
        """
        SELECT i.relname::text FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid \
        WHERE x.indisprimary AND i.relnamespace = current_schema()::regnamespace \
        AND i.relname NOT LIKE 'A%' AND i.relname NOT LIKE 'Z@_%' ESCAPE '@' ORDER BY 1
        """)
    }
  }

  @Test(arguments: [false, true])
  func createdTablesKeepOwnerPrivilegesAndOptions(usesTransformation: Bool) throws {
    _ = try restrict()
    // What new tables get by default is not what the earlier one had.
    try run(
      "ALTER DEFAULT PRIVILEGES IN SCHEMA \(try texts("SELECT current_schema()::text")[0]) "
        + "GRANT DELETE ON TABLES TO PUBLIC")
    let before = (try settings(of: "ZITEM"), try settings(of: "ZSHELF"))
    #expect(before.0.count > 10 && before.0.contains { $0.contains("fillfactor=70") })
    let file = "SELECT pg_relation_filenode('\"ZITEM\"')::text"
    let earlier = try texts(file)
    _ = try store.open(
      Stock.V2.self, plan: usesTransformation ? Stock.TransformPlan.self : nil)
    #expect(try texts(file) != earlier)
    #expect(try settings(of: "ZITEM") == before.0)
    #expect(try settings(of: "ZSHELF") == before.1)
    #expect(try primaryKeys == ["ZITEM_pkey", "ZSHELF_pkey"])
  }

  @Test func aMemberOfTheOwnerMigrates() throws {
    let roles = try restrict()
    let before = try settings(of: "ZITEM")
    let member = MigratedServerStore(
      url: store.url.replacing(/user=\w+/, with: "user=\(roles.migrator)"))
    #expect(member.url.contains(roles.migrator))
    let context = try member.open(Stock.V2.self)
    #expect(try context.fetchCount(FetchDescriptor<Stock.V2.Item>()) == 3)
    #expect(try settings(of: "ZITEM") == before)
  }

  @Test func newPairsHaveThePrivilegesOfTheirEntity() throws {
    let roles = try restrict()
    _ = try store.open(Stock.V3.self)
    let pairs = try #require(
      try texts(
        """
        SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() \
        AND tablename ~ '^Z_[0-9]'
        """
      ).first)
    let tables = try texts(
      """
      SELECT DISTINCT tableowner || has_table_privilege('\(roles.app)', '"\(pairs)"', \
      'SELECT')::text FROM pg_tables WHERE schemaname = current_schema() AND tablename = '\(pairs)'
      """)
    #expect(tables == ["\(roles.owner)true"])
  }
}
