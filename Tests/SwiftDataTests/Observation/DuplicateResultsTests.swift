import Foundation
import SwiftData
import Testing

/// Live results with a row that has two instances in the context, after an upsert.
@MainActor
@Suite(.databases) struct DuplicateResultsTests {
  typealias Maker = Upserting.Maker

  private let context: ModelContext
  private let first: Maker
  private let second: Maker
  private let byCode = FetchDescriptor<Maker>(sortBy: [SortDescriptor(\.code)])
  /// An observer from before the upsert. Its request reads no title.
  private let early: ResultsObserver<Maker, Never>

  init() throws {
    context = try Upserting.context()
    first = Maker("a", "one")
    context.insert(first)
    context.insert(Maker("b", "two"))
    try context.save()
    early = try ResultsObserver(fetchDescriptor: byCode, modelContext: context)
    second = Maker("a", "imported")
    context.insert(second)
    try context.save()
  }

  private var titles: [String] { early.results.map(\.title) }

  @Test func observersShowTheEdit() throws {
    #expect(titles == ["imported", "two"])
    second.title = "edited"
    #expect(titles == ["edited", "two"])
    let late = try ResultsObserver<Maker, Never>(
      fetchDescriptor: FetchDescriptor<Maker>(), modelContext: context)
    #expect(Set(late.results.map(\.title)) == ["edited", "two"] && late.results.count == 2)
    try context.save()
    #expect(titles == ["edited", "two"] && late.results.count == 2)
    first.title = "again"
    #expect(titles == ["again", "two"] && late.results.count == 2)
    context.rollback()
    #expect(titles == ["edited", "two"] && late.results.count == 2)
  }

  @Test func observersShowLaterEditsAndUndoneOnes() throws {
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    // The request of the observer does not read the title.
    for (instance, title) in [(first, "1"), (second, "2"), (first, "3"), (second, "4")] {
      instance.title = title
      context.processPendingChanges()
      #expect(titles == [title, "two"])
    }
    // Of the second instance, this takes back "4".
    undo.undo()
    #expect(titles == ["2", "two"])
    context.rollback()
    first.title = "kept"
    context.processPendingChanges()
    second.title = "undone"
    context.processPendingChanges()
    #expect(titles == ["undone", "two"])
    undo.undo()
    #expect(early.results.first === first && titles == ["kept", "two"])
  }

  @Test func aSavedDeletionRemovesTheOtherInstance() throws {
    #expect(early.results.first === first)
    context.delete(second)
    try context.save()
    #expect(titles == ["two"])
  }

  @Test func aDeletionThatIsTakenBackRestoresTheRow() throws {
    context.delete(second)
    #expect(titles == ["two"])
    context.rollback()
    #expect(titles == ["imported", "two"])
  }

  @Test func anEditIsAnUpdateOfItsRow() async throws {
    var changes = context.changes(of: byCode).makeAsyncIterator()
    let shown = await changes.next(isolation: MainActor.shared)?.models.map(\.persistentModelID)
    second.title = "edited"
    let edit = try #require(await changes.next(isolation: MainActor.shared))
    #expect(edit.difference.inserted.isEmpty && edit.difference.removed.isEmpty)
    #expect(edit.difference.updated.map(\.offset) == [0])
    #expect(edit.models.map(\.persistentModelID) == shown)
    try context.save()
    first.title = "again"
    let next = try #require(await changes.next(isolation: MainActor.shared))
    #expect(next.difference.inserted.isEmpty && next.difference.updated.map(\.offset) == [0])
    #expect(next.models.map(\.title) == ["again", "two"])
  }
}
