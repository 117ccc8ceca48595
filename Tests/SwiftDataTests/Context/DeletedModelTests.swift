import Foundation
import SwiftData
import Synchronization
import Testing

/// What the identifier of a deleted model leads to.
@Suite(.databases) struct DeletedModelTests {
  @Test func aDeletedModelIsFoundAsItself() throws {
    let context = ModelContext(try Graph.container())
    let child = Graph.Child("last value")
    context.insert(child)
    try context.save()
    let identifier = child.persistentModelID
    context.delete(child)
    try context.save()
    #expect(context.model(for: identifier) as? Graph.Child === child)
    #expect(context.registeredModel(for: identifier) as Graph.Child? === child)
    #expect(child.name == "last value" && child.isDeleted)
    #expect(throws: SwiftDataError.modelNotFound) {
      try context.existingModel(Graph.Child.self, for: identifier)
    }
    #expect(try context.fetchCount(FetchDescriptor<Graph.Child>()) == 0)
    // Inserted again, it has another row.
    context.insert(child)
    try context.save()
    #expect(context.model(for: child.persistentModelID) === child)
  }

  @Test func aDeletedModelIsFreed() throws {
    let context = ModelContext(try Graph.container())
    var identifiers: [PersistentIdentifier] = []
    weak var last: Graph.Child?
    try {
      let children = (0..<3000).map { Graph.Child("\($0)") }
      for child in children { context.insert(child) }
      try context.save()
      identifiers = children.map(\.persistentModelID)
      for child in children { context.delete(child) }
      try context.save()
      last = children.last
      for index in (3000 - 1024)..<3000 {
        #expect(context.model(for: identifiers[index]) as? Graph.Child === children[index])
      }
    }()
    #expect(last == nil)
    #expect(context.registeredModel(for: identifiers[2999]) as Graph.Child? == nil)
    #expect(context.model(for: identifiers[2999]).isDeleted)
  }
}

/// Notifications that arrive on the main queue.
@Suite struct MainQueueNotificationTests {
  private final class Log: Sendable {
    private let names = Mutex<[String]>([])
    func append(_ name: String) { names.withLock { $0.append(name) } }
    var all: [String] { names.withLock { $0 } }
  }

  @MainActor @Test func aSaveOnTheMainActorNotifiesAtOnce() async throws {
    let container = try Graph.container()
    let context = container.mainContext
    let log = Log()
    let observers = [
      NotificationCenter.default.addObserver(
        forName: ModelContext.willSave, object: context, queue: .main
      ) { _ in log.append("will") },
      NotificationCenter.default.addObserver(
        forName: ModelContext.didSave, object: context, queue: .main
      ) { _ in MainActor.assumeIsolated { log.append("did") } },
    ]
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    await Task.yield()
    context.insert(Graph.Child("a"))
    try context.save()
    #expect(log.all == ["will", "did"])
  }

  @MainActor @Test func aSaveElsewhereNotifiesOnTheMainQueue() async throws {
    let container = try Graph.container()
    let log = Log()
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: nil, queue: .main
    ) { note in
      guard (note.object as? ModelContext)?.author == "elsewhere" else { return }
      log.append("did")
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    await Task.detached {
      let context = ModelContext(container)
      context.author = "elsewhere"
      context.insert(Graph.Child("a"))
      try? context.save()
    }.value
    #expect(log.all == ["did"])
  }
}
