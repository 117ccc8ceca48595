import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import SwiftDataTools
import Testing

/// A copy of a file that Apple's framework made.
struct StoreCopy {
  let folder: URL
  let url: URL

  init(_ name: String) throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "tools-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appending(path: "\(name).sqlite")
    let files = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../SwiftDataTests/RealFiles/Files").standardized
    try Data(contentsOf: files.appending(path: url.lastPathComponent)).write(to: url)
    let log = url.lastPathComponent + "-wal"
    if let data = try? Data(contentsOf: files.appending(path: log)) {
      try data.write(to: folder.appending(path: log))
    }
  }

  func execute(_ sql: String) throws { try Connection(path: url.path).execute(sql) }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// The names and bytes of all files of the folder.
  func content() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return Dictionary(
      uniqueKeysWithValues: try names.map {
        ($0, try Data(contentsOf: folder.appending(path: $0)))
      })
  }
}

@Suite struct StoreInspectionTests {
  @Test func aFileIsShownAndStaysAsItIs() throws {
    let copy = try StoreCopy("spezi-scheduler")
    defer { copy.remove() }
    let before = try copy.content()
    let inspection = try StoreInspection(of: copy.url)
    #expect(inspection.identifier == "BCBAB41C-CD5B-4FC0-A8A6-766E3138FA46")
    #expect(inspection.modelVersions == ["1.0.0"] && inspection.frameworkVersion == 1447)
    #expect(inspection.entities.map(\.name) == ["Outcome", "Task"])
    #expect(inspection.entities.map(\.rows) == [0, 5])
    let task = inspection.entities[1]
    #expect(task.uniqueConstraints == [["nextVersion"], ["id", "nextVersion"]])
    #expect(task.versionHash?.count == 64)
    #expect(task.properties.first { $0.name == "tags" }?.columns == ["ZTAGS"])
    #expect(
      task.properties.first { $0.name == "nextVersion" }?.type == "Task?, inverse previousVersion")
    #expect(inspection.history?.transactions == 1 && inspection.history?.changes == 5)
    #expect(inspection.tables.first { $0.name == "ZTASK" }?.rows == 5)
    #expect(
      inspection.indexes.contains { $0.name == "Z_Task_UNIQUE_nextVersion" && $0.table == "ZTASK" })
    #expect(inspection.logBytes == 103_032)
    let text = inspection.description
    #expect(text.contains("Task — 5 rows in ZTASK") && text.contains("history: 1 transactions"))
    #expect(
      try JSONDecoder().decode(
        StoreInspection.self, from: JSONEncoder().encode(inspection)) == inspection)
    #expect(try copy.content() == before)
  }

  @Test func rowsOfSubclassesCountForThemselves() throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    let inspection = try StoreInspection(of: copy.url)
    #expect(inspection.entities.map(\.rows) == [115, 5, 5, 20])
    #expect(inspection.entities.map(\.superentity) == [nil, "Car", "SportCar", nil])
    #expect(inspection.history == nil)
  }

  @Test func whatIsNoStoreIsRefused() throws {
    let folder = FileManager.default.temporaryDirectory
    let url = folder.appending(path: "no-store-\(UUID().uuidString)")
    try Data("text".utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    #expect(throws: SwiftDataError.self) { try StoreInspection(of: url) }
    #expect(throws: SwiftDataError.self) {
      try StoreInspection(of: folder.appending(path: "nowhere"))
    }
  }
}

@Suite struct StoreCheckupTests {
  @Test(arguments: ["spezi-scheduler", "coredataplus-SampleModel", "coredataplus-SampleModel2"])
  func nothingIsWrongWithRealFiles(_ name: String) throws {
    let copy = try StoreCopy(name)
    defer { copy.remove() }
    let before = try copy.content()
    #expect(try StoreCheckup(of: copy.url).problems == [])
    #expect(try copy.content() == before)
  }

  @Test(arguments: [
    ("UPDATE ZCAR SET ZOWNER = 99 WHERE Z_PK < 4", "3 links of Car.owner refer to missing rows"),
    (
      "UPDATE ZPERSON SET ZID = NULL WHERE Z_PK = 2",
      "1 rows have no Person.id"
    ),
    ("UPDATE ZCAR SET Z_ENT = 9 WHERE Z_PK = 1", "1 rows of ZCAR belong to no entity"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 7 WHERE Z_ENT = 1", "The last assigned key of Car is 7"),
    ("DROP INDEX Z_Car_UNIQUE_numberPlate", "no index Z_Car_UNIQUE_numberPlate"),
    (
      """
      DROP INDEX Z_Car_UNIQUE_numberPlate; \
      CREATE UNIQUE INDEX Z_Car_UNIQUE_numberPlate ON ZCAR (Z_PK)
      """, "The index Z_Car_UNIQUE_numberPlate does not keep ZNUMBERPLATE of ZCAR unique"
    ),
    ("ALTER TABLE ZPERSON DROP COLUMN ZUPDATEDAT", "The column ZUPDATEDAT of ZPERSON is missing"),
    ("DELETE FROM Z_MODELCACHE", "contains no model"),
    ("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 4", "Z_PRIMARYKEY does not list Person"),
  ])
  func whatIsWrongIsNamed(_ sql: String, _ text: String) throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    try copy.execute(sql)
    let problems = try StoreCheckup(of: copy.url).problems
    #expect(problems.first?.text.contains(text) == true, "\(problems)")
  }

  @Test(arguments: [
    ("UPDATE ZCAR SET ZOWNER = 99 WHERE Z_PK < 4", "missing rows (p1, p2, p3)."),
    (
      "UPDATE ZCAR SET ZOWNER = 99 WHERE Z_PK < 9",
      "8 links of Car.owner refer to missing rows (p1, p2, p3, p4, p5, …)."
    ),
    (
      "UPDATE ZPERSON SET ZID = x'0102030405' WHERE Z_PK = 3",
      "1 rows have a UUID in Person.id that does not have 16 bytes (p3)."
    ),
    (
      "UPDATE ZPERSON SET ZID = 'text' WHERE Z_PK = 3",
      "1 rows have a value of another type in Person.id (p3)."
    ),
    (
      "UPDATE ZCAR SET ZMAKER = x'41' WHERE Z_PK = 5",
      "1 rows have a value of another type in Car.maker (p5)."
    ),
    (
      "UPDATE ZPERSON SET ZUPDATEDAT = 'soon' WHERE Z_PK = 1",
      "1 rows have a value of another type in Person.updatedAt (p1)."
    ),
    (
      "UPDATE ZCAR SET ZOWNER = 'Ann' WHERE Z_PK = 1",
      "1 rows have a value of another type in Car.owner (p1)."
    ),
    ("UPDATE ZCAR SET Z_OPT = NULL WHERE Z_PK = 6", "1 rows of ZCAR have no version (Z_OPT) (p6)."),
  ])
  func rowsWithProblemsAreNamed(_ sql: String, _ text: String) throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    try copy.execute(sql)
    let problems = try StoreCheckup(of: copy.url).problems
    #expect(problems.contains { $0.text.contains(text) }, "\(problems)")
  }

  @Test(arguments: [
    (
      "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16002",
      "Z_PRIMARYKEY does not list TRANSACTION (number 16002), and ATRANSACTION has the key 1."
    ),
    (
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16001",
      "The last assigned key of CHANGE is 1, but ACHANGE has the key 5."
    ),
    (
      "DELETE FROM ATRANSACTION",
      "5 changes of the history belong to no transaction (p1, p2, p3, p4, p5)."
    ),
    (
      "UPDATE ACHANGE SET ZENTITY = 77 WHERE Z_PK = 2",
      "1 changes of the history belong to no entity of the file (p2)."
    ),
    (
      "DELETE FROM ATRANSACTIONSTRING WHERE Z_PK = 1",
      "1 transactions of the history refer to a missing text (ZBUNDLEIDTS) (p1)."
    ),
    (
      "UPDATE ZTASK SET ZPREVIOUSVERSION = NULL WHERE Z_PK = 2",
      "1 links of Task.nextVersion refer to rows whose previousVersion does not refer back (p5)."
    ),
  ])
  func whatTheHistoryAndOneToOnesLackIsNamed(_ sql: String, _ text: String) throws {
    let copy = try StoreCopy("spezi-scheduler")
    defer { copy.remove() }
    try copy.execute(sql)
    let problems = try StoreCheckup(of: copy.url).problems
    #expect(problems.contains { $0.text == text }, "\(problems)")
  }

  /// As earlier frameworks made it: a constraint of the table in place of an index.
  @Test func aUniqueConstraintOfTheTableIsNoMissingIndex() throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    try copy.execute(
      """
      DROP INDEX Z_Person_UNIQUE_firstName_lastName;
      CREATE TABLE PEOPLE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      ZUPDATEDAT TIMESTAMP, ZFIRSTNAME VARCHAR, ZLASTNAME VARCHAR, ZID BLOB, \
      UNIQUE (ZFIRSTNAME, ZLASTNAME) );
      INSERT INTO PEOPLE (Z_PK, Z_ENT, Z_OPT, ZUPDATEDAT, ZFIRSTNAME, ZLASTNAME, ZID) \
      SELECT Z_PK, Z_ENT, Z_OPT, ZUPDATEDAT, ZFIRSTNAME, ZLASTNAME, ZID FROM ZPERSON;
      DROP TABLE ZPERSON; ALTER TABLE PEOPLE RENAME TO ZPERSON
      """)
    #expect(try StoreCheckup(of: copy.url).problems == [])
  }

  @Test func otherHashesAreNamed() throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    let plist = try PropertyListSerialization.data(
      fromPropertyList: ["NSStoreModelVersionHashes": ["Car": Data([1])]], format: .binary,
      options: 0)
    let digits = plist.map { String(format: "%02x", $0) }.joined()
    try copy.execute("UPDATE Z_METADATA SET Z_PLIST = x'\(digits)'")
    let problems = try StoreCheckup(of: copy.url).problems
    #expect(problems.map(\.kind) == Array(repeating: .model, count: 4))
  }

  @Test func aDamagedPageIsNamed() throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    var bytes = try Data(contentsOf: copy.url)
    // A page of a table, not the first one, which has the schema.
    for offset in stride(from: 4096 * 3, to: 4096 * 4, by: 1) { bytes[offset] = 0xAA }
    try bytes.write(to: copy.url)
    let problems = try StoreCheckup(of: copy.url).problems
    #expect(!problems.isEmpty && problems.allSatisfy { $0.kind == .damage })
  }

  @Test(arguments: [0.3, 0.5, 0.9]) func aTruncatedFileIsDamaged(_ part: Double) throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    let bytes = try Data(contentsOf: copy.url)
    try bytes.prefix(Int(Double(bytes.count) * part)).write(to: copy.url)
    let problems = try StoreCheckup(of: copy.url).problems
    #expect(problems.count == 1 && problems.first?.kind == .damage)
    #expect(problems.first?.text.contains("recoverStore") == true)
  }

  @Test func aDamagedDefinitionOfTablesIsDamage() throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    var bytes = try Data(contentsOf: copy.url)
    for offset in 200..<4096 { bytes[offset] = 0xAA }
    try bytes.write(to: copy.url)
    let problems = try StoreCheckup(of: copy.url).problems
    #expect(!problems.isEmpty && problems.allSatisfy { $0.kind == .damage })
  }

  @Test func filesBesideTheStoreAreCounted() throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    let files = copy.folder.appending(path: ".coredataplus-SampleModel_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    let name = UUID().uuidString
    try Data([1, 2, 3]).write(to: files.appending(path: name))
    let missing = UUID().uuidString
    let digits = missing.utf8.map { String(format: "%02x", $0) }.joined()
    try copy.execute("UPDATE ZCAR SET ZCOLOR = x'02\(digits)' WHERE Z_PK = 3")
    let problems = try StoreCheckup(of: copy.url).problems
    #expect(problems.map(\.kind) == [.missingFile, .orphanedFile])
    #expect(problems[0].text.contains("The row p3 of ZCAR names the file \(missing)"))
    #expect(problems[1].text.contains("\(name) (3 bytes)"))
  }
}

/// Classes that were generated of real files, and compiled, open them.
@Suite struct ModelSourceTests {
  private static let generated = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Generated")

  /// With `OPENSWIFTDATA_GENERATE` the compiled files are written anew.
  @Test(arguments: [
    ("spezi-scheduler", "GeneratedScheduler"), ("coredataplus-SampleModel", "GeneratedGarage"),
    ("coredataplus-SampleModel2", "GeneratedPublishing"),
  ])
  func theCompiledSourceIsWhatIsGenerated(_ name: String, _ namespace: String) throws {
    let copy = try StoreCopy(name)
    defer { copy.remove() }
    let source = try ModelSource(of: copy.url, namespace: namespace).text
    let file = Self.generated.appending(path: "\(namespace).swift")
    if ProcessInfo.processInfo.environment["OPENSWIFTDATA_GENERATE"] != nil {
      try source.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == source)
  }

  /// Names that are keywords, or of Swift's own types.
  @Test func unusualNamesAreWrittenSoThatTheyCompile() throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    let url = copy.folder.appending(path: "unusual.store")
    try Unusual.make(at: url)
    let source = try ModelSource(of: url, namespace: "GeneratedUnusual").text
    let file = Self.generated.appending(path: "GeneratedUnusual.swift")
    if ProcessInfo.processInfo.environment["OPENSWIFTDATA_GENERATE"] != nil {
      try source.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == source)
  }

  @Test func aFileWithoutModelIsRefused() throws {
    let copy = try StoreCopy("coredataplus-SampleModel")
    defer { copy.remove() }
    try copy.execute("DELETE FROM Z_MODELCACHE")
    let error = #expect(throws: SwiftDataError.self) { try ModelSource(of: copy.url) }
    #expect(error?.description.contains("contains no model") == true)
  }
}
