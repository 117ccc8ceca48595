import Foundation
import SwiftData
import Synchronization
import Testing

/// Two contexts change one row.
@Suite struct ConflictTests {
  typealias Overwritten = [PersistentIdentifier: [String]]

  /// The notifications of one context while `body` runs.
  private func overwritten(
    by context: ModelContext, while body: () throws -> Void
  ) throws -> [Overwritten] {
    nonisolated(unsafe) var found: [Overwritten] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didOverwrite, object: context, queue: nil
    ) { note in
      found.append(
        note.userInfo?[ModelContext.overwrittenPropertiesKey] as? Overwritten ?? [:])
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try body()
    return found
  }

  private func twoContexts() throws -> (
    first: ModelContext, second: ModelContext, mine: Book, theirs: Book
  ) {
    let container = try Library.container()
    let (first, second) = (ModelContext(container), ModelContext(container))
    let mine = Book(title: "One", pages: 1)
    first.insert(mine)
    try first.save()
    let theirs = try #require(try second.fetch(FetchDescriptor<Book>()).first)
    return (first, second, mine, theirs)
  }

  @Test func editsOfDifferentPropertiesAreBothKept() throws {
    let (first, second, mine, theirs) = try twoContexts()
    mine.title = "Mine"
    theirs.pages = 7
    try first.save()
    let notes = try overwritten(by: second) { try second.save() }
    #expect(notes.isEmpty)
    #expect(theirs.title == "Mine" && theirs.pages == 7)
    first.processPendingChanges()
    #expect(mine.title == "Mine" && mine.pages == 7)
    let stored = try #require(
      try ModelContext(first.container).fetch(FetchDescriptor<Book>()).first)
    #expect(stored.title == "Mine" && stored.pages == 7)
  }

  @Test func theLaterSaveWinsAndSaysWhatItReplaced() throws {
    let (first, second, mine, theirs) = try twoContexts()
    mine.title = "Mine"
    mine.price = 3
    theirs.title = "Theirs"
    theirs.pages = 7
    try first.save()
    let notes = try overwritten(by: second) { try second.save() }
    #expect(notes == [[theirs.persistentModelID: ["title"]]])
    first.processPendingChanges()
    #expect(mine.title == "Theirs")
    #expect(mine.pages == 7 && theirs.price == 3)
    theirs.title = "Again"
    #expect(try overwritten(by: second) { try second.save() }.isEmpty)
  }

  @Test func whatWasReadBeforeTheEditIsNoConflict() throws {
    let (first, second, mine, theirs) = try twoContexts()
    mine.title = "Mine"
    try first.save()
    second.processPendingChanges()
    #expect(theirs.title == "Mine")
    theirs.title = "Theirs"
    #expect(try overwritten(by: second) { try second.save() }.isEmpty)
  }

  @Test func aFetchBetweenEditAndSaveHidesNoConflict() throws {
    let (first, second, mine, theirs) = try twoContexts()
    theirs.title = "Theirs"
    mine.title = "Mine"
    try first.save()
    _ = try second.fetch(FetchDescriptor<Book>())
    #expect(theirs.title == "Theirs")
    let notes = try overwritten(by: second) { try second.save() }
    #expect(notes == [[theirs.persistentModelID: ["title"]]])
  }

  @Test func aRollbackEndsTheConflict() throws {
    let (first, second, mine, theirs) = try twoContexts()
    theirs.title = "Theirs"
    mine.title = "Mine"
    try first.save()
    second.processPendingChanges()
    second.rollback()
    #expect(theirs.title == "Mine")
    theirs.pages = 9
    #expect(try overwritten(by: second) { try second.save() }.isEmpty)
  }

  @Test func aDeletionOfWhatAnotherEditedSaysSo() throws {
    let (first, second, mine, theirs) = try twoContexts()
    mine.title = "Mine"
    try first.save()
    second.delete(theirs)
    let notes = try overwritten(by: second) { try second.save() }
    #expect(notes == [[theirs.persistentModelID: ["title"]]])
    first.processPendingChanges()
    #expect(mine.isDeleted)
    #expect(mine.title == "Mine")
    #expect(try first.fetchCount(FetchDescriptor<Book>()) == 0)
  }

  @Test func toOnesAreOverwrittenAndToManysMerged() throws {
    let (first, second, mine, theirs) = try twoContexts()
    let (ann, bob) = (Author(name: "Ann"), Author(name: "Bob"))
    first.insert(ann)
    second.insert(bob)
    mine.author = ann
    mine.shelves = [Shelf(label: "a")]
    try first.save()
    theirs.author = bob
    theirs.shelves.append(Shelf(label: "b"))
    let notes = try overwritten(by: second) { try second.save() }
    #expect(notes == [[theirs.persistentModelID: ["author"]]])
    first.processPendingChanges()
    #expect(mine.author == bob)
    #expect(ann.books.isEmpty)
    #expect(Set(mine.shelves.map(\.label)) == ["a", "b"])
    #expect(Set(theirs.shelves.map(\.label)) == ["a", "b"])
  }

  @Test func aConflictBeyondTheJournalIsStillFound() throws {
    let (first, second, mine, theirs) = try twoContexts()
    let others = (0..<6000).map { Book(title: "\($0)", pages: 0) }
    for book in others { first.insert(book) }
    try first.save()
    theirs.title = "Theirs"
    theirs.pages = 7
    mine.title = "Mine"
    try first.save()
    for round in 0..<5 {
      for book in others { book.pages = round + 1 }
      try first.save()
    }
    let notes = try overwritten(by: second) { try second.save() }
    #expect(notes == [[theirs.persistentModelID: ["title"]]])
  }

  @Test func racingSavesOfOnePropertyReportEachOtherOnce() async throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Schema(Library.types), configurations: ModelConfiguration(url: folder.store))
    let context = ModelContext(container)
    let book = Book(title: "One", pages: 0)
    context.insert(book)
    try context.save()
    let id = book.persistentModelID
    // Every edit reads, adds one and saves; where it replaces another's edit, that one is reported.
    let lost = Mutex(0)
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didOverwrite, object: nil, queue: nil
    ) { note in
      let names = note.userInfo?[ModelContext.overwrittenPropertiesKey] as? Overwritten
      if names?[id] == ["pages"] { lost.withLock { $0 += 1 } }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let rounds = 60
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          let turner = Counter(modelContainer: container)
          for _ in 0..<rounds { try await turner.increment(id) }
        }
      }
      try await group.waitForAll()
    }
    context.processPendingChanges()
    #expect(book.pages <= 3 * rounds)
    // A lost increment is never silent.
    if book.pages < 3 * rounds { #expect(lost.withLock { $0 } > 0) }
    #expect(book.pages + lost.withLock { $0 } >= 3 * rounds / 2)
  }
}

@ModelActor
private actor Counter {
  func increment(_ id: PersistentIdentifier) throws {
    guard let book = self[id, as: Book.self] else { return }
    modelContext.processPendingChanges()
    book.pages += 1
    try modelContext.save()
  }
}
