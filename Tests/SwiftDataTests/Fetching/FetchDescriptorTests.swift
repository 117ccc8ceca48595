import Foundation
import SwiftData
import Testing

@Model final class DescribedNote {
  var title: String

  init(title: String) {
    self.title = title
  }
}

@Suite struct FetchDescriptorTests {
  private func descriptor(_ title: String) -> FetchDescriptor<DescribedNote> {
    FetchDescriptor(predicate: #Predicate { $0.title == title }, sortBy: [SortDescriptor(\.title)])
  }

  @Test func defaultsFetchEverythingAsItIs() {
    let all = FetchDescriptor<DescribedNote>()
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
    prefetching.propertiesToFetch = [\.title]
    #expect(prefetching != descriptor("a"))
  }
}
