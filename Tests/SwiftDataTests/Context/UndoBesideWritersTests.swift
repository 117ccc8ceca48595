import Foundation
import Testing

@testable import SwiftData

/// The undo of insertions and deletions whose rows others have stored, changed or removed.
@Suite(.databases) struct UndoBesideWritersTests {
  typealias Folder = Merging.Folder
  typealias Note = Merging.Note
  typealias Tag = Merging.Tag

  private let container: ModelContainer
  private let context: ModelContext
  private let writer: ModelContext
  private let undo = UndoManager()

  init() throws {
    container = try Merging.container()
    context = ModelContext(container)
    writer = ModelContext(container)
    context.undoManager = undo
  }

  private func rows() throws -> [String] {
    let order = SortDescriptor(\Note.code)
    return try ModelContext(container).fetch(FetchDescriptor<Note>(sortBy: [order])).map {
      let tags = $0.tags.map(\.name).sorted().joined(separator: ",")
      return "\($0.code) \($0.text) \($0.folder?.name ?? "-") [\(tags)]"
    }
  }

  private func undoAndSave() throws {
    undo.undo()
    try context.save()
  }

  private func redoAndSave() throws {
    undo.redo()
    try context.save()
  }

  /// Stores something by another context.
  private func store(_ models: any PersistentModel...) throws {
    for model in models { writer.insert(model) }
    try writer.save()
  }

  private func written(_ code: String) throws -> Note {
    try #require(try writer.fetch(FetchDescriptor<Note>()).first { $0.code == code })
  }

  // MARK: Lists

  @Test(arguments: [(false, false), (true, false), (false, true)])
  func aMemberThatALaterEventRemovedLeavesTheList(savesBetween: Bool, inMemory: Bool) throws {
    try store(Tag("x"), Note("p", "old"))
    let known = try inMemory ? context.fetch(FetchDescriptor<Tag>()) : []
    let note = try #require(try context.fetch(FetchDescriptor<Note>()).first)
    let tag = Tag("x")
    note.tags.append(tag)
    context.processPendingChanges()
    note.tags = []
    try context.save()
    undo.undo()
    #expect(note.tags.map(\.name) == ["x"])
    if savesBetween { try context.save() }
    try undoAndSave()
    #expect(note.tags.isEmpty)
    #expect(try rows() == ["p old - []"])
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 1)
    #expect(known.count == (inMemory ? 1 : 0))
  }

  @Test(arguments: [false, true])
  func soDoesOneOfAListWithoutInverse(inMemory: Bool) throws {
    try store(Merging.Album("album"), Note("a", "old"))
    let known = try inMemory ? context.fetch(FetchDescriptor<Note>()) : []
    let album = try #require(try context.fetch(FetchDescriptor<Merging.Album>()).first)
    album.notes.append(Note("a", "new"))
    context.processPendingChanges()
    album.notes = []
    try context.save()
    undo.undo()
    try undoAndSave()
    #expect(album.notes.isEmpty)
    let stored = try ModelContext(container).fetch(FetchDescriptor<Merging.Album>())
    #expect(stored.map(\.notes.count) == [0])
    #expect(known.count == (inMemory ? 1 : 0))
  }

  @Test func aPairFromBeforeStays() throws {
    let note = Note("p", "old")
    note.tags = [Tag("x")]
    try store(note)
    let own = try #require(try context.fetch(FetchDescriptor<Note>()).first)
    let tag = try #require(own.tags.first)
    own.tags.append(Tag("x"))
    context.processPendingChanges()
    own.tags = [tag]
    try context.save()
    undo.undo()
    try undoAndSave()
    #expect(try rows() == ["p old - [x]"])
  }

  // MARK: Links that others have changed

  @Test func aLinkThatAnotherContextRemovedStaysRemoved() throws {
    let note = Note("a", "old")
    note.tags = [Tag("both")]
    try store(note)
    let added = Note("a", "new")
    added.tags = try context.fetch(FetchDescriptor<Tag>())
    context.insert(added)
    try context.save()
    #expect(try rows() == ["a new - [both]"])
    try written("a").tags = []
    try writer.save()
    context.processPendingChanges()
    try undoAndSave()
    #expect(try rows() == ["a new - []"])
  }

  @Test(arguments: [nil, "third"])
  func aToOneThatAnotherContextMovedStays(_ name: String?) throws {
    try store(Folder("home", [Note("a", "old")]))
    context.insert(Note("a", "new", in: Folder("other")))
    try context.save()
    try written("a").folder = name.map { Folder($0) }
    try writer.save()
    context.processPendingChanges()
    try undoAndSave()
    #expect(try rows() == ["a new \(name ?? "-") []"])
  }

  @Test func aSaveBetweenTwoUndosIsNoChangeByOthers() throws {
    try store(Folder("home", [Note("a", "old")]), Folder("first"), Folder("second"))
    let folders = try context.fetch(FetchDescriptor<Folder>())
    let note = Note("a", "new", in: folders.first { $0.name == "first" })
    context.insert(note)
    context.processPendingChanges()
    note.folder = folders.first { $0.name == "second" }
    try context.save()
    for _ in 0..<2 {
      try undoAndSave()
      #expect(try rows() == ["a new first []"])
      try undoAndSave()
      #expect(try rows() == ["a new home []"])
      try redoAndSave()
      #expect(try rows() == ["a new first []"])
      try redoAndSave()
      #expect(try rows() == ["a new second []"])
    }
  }

  // MARK: Deletions

  @Test(arguments: [false, true])
  func aRedoneDeletionDeletesTheRowOfAnotherWriter(deletes: Bool) throws {
    let home = Folder("home", [Note("a", "old"), Note("b", "old")])
    try store(home)
    let folder = try #require(try context.fetch(FetchDescriptor<Folder>()).first)
    context.delete(folder)
    try context.save()
    try store(Note("a", "theirs", in: Folder("home")))
    let back = ["a old home []", "b old home []"]
    try undoAndSave()
    #expect(try rows() == back)
    if deletes {
      for note in try writer.fetch(FetchDescriptor<Note>()) { writer.delete(note) }
      try writer.save()
    }
    try redoAndSave()
    #expect(try rows().isEmpty)
    try undoAndSave()
    #expect(try rows() == back)
  }

  @Test func aRedoneInsertionThatBecameARowIsUndoneWithoutIt() throws {
    context.insert(Note("a", "new"))
    try context.save()
    try undoAndSave()
    #expect(try rows().isEmpty)
    try store(Note("a", "theirs"))
    try redoAndSave()
    try undoAndSave()
    #expect(try rows() == ["a new - []"])
  }

  @Test func editsOfTheOtherInstanceBeforeTheSaveAreStored() throws {
    let (first, second) = (Note("a", "old"), Note("a", "new"))
    undo.disableUndoRegistration()
    for note in [first, second] {
      context.insert(note)
      try context.save()
    }
    undo.enableUndoRegistration()
    context.delete(first)
    try context.save()
    undo.undo()
    second.text = "x"
    let folder = Folder("home")
    second.folder = folder
    try context.save()
    #expect(try rows() == ["a x home []"])
    #expect(first.text == "x" && second.text == "x" && second.folder === folder)
    #expect(!context.hasChanges && folder.notes.count == 1)
    try undoAndSave()
    #expect(try rows() == ["a new - []"])
    try redoAndSave()
    #expect(try rows() == ["a x home []"])
  }

  // MARK: Cost

  @Test func savesWithoutInsertionsToUndoAskForNoLinks() throws {
    let recorder = try #require(context.undoRecorder)
    let note = Note("a", "old")
    context.insert(note)
    context.processPendingChanges()
    #expect(recorder.needsEarlierLinks)
    try context.save()
    #expect(!recorder.needsEarlierLinks)
    note.text = "new"
    context.processPendingChanges()
    #expect(!recorder.needsEarlierLinks)
    undo.disableUndoRegistration()
    context.insert(Note("b", "old"))
    context.processPendingChanges()
    #expect(!recorder.needsEarlierLinks)
  }
}
