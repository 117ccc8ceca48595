import Foundation
import SwiftData
import Synchronization
import Testing

/// What a model's own deinitialiser may do: read, follow relationships, edit, without effect on the
/// unit of work.
@Suite(.databases, .serialized) struct DeinitializerTests {
  static let log = Mutex<[String]>([])

  private func logged() -> [String] { Self.log.withLock { $0 } }

  @Model final class Folder {
    var name: String
    @Relationship(inverse: \Note.folder) var notes: [Note] = []

    init(_ name: String) { self.name = name }

    deinit {
      let entry = "\(name) \(notes.map(\.text).sorted())"
      DeinitializerTests.log.withLock { $0.append(entry) }
    }
  }

  @Model final class Note {
    var text: String
    var folder: Folder?

    init(_ text: String, folder: Folder? = nil) {
      self.text = text
      self.folder = folder
    }

    deinit {
      let entry = "\(text) of \(folder?.notes.count ?? -1)"
      DeinitializerTests.log.withLock { $0.append(entry) }
    }
  }

  /// Edits itself and others while it is deinitialised.
  @Model final class Editor {
    var name: String
    var visits = 0
    @Relationship(inverse: \Editor.follower) var leader: Editor?
    var follower: Editor?
    @Relationship(inverse: \Editor.friendsOf) var friends: [Editor] = []
    var friendsOf: [Editor] = []

    init(_ name: String) { self.name = name }

    deinit {
      #expect(modelContext == nil)
      let context = leader?.modelContext
      if let leader {
        leader.visits += 1
        leader.follower = self
        leader.friends.append(self)
      }
      name = "gone"
      visits += 1
      leader = nil
      friends = []
      context?.insert(self)
      context?.delete(self)
      _ = persistentModelID
      _ = hasChanges
    }
  }

  /// The context that witnesses look at.
  nonisolated(unsafe) static weak var witnessed: ModelContext?

  /// Notes what the context shows while the model is deinitialised.
  @Model final class Witness {
    var name: String
    var folder: Folder?

    init(_ name: String, in folder: Folder) {
      self.name = name
      self.folder = folder
    }

    deinit {
      let context = DeinitializerTests.witnessed
      let stored = (try? context?.fetchCount(FetchDescriptor<Witness>())) ?? -1
      let isStored = persistentModelID.storeIdentifier != nil
      let entry =
        "\(name) in \(folder?.name ?? "none"), stored \(isStored), pending "
        + "\(context?.hasChanges ?? true) \(context?.insertedModelsArray.count ?? -1), rows \(stored)"
      DeinitializerTests.log.withLock { $0.append(entry) }
    }
  }

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Folder.self, Note.self, Editor.self, Witness.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func store(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(Note("a", folder: Folder("f")))
    context.insert(Folder("empty"))
    try context.save()
    let folder = try #require(
      try context.fetch(FetchDescriptor<Folder>(predicate: #Predicate { $0.name == "f" })).first)
    context.insert(Note("b", folder: folder))
    try context.save()
  }

  @Test func relationshipsLeadToWhatIsInMemory() throws {
    let container = try container()
    try store(container)
    let context = ModelContext(container)
    Self.log.withLock { $0 = [] }
    for _ in 0..<2 { #expect(try context.fetch(FetchDescriptor<Note>()).count == 2) }
    #expect(logged().sorted() == ["a of -1", "a of -1", "b of -1", "b of -1"])
    Self.log.withLock { $0 = [] }
    for _ in 0..<2 { #expect(try context.fetch(FetchDescriptor<Folder>()).count == 2) }
    #expect(Set(logged()) == ["f []", "empty []"])
    #expect(!context.hasChanges)
  }

  /// The list is read for its owner, and has another instance of the row.
  @Test func aListThatHasTheModelItself() throws {
    let container = try container()
    try store(container)
    let context = ModelContext(container)
    let folders = try context.fetch(
      FetchDescriptor<Folder>(predicate: #Predicate { $0.name == "f" }))
    let folder = try #require(folders.first)
    Self.log.withLock { $0 = [] }
    #expect(try context.fetch(FetchDescriptor<Note>()).count == 2)
    // The first one that goes reads the list, which holds the other one from there on.
    #expect(logged().count == 1 && logged().allSatisfy { $0.hasSuffix("of 2") })
    #expect(!context.hasChanges)
    let notes = try context.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)]))
    #expect(folder.notes.sorted { $0.text < $1.text } == notes)
    #expect(zip(folder.notes.sorted { $0.text < $1.text }, notes).allSatisfy { $0 === $1 })
    #expect(notes.allSatisfy { $0.folder === folder })
  }

  @Test func editsOfAModelThatGoesChangeNothing() throws {
    let container = try container()
    do {
      let context = ModelContext(container)
      let leader = Editor("leader")
      let editor = Editor("editor")
      context.insert(leader)
      context.insert(editor)
      editor.leader = leader
      editor.friends = [leader]
      try context.save()
    }
    let context = ModelContext(container)
    let leader = try #require(
      try context.fetch(FetchDescriptor<Editor>(predicate: #Predicate { $0.name == "leader" }))
        .first)
    let visits = leader.visits
    do {
      let editor = try #require(
        try context.fetch(FetchDescriptor<Editor>(predicate: #Predicate { $0.name == "editor" }))
          .first)
      #expect(editor.leader === leader)
    }
    // Only the edit of the other model counts.
    #expect(leader.visits == visits + 1)
    #expect(context.changedModelsArray.map { ($0 as? Editor)?.name } == ["leader"])
    #expect(leader.friends.isEmpty)
    try context.save()
    #expect(
      try context.fetch(FetchDescriptor<Editor>()).map(\.name).sorted() == ["editor", "leader"])
    #expect(leader.follower?.name == "editor")
  }

  /// Only the pending changes own the new models. Inside a transaction they are needed until its end,
  /// because an error undoes their save.
  @Test(arguments: [false, true])
  func modelsWithoutAnotherOwnerAreReleasedAfterTheSaveIsFinalised(isInside: Bool) throws {
    let context = ModelContext(try container())
    let folder = Folder("f")
    context.insert(folder)
    try context.save()
    Self.witnessed = context
    Self.log.withLock { $0 = [] }
    weak var first: Witness?
    weak var second: Witness?
    do {
      let witnesses = [Witness("a", in: folder), Witness("b", in: folder)]
      for witness in witnesses { context.insert(witness) }
      (first, second) = (witnesses[0], witnesses[1])
    }
    #expect(first != nil && second != nil && context.hasChanges)
    if isInside {
      try context.transaction {
        try context.save()
        #expect(first != nil && second != nil && !context.hasChanges)
      }
    } else {
      try context.save()
    }
    #expect(first == nil && second == nil)
    #expect(
      logged().sorted()
        == ["a", "b"].map {
          "\($0) in f, stored true, pending false 0, rows 2"
        })
    #expect(!context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Witness>()) == 2)
  }

  @Test func modelsThatWereNeverInserted() throws {
    do {
      let editor = Editor("plain")
      editor.friends = [Editor("friend")]
    }
    let context = ModelContext(try container())
    let leader = Editor("leader")
    context.insert(leader)
    try context.save()
    for _ in 0..<3 {
      let editor = Editor("late")
      context.insert(editor)
      editor.leader = leader
      context.rollback()
    }
    #expect(try context.fetchCount(FetchDescriptor<Editor>()) == 1)
  }

  /// Each model that is faulted in displaces another one, whose deinitialiser faults more of them in.
  @Test func modelsThatGoWhileOthersAreFaultedIn() throws {
    let container = try container()
    do {
      let context = ModelContext(container)
      for index in 0..<1500 { context.insert(Note("\(index)", folder: Folder("f \(index)"))) }
      try context.save()
    }
    let context = ModelContext(container)
    for identifier in try context.fetchIdentifiers(FetchDescriptor<Note>()) {
      #expect((context.model(for: identifier) as? Note)?.folder?.notes.count == 1)
    }
    #expect(!context.hasChanges)
  }

  @Test func aModelWhoseContextIsGone() throws {
    let container = try container()
    try store(container)
    let identifier = try #require(
      try ModelContext(container).fetchIdentifiers(FetchDescriptor<Note>()).first)
    for _ in 0..<50 {
      let text = (ModelContext(container).model(for: identifier) as? Note)?.text
      #expect(text == "a")
      let name = (ModelContext(container).model(for: identifier) as? Note)?.folder?.name
      #expect(name == "f")
      let count = try ModelContext(container).fetch(FetchDescriptor<Note>()).first?.folder?.notes
        .count
      #expect(count == 2)
    }
  }

  @Test func backingDataOfAnotherModelIsCopied() throws {
    var copy: Note?
    do {
      let note = Note("original", folder: Folder("f"))
      copy = Note(backingData: note.persistentBackingData)
      #expect(copy?.text == "original" && copy?.persistentModelID != note.persistentModelID)
      copy?.text = "copy"
      #expect(note.text == "original")
    }
    #expect(copy?.text == "copy" && copy?.folder?.name == "f")
    let context = ModelContext(try container())
    let note = try #require(copy)
    context.insert(note)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Note>()).first === note)
  }
}
