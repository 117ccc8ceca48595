import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import SwiftDataTools
import Testing

/// A file whose entity numbers are not those of its model, as copies of migrated databases once had them.
@Suite struct EntityNumberTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "numbers-\(UUID().uuidString)", directoryHint: .isDirectory)
  private let url: URL

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appending(path: "a.store")
  }

  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Note.self, Tag.self] }

    @Model final class Note {
      var text: String
      @Relationship(inverse: \Tag.notes) var tags: [Tag] = []
      init(_ text: String) { self.text = text }
    }

    @Model final class Tag {
      var name: String
      var notes: [Note] = []
      init(_ name: String) { self.name = name }
    }
  }

  enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Note.self, Tag.self] }

    @Model final class Note {
      var text: String
      var stars: Int = 0
      @Relationship(inverse: \Tag.notes) var tags: [Tag] = []
      init(_ text: String) { self.text = text }
    }

    @Model final class Tag {
      var name: String
      var notes: [Note] = []
      init(_ name: String) { self.name = name }
    }
  }

  private func open(_ version: any VersionedSchema.Type) throws -> ModelContext {
    let schema = Schema(versionedSchema: version)
    return ModelContext(
      try ModelContainer(
        for: schema, configurations: ModelConfiguration(schema: schema, url: url)))
  }

  /// `Note` gets the number 2, and `Tag` the number 1.
  private func makeStore() throws {
    let context = try open(V1.self)
    let note = V1.Note("note")
    context.insert(note)
    note.tags = [V1.Tag("tag"), V1.Tag("other")]
    try context.save()
    try Connection(path: url.path).execute(
      """
      UPDATE Z_PRIMARYKEY SET Z_NAME = CASE Z_NAME WHEN 'Note' THEN 'Tag' ELSE 'Note' END,
        Z_MAX = 3 - Z_MAX WHERE Z_ENT < 3;
      UPDATE ZNOTE SET Z_ENT = 2;
      UPDATE ZTAG SET Z_ENT = 1;
      UPDATE ACHANGE SET ZENTITY = 3 - ZENTITY;
      DROP INDEX Z_1TAGS_Z_2TAGS_INDEX;
      ALTER TABLE Z_1TAGS RENAME TO Z_1NOTES;
      ALTER TABLE Z_1NOTES RENAME COLUMN Z_1NOTES TO Z_2NOTES;
      ALTER TABLE Z_1NOTES RENAME COLUMN Z_2TAGS TO Z_1TAGS;
      CREATE INDEX Z_1NOTES_Z_2NOTES_INDEX ON Z_1NOTES (Z_2NOTES, Z_1TAGS);
      """)
  }

  private func history(_ context: ModelContext) throws -> [String] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: nil))
      .flatMap(\.changes).map(\.changedPersistentIdentifier.entityName).sorted()
  }

  @Test func otherNumbersAreNamedAndRead() throws {
    try makeStore()
    let problems = try StoreCheckup(of: url).problems
    #expect(problems.count == 1 && problems.first?.kind == .model)
    #expect(
      problems.first?.text.contains("Note has 2 instead of 1, Tag has 1 instead of 2") == true)
    let context = try open(V1.self)
    let notes = try context.fetch(FetchDescriptor<V1.Note>())
    #expect(notes.map { $0.tags.map(\.name).sorted() } == [["other", "tag"]])
    #expect(try history(context) == ["Note", "Tag", "Tag"])
  }

  @Test func aMigrationCorrectsThem() throws {
    try makeStore()
    let context = try open(V2.self)
    let notes = try context.fetch(FetchDescriptor<V2.Note>())
    #expect(notes.map { $0.tags.map(\.name).sorted() } == [["other", "tag"]])
    #expect(try history(context).filter { $0 == "Tag" }.count == 2)
    #expect(try StoreCheckup(of: url).problems.isEmpty)
    #expect(try Connection(path: url.path).integer("SELECT count(*) FROM Z_1TAGS") == 2)
  }
}
