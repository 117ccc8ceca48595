import Foundation
import SwiftData
import Synchronization
import Testing

/// A fetch and all that it reads besides see one state of the store, whoever saves meanwhile.
@Suite struct ReadingTransactionTests {
  typealias Post = Blog.Post
  typealias Tag = Blog.Tag
  typealias Writer = Blog.Writer

  /// Runs once, when the next statement of a fetch has ended.
  private final class Hook: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    func set(_ new: @escaping @Sendable () -> Void) { action.withLock { $0 = new } }

    func run() { action.withLock { $0.take() }?() }
  }

  private struct Desk {
    let hook = Hook()
    let folder = TemporaryFolder.parent
      .appendingPathComponent("reading-\(UUID().uuidString)")
    let container: ModelContainer

    init() throws {
      var configuration = ModelConfiguration(url: folder.appendingPathComponent("blog.store"))
      configuration.statementLog = StatementLog { [hook] event in
        if case .statement(let statement) = event, statement.sql.hasPrefix("SELECT") { hook.run() }
      }
      container = try ModelContainer(for: Schema(Blog.types), configurations: configuration)
      try Blog.fill(container, posts: 40)
      try Desk.stamp(container, 0)
    }

    func close() { try? FileManager.default.removeItem(at: folder) }

    /// Gives all models one number, in one save.
    static func stamp(_ container: ModelContainer, _ number: Int) throws {
      let context = ModelContext(container)
      for post in try context.fetch(FetchDescriptor<Post>()) {
        post.number = number
        post.writer?.bio = "\(number)"
        for tag in post.tags { tag.color = "\(number)" }
      }
      try context.save()
    }

    /// Saves on another thread while the first statement of the next fetch ends.
    func saveMeanwhile(_ number: Int) {
      hook.set { [container] in
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          try? Desk.stamp(container, number)
          done.signal()
        }
        done.wait()
      }
    }
  }

  private static var posts: FetchDescriptor<Post> {
    var descriptor = FetchDescriptor<Post>(sortBy: [SortDescriptor(\.slug)])
    descriptor.relationshipKeyPathsForPrefetching = [\.tags, \.writer]
    return descriptor
  }

  private func expectWhole(
    _ posts: [Post], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(posts.count == 40, sourceLocation: sourceLocation)
    for post in posts {
      let number = "\(post.number)"
      #expect(post.writer?.bio == number, sourceLocation: sourceLocation)
      #expect(post.tags.map(\.color) == [number], sourceLocation: sourceLocation)
    }
  }

  @Test func prefetchedModelsAreOfTheSameStateAsTheFetchedOnes() throws {
    let desk = try Desk()
    defer { desk.close() }
    let context = ModelContext(desk.container)
    desk.saveMeanwhile(1)
    let posts = try context.fetch(Self.posts)
    #expect(posts.allSatisfy { $0.number == 0 })
    expectWhole(posts)
    // The next fetch sees what was saved, in the same models.
    expectWhole(try context.fetch(Self.posts))
    #expect(posts.allSatisfy { $0.number == 1 })
  }

  @Test func soAreThoseOfABatch() throws {
    let desk = try Desk()
    defer { desk.close() }
    let context = ModelContext(desk.container)
    let batches = try context.fetch(Self.posts, batchSize: 100)
    desk.saveMeanwhile(1)
    expectWhole(Array(batches))
  }

  @Test func aTransactionEndsWithItsFetch() throws {
    let desk = try Desk()
    defer { desk.close() }
    let context = ModelContext(desk.container)
    let batches = try context.fetch(Self.posts, batchSize: 10)
    #expect(batches[0].number == 0)
    try Desk.stamp(desk.container, 2)
    #expect(batches[30].number == 2)
  }

  @Test func pendingChangesAreMergedWithOneState() throws {
    let desk = try Desk()
    defer { desk.close() }
    let context = ModelContext(desk.container)
    let writer = try #require(
      try context.fetch(FetchDescriptor<Writer>(predicate: #Predicate { $0.name == "writer 3" }))
        .first)
    writer.name = "edited"
    let request = FetchDescriptor<Post>(
      predicate: #Predicate { $0.number == 0 && $0.writer?.name == "edited" })
    desk.saveMeanwhile(1)
    #expect(try context.fetch(request).count == 4)
    context.processPendingChanges()
    desk.saveMeanwhile(0)
    #expect(try context.fetchCount(request) == 0)
  }

  @Test func listsAreWholeBesideAWriter() throws {
    let desk = try Desk()
    defer { desk.close() }
    let container = desk.container
    let (ended, flag) = (DispatchSemaphore(value: 0), Flag())
    Thread.detachNewThread {
      var number = 1
      while !flag.isSet {
        try? Desk.stamp(container, number)
        number += 1
      }
      ended.signal()
    }
    for _ in 0..<40 {
      // A context of its own has nothing in memory.
      let context = ModelContext(container)
      expectWhole(try context.fetch(Self.posts))
    }
    flag.set()
    ended.wait()
  }

  private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }
}
