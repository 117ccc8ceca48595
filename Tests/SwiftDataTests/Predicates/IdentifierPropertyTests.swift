import Foundation
import SwiftData
import Testing

/// A computed property whose value is an identifier is not the model's own identifier.
@Suite(.databases) struct IdentifierPropertyTests {
  @Model final class Folder {
    var name: String
    var parent: Folder?
    @Relationship(inverse: \Folder.parent) var children: [Folder] = []
    @Relationship(deleteRule: .cascade, inverse: \Note.folder) var notes: [Note] = []

    var rootID: PersistentIdentifier { parent?.rootID ?? persistentModelID }

    init(_ name: String, in parent: Folder? = nil) {
      self.name = name
      self.parent = parent
    }
  }

  @Model final class Note {
    var text: String
    var folder: Folder

    var folderID: PersistentIdentifier { folder.persistentModelID }

    init(_ text: String, in folder: Folder) {
      self.text = text
      self.folder = folder
    }
  }

  @Model final class Copy {
    var text: String
    var original: Copy?

    var id: PersistentIdentifier { original?.persistentModelID ?? persistentModelID }

    init(_ text: String, of original: Copy? = nil) {
      self.text = text
      self.original = original
    }
  }

  private let court: PredicateCourt

  init() throws {
    court = try PredicateCourt(types: [Folder.self, Note.self, Copy.self]) { context in
      let first = Folder("first")
      let inner = Folder("inner", in: first)
      let second = Folder("second")
      for folder in [first, inner, second] { context.insert(folder) }
      for (text, folder) in [("c", second), ("a", first), ("b", inner), ("d", second)] {
        context.insert(Note(text, in: folder))
      }
      let copy = Copy("original")
      context.insert(copy)
      context.insert(Copy("copy", of: copy))
      context.insert(Copy("other"))
      try context.save()
    }
  }

  private func folder(_ name: String) throws -> Folder {
    try #require(try court.context.fetch(FetchDescriptor<Folder>()).first { $0.name == name })
  }

  @Test func aComputedIdentifierIsReadFromTheModel() throws {
    let id = try folder("first").persistentModelID
    try court.judgeNarrowing(#Predicate<Folder> { $0.rootID == id }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Folder> { $0.rootID != id }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Folder> { [id].contains($0.rootID) }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Note> { $0.folderID == id }, inMemory: true)
    try court.judgeNarrowing(#Predicate<Note> { $0.folder.rootID != id }, inMemory: true)
  }

  @Test func aClassMayDeclareAnotherID() throws {
    let copies = try court.context.fetch(FetchDescriptor<Copy>())
    let id = try #require(copies.first { $0.text == "original" }).persistentModelID
    let predicate = #Predicate<Copy> { $0.id == id }
    try court.judgeNarrowing(predicate, inMemory: true)
    #expect(try court.context.fetchCount(FetchDescriptor(predicate: predicate)) == 2)
  }

  @Test func aBatchDeletionDeletesTheMatchingRowsOnly() throws {
    let id = try folder("second").persistentModelID
    let context = ModelContext(court.container)
    try context.delete(model: Note.self, where: #Predicate { $0.folderID != id })
    try context.save()
    let left = try ModelContext(court.container).fetch(
      FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)]))
    #expect(left.map(\.text) == ["c", "d"])
  }

  @Test func aComputedIdentifierSortsByItsValue() throws {
    try court.judge(sortBy: [SortDescriptor(\Note.folderID)], inMemory: true)
    try court.judge(
      sortBy: [SortDescriptor(\Note.folderID, order: .reverse), SortDescriptor(\Note.text)],
      inMemory: true)
  }

  @Test func aFetchOfAComputedIdentifierReadsWholeRows() throws {
    var descriptor = FetchDescriptor<Note>()
    descriptor.propertiesToFetch = [\.text, \.folderID]
    #expect(descriptor.slotsToFetch == nil)
    descriptor.propertiesToFetch = [\.text, \.persistentModelID]
    #expect(descriptor.slotsToFetch?.count == 1)
  }

  // MARK: The model's own identifier

  private func one<T: PersistentModel>(_ id: PersistentIdentifier, of type: T.Type) -> Predicate<T>
  {
    #Predicate<T> { $0.persistentModelID == id }
  }

  private func byIdentifier<T: PersistentModel>(_ type: T.Type) -> [SortDescriptor<T>] {
    [SortDescriptor(\T.persistentModelID, order: .reverse)]
  }

  @Test func theOwnIdentifierRunsInSQL() throws {
    let id = try folder("first").persistentModelID
    try court.judgeNarrowing(#Predicate<Folder> { $0.persistentModelID == id })
    try court.judgeNarrowing(#Predicate<Folder> { $0.id != id })
    try court.judgeNarrowing(#Predicate<Note> { $0.folder.id == id })
    try court.judge(sortBy: [SortDescriptor(\Note.id, order: .reverse)])
  }

  @Test func theOwnIdentifierRunsInSQLInGenericCode() throws {
    try court.judgeNarrowing(one(try folder("first").persistentModelID, of: Folder.self))
    try court.judge(sortBy: byIdentifier(Note.self))
  }

  @Test func theOwnIdentifierOfASubclassRunsInSQL() throws {
    let court = try PredicateCourt()
    let job = try #require(try court.jobs().first)
    let id = job.persistentModelID
    try court.judgeNarrowing(#Predicate<Job> { $0.persistentModelID == id })
    try court.judgeNarrowing(#Predicate<Job> { $0.id == id })
    try court.judgeNarrowing(one(id, of: Job.self))
    try court.judgeNarrowing(one(id, of: Entry.self))
  }
}
