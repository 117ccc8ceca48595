import Foundation
import SwiftData
import Testing

/// What is saved, reported and restored of a class with 74 properties is what was changed.
@Suite struct WideModelTests {
  private let recorder = StatementRecorder()
  private let context: ModelContext
  private let form = Wide.Form("first")

  init() throws {
    context = ModelContext(try recorder.container(Wide.types))
    form.owner = Wide.Owner("ada")
    form.parts = [Wide.Part("a"), Wide.Part("b")]
    context.insert(form)
    try context.save()
  }

  /// The updates of forms that a save runs.
  private func written() throws -> [String] {
    try recorder.during { try context.save() }.map(\.sql).filter {
      $0.hasPrefix(#"UPDATE "ZFORM""#)
    }
  }

  private func update(_ columns: String...) -> String {
    let assignments = columns.enumerated().map { "\"\($1)\" = ?\($0 + 1)" }
    return #"UPDATE "ZFORM" SET \#(assignments.joined(separator: ", ")), "#
      + #""Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" = ?\#(columns.count + 1)"#
  }

  @Test func aSaveWritesTheChangedColumnsOnly() throws {
    form.last = 7
    #expect(try written() == [update("ZLAST")])
    form.note = "second"
    form.n00 = 1
    form.n62 = 2
    #expect(try written() == [update("ZN00", "ZN62", "ZNOTE")])
    form.count = 3
    form.size = Wide.Size(width: 1, height: 2)
    #expect(try written() == [update("ZCOUNT", "ZWIDTH", "ZHEIGHT")])
    form.owner = nil
    #expect(try written() == [update("ZOWNER")])
  }

  @Test func aChangeOfMembersWritesNoColumnOfTheOwner() throws {
    form.parts.append(Wide.Part("c"))
    let newVersion =
      #"UPDATE "ZFORM" SET "Z_OPT" = "Z_OPT" + ?2 WHERE "Z_PK" IN (SELECT "value" FROM json_each(?1))"#
    #expect(try written() == [newVersion])
    let stored = try #require(
      try ModelContext(context.container).fetch(FetchDescriptor<Wide.Form>()).first)
    #expect(stored.parts.map(\.name).sorted() == ["a", "b", "c"])
  }

  @Test func contextsThatEditDifferentPropertiesOverwriteNothing() throws {
    let other = ModelContext(context.container)
    let theirs = try #require(try other.fetch(FetchDescriptor<Wide.Form>()).first)
    theirs.note = "theirs"
    theirs.isOpen = true
    theirs.last = 9
    form.price = 2.5
    form.tags = ["x"]
    form.last = 7
    try other.save()
    nonisolated(unsafe) var names: [[String]] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didOverwrite, object: context, queue: nil
    ) { note in
      let found = note.userInfo?[ModelContext.overwrittenPropertiesKey]
      names += (found as? [PersistentIdentifier: [String]] ?? [:]).values.map(\.self)
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    #expect(try written() == [update("ZPRICE", "ZTAGS", "ZLAST")])
    #expect(names == [["last"]])
    #expect(form.note == "theirs" && form.isOpen)
    other.processPendingChanges()
    #expect(theirs.price == 2.5 && theirs.tags == ["x"] && theirs.last == 7)
  }

  @Test func anExternalChangeKeepsUnsavedValuesAfterSlot63() throws {
    let other = ModelContext(context.container)
    let theirs = try #require(try other.fetch(FetchDescriptor<Wide.Form>()).first)
    form.last = 7
    form.parts.removeLast()
    theirs.note = "theirs"
    theirs.owner = Wide.Owner("eve")
    try other.save()
    context.processPendingChanges()
    #expect(form.note == "theirs" && form.owner?.name == "eve")
    #expect(form.last == 7 && form.parts.map(\.name) == ["a"])
  }

  @Test func aRollbackRestoresEveryProperty() throws {
    form.n05 = 1
    form.note = "second"
    form.size.width = 3
    form.owner = Wide.Owner("eve")
    form.parts = [Wide.Part("c")]
    form.last = 7
    context.rollback()
    #expect(form.n05 == 0 && form.note == "first" && form.size.width == 0 && form.last == 0)
    #expect(form.owner?.name == "ada" && form.parts.map(\.name) == ["a", "b"])
    #expect(!context.hasChanges)
    form.bytes = Data([1])
    #expect(try written() == [update("ZBYTES")])
  }

  @Test func anUndoRestoresWhatItsEventChanged() throws {
    let undo = UndoManager()
    context.undoManager = undo
    form.note = "second"
    form.parts.removeLast()
    context.processPendingChanges()
    form.owner = nil
    form.last = 7
    context.processPendingChanges()
    undo.undo()
    #expect(form.owner?.name == "ada" && form.last == 0)
    #expect(form.note == "second" && form.parts.map(\.name) == ["a"])
    #expect(try written() == [update("ZNOTE")])
    undo.undo()
    #expect(form.note == "first" && form.parts.map(\.name) == ["a", "b"])
    #expect(try written() == [update("ZNOTE")])
    undo.redo()
    undo.redo()
    #expect(form.owner == nil && form.last == 7 && form.parts.map(\.name) == ["a"])
  }

  @Test func undoingEverythingLeavesNothingToSave() throws {
    let undo = UndoManager()
    context.undoManager = undo
    form.day = Date(timeIntervalSince1970: 0)
    form.parts = []
    form.owner = nil
    context.processPendingChanges()
    undo.undo()
    #expect(form.day == nil && form.parts.count == 2 && form.owner?.name == "ada")
    #expect(!context.hasChanges)
  }

  @Test func whatIsReadAgainIsWhatWasWritten() throws {
    form.n61 = 61
    form.count = 63
    form.day = Date(timeIntervalSince1970: 64)
    form.tags = ["x", "y"]
    form.bytes = Data([1, 2])
    try context.save()
    let stored = try #require(
      try ModelContext(context.container).fetch(FetchDescriptor<Wide.Form>()).first)
    #expect(stored.n61 == 61 && stored.n60 == 0 && stored.count == 63 && stored.price == 0)
    #expect(stored.day == Date(timeIntervalSince1970: 64) && stored.tags == ["x", "y"])
    #expect(stored.bytes == Data([1, 2]) && !stored.isOpen && stored.note == "first")
  }
}
