import Foundation
import SwiftData
import Testing

/// Lists with a member whose row has two instances, after an upsert.
@Suite(.databases) struct DuplicateMemberTests {
  @Model final class Note {
    @Attribute(.unique) var code: String
    var text: String
    var tags: [Tag] = []

    init(_ code: String, _ text: String) {
      self.code = code
      self.text = text
    }
  }

  @Model final class Tag {
    var name: String
    @Relationship(inverse: \Note.tags) var notes: [Note] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Folder {
    var name: String
    /// No inverse.
    var notes: [Note] = []

    init(_ name: String) { self.name = name }
  }

  private let context: ModelContext
  private let first = Note("a", "one")
  private let second = Note("a", "imported")
  private let tag = Tag("red")
  private let folder = Folder("red")

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Note.self, Tag.self, Folder.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(tag)
    context.insert(folder)
    context.insert(first)
    try context.save()
    context.insert(second)
    try context.save()
  }

  private func storedTexts() throws -> [[String]] {
    let other = ModelContext(context.container)
    return [
      try other.fetch(FetchDescriptor<Tag>()).flatMap(\.notes).map(\.text),
      try other.fetch(FetchDescriptor<Folder>()).flatMap(\.notes).map(\.text),
    ]
  }

  /// Another context changes the rows, so that the lists get the instance that the identifier leads to.
  private func readListsAgain() throws {
    let other = ModelContext(context.container)
    try other.fetch(FetchDescriptor<Tag>()).first?.name = "blue"
    try other.fetch(FetchDescriptor<Folder>()).first?.name = "blue"
    try other.save()
    #expect(try context.fetch(FetchDescriptor<Tag>()).map(\.name) == ["blue"])
    #expect(try context.fetch(FetchDescriptor<Folder>()).map(\.name) == ["blue"])
  }

  @Test func anUndoOfAnAdditionRemovesTheOtherInstance() throws {
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    tag.notes.append(first)
    folder.notes.append(first)
    try context.save()
    second.text = "edited"
    try context.save()
    try readListsAgain()
    #expect(tag.notes.map(ObjectIdentifier.init) == [ObjectIdentifier(second)])
    #expect(folder.notes.map(ObjectIdentifier.init) == [ObjectIdentifier(second)])
    #expect(try storedTexts() == [["edited"], ["edited"]])
    undo.undo()
    #expect(second.text == "imported")
    undo.undo()
    #expect(tag.notes.isEmpty && folder.notes.isEmpty)
    try context.save()
    #expect(try storedTexts() == [[], []])
  }

  @Test func anUndoOfARemovalAddsTheRowOnce() throws {
    tag.notes.append(first)
    folder.notes.append(first)
    try context.save()
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    tag.notes = []
    folder.notes = []
    try context.save()
    second.text = "edited"
    try context.save()
    try readListsAgain()
    #expect(tag.notes.isEmpty && folder.notes.isEmpty)
    undo.undo()
    undo.undo()
    #expect(tag.notes.count == 1 && folder.notes.count == 1)
    try context.save()
    #expect(tag.notes.count == 1 && folder.notes.count == 1)
    #expect(try storedTexts() == [["imported"], ["imported"]])
  }
}
