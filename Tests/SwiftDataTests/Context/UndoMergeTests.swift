import Foundation
import SwiftData
import Testing

/// The undo of an insertion that a save has merged with a stored row keeps the row and the links that it had before.
@Suite(.databases) struct UndoMergeTests {
  typealias Folder = Merging.Folder
  typealias Note = Merging.Note

  private let container: ModelContainer
  private let context: ModelContext
  private let undo = UndoManager()

  init() throws {
    container = try Merging.container()
    context = ModelContext(container)
  }

  /// Stores a folder with two notes by another context.
  /// - Returns: The folder, and its notes if they are to be in memory.
  private func stored(inMemory: Bool = false) throws -> (Folder, [Note]) {
    let writer = ModelContext(container)
    writer.insert(Folder("home", [Note("a", "old"), Note("b", "old")]))
    try writer.save()
    let folder = try #require(try context.fetch(FetchDescriptor<Folder>()).first)
    let notes = try inMemory ? context.fetch(FetchDescriptor<Note>()) : []
    context.undoManager = undo
    return (folder, notes)
  }

  private func rows() throws -> [String] {
    let order = SortDescriptor(\Note.code)
    return try ModelContext(container).fetch(FetchDescriptor<Note>(sortBy: [order])).map {
      "\($0.code) \($0.text) \($0.folder?.name ?? "-")"
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

  @Test(arguments: [1, 20], [false, true])
  func aNoteReturnsFromANewFolder(_ count: Int, inMemory: Bool) throws {
    let known = try stored(inMemory: inMemory)
    let added = (0..<count).map { Note("new \($0)", "new") }
    let other = Folder("other", [Note("a", "new")] + added)
    context.insert(other)
    try context.save()
    #expect(try rows().prefix(2) == ["a new other", "b old home"])
    for _ in 0..<2 {
      try undoAndSave()
      #expect(try rows() == ["a new home", "b old home"])
      #expect(known.0.notes.count == 2 && other.modelContext == nil)
      try redoAndSave()
      #expect(try rows().prefix(2) == ["a new other", "b old home"])
      #expect(try rows().count == count + 2 && other.notes.count == count + 1)
    }
  }

  /// The save after the undo shows the links in each instance.
  @Test func bothInstancesShowTheLinks() throws {
    let (home, notes) = try stored(inMemory: true)
    let note = Note("a", "new", in: Folder("other"))
    context.insert(note)
    try context.save()
    let known = try #require(notes.first { $0.code == "a" })
    try undoAndSave()
    #expect(known.folder === home && note.folder === home && known.text == "new")
    try redoAndSave()
    #expect(known.folder?.name == "other" && note.folder?.name == "other")
    #expect(known.persistentModelID == note.persistentModelID)
  }

  @Test(arguments: [false, true], [false, true])
  func aNoteKeepsItsFolder(inMemory: Bool, byList: Bool) throws {
    let (home, notes) = try stored(inMemory: inMemory)
    if byList {
      home.notes.append(Note("a", "new"))
    } else {
      context.insert(Note("a", "new", in: home))
    }
    try context.save()
    #expect(try rows() == ["a new home", "b old home"])
    try undoAndSave()
    #expect(try rows() == ["a new home", "b old home"])
    #expect(notes.count == (inMemory ? 2 : 0))
  }

  @Test func aRelationshipThatWasSetLaterIsRestoredToo() throws {
    let (home, _) = try stored()
    let other = Folder("other")
    context.insert(other)
    try context.save()
    let note = Note("a", "new")
    context.insert(note)
    context.processPendingChanges()
    other.notes.append(note)
    context.processPendingChanges()
    try context.save()
    #expect(try rows()[0] == "a new other")
    undo.undo()
    try undoAndSave()
    #expect(try rows()[0] == "a new home" && home.notes.count == 2)
    undo.redo()
    try redoAndSave()
    #expect(try rows()[0] == "a new other")
  }

  /// The save does not write a relationship that is empty again.
  @Test func aRelationshipThatWasTakenBackIsNotLost() throws {
    _ = try stored()
    let other = Folder("other")
    context.insert(other)
    context.processPendingChanges()
    let note = Note("a", "new")
    other.notes.append(note)
    context.processPendingChanges()
    note.folder = nil
    try context.save()
    #expect(try rows()[0] == "a new home")
    undo.undo()
    try undoAndSave()
    #expect(try rows()[0] == "a new home")
  }

  @Test func severalMergesWithOneRowAreUndoneOneByOne() throws {
    _ = try stored()
    for name in ["one", "two"] {
      context.insert(Note("a", name, in: Folder(name)))
      try context.save()
    }
    // These two are merged by one save.
    for name in ["three", "four"] {
      context.insert(Note("a", name, in: Folder(name)))
      context.processPendingChanges()
    }
    try context.save()
    #expect(try rows()[0] == "a four four")
    for name in ["three", "two", "one", "home"] {
      try undoAndSave()
      #expect(try rows() == ["a four \(name)", "b old home"])
    }
    for name in ["one", "two", "three", "four"] {
      try redoAndSave()
      #expect(try rows()[0] == "a four \(name)")
    }
  }

  @Test func pairsAreKeptOrRemoved() throws {
    _ = try stored()
    let (old, both, new) = (Merging.Tag("old"), Merging.Tag("both"), Merging.Tag("new"))
    let writer = ModelContext(container)
    let note = try #require(try writer.fetch(FetchDescriptor<Note>()).first { $0.code == "a" })
    note.tags = [old, both]
    writer.insert(new)
    try writer.save()
    context.processPendingChanges()
    let tags = try context.fetch(FetchDescriptor<Merging.Tag>())
    let added = Note("a", "new")
    added.tags = tags.filter { $0.name != "old" } + [Merging.Tag("old"), Merging.Tag("newest")]
    context.insert(added)
    try context.save()
    func names() throws -> [String] {
      let found = try ModelContext(container).fetch(FetchDescriptor<Note>())
      return found.first { $0.code == "a" }?.tags.map(\.name).sorted() ?? []
    }
    #expect(try names() == ["both", "new", "newest", "old"])
    try undoAndSave()
    #expect(try names() == ["both", "old"])
    #expect(try context.fetchCount(FetchDescriptor<Merging.Tag>()) == 3)
    try redoAndSave()
    #expect(try names() == ["both", "new", "newest", "old"])
    try undoAndSave()
    #expect(try names() == ["both", "old"])
  }

  @Test(arguments: [false, true])
  func aSingleRelatedModelReturns(isNew: Bool) throws {
    let writer = ModelContext(container)
    let note = Note("a", "old")
    note.cover = Merging.Cover("red")
    note.origin = Folder("first")
    writer.insert(note)
    writer.insert(Merging.Cover("blue"))
    try writer.save()
    context.undoManager = undo
    let covers = try context.fetch(FetchDescriptor<Merging.Cover>())
    let added = Note("a", "new")
    added.cover = isNew ? Merging.Cover("blue") : covers.first { $0.color == "blue" }
    added.origin = Folder("second")
    context.insert(added)
    try context.save()
    func found() throws -> [String?] {
      let note = try ModelContext(container).fetch(FetchDescriptor<Note>()).first
      return [note?.cover?.color, note?.cover?.note?.code, note?.origin?.name]
    }
    #expect(try found() == ["blue", "a", "second"])
    try undoAndSave()
    #expect(try found() == ["red", "a", "first"])
    #expect(try context.fetchCount(FetchDescriptor<Merging.Cover>()) == 2)
    try redoAndSave()
    #expect(try found() == ["blue", "a", "second"])
  }

  @Test func aRequiredRelationshipReturns() throws {
    let writer = ModelContext(container)
    writer.insert(Merging.Slip("a", Merging.Box("first")))
    try writer.save()
    context.undoManager = undo
    context.insert(Merging.Slip("a", Merging.Box("second")))
    try context.save()
    func boxes() throws -> [String] {
      try ModelContext(container).fetch(FetchDescriptor<Merging.Slip>()).map(\.box.name)
    }
    #expect(try boxes() == ["second"])
    try undoAndSave()
    #expect(try boxes() == ["first"])
    try redoAndSave()
    #expect(try boxes() == ["second"])
  }

  @Test(arguments: [false, true])
  func aListWithoutInverseGivesTheNoteBack(isNew: Bool) throws {
    _ = try stored()
    let note = try #require(try context.fetch(FetchDescriptor<Note>()).first { $0.code == "a" })
    let albums = ["first", "second"].map { Merging.Album($0) }
    for album in albums { context.insert(album) }
    albums[0].notes = [note]
    try context.save()
    let added = Note("a", "new")
    if isNew { context.insert(Merging.Album("new", [added])) } else { albums[1].notes = [added] }
    try context.save()
    func owners() throws -> [String] {
      let found = try ModelContext(container).fetch(FetchDescriptor<Merging.Album>())
      return found.filter { !$0.notes.isEmpty }.map(\.name)
    }
    #expect(try owners() == [isNew ? "new" : "second"])
    try undoAndSave()
    #expect(try owners() == ["first"])
    #expect(try rows() == ["a new home", "b old home"])
    try redoAndSave()
    #expect(try owners() == [isNew ? "new" : "second"])
    // The same list again.
    let again = try #require(
      try context.fetch(FetchDescriptor<Merging.Album>()).first { !$0.notes.isEmpty })
    again.notes.append(Note("a", "newer"))
    try context.save()
    try undoAndSave()
    #expect(try owners() == [again.name])
  }

  @Test func newMembersLeaveTheRow() throws {
    let writer = ModelContext(container)
    let note = Note("a", "old")
    note.lines = [Merging.Line("one")]
    writer.insert(note)
    try writer.save()
    context.undoManager = undo
    let added = Note("a", "new")
    added.lines = [Merging.Line("two")]
    context.insert(added)
    try context.save()
    func lines() throws -> [String] {
      try ModelContext(container).fetch(FetchDescriptor<Note>())[0].lines.map(\.text).sorted()
    }
    #expect(try lines() == ["one", "two"])
    try undoAndSave()
    #expect(try lines() == ["one"])
    #expect(try context.fetchCount(FetchDescriptor<Merging.Line>()) == 1)
  }

  @Test func anEarlierModelThatWasDeletedMeanwhileIsNotNeeded() throws {
    _ = try stored()
    context.insert(Note("a", "new", in: Folder("other")))
    try context.save()
    let writer = ModelContext(container)
    for folder in try writer.fetch(FetchDescriptor<Folder>()) where folder.name == "home" {
      writer.delete(folder)
    }
    try writer.save()
    context.processPendingChanges()
    try undoAndSave()
    #expect(try rows() == ["a new -"])
  }

  @Test func unsavedEditsOfTheRowStay() throws {
    _ = try stored(inMemory: true)
    let note = Note("a", "new", in: Folder("other"))
    context.insert(note)
    try context.save()
    undo.disableUndoRegistration()
    note.text = "edited"
    context.processPendingChanges()
    undo.enableUndoRegistration()
    try undoAndSave()
    #expect(try rows()[0] == "a edited home")
  }

  @Test func anUndoBeforeTheSaveLeavesTheRowAlone() throws {
    _ = try stored()
    context.insert(Note("a", "new", in: Folder("other")))
    context.processPendingChanges()
    undo.undo()
    #expect(!context.hasChanges)
    undo.redo()
    try context.save()
    #expect(try rows()[0] == "a new other")
    try undoAndSave()
    #expect(try rows()[0] == "a new home")
  }

  @Test func aFailedSaveNotesNothing() throws {
    _ = try stored()
    struct Stop: Error {}
    let note = Note("a", "new", in: Folder("other"))
    #expect(throws: Stop.self) {
      try context.transaction {
        context.insert(note)
        try context.save()
        throw Stop()
      }
    }
    #expect(try rows()[0] == "a old home")
    context.insert(note)
    try context.save()
    try undoAndSave()
    #expect(try rows() == ["a new home", "b old home"])
  }

  // MARK: Deletions of rows with two instances

  private func instances() throws -> (first: Note, second: Note) {
    let first = Note("a", "old")
    first.lines = [Merging.Line("one")]
    context.insert(first)
    try context.save()
    let second = Note("a", "new")
    context.insert(second)
    try context.save()
    context.undoManager = undo
    return (first, second)
  }

  @Test(arguments: [false, true])
  func theOtherInstanceShowsTheRowThatAnUndoInserts(deletesSecond: Bool) throws {
    let (first, second) = try instances()
    for _ in 0..<2 {
      context.delete(deletesSecond ? second : first)
      try context.save()
      #expect(first.isDeleted && second.isDeleted)
      undo.undo()
      try context.save()
      #expect(!first.isDeleted && !second.isDeleted && first.lines.count == 1)
      #expect(first.persistentModelID == second.persistentModelID)
      second.text += "!"
      try context.save()
      #expect(first.text == second.text && second.text.hasSuffix("!"))
      #expect(try rows() == ["a \(second.text) -"])
    }
    #expect(try rows() == ["a new!! -"])
  }

  @Test func aDeletionOfBothInstancesIsUndoneTwice() throws {
    let (first, second) = try instances()
    context.delete(first)
    try context.save()
    undo.undo()
    undo.redo()
    undo.undo()
    try context.save()
    #expect(first.persistentModelID == second.persistentModelID && second.text == "new")
    try redoAndSave()
    #expect(first.isDeleted && second.isDeleted)
    try undoAndSave()
    #expect(!first.isDeleted && !second.isDeleted && second.modelContext === context)
    #expect(try rows() == ["a new -"])
  }

  @Test func aCascadeDeletesBothInstancesAndAnUndoBringsThemBack() throws {
    let folder = Folder("home", [Note("a", "old")])
    context.insert(folder)
    try context.save()
    let (first, second) = (folder.notes[0], Note("a", "new"))
    context.insert(second)
    try context.save()
    context.undoManager = undo
    context.delete(folder)
    try context.save()
    #expect(first.isDeleted && second.isDeleted)
    try undoAndSave()
    #expect(first.persistentModelID == second.persistentModelID && second.folder === folder)
  }
}
