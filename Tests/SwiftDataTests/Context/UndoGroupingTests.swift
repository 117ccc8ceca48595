import Foundation
import SwiftData
import Testing

/// What one step of the undo manager is.
@Suite(.databases) struct UndoGroupingTests {
  private let context: ModelContext
  private let undo = UndoManager()
  private let book = Book(title: "0", pages: 0)

  init() throws {
    context = ModelContext(try Library.container())
    context.insert(book)
    try context.save()
    context.undoManager = undo
  }

  @Test func processingEndsAStep() {
    for title in ["1", "2"] {
      book.title = title
      book.title += "!"
      context.processPendingChanges()
    }
    #expect(undo.undoCount == 2)
    undo.undo()
    #expect(book.title == "1!")
    undo.undo()
    #expect(book.title == "0")
  }

  @Test func aSaveEndsAStep() throws {
    book.title = "1"
    try context.save()
    book.title = "2"
    try context.save()
    undo.undo()
    #expect(book.title == "1")
  }

  @Test func withoutAnEndAllIsOneStep() {
    book.title = "1"
    context.insert(Book(title: "new", pages: 1))
    #expect(undo.canUndo)
    book.title = "2"
    undo.undo()
    #expect(book.title == "0")
    #expect(context.insertedModelsArray.isEmpty)
    #expect(!undo.canUndo)
  }

  @Test func explicitGroupsAreStepsOfTheirOwn() {
    book.title = "stray"
    undo.beginUndoGrouping()
    book.title = "1"
    undo.beginUndoGrouping()
    book.pages = 1
    undo.endUndoGrouping()
    context.processPendingChanges()
    book.pages = 2
    undo.endUndoGrouping()
    undo.beginUndoGrouping()
    book.pages = 3
    undo.endUndoGrouping()
    #expect(undo.undoCount == 3)
    undo.undo()
    #expect(book.pages == 2)
    undo.undo()
    #expect(book.pages == 0 && book.title == "stray")
    undo.undo()
    #expect(book.title == "0")
  }

  @Test func aStepThatChangedNothingIsNone() {
    book.title = "1"
    book.title = "0"
    let passing = Book(title: "passing", pages: 1)
    context.insert(passing)
    context.delete(passing)
    context.processPendingChanges()
    #expect(!undo.canUndo)
  }

  @Test func handlersOfTheUserRunInTheirPlace() {
    final class Log { var lines: [String] = [] }
    let log = Log()
    let book = book
    func note(_ text: String) {
      undo.registerUndo(withTarget: log) { [undo] log in
        log.lines.append("\(text) at \(book.title)")
        if undo.isUndoing { log.lines.append("undoing") }
        undo.registerUndo(withTarget: log) { $0.lines.append("\(text) again at \(book.title)") }
      }
    }
    book.title = "1"
    note("first")
    book.title = "2"
    note("second")
    undo.undo()
    #expect(log.lines == ["second at 2", "undoing", "first at 1", "undoing"])
    #expect(book.title == "0")
    log.lines = []
    undo.redo()
    #expect(log.lines == ["first again at 1", "second again at 2"])
    #expect(book.title == "2")
  }

  @Test func namesBelongToTheChangesBeforeThem() {
    book.title = "1"
    undo.setActionName("Rename")
    context.processPendingChanges()
    book.pages = 3
    undo.setActionName("Count")
    #expect(undo.undoActionName == "Count")
    undo.undo()
    #expect(undo.undoMenuItemTitle == "Undo Rename")
    #expect(undo.redoMenuItemTitle == "Redo Count")
  }

  @Test func registrationIsDisabledFromHereToThere() {
    book.title = "1"
    undo.disableUndoRegistration()
    book.pages = 3
    undo.enableUndoRegistration()
    book.price = 1
    undo.undo()
    #expect(book.title == "0" && book.pages == 3 && book.price == 9.5)
  }

  @Test func aChangeAfterAnUndoForgetsWhatCouldBeRedone() {
    book.title = "1"
    undo.undo()
    #expect(undo.canRedo)
    book.title = "2"
    #expect(!undo.canRedo)
    undo.redo()
    #expect(book.title == "2")
  }

  @Test func onlyTheLastLevelsAreKept() {
    undo.levelsOfUndo = 2
    for number in 1...4 {
      book.pages = number
      context.processPendingChanges()
    }
    while undo.canUndo { undo.undo() }
    #expect(book.pages == 2)
  }

  @Test func withoutEventsEachProcessingIsAStep() {
    undo.groupsByEvent = false
    book.pages = 1
    context.processPendingChanges()
    book.pages = 2
    undo.undo()
    #expect(book.pages == 1)
  }

  @Test func contextsShareAManager() throws {
    let other = ModelContext(context.container)
    other.undoManager = undo
    let copy = try #require(try other.fetch(FetchDescriptor<Book>()).first)
    book.title = "1"
    copy.pages = 1
    other.processPendingChanges()
    book.title = "2"
    undo.undo()
    #expect(book.title == "1" && copy.pages == 1)
    undo.undo()
    #expect(book.title == "0" && copy.pages == 0)
    undo.redo()
    other.rollback()
    #expect(book.title == "1" && copy.pages == 0)
    undo.undo()
    #expect(book.title == "0")
  }

  @Test func aManagerOutlivesItsContext() throws {
    weak var gone: ModelContext?
    weak var model: Book?
    do {
      let other = ModelContext(context.container)
      other.undoManager = undo
      let made = Book(title: "gone", pages: 1)
      other.insert(made)
      other.processPendingChanges()
      made.title = "changed"
      gone = other
      model = made
    }
    #expect(gone == nil && model == nil)
    #expect(!undo.canUndo)
    book.title = "1"
    undo.undo()
    undo.undo()
    #expect(book.title == "0")
  }

  @Test func anotherManagerStartsAnew() {
    book.title = "1"
    context.processPendingChanges()
    let other = UndoManager()
    context.undoManager = other
    #expect(!undo.canUndo)
    book.title = "2"
    other.undo()
    #expect(book.title == "1")
    context.undoManager = nil
    book.title = "3"
    #expect(!other.canUndo && !other.canRedo)
  }

  @Test func observersMayAskTheManagerAtACheckpoint() {
    nonisolated(unsafe) var answers: [Bool] = []
    nonisolated(unsafe) let undo = undo
    let token = NotificationCenter.default.addObserver(
      forName: .NSUndoManagerCheckpoint, object: undo, queue: nil
    ) { _ in answers.append(undo.canUndo) }
    defer { NotificationCenter.default.removeObserver(token) }
    book.title = "1"
    context.processPendingChanges()
    undo.undo()
    #expect(!answers.isEmpty)
    #expect(book.title == "0")
  }

  /// On an actor an event lasts until the next gap.
  @MainActor @Test func anActorEndsAnEventByItself() async throws {
    let context = try Library.container().mainContext
    let undo = UndoManager()
    context.undoManager = undo
    let book = Book(title: "1", pages: 1)
    context.insert(book)
    while undo.undoCount == 0 { await Task.yield() }
    book.title = "2"
    undo.undo()
    #expect(book.title == "1")
    #expect(book.modelContext === context)
    context.rollback()
  }
}
