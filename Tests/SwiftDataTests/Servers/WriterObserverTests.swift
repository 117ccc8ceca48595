import Foundation
import SwiftData
import Synchronization
import Testing

/// Observers of `didSave` that edit the context of a writer: an audit that adds a desk for each new person.
@Suite(.databases) struct WriterObserverTests {
  private typealias Person = Office.Person
  private typealias Desk = Office.Desk
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  private struct Refused: Error {}

  private let folder: TemporaryFolder
  private let container: ModelContainer
  private let writer: ModelWriter

  init() throws {
    folder = try TemporaryFolder()
    container = try Office.container(folder.store)
    writer = ModelWriter(container) { $0.uniquenessPolicy = .refuse }
  }

  /// - Parameter edit: Gets the context of each save in the container, and the people that are new.
  private func observing(
    _ edit: @escaping @Sendable (ModelContext, [Person]) throws -> Void,
    _ body: () async throws -> Void
  ) async throws {
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: nil, queue: nil
    ) { [container] note in
      guard let context = note.object as? ModelContext, context.container === container else {
        return
      }
      let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
      let new = note.userInfo?[key] as? [PersistentIdentifier] ?? []
      #expect(throws: Never.self) {
        try edit(
          context,
          new.filter { $0.entityName == "Person" }.compactMap { context.model(for: $0) as? Person })
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try await body()
  }

  private static func addDesks(_ context: ModelContext, _ people: [Person]) {
    for person in people { context.insert(Desk(room: person.email, number: 0)) }
  }

  private func add(_ email: String, by author: String? = nil) async throws {
    try await writer.write { context in
      context.author = author
      context.insert(Person(email: email))
    }
  }

  private func expect(
    people: [String], rooms: [String], at location: SourceLocation = #_sourceLocation
  ) throws {
    let context = ModelContext(container)
    let emails = try context.fetch(FetchDescriptor<Person>()).map(\.email)
    #expect(emails.sorted() == people, sourceLocation: location)
    #expect(
      try context.fetch(FetchDescriptor<Desk>()).map(\.room).sorted() == rooms,
      sourceLocation: location)
  }

  @Test func theirEditsAreSavedByThemselves() async throws {
    try await observing(WriterObserverTests.addDesks) {
      try await add("a", by: "ada")
      try expect(people: ["a"], rooms: ["a"])
      // The error of another unit does not undo them.
      await #expect(throws: Refused.self) {
        try await writer.write { (_) throws in throw Refused() }
      }
      let begin = try await writer.write { context in
        context.author = "reader"
        return (context.hasChanges, context.insertedModelsArray.count)
      }
      #expect(begin == (false, 0))
      try expect(people: ["a"], rooms: ["a"])
    }
    let history = try ModelContext(container).fetchHistory(Descriptor())
    #expect(history.map(\.author) == ["ada", "ada"])
    #expect(
      history.map { $0.changes.map(\.changedPersistentIdentifier.entityName) }
        == [["Person"], ["Desk"]])
  }

  @Test func theirErrorsConcernNoUnit() async throws {
    try await writer.write { $0.insert(Desk(room: "b", number: 0)) }
    try await observing(WriterObserverTests.addDesks) {
      for email in ["a", "b", "c"] { try await add(email) }
      try expect(people: ["a", "b", "c"], rooms: ["a", "b", "c"])
    }
    #expect(try ModelContext(container).fetchHistory(Descriptor()).count == 6)
  }

  @Test func anObserverThatEditsAfterEachSaveEnds() async throws {
    let count = Mutex(0)
    try await observing { context, _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      context.insert(Desk(room: "x", number: number))
    } _: {
      try await add("a")
      let saves = count.withLock { $0 }
      #expect(saves > 1 && saves < 20)
      #expect(try await writer.write { $0.hasChanges } == false)
      try await add("b")
      try expect(people: ["a", "b"], rooms: Array(repeating: "x", count: 2 * (saves - 1)))
    }
  }

  @Test func observersMaySaveTheirEdits() async throws {
    let errors = Mutex(0)
    try await writer.write { $0.insert(Desk(room: "b", number: 0)) }
    try await observing { context, people in
      guard !people.isEmpty else { return }
      WriterObserverTests.addDesks(context, people)
      do {
        try context.save()
      } catch {
        errors.withLock { $0 += 1 }
        context.rollback()
      }
    } _: {
      for email in ["a", "b", "c"] { try await add(email) }
      try expect(people: ["a", "b", "c"], rooms: ["a", "b", "c"])
    }
    #expect(errors.withLock { $0 } == 1)
  }

  /// Units that share a commit, too.
  @Test func theContextHasTheAuthorOfTheSaves() async throws {
    let seen = Mutex<[String: String]>([:])
    let people = (0..<30).map { "\($0)" }
    try await observing { context, new in
      for person in new { seen.withLock { $0[person.email] = context.author } }
      WriterObserverTests.addDesks(context, new)
    } _: {
      try await withThrowingTaskGroup { group in
        for email in people { group.addTask { try await add(email, by: "by \(email)") } }
        try await group.waitForAll()
      }
    }
    #expect(
      seen.withLock { $0 } == Dictionary(uniqueKeysWithValues: people.map { ($0, "by \($0)") }))
    try expect(people: people.sorted(), rooms: people.sorted())
    let authors = try ModelContext(container).fetchHistory(Descriptor()).map { $0.author ?? "" }
    #expect(authors.sorted() == people.flatMap { Array(repeating: "by \($0)", count: 2) }.sorted())
  }

  /// A unit deletes what an earlier one of the same commit has inserted.
  @Test func observersSeeNoRowThatIsDeleted() async throws {
    let inserted = Mutex(0)
    try await observing { context, new in
      inserted.withLock { $0 += new.count }
      for person in new { #expect(!person.email.isEmpty) }
    } _: {
      let context = ModelContext(container)
      try context.transaction {
        context.author = "a"
        let person = Person(email: "a")
        context.insert(person)
        context.insert(Person(email: "b"))
        try context.save()
        context.author = "b"
        context.delete(person)
        try context.save()
      }
      #expect(context.author == "b")
    }
    #expect(inserted.withLock { $0 } == 1)
  }
}
