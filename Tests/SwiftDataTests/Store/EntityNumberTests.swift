import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

enum Numbered {
  @Model final class Note {
    var text: String
    var author: Person?
    @Relationship(inverse: \Tag.notes) var tags: [Tag] = []

    init(_ text: String) { self.text = text }
  }

  @Model class Person {
    var name: String
    /// Without an inverse, so the rows of the notes have the key.
    @Relationship var drafts: [Draft] = []

    init(name: String) { self.name = name }
  }

  @Model final class Student: Person {
    var term: Int

    init(name: String, term: Int) {
      self.term = term
      super.init(name: name)
    }
  }

  @Model final class Draft {
    var text: String
    init(_ text: String) { self.text = text }
  }

  @Model final class Tag {
    var name: String
    var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }

  static let types: [any PersistentModel.Type] = [
    Note.self, Person.self, Student.self, Draft.self, Tag.self,
  ]
}

/// The numbers that a file has given to its entities are kept.
@Suite struct EntityNumberTests {
  private func open(
    _ url: URL, _ types: [any PersistentModel.Type] = Numbered.types
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: url)))
  }

  /// Makes a file with rows of all models, then gives its entities other numbers, as another program
  /// might have: Draft 1 → 9, Note 2 → 7, Person 3 → 4, Student 4 → 6, Tag 5 → 2.
  private func renumberedFile(in folder: TemporaryFolder) throws {
    do {
      let context = try open(folder.store)
      let student = Numbered.Student(name: "Sam", term: 3)
      let person = Numbered.Person(name: "Pat")
      let note = Numbered.Note("hello")
      note.author = student
      note.tags = [Numbered.Tag("one"), Numbered.Tag("two")]
      person.drafts = [Numbered.Draft("first")]
      for model in [student, person] { context.insert(model) }
      context.insert(note)
      try context.save()
    }
    try SQLiteFile.execute(
      """
      UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 100 WHERE Z_ENT < 16000;
      UPDATE Z_PRIMARYKEY SET Z_SUPER = 4 WHERE Z_NAME = 'Student';
      UPDATE Z_PRIMARYKEY SET Z_ENT = CASE Z_NAME WHEN 'Draft' THEN 9 WHEN 'Note' THEN 7
        WHEN 'Person' THEN 4 WHEN 'Student' THEN 6 ELSE 2 END WHERE Z_ENT < 16000;
      UPDATE ZDRAFT SET Z_ENT = 9; UPDATE ZNOTE SET Z_ENT = 7; UPDATE ZTAG SET Z_ENT = 2;
      UPDATE ZPERSON SET Z_ENT = CASE Z_ENT WHEN 4 THEN 6 ELSE 4 END;
      ALTER TABLE ZNOTE RENAME COLUMN Z3_AUTHOR TO Z4_AUTHOR;
      UPDATE ZNOTE SET Z4_AUTHOR = CASE Z4_AUTHOR WHEN 4 THEN 6 ELSE 4 END;
      ALTER TABLE ZDRAFT RENAME COLUMN Z3DRAFTS TO Z4DRAFTS;
      ALTER TABLE Z_2TAGS RENAME TO Z_2NOTES;
      ALTER TABLE Z_2NOTES RENAME COLUMN Z_2NOTES TO Z_7NOTES;
      ALTER TABLE Z_2NOTES RENAME COLUMN Z_5TAGS TO Z_2TAGS;
      """, in: folder.store)
  }

  @Test func aFileWithNumbersOfItsOwnIsReadAndWritten() throws {
    let folder = try TemporaryFolder()
    try renumberedFile(in: folder)
    for round in 0..<2 {
      let context = try open(folder.store)
      let note = try #require(
        try context.fetch(
          FetchDescriptor<Numbered.Note>(predicate: #Predicate { $0.text == "hello" })
        )
        .first)
      #expect((note.author as? Numbered.Student)?.term == 3)
      #expect(Set(note.tags.map(\.name)).isSuperset(of: ["one", "two"]))
      let people = try context.fetch(
        FetchDescriptor<Numbered.Person>(sortBy: [SortDescriptor(\.name)]))
      #expect(people.map(\.name) == ["Pat", "Sam"] + (0..<round).map { "Sue \($0)" })
      #expect(people[0].drafts.count == 1 + round)
      #expect(
        try context.fetchCount(
          FetchDescriptor<Numbered.Note>(
            predicate: #Predicate { $0.tags.contains { $0.name == "two" } })) == 1 + round)
      let sue = Numbered.Student(name: "Sue \(round)", term: round)
      context.insert(sue)
      let reply = Numbered.Note("reply")
      context.insert(reply)
      reply.author = sue
      reply.tags = note.tags
      people[0].drafts.append(Numbered.Draft("another"))
      try context.save()
    }
    #expect(
      try SQLiteFile.texts("SELECT DISTINCT Z_ENT FROM ZPERSON ORDER BY 1", in: folder.store)
        == ["4", "6"])
    #expect(
      try SQLiteFile.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 7", in: folder.store)
        == 3)
    #expect(try SQLiteFile.integer("SELECT max(Z4_AUTHOR) FROM ZNOTE", in: folder.store) == 6)
  }

  @Test func aNewModelGetsTheNextNumber() {
    let schema = Schema(Numbered.types)
    let mapping = SchemaMapping(
      schema: schema, descriptors: schema.descriptors,
      file: FileEntities(
        stored: [("Person", 3, 0), ("Tag", 1, 0), ("CHANGE", 16_001, 0)]))
    #expect(mapping.entities.map(\.name) == ["Tag", "Person", "Draft", "Note", "Student"])
    #expect(mapping.entities.map(\.number) == [1, 3, 4, 5, 6])
    #expect(mapping.entity(number: 2) == nil && mapping.entity(number: 3)?.name == "Person")
    #expect(mapping.entity(named: "Person")?.subtreeNumbers == [3, 6])
    #expect(mapping.tables.map(\.table.name).contains("Z_1NOTES"))
  }

  @Test func aFileThatLacksModelsGetsThem() throws {
    let folder = try TemporaryFolder()
    do {
      let context = try open(folder.store, [Numbered.Draft.self])
      context.insert(Numbered.Draft("first"))
      try context.save()
    }
    let context = try open(folder.store)
    context.insert(Numbered.Student(name: "Sam", term: 3))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Numbered.Draft>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Numbered.Person>()) == 1)
  }

  @Test func rowsOfSubclassesThatTheModelsLackAreRefused() throws {
    let folder = try TemporaryFolder()
    do {
      let context = try open(folder.store)
      context.insert(Numbered.Student(name: "Sam", term: 3))
      context.insert(Numbered.Person(name: "Pat"))
      try context.save()
    }
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try open(folder.store, [Numbered.Person.self])
    }
    #expect(error?.description.contains("Student is not in the models") == true)
    #expect(
      try open(folder.store).fetch(FetchDescriptor<Numbered.Person>()).map(\.name).sorted()
        == ["Pat", "Sam"])
  }

  @Test func aColumnOfAnotherKindAndAnotherSuperclassAreNamed() throws {
    let folder = try TemporaryFolder()
    _ = try open(folder.store)
    try SQLiteFile.execute(
      """
      ALTER TABLE ZTAG DROP COLUMN ZNAME; ALTER TABLE ZTAG ADD COLUMN ZNAME BLOB;
      UPDATE Z_PRIMARYKEY SET Z_SUPER = 0 WHERE Z_NAME = 'Student';
      """, in: folder.store)
    let error = #expect(throws: SwiftDataError.self) { try open(folder.store) }
    let text = error?.description ?? ""
    #expect(text.contains("Tag.name is VARCHAR and BLOB in the store"))
    #expect(text.contains("Student inherits from Person and inherits from no model in the store"))
  }
}
