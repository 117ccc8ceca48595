import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Synchronization
import Testing

/// An observer of `didSave` edits the context of a writer, and another program locks the file before its edits are saved.
@Suite struct WriterObserverLockTests {
  private let folder = try! TemporaryFolder()

  /// The unit of `a` is stored when the lock begins.
  /// - Parameter body: Gets the writer and the connection that has the lock.
  private func locking(
    within limit: Duration?, _ body: (ModelContainer, ModelWriter, Connection) async throws -> Void
  ) async throws {
    let container = try Office.container(folder.store) {
      $0.sqlite.busyTimeout = .milliseconds(200)
    }
    let other = Mutex(try Connection(path: folder.store.path))
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: nil, queue: nil
    ) { note in
      guard let context = note.object as? ModelContext, context.container === container else {
        return
      }
      let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
      let new = note.userInfo?[key] as? [PersistentIdentifier] ?? []
      for case let person as Office.Person in new.map({ context.model(for: $0) }) {
        if person.email == "a" {
          #expect(throws: Never.self) { try other.withLock { try $0.begin(.immediate) } }
        }
        context.insert(Office.Desk(room: person.email, number: 0))
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let writer = ModelWriter(container, waitingAtMost: limit)
    let start = ContinuousClock.now
    try await add("a", to: writer)
    #expect(.now - start < .seconds(3))
    try await body(container, writer, other.withLock { $0 })
  }

  private func add(_ email: String, to writer: ModelWriter) async throws {
    try await writer.write { context in
      context.author = "by \(email)"
      context.insert(Office.Person(email: email))
    }
  }

  @Test(arguments: [.milliseconds(100), nil] as [Duration?])
  func editsOfObserversOutlastIt(within limit: Duration?) async throws {
    try await locking(within: limit) { container, writer, other in
      let error = await #expect(throws: SwiftDataError.self) { try await add("b", to: writer) }
      #expect(error?.reason == .busy)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Office.Desk>()) == 0)
      other.rollback()
      // It begins after the save of the edits, within the limit or at the next attempt.
      while (try? await add("c", to: writer)) == nil {
        try await Task.sleep(for: .milliseconds(10))
      }
      let context = ModelContext(container)
      #expect(
        try context.fetch(FetchDescriptor<Office.Desk>()).map(\.room).sorted() == ["a", "c"])
      let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(history.map(\.author) == ["by a", "by a", "by c", "by c"])
    }
  }

  @Test func editsOfObserversEndWithTheContainer() async throws {
    try await locking(within: .milliseconds(100)) { container, writer, other in
      try await container.close()
      let error = await #expect(throws: SwiftDataError.self) { try await add("b", to: writer) }
      #expect(error != nil)
      other.rollback()
    }
    let context = ModelContext(try Office.container(folder.store))
    #expect(try context.fetchCount(FetchDescriptor<Office.Person>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Office.Desk>()) == 0)
  }
}
