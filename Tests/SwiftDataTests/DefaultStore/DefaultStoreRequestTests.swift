import Foundation
import SwiftData
import Testing

/// The default store asked through the public protocol, without a context.
@Suite struct DefaultStoreRequestTests {
  private let store: DefaultStore

  init() throws {
    let container = try Library.container()
    let context = ModelContext(container)
    for label in ["b", "a", "cc"] { context.insert(Shelf(label: label)) }
    try context.save()
    store = try #require(container.stores.first as? DefaultStore)
  }

  private func request(
    _ predicate: Predicate<Shelf>? = nil, sortBy: [SortDescriptor<Shelf>] = []
  ) -> DataStoreFetchRequest<Shelf> {
    DataStoreFetchRequest(
      descriptor: FetchDescriptor(predicate: predicate, sortBy: sortBy),
      editingState: EditingState())
  }

  @Test func whatSQLCanSayIsAnswered() throws {
    let found = try store.fetch(
      request(#Predicate { $0.label < "c" }, sortBy: [SortDescriptor(\.label)]))
    #expect(found.fetchedSnapshots.map { $0.persistentIdentifier.rowKey } == [2, 1])
    #expect(try store.fetchCount(request(#Predicate { $0.label < "c" })) == 2)
  }

  @Test func aPredicateBeyondSQLIsRefusedWhole() throws {
    let request = request(#Predicate { $0.size == 2 && $0.label < "d" })
    #expect(throws: DataStoreError.preferInMemoryFilter) { try store.fetch(request) }
    #expect(throws: DataStoreError.preferInMemoryFilter) { try store.fetchIdentifiers(request) }
    #expect(throws: DataStoreError.preferInMemoryFilter) { try store.fetchCount(request) }
  }

  @Test func anOrderBeyondSQLIsRefused() throws {
    let request = request(sortBy: [SortDescriptor(\.size)])
    #expect(throws: DataStoreError.preferInMemorySort) { try store.fetch(request) }
    #expect(throws: DataStoreError.preferInMemorySort) { try store.fetchIdentifiers(request) }
    #expect(try store.fetchCount(request) == 3)
  }
}

extension Shelf {
  /// Not stored.
  fileprivate var size: Int { label.count }
}
