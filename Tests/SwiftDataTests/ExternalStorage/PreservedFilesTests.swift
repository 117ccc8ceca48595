import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// The history of deleted rows does not name files, because they are removed with the rows.
@Suite struct PreservedFilesTests {
  @Model final class Scan {
    @Attribute(.externalStorage, .preserveValueOnDeletion) var data: Data?
    @Attribute(.externalStorage, .preserveValueOnDeletion) var text: String
    @Attribute(.preserveValueOnDeletion) var title: String

    init(_ title: String, _ data: Data?, text: String = "") {
      self.title = title
      self.data = data
      self.text = text
    }
  }

  private let folder: TemporaryFolder
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    container = try ModelContainer(
      for: Scan.self, configurations: ModelConfiguration(url: folder.store))
    context = ModelContext(container)
    context.insert(Scan("large", External.bytes(1), text: String(repeating: "x", count: 200_000)))
    context.insert(Scan("small", Data([2, 3]), text: "y"))
    try context.save()
  }

  private func tombstones() throws -> [HistoryTombstone<Scan>] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
      .compactMap { change in
        if case .delete(let deletion as DefaultHistoryDelete<Scan>) = change {
          deletion.tombstone
        } else {
          nil
        }
      }
  }

  @Test(arguments: [false, true]) func aDeletionNamesNoFile(_ isBatch: Bool) throws {
    if isBatch {
      try context.delete(model: Scan.self)
    } else {
      for scan in try context.fetch(FetchDescriptor<Scan>()) { context.delete(scan) }
    }
    try context.save()
    let found = try tombstones().sorted { "\($0[\.title] ?? "")" < "\($1[\.title] ?? "")" }
    #expect(found.map { $0[\.title] as? String } == ["large", "small"])
    #expect(found.map { $0[\.data] as? Data } == [nil, Data([2, 3])])
    #expect(found.map { $0[\.text] as? String } == [nil, "y"])
    #expect(
      try SQLiteFile.texts(
        "SELECT DISTINCT substr(hex(ZTOMBSTONE0), 1, 2) FROM ACHANGE WHERE ZCHANGETYPE = 2",
        in: folder.store
      ).sorted() == ["", "01"])
    try folder.expectWhole(0)
  }

  /// Earlier versions kept the name.
  @Test func aNameInTheHistoryKeepsNoFile() async throws {
    let name = try #require(
      try SQLiteFile.text(
        "SELECT hex(ZDATA) FROM ZSCAN WHERE ZTITLE = 'large'", in: folder.store))
    let held = try context.fetch(FetchDescriptor<Scan>())
    for scan in held { context.delete(scan) }
    try context.save()
    try SQLiteFile.execute(
      "UPDATE ACHANGE SET ZTOMBSTONE0 = x'\(name)' WHERE ZCHANGETYPE = 2 AND ZTOMBSTONE0 IS NULL",
      in: folder.store)
    let (backup, killed) = (try TemporaryFolder(), try TemporaryFolder())
    try await container.backup(to: backup.store)
    #expect(backup.valueNames.isEmpty)
    try backup.expectWhole(0)
    // What a killed process leaves.
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
      try FileManager.default.copyItem(
        at: folder.url.appending(path: file), to: killed.url.appending(path: file))
    }
    #expect(killed.valueNames.count == 2 && killed.journals.count == 1)
    _ = try ModelContainer(
      for: Scan.self, configurations: ModelConfiguration(url: killed.store))
    try killed.expectWhole(0)
    #expect(held.first { $0.title == "large" }?.data == External.bytes(1))
  }
}
