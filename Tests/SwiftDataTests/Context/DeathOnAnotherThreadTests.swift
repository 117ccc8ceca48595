import Dispatch
import Foundation
import SwiftData
import Testing

/// The last reference to a model may go on any thread, while the thread of its context fetches, looks
/// up and follows relationships. `DEATH_SECONDS` is how long each test goes on.
@Suite(.serialized) struct DeathOnAnotherThreadTests {
  @Model final class Shelf {
    var name: String
    @Relationship(inverse: \Item.shelf) var items: [Item] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Item {
    var number: Int
    var shelf: Shelf?

    init(_ number: Int) { self.number = number }
  }

  /// As an app has it: legal Swift, and nothing says where `items` are released.
  @MainActor final class ViewModel {
    var items: [Item]

    init(_ items: [Item]) { self.items = items }

    var total: Int { items.reduce(0) { $0 + $1.number } }
  }

  /// Takes objects along to the thread that releases them.
  private final class Parcel: @unchecked Sendable {
    var content: [AnyObject]

    init(_ content: [AnyObject]) { self.content = content }
  }

  private static let count = 300

  private var duration: Duration {
    .seconds(
      ProcessInfo.processInfo.environment["DEATH_SECONDS"].flatMap(Double.init) ?? 0.5)
  }

  private func container(_ log: StatementLog? = nil) throws -> ModelContainer {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.statementLog = log
    let container = try ModelContainer(
      for: Shelf.self, Item.self, configurations: configuration)
    let context = ModelContext(container)
    let shelves = (0..<3).map { Shelf("\($0)") }
    for number in 0..<Self.count {
      let item = Item(number)
      context.insert(item)
      item.shelf = shelves[number % 3]
    }
    try context.save()
    return container
  }

  @Test @MainActor func aViewModelReleasedByATask() async throws {
    let context = try container().mainContext
    let end = ContinuousClock.now + duration
    let sum = Self.count * (Self.count - 1) / 2
    repeat {
      var view: ViewModel? = ViewModel(try context.fetch(FetchDescriptor<Item>()))
      let task = Task.detached { [view = view!] in await view.total }
      view = nil
      for _ in 0..<5 {
        #expect(try context.fetch(FetchDescriptor<Item>()).map(\.number).reduce(0, +) == sum)
        await Task.yield()
      }
      #expect(await task.value == sum)
    } while ContinuousClock.now < end
  }

  /// Releases what `models` answers on another thread, again and again, while `body` runs.
  private func releasing(
    _ models: () throws -> [AnyObject], whileDoing body: () throws -> Void
  ) throws {
    let queue = DispatchQueue(label: "releases", attributes: .concurrent)
    let end = ContinuousClock.now + duration
    var rounds = 0
    repeat {
      let parcel = Parcel(try models())
      let begin = DispatchSemaphore(value: 0)
      let pause = Duration.microseconds(rounds % 40 * 25)
      queue.async {
        begin.signal()
        let start = ContinuousClock.now + pause  // meets `body` at another point each time
        while ContinuousClock.now < start {}
        while let next = parcel.content.popLast() { _ = consume next }
      }
      begin.wait()
      try body()
      queue.sync(flags: .barrier) {}
      rounds += 1
    } while ContinuousClock.now < end
    #expect(rounds > 0)
  }

  @Test func fetchedModels() throws {
    let context = ModelContext(try container())
    try releasing {
      try context.fetch(FetchDescriptor<Item>())
    } whileDoing: {
      for _ in 0..<3 {
        let items = try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.number)]))
        #expect(items.map(\.number) == Array(0..<Self.count))
      }
    }
  }

  @Test func modelsThatAreLookedUp() throws {
    let context = ModelContext(try container())
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Item>())
    try releasing {
      try context.fetch(FetchDescriptor<Item>())
    } whileDoing: {
      for identifier in identifiers.reversed() {
        let known: Item? = context.registeredModel(for: identifier)
        #expect(known.map { $0.persistentModelID == identifier } ?? true)
        #expect(context.model(for: identifier).persistentModelID == identifier)
      }
    }
  }

  @Test func modelsThatRelationshipsLeadTo() throws {
    let context = ModelContext(try container())
    try releasing {
      try context.fetch(FetchDescriptor<Item>()) as [AnyObject]
        + context.fetch(FetchDescriptor<Shelf>())
    } whileDoing: {
      for shelf in try context.fetch(FetchDescriptor<Shelf>()) {
        #expect(shelf.items.count == Self.count / 3)
        #expect(shelf.items.allSatisfy { $0.shelf === shelf })
      }
    }
  }

  @Test func modelsOfPartialRowsAndPrefetches() throws {
    let context = ModelContext(try container())
    var descriptor = FetchDescriptor<Item>()
    descriptor.propertiesToFetch = [\.number]
    descriptor.relationshipKeyPathsForPrefetching = [\.shelf]
    try releasing {
      try context.fetch(descriptor)
    } whileDoing: {
      let items = try context.fetch(descriptor)
      #expect(items.count == Self.count && items.allSatisfy { $0.shelf?.name.count == 1 })
    }
  }

  @Test func editedAndSavedModels() throws {
    let container = try container()
    let context = ModelContext(container)
    let other = ModelContext(container)
    var round = 0
    try releasing {
      try context.fetch(FetchDescriptor<Item>())
    } whileDoing: {
      round += 1
      let items = try context.fetch(FetchDescriptor<Item>())
      for item in items where item.number % 10 == 0 { item.shelf?.name = "\(round)" }
      if round.isMultiple(of: 2) { context.rollback() } else { try context.save() }
      let shelf = try #require(try other.fetch(FetchDescriptor<Shelf>()).first)
      shelf.name = "other \(round)"
      try other.save()
    }
  }

  /// The last owner of a context is its observer. That is released on another thread, while the context
  /// and the results are updated on the main actor.
  @Test @MainActor func aContextReleasedOnAnotherThreadWhileItsQueriesUpdate() async throws {
    let container = try container()
    let writer = ModelContext(container)
    let items = try writer.fetch(FetchDescriptor<Item>())
    let end = ContinuousClock.now + duration
    var rounds = 0
    repeat {
      weak var context: ModelContext?
      let parcel = try observers(of: container)
      context = (parcel.content.first as? ResultsObserver<Item, Never>)?.modelContext
      #expect(context != nil)
      // The update is a job of the main actor, which runs when this function waits.
      for item in items { item.number += 1 }
      try writer.save()
      let pause = Duration.microseconds(rounds % 40 * 50)
      let release = Task.detached {
        let start = ContinuousClock.now + pause  // meets the update at another point each time
        while ContinuousClock.now < start {}
        while let next = parcel.content.popLast() { _ = consume next }
      }
      await release.value
      try await eventually("the context is released") { context == nil }
      rounds += 1
    } while ContinuousClock.now < end
    #expect(rounds > 0)
  }

  /// The same, after the first statement of the update: the context lives until the update ends.
  @Test @MainActor func aContextIsHeldWhileItsQueriesUpdate() async throws {
    let parcel = Parcel([])
    nonisolated(unsafe) weak var context: ModelContext?
    let interruption = Interruption(containing: "SELECT") {
      let isReleased = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        parcel.content = []
        isReleased.signal()
      }
      isReleased.wait()
      #expect(context != nil)
    }
    let container = try container(interruption.log)
    let writer = ModelContext(container)
    let items = try writer.fetch(FetchDescriptor<Item>())
    parcel.content = try observers(of: container).content
    context = (parcel.content.first as? ResultsObserver<Item, Never>)?.modelContext
    for item in items { item.number += 1 }
    try writer.save()
    interruption.begin()
    try await eventually("the update") { interruption.hasRun }
    try await eventually("the context is released") { context == nil }
  }

  /// Two observers of a new context, which nothing else owns.
  @MainActor private func observers(of container: ModelContainer) throws -> Parcel {
    let context = ModelContext(container)
    let items = try ResultsObserver<Item, Never>(
      sortBy: [SortDescriptor(\.number)], modelContext: context)
    let shelves = try ResultsObserver<Shelf, Never>(
      filterBy: #Predicate { $0.items.contains { $0.number > 100 } }, modelContext: context)
    #expect(items.results.count == Self.count && shelves.results.count == 3)
    return Parcel([items, shelves])
  }
}
