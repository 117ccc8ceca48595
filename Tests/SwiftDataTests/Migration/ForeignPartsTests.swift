import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// Columns, indexes and triggers that other programs have added to a table, when a migration creates
/// the table again.
@Suite struct ForeignPartsTests {
  private let store: MigratedStore

  enum Old {
    @Model final class Crate {
      #Index<Crate>([\.label])
      var label: String
      var weight: Int

      init(_ label: String, weight: Int) { (self.label, self.weight) = (label, weight) }
    }
  }

  enum New {
    @Model final class Crate {
      #Index<Crate>([\.label])
      var label: String
      var weight: Int
      var color: String?

      init(_ label: String, weight: Int) { (self.label, self.weight) = (label, weight) }
    }
  }

  init() throws {
    store = try MigratedStore()
    try store.make([Old.Crate.self]) { context in
      for number in 0..<3 { context.insert(Old.Crate("crate \(number)", weight: number)) }
    }
  }

  private func run(_ statements: String...) throws {
    let connection = try Connection(path: store.url.path)
    for statement in statements { try connection.execute(statement) }
  }

  private func preview() throws -> MigrationPreview {
    try #require(
      try ModelContainer.migrationPreview(
        for: Schema([New.Crate.self]), configurations: [ModelConfiguration(url: store.url)]
      ).first)
  }

  private func backups() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path)
      .filter { $0.contains("-before-") && $0.hasSuffix(".store") }
  }

  @Test func valuesInForeignColumnsAreLosses() throws {
    try run(
      "ALTER TABLE ZCRATE ADD COLUMN note TEXT", "ALTER TABLE ZCRATE ADD COLUMN unused TEXT",
      "UPDATE ZCRATE SET note = 'x' WHERE ZWEIGHT > 0")
    let loss = "2 values of the column note of ZCRATE (TEXT)"
    let preview = try preview()
    #expect(preview.losses.map(\.description) == [loss])
    #expect(preview.description.contains("deletes \(loss)"))
    let lines = try WarningLog.lines { _ = try store.open([New.Crate.self]) }
    #expect(lines.count == 1 && lines[0].contains("deleted \(loss)"), "\(lines)")
    let backup = try #require(try backups().first)
    #expect(
      try SQLiteFile.texts(
        "SELECT note FROM ZCRATE WHERE note IS NOT NULL",
        in: store.folder.url.appending(path: backup)) == ["x", "x"])
  }

  /// They belong to no model, so no fetch has ever shown them.
  @Test func rowsOfUnknownEntitiesAreLosses() throws {
    try run(
      "INSERT INTO ZCRATE (Z_PK, Z_ENT, Z_OPT, ZLABEL, ZWEIGHT) VALUES (50, 77, 1, 'a', 1)",
      "INSERT INTO ZCRATE (Z_PK, Z_ENT, Z_OPT, ZLABEL, ZWEIGHT) VALUES (51, NULL, 1, 'b', 1)")
    #expect(try preview().losses.map(\.description) == ["2 rows of Crate"])
    let lines = try WarningLog.lines { _ = try store.open([New.Crate.self]) }
    #expect(lines.count == 1 && lines[0].contains("deleted 2 rows of Crate"), "\(lines)")
    #expect(try !backups().isEmpty)
  }

  @Test func foreignIndexesAndTriggersAreLosses() throws {
    try run(
      "CREATE INDEX heavy ON ZCRATE (ZWEIGHT) WHERE ZWEIGHT > 1",
      "CREATE TRIGGER z_audit AFTER UPDATE ON ZCRATE BEGIN SELECT 1; END")
    let losses = ["index heavy on ZCRATE", "trigger z_audit on ZCRATE"]
    #expect(try preview().losses.map(\.description) == losses)
    let lines = try WarningLog.lines { _ = try store.open([New.Crate.self]) }
    #expect(lines.count == 2 && lines[1].contains("deleted \(losses[1])"), "\(lines)")
    #expect(try backups().count == 1)
  }

  @Test func emptyColumnsAndObjectsOfTheFrameworkAreNoLosses() throws {
    try run(
      "ALTER TABLE ZCRATE ADD COLUMN note TEXT",
      "CREATE INDEX ZCRATE_ZWEIGHT_INDEX ON ZCRATE (ZWEIGHT)",
      "CREATE INDEX Z_Crate_byWeight ON ZCRATE (ZWEIGHT)")
    #expect(try preview().losses == [])
    let lines = try WarningLog.lines { _ = try store.open([New.Crate.self]) }
    #expect(lines == [])
    #expect(try backups() == [])
  }

  @Test func tablesThatAreAlteredKeepEverything() throws {
    try run(
      "ALTER TABLE ZCRATE ADD COLUMN note TEXT DEFAULT 'x'",
      "CREATE TRIGGER audit AFTER UPDATE ON ZCRATE BEGIN SELECT 1; END")
    try SchemaChange.$smallTable.withValue(0) {
      #expect(try preview().losses == [])
      _ = try ModelContainer(
        for: New.Crate.self, configurations: ModelConfiguration(url: store.url))
    }
    #expect(try SQLiteFile.texts("SELECT note FROM ZCRATE", in: store.url) == ["x", "x", "x"])
    #expect(
      try SQLiteFile.texts("SELECT name FROM sqlite_schema WHERE type = 'trigger'", in: store.url)
        == ["audit"])
  }
}
