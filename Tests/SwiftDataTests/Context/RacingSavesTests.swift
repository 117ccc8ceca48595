import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData
import Testing

/// What a context learns of a save that another one makes at the same time. A recording driver stands
/// for the store, so that a save can be met between its steps.
@Suite struct RacingSavesTests {
  private struct Failure: Error {}

  private let driver = RecordingDriver(.sqlite)
  private let container: ModelContainer
  private let (writer, reader): (ModelContext, ModelContext)

  init() throws {
    container = try ModelContainer(
      for: Schema(Library.types), configurations: [RecordingStore.Configuration(driver: driver)])
    (writer, reader) = (ModelContext(container), ModelContext(container))
    show("low")
  }

  /// The one row of the store.
  private func show(_ label: String) {
    driver.script = [(#"Z_PK", "t0"."ZLABEL"#, [[.integer(7), .text(label)]])]
  }

  private func shelf(in context: ModelContext) throws -> Shelf {
    try #require(try context.fetch(FetchDescriptor<Shelf>()).first)
  }

  @Test func nothingIsReadBeforeTheCommit() throws {
    let (mine, theirs) = (try shelf(in: reader), try shelf(in: writer))
    theirs.label = "top"
    driver.onCommit = { [reader] in reader.processPendingChanges() }
    try writer.save()
    driver.onCommit = nil
    #expect(mine.label == "low")
    show("top")
    reader.processPendingChanges()
    #expect(mine.label == "top")
  }

  @Test func aContextThatIsMadeMeanwhileLearnsOfTheSave() throws {
    try shelf(in: writer).label = "top"
    var late: (context: ModelContext, shelf: Shelf)?
    driver.onCommit = { [container] in
      let context = ModelContext(container)
      late = (context, try #require(try context.fetch(FetchDescriptor<Shelf>()).first))
    }
    try writer.save()
    driver.onCommit = nil
    show("top")
    let (context, shelf) = try #require(late)
    #expect(shelf.label == "low")
    context.processPendingChanges()
    #expect(shelf.label == "top")
  }

  @Test func whatCouldNotBeReadIsReadLater() throws {
    let (mine, theirs) = (try shelf(in: reader), try shelf(in: writer))
    theirs.label = "top"
    try writer.save()
    show("top")
    driver.onRead = { throw Failure() }
    reader.processPendingChanges()
    #expect(mine.label == "low")
    driver.onRead = nil
    reader.processPendingChanges()
    #expect(mine.label == "top")
  }

  @Test func aSaveThatWasNotSeenBeforeTheCommitIsAConflict() throws {
    let (mine, theirs) = (try shelf(in: reader), try shelf(in: writer))
    mine.label = "mine"
    theirs.label = "theirs"
    nonisolated(unsafe) let writer = writer
    let willSave = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: reader, queue: nil
    ) { _ in #expect(throws: Never.self) { try writer.save() } }
    nonisolated(unsafe) var overwritten: [[String]] = []
    let didOverwrite = NotificationCenter.default.addObserver(
      forName: ModelContext.didOverwrite, object: reader, queue: nil
    ) { note in
      let names = note.userInfo?[ModelContext.overwrittenPropertiesKey]
      overwritten += (names as? [PersistentIdentifier: [String]] ?? [:]).values
    }
    try reader.save()
    NotificationCenter.default.removeObserver(willSave)
    NotificationCenter.default.removeObserver(didOverwrite)
    #expect(overwritten == [["label"]])
  }
}
