import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// What a process that ended in the middle of a save leaves, and what the next opening makes of it.
@Suite struct ExternalJournalTests {
  typealias Picture = External.Picture

  private let folder: TemporaryFolder
  /// The name of the file of the only row.
  private let stored: String

  init() throws {
    folder = try TemporaryFolder()
    let context = ModelContext(try External.container(folder.store))
    context.insert(Picture("a", External.bytes(1)))
    try context.save()
    stored = try #require(folder.valueNames.first)
  }

  private func leave(_ names: [String], ending: String = "\n") throws {
    let text = names.joined(separator: "\n") + ending
    try Data(text.utf8).write(to: folder.support.appending(path: "pending-\(UUID().uuidString)"))
  }

  private func file(_ name: String) throws {
    try Data([1]).write(to: folder.values.appending(path: name))
  }

  private func reopen(allowsSave: Bool = true) throws {
    _ = try ModelContainer(
      for: Schema(External.types),
      configurations: ModelConfiguration(url: folder.store, allowsSave: allowsSave))
  }

  @Test func filesWithoutARowAreRemoved() throws {
    let (whole, part, none) = (UUID().uuidString, UUID().uuidString, UUID().uuidString)
    try file(whole)
    try file(part + ".part")
    try leave([whole, part, none])
    #expect(try ExternalFilesCheck(of: folder.store).orphans.isEmpty)
    try reopen()
    #expect(folder.valueNames == [stored] && folder.journals.isEmpty)
    try folder.expectWhole(1)
  }

  @Test func aFileThatARowNamesStays() throws {
    try leave([stored])
    try leave([stored])
    try reopen()
    #expect(folder.journals.isEmpty)
    try folder.expectWhole(1)
  }

  /// Whoever opens the store next may have other models.
  @Test func aFileThatARowOfAnotherModelNamesStays() throws {
    try leave([stored])
    _ = try ModelContainer(
      for: External.Sketch.self, configurations: ModelConfiguration(url: folder.store))
    #expect(folder.valueNames == [stored] && folder.journals.isEmpty)
  }

  @Test func aNameThatIsNotWholeIsNone() throws {
    let other = UUID().uuidString
    try file(other)
    try leave([other], ending: "")
    try reopen()
    #expect(folder.valueNames.count == 2 && folder.journals.isEmpty)
  }

  @Test func openingForReadingRemovesNothing() throws {
    let other = UUID().uuidString
    try file(other)
    try leave([other])
    try reopen(allowsSave: false)
    #expect(folder.valueNames.count == 2 && folder.journals.count == 1)
  }

  @Test func aContainerThatLivesKeepsItsJournal() throws {
    let container = try External.container(folder.store)
    let context = ModelContext(container)
    context.insert(Picture("b", External.bytes(2)))
    try context.save()
    #expect(folder.journals.count == 1)
    try reopen()
    #expect(folder.journals.count == 1)
    context.insert(Picture("c", External.bytes(3)))
    try context.save()
    try folder.expectWhole(3)
  }

  @Test func theCheckFindsWhatIsLostOnBothSides() throws {
    let other = UUID().uuidString
    try file(other)
    try FileManager.default.removeItem(at: folder.values.appending(path: stored))
    let check = try ExternalFilesCheck(of: folder.store)
    #expect(check.valueCount == 0)
    #expect(check.orphans.map(\.file.lastPathComponent) == [other])
    #expect(check.orphans.map(\.byteCount) == [1])
    let missing = try #require(check.missing.first)
    #expect(check.missing.count == 1 && missing.name == stored)
    #expect(missing.table == "ZPICTURE" && missing.column == "ZDATA" && missing.key == 1)
    #expect(folder.valueNames == [other])
    _ = try ExternalFilesCheck(of: folder.store, removingOrphans: true)
    #expect(folder.valueNames.isEmpty)
    #expect(try ExternalFilesCheck(of: folder.store).orphans.isEmpty)
  }

  @Test func theCheckLeavesWhatALivingProcessIsAbout() throws {
    let context = ModelContext(try External.container(folder.store))
    let picture = try #require(try context.fetch(FetchDescriptor<Picture>()).first)
    context.delete(picture)
    try context.save()
    // The model is in memory, and its value with it.
    #expect(try ExternalFilesCheck(of: folder.store, removingOrphans: true).orphans.isEmpty)
    #expect(picture.data == External.bytes(1))
  }
}
