import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Synchronization
import Testing

/// Stores written against the public protocols that keep a history of their own.
struct HistoryOfCustomStoresTests {
  struct Place: Comparable, Hashable, Identifiable, Sendable {
    let id: Int

    static func < (lhs: Place, rhs: Place) -> Bool { lhs.id < rhs.id }
  }

  struct Entry: HistoryTransaction {
    let timestamp: Date
    let changes: [HistoryChange]
    let token: Place
    let transactionIdentifier: Int
    let storeIdentifier: String
    let author: String?
    var id: Int { transactionIdentifier }

    static func == (lhs: Entry, rhs: Entry) -> Bool {
      lhs.id == rhs.id && lhs.storeIdentifier == rhs.storeIdentifier
    }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  /// A store that has no rows, and a diary.
  final class Diary: DataStore, HistoryProviding {
    struct Configuration: DataStoreConfiguration {
      typealias Store = Diary
      let name: String
      var schema: Schema?

      static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }
      func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    typealias Snapshot = DefaultSnapshot
    static var historyType: Entry.Type { Entry.self }

    let identifier: String
    let schema: Schema
    let configuration: Configuration
    let entries = Mutex<[Entry]>([])
    /// The number of fetches, and what they wait for.
    let fetches = Mutex((count: 0, gate: DispatchSemaphore?.none))

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
      self.configuration = configuration
      identifier = configuration.name
      schema = configuration.schema ?? Schema()
    }

    func fetch<T: PersistentModel>(
      _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
      DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: [])
    }

    func save(
      _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
      var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
      for snapshot in request.inserted {
        permanent[snapshot.persistentIdentifier] = try .identifier(
          for: identifier, entityName: snapshot.persistentIdentifier.entityName,
          primaryKey: UUID().uuidString)
      }
      return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: permanent)
    }

    func fetchHistory(_ descriptor: HistoryDescriptor<Entry>) throws -> [Entry] {
      let gate = fetches.withLock { fetches in
        fetches.count += 1
        return fetches.gate
      }
      _ = gate?.wait(timeout: .now() + 20)
      return try entries.withLock { entries in
        try entries.filter { try descriptor.predicate?.evaluate($0) ?? true }
      }
    }

    func deleteHistory(_ descriptor: HistoryDescriptor<Entry>) throws {
      try entries.withLock { entries in
        try entries.removeAll { try descriptor.predicate?.evaluate($0) ?? true }
      }
    }
  }

  /// Each look of an observer fetches the whole history. Commits during a look cause one more.
  @Test func anObserverLooksOnceAfterManyCommits() async throws {
    let container = try ModelContainer(
      for: Note.self, configurations: Diary.Configuration(name: "a", schema: Schema([Note.self])))
    let diary = try #require(container.stores.first as? Diary)
    let count = { diary.fetches.withLock { $0.count } }
    let context = ModelContext(container)
    func save() throws {
      context.insert(Note("n"))
      try context.save()
    }
    let observer = try HistoryObserver(modelContainer: container)
    try await eventually("the first look") { count() == 2 }
    let gate = DispatchSemaphore(value: 0)
    diary.fetches.withLock { $0.gate = gate }
    try save()
    try await eventually("the look after a commit") { count() == 3 }
    for _ in 0..<20 { try save() }
    for _ in 0..<30 { gate.signal() }
    try await eventually("the look after the others") { count() == 4 }
    try await quietly(.milliseconds(20))
    #expect(count() == 4)
    #expect(observer.eventCounter == 0)
  }

  @Test func theirHistoriesAreMergedInTimeOrder() throws {
    let container = try ModelContainer(
      for: Schema([Note.self, Tally.self]),
      configurations: [
        Diary.Configuration(name: "a", schema: Schema([Note.self])),
        Diary.Configuration(name: "b", schema: Schema([Tally.self])),
      ])
    for case let store as Diary in container.stores {
      store.entries.withLock { entries in
        entries = (1...3).map { number in
          Entry(
            timestamp: Date(
              timeIntervalSinceReferenceDate: Double(number * 10)
                + (store.identifier == "a" ? 0 : 5)), changes: [], token: Place(id: number),
            transactionIdentifier: number, storeIdentifier: store.identifier,
            author: number == 2 ? "two" : nil)
        }
      }
    }
    let context = ModelContext(container)
    var descriptor = HistoryDescriptor<Entry>()
    #expect(
      try context.fetchHistory(descriptor).map { "\($0.storeIdentifier)\($0.id)" } == [
        "a1", "b1", "a2", "b2", "a3", "b3",
      ])
    descriptor.fetchLimit = 3
    #expect(try context.fetchHistory(descriptor).map(\.id) == [1, 1, 2])
    descriptor.sortBy = [SortDescriptor(\.timestamp, order: .reverse)]
    #expect(
      try context.fetchHistory(descriptor).map { "\($0.storeIdentifier)\($0.id)" }
        == ["b3", "a3", "b2"])
    descriptor.sortBy = []
    descriptor.predicate = #Predicate { $0.author == "two" }
    #expect(try context.fetchHistory(descriptor).map(\.storeIdentifier) == ["a", "b"])
    try context.deleteHistory(descriptor)
    #expect(try context.fetchHistory(HistoryDescriptor<Entry>()).map(\.id) == [1, 1, 3, 3])
    #expect(throws: DataStoreError.unsupportedFeature) {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
  }
}
