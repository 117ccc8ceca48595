import Foundation
import SwiftData
import Testing

enum UndoArticle {
  @Model
  final class Note {
    var title: String
    var text: String

    init(title: String, text: String) {
      self.title = title
      self.text = text
    }
  }
}

/// The samples of the article *Undo*.
@Suite(.databases) struct UndoArticleTests {
  typealias Note = UndoArticle.Note

  private let context: ModelContext
  private let undoManager: UndoManager

  init() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Note.self, configurations: configuration)
    let context = ModelContext(container)

    let undoManager = UndoManager()
    context.undoManager = undoManager

    self.context = context
    self.undoManager = undoManager
  }

  /// A note that was inserted in a step of its own.
  private func insertedNote() -> Note {
    let note = Note(title: "Lisbon", text: "")
    context.insert(note)
    context.processPendingChanges()

    return note
  }

  private func titles() throws -> [String] {
    try context.stored(Note.self).map(\.title).sorted()
  }

  @Test func theEditsOfAnEventAreOneStep() throws {
    let note = insertedNote()

    note.title = "Porto"
    note.text = "Two days."
    undoManager.undo()

    #expect(note.title == "Lisbon" && note.text == "")
    undoManager.undo()
    #expect(context.insertedModelsArray.isEmpty)
    undoManager.redo()
    #expect(context.insertedModelsArray.count == 1)
    undoManager.redo()
    #expect(note.title == "Porto" && note.text == "Two days.")
  }

  @Test func aGroupIsOneStepWithAName() throws {
    let note = insertedNote()
    var lines: [String] = []
    func print(_ line: String) { lines.append(line) }

    undoManager.beginUndoGrouping()
    note.title = "Porto"
    context.insert(Note(title: "Braga", text: ""))
    undoManager.setActionName("Change the Route")
    undoManager.endUndoGrouping()
    print(undoManager.undoMenuItemTitle)

    #expect(lines == ["Undo Change the Route"])
    undoManager.undo()
    #expect(note.title == "Lisbon")
    #expect(context.insertedModelsArray.count == 1)
  }

  @Test func whatIsNotRegisteredIsNotUndone() throws {
    let note = insertedNote()

    undoManager.disableUndoRegistration()
    note.text = "Imported."
    undoManager.enableUndoRegistration()

    #expect(undoManager.undoCount == 1)
    note.title = "Porto"
    undoManager.undo()
    #expect(note.title == "Lisbon" && note.text == "Imported.")
  }

  @Test func aSavedDeletionComesBack() throws {
    let note = insertedNote()
    try context.save()
    let identifier = note.persistentModelID

    try context.save()
    context.delete(note)
    try context.save()

    #expect(try titles().isEmpty)

    undoManager.undo()
    try context.save()

    #expect(try titles() == ["Lisbon"])
    #expect(note.modelContext === context)
    #expect(note.persistentModelID != identifier)
  }

  @Test func undoingEverythingLeavesNothingToSave() throws {
    let note = insertedNote()
    try context.save()
    note.title = "Porto"
    #expect(context.hasChanges)
    undoManager.undo()
    #expect(!context.hasChanges)
  }

  @Test func aRollbackRemovesTheSteps() throws {
    let note = insertedNote()
    try context.save()
    note.title = "Porto"
    context.rollback()
    #expect(!undoManager.canUndo)
    #expect(note.title == "Lisbon")
  }

  @Test func theNumberOfStepsIsLimited() throws {
    undoManager.levelsOfUndo = 20

    let note = insertedNote()
    for number in 1...30 {
      note.title = "\(number)"
      context.processPendingChanges()
    }
    #expect(undoManager.undoCount == 20)
    while undoManager.canUndo { undoManager.undo() }
    #expect(note.title == "10")
  }

  @Test func aBatchDeletionIsUndone() throws {
    _ = insertedNote()
    try context.save()
    try context.delete(model: Note.self)
    #expect(try titles().isEmpty)
    undoManager.undo()
    try context.save()
    #expect(try titles() == ["Lisbon"])
  }
}
