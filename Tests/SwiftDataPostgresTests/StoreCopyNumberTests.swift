import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import SwiftDataTools
import Testing

// A migration of a database keeps the numbers of entities. A file has those that follow from its model.

@Suite(.enabled(if: PostgresServer.isAvailable))
struct StoreCopyNumberTests {
  private typealias V1 = Numbered.V1
  private typealias V2 = Numbered.V2

  private let folder: CopyFolder
  private let address: String

  init() throws {
    folder = try CopyFolder()
    address = try PostgresServer.shared.addressOfNewSchema()
  }

  private func open(_ version: any VersionedSchema.Type, _ url: URL? = nil) throws -> ModelContext {
    let schema = Schema(versionedSchema: version)
    let configuration: any DataStoreConfiguration =
      if let url { ModelConfiguration(schema: schema, url: url) } else {
        try PostgresConfiguration(schema: schema, url: address)
      }
    let context = ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
    context.author = "test"
    return context
  }

  /// The same rows, migration and history in a file, or in the database.
  private func makeMigratedStore(_ url: URL? = nil, notes: Int = 2) throws {
    try fill(open(V1.self, url), notes: notes)
    let context = try open(V2.self, url)
    context.insert(V2.Album("album"))
    try context.save()
    let writer = try #require(try context.fetch(FetchDescriptor<V2.Writer>()).first)
    writer.pen = "new"
    try context.save()
  }

  private func fill(_ context: ModelContext, notes: Int) throws {
    let tag = V1.Tag("tag")
    let writer = V1.Writer("writer")
    context.insert(tag)
    context.insert(writer)
    context.insert(V1.Person("person"))
    let gone = V1.Old("gone")
    context.insert(gone)
    // Each save makes one row of these classes, so that both stores give the rows the same keys.
    var last: V1.Note?
    for number in 0..<2 {
      let note = V1.Note("note \(number)")
      context.insert(note)
      note.author = writer
      note.tags = [tag]
      note.pages = [V1.Page("page \(number)")]
      if let last { note.related = [last] }
      last = note
      try context.save()
    }
    for number in 2..<max(2, notes) { context.insert(V1.Note("note \(number)")) }
    context.delete(gone)
    try context.save()
  }

  /// The definitions of all tables and indexes, and their rows, without the columns whose values depend on how
  /// they were written.
  private func content(_ url: URL) throws -> [String] {
    let connection = try Connection(path: url.path)
    func texts(_ sql: String) throws -> [String] {
      let statement = try connection.prepare(sql)
      var texts: [String] = []
      while try statement.step() { texts.append(statement.string(0)) }
      return texts
    }
    var lines = try texts(
      "SELECT replace(sql, '\"', '') FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    for table in try texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    where table != "Z_METADATA" && table != "Z_MODELCACHE" {
      let columns = try texts(
        """
        SELECT name FROM pragma_table_info('\(table)') WHERE name NOT IN ('ZTIMESTAMP', 'Z_MAX', 'Z_OPT') \
        AND NOT (name = 'Z_PK' AND '\(table)' = 'ACHANGE') ORDER BY cid
        """)
      let values = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ' ' || ")
      lines += try texts("SELECT '\(table) ' || \(values) FROM \"\(table)\" ORDER BY 1")
    }
    return lines
  }

  @Test func aCopyOfAMigratedDatabaseIsLikeAMigratedFile() throws {
    let file = folder.file("file.store")
    try makeMigratedStore(file)
    try makeMigratedStore()
    let numbers = "SELECT \"Z_NAME\", \"Z_ENT\" FROM \"Z_PRIMARYKEY\" WHERE \"Z_NAME\" = 'Note'"
    #expect(try TestDatabase.texts(address, numbers) == ["Note 1"])

    let copy = folder.file("copy.store")
    let run = StoreCopy(from: try .database(address), to: .file(copy))
    let preview = try run.preview()
    #expect(preview.problems.isEmpty)
    let report = try run.run()
    #expect(report.tables == preview.tables)
    let expected = try content(file)
    #expect(expected.contains { $0.hasPrefix("CREATE TABLE Z_6TAGS") })
    #expect(try content(copy) == expected)
    #expect(try StoreCheckup(of: copy).problems.isEmpty)
    #expect(try facts(open(V2.self, copy)) == facts(open(V2.self)))

    // Into a database and into a file again.
    let other = try PostgresServer.shared.addressOfNewSchema()
    let back = folder.file("back.store")
    _ = try StoreCopy(from: .file(copy), to: .database(other)).run()
    _ = try StoreCopy(from: .database(other), to: .file(back)).run()
    #expect(try content(back) == expected)
  }

  /// What a user sees: identifiers, links, classes and the history.
  private func facts(_ context: ModelContext) throws -> [String] {
    var lines = try context.fetch(FetchDescriptor<V2.Note>()).map { note in
      "\(note.persistentModelID.text) \(note.text) \(note.tags.map(\.name)) \(note.pages.map(\.text)) "
        + "\(note.author.map { "\(type(of: $0)) \($0.name)" } ?? "-") \(note.related.map(\.text))"
    }
    lines += try context.fetch(FetchDescriptor<V2.Person>()).map { "\(type(of: $0)) \($0.name)" }
    lines += try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .flatMap(\.changes).map { change in
        switch change {
        case .insert(let change): "+\(change.changedPersistentIdentifier.text)"
        case .update(let change): "=\(change.changedPersistentIdentifier.text)"
        case .delete(let change): "-\(change.changedPersistentIdentifier.text)"
        }
      }
    return lines.sorted()
  }

  @Test func anInterruptedCopyOfAMigratedDatabaseGoesOn() throws {
    try makeMigratedStore(notes: 5_000)
    let (whole, parts) = (folder.file("whole.store"), folder.file("parts.store"))
    _ = try StoreCopy(from: .database(address), to: .file(whole)).run()
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try StoreCopy(from: .database(address), to: .file(parts)).run { progress in
        if progress.table == "ZNOTE", progress.rows >= 4_000 { throw Stop() }
      }
    }
    let report = try StoreCopy(from: .database(address), to: .file(parts)).run()
    #expect(report.resumedRows >= 2_000)
    let lines = try content(parts)
    #expect(lines.contains { $0.hasPrefix("CREATE TABLE Z_6TAGS") })
    #expect(try lines == content(whole))
  }

  @Test func aCopyOfAFileWithOtherNumbersHasThoseOfItsModel() throws {
    let schema = Schema([StockKeepingLocation.self])
    func open(_ url: URL) throws -> ModelContext {
      ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
    }
    let (url, copy) = (folder.file("a.store"), folder.file("b.store"))
    let context = try open(url)
    context.insert(StockKeepingLocation())
    try context.save()
    try Connection(path: url.path).execute(
      """
      UPDATE Z_PRIMARYKEY SET Z_ENT = 2 WHERE Z_ENT = 1;
      UPDATE ZSTOCKKEEPINGLOCATION SET Z_ENT = 2;
      UPDATE ACHANGE SET ZENTITY = 2;
      """)
    #expect(try StoreCheckup(of: url).problems.map(\.kind) == [.model])
    _ = try StoreCopy(from: .file(url), to: .file(copy)).run()
    #expect(try StoreCheckup(of: copy).problems.isEmpty)
    #expect(try open(copy).fetchCount(FetchDescriptor<StockKeepingLocation>()) == 1)
  }

  /// In the database 2 was the number of a removed class. In the file it is that of another class.
  @Test func aNumberOfNoEntityIsOfNoEntityInTheCopy() throws {
    try makeMigratedStore()
    let server = try PostgresConnection(ConnectionParameters(address))
    let change = "(SELECT max(\"Z_PK\") FROM \"ACHANGE\")"
    try server.execute("UPDATE \"ACHANGE\" SET \"ZENTITY\" = 2 WHERE \"Z_PK\" = \(change)")
    let url = folder.file("copy.store")
    _ = try StoreCopy(from: .database(address), to: .file(url)).run()
    let file = try Connection(path: url.path)
    #expect(
      try file.integer(
        "SELECT count(*) FROM ACHANGE JOIN Z_PRIMARYKEY AS e ON e.Z_ENT = ZENTITY "
          + "WHERE ACHANGE.Z_PK = (SELECT max(Z_PK) FROM ACHANGE)") == 0)
  }
}

enum Numbered {
  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] {
      [Note.self, Old.self, Page.self, Person.self, Writer.self, Tag.self]
    }

    @Model final class Note {
      var text: String
      @Relationship(inverse: \Tag.notes) var tags: [Tag] = []
      @Relationship(inverse: \Note.relatedBy) var related: [Note] = []
      var relatedBy: [Note] = []
      var author: Person?
      var pages: [Page] = []
      init(_ text: String) { self.text = text }
    }

    @Model final class Old {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Page {
      var text: String
      init(_ text: String) { self.text = text }
    }

    @Model class Person {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Writer: Person {
      var pen: String = "pen"
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Tag {
      var name: String
      var notes: [Note] = []
      init(_ name: String) { self.name = name }
    }
  }

  /// With a new class, a renamed one, a new superclass, and without one.
  enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] {
      [Album.self, Note.self, Leaf.self, Being.self, Person.self, Writer.self, Tag.self]
    }

    @Model final class Album {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Note {
      var text: String
      @Relationship(inverse: \Tag.notes) var tags: [Tag] = []
      @Relationship(inverse: \Note.relatedBy) var related: [Note] = []
      var relatedBy: [Note] = []
      var author: Person?
      var pages: [Leaf] = []
      init(_ text: String) { self.text = text }
    }

    @Model(originalName: "Page") final class Leaf {
      var text: String
      init(_ text: String) { self.text = text }
    }

    @Model class Being {
      var age: Int = 0
      init() {}
    }

    @Model class Person: Being {
      var name: String
      init(_ name: String) {
        self.name = name
        super.init()
      }
    }

    @Model final class Writer: Person {
      var pen: String = "pen"
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Tag {
      var name: String
      var notes: [Note] = []
      init(_ name: String) { self.name = name }
    }
  }
}
