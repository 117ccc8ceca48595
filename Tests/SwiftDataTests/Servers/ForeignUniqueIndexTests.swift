import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// Unique indexes that an administrator has added refuse a save without names of columns and without SQL in what
/// clients read.
@Suite struct ForeignUniqueIndexTests {
  @Model class Note {
    var name: String
    var room: String

    init(_ name: String, room: String = "") { (self.name, self.room) = (name, room) }
  }

  @Model final class Memo: Note {
    var code = ""

    init(_ name: String, code: String) {
      self.code = code
      super.init(name)
    }
  }

  private let folder: TemporaryFolder
  private let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    context = ModelContext(
      try ModelContainer(
        for: Note.self, Memo.self, configurations: ModelConfiguration(url: folder.store)))
    context.insert(Memo("Kunde", code: "a"))
    try context.save()
  }

  /// The failure of a save of a model after `sql`.
  private func failure(_ sql: String, _ note: Note) throws -> SwiftDataError {
    try SQLiteFile.execute(sql, in: folder.store)
    context.insert(note)
    let thrown = thrownError { try context.save() }
    let error = try #require(thrown)
    #expect(error == .modelValidationFailure)
    #expect(error.description.contains("nothing was saved"))
    return error
  }

  @Test func anExpressionIsNoProperty() throws {
    let error = try failure(
      "CREATE UNIQUE INDEX \"a.b\" ON ZNOTE (lower(ZNAME))", Note("KUNDE"))
    #expect(error.reason == .uniqueValueTaken(entity: "Note", properties: [], holder: nil))
    #expect(error.publicMessage == "Another Note already has this value.")
    #expect(error.entity == "Note" && error.property == nil)
    #expect(error.description.contains("a unique index or a trigger of the database refuses that"))
    #expect(error.database?.message.contains("a.b") == true)
  }

  @Test func aColumnOfAnotherProgramIsNoProperty() throws {
    let error = try failure(
      """
      ALTER TABLE ZNOTE ADD COLUMN tenant INTEGER DEFAULT 1; \
      CREATE UNIQUE INDEX tenants ON ZNOTE (tenant)
      """, Note("b"))
    #expect(error.reason == .uniqueValueTaken(entity: "Note", properties: [], holder: nil))
    #expect(error.publicMessage == "Another Note already has this value.")
  }

  @Test func propertiesBesideItAreNamed() throws {
    let error = try failure(
      """
      ALTER TABLE ZNOTE ADD COLUMN tenant INTEGER DEFAULT 1; \
      CREATE UNIQUE INDEX names ON ZNOTE (tenant, ZNAME)
      """, Note("Kunde"))
    #expect(error.reason == .uniqueValueTaken(entity: "Note", properties: ["name"], holder: nil))
  }

  @Test func aPropertyOfASubclassIsNamed() throws {
    let error = try failure("CREATE UNIQUE INDEX codes ON ZNOTE (ZCODE)", Memo("b", code: "a"))
    #expect(error.reason == .uniqueValueTaken(entity: "Memo", properties: ["code"], holder: nil))
    #expect(error.publicMessage == "Another Memo already has this code.")
  }

  /// A trigger of an administrator writes it.
  @Test func aTableWithoutModelsHasNoEntity() throws {
    let error = try failure(
      """
      CREATE TABLE audit (secret TEXT UNIQUE); INSERT INTO audit VALUES ('b'); \
      CREATE TRIGGER audits AFTER INSERT ON ZNOTE BEGIN INSERT INTO audit VALUES (NEW.ZNAME); END
      """, Note("b"))
    #expect(error.reason == .uniqueValueTaken(entity: "", properties: [], holder: nil))
    #expect(error.publicMessage == "A value is already taken.")
    #expect(error.property == nil)
  }

  @Test func aMissingValueWithoutEntity() {
    let error = SwiftDataError.storeWriteFailure.with(
      "x", because: .requiredValueMissing(entity: "", properties: []))
    #expect(error.publicMessage == "A required value is missing.")
  }
}
