import Foundation
import SwiftData
import Testing

@Suite(.databases) struct FetchDescriptorTests {
  private func descriptor(_ name: String) -> FetchDescriptor<Named.Trip> {
    FetchDescriptor(predicate: #Predicate { $0.name == name }, sortBy: [SortDescriptor(\.name)])
  }

  @Test func defaultsFetchEverythingAsItIs() {
    let all = FetchDescriptor<Named.Trip>()
    #expect(all.predicate == nil)
    #expect(all.sortBy.isEmpty)
    #expect(all.fetchLimit == nil)
    #expect(all.includePendingChanges)
  }

  @Test func descriptorsAreEqualWhenTheyFetchTheSame() {
    #expect(descriptor("a") == descriptor("a"))
    #expect(descriptor("a") != descriptor("b"))
    #expect(descriptor("a") != FetchDescriptor())
    var limited = descriptor("a")
    limited.fetchLimit = 1
    #expect(limited != descriptor("a"))
    var prefetching = descriptor("a")
    prefetching.propertiesToFetch = [\.name]
    #expect(prefetching != descriptor("a"))
  }

  /// Foundation prints only predicates of its own nodes.
  @Test func predicatesWithNodesOfTheLibraryAreCompared() {
    func descriptor(_ prefix: String, _ count: Int) -> FetchDescriptor<Named.Trip> {
      FetchDescriptor(
        predicate: #Predicate { $0.name.hasPrefix(prefix) && $0.name.count + 1 > count })
    }
    #expect(descriptor("a", 1) == descriptor("a", 1))
    #expect(descriptor("a", 1) != descriptor("b", 1))
    #expect(descriptor("a", 1) != descriptor("a", 2))
  }
}
