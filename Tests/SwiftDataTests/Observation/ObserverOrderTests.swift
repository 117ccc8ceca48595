import Foundation
import SwiftData
import Testing

@Model private final class Sample {
  var name: String
  var value: Double
  var rank: Float?

  init(_ name: String, _ value: Double, _ rank: Float?) {
    (self.name, self.value, self.rank) = (name, value, rank)
  }
}

/// Observers, fetches of unsaved models and the store put numbers that are none in the same place.
@Suite(.databases) struct ObserverOrderTests {
  @Test(arguments: [SortOrder.forward, .reverse], [true, false])
  func notANumberStandsWhereNothingStands(order: SortOrder, byRank: Bool) throws {
    let container = try ModelContainer(
      for: Sample.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let sort =
      byRank
      ? [SortDescriptor(\Sample.rank, order: order)]
      : [SortDescriptor(\Sample.value, order: order)]
    let request = FetchDescriptor<Sample>(sortBy: sort)
    let observer = try ResultsObserver<Sample, Never>(sortBy: sort, modelContext: context)
    let values: [(Double, Float?)] = [
      (3, 1), (.nan, nil), (-.infinity, 7), (1, .nan), (2, -3), (.nan, 2), (.infinity, nil),
    ]
    for (place, value) in values.enumerated() {
      context.insert(Sample("\(place)", value.0, value.1))
      // One after the other, so that each is put in its place.
      _ = observer.results.count
    }
    let unsaved = try context.fetch(request).map(\.name)
    #expect(observer.results.map(\.name) == unsaved)
    try context.save()
    let stored = try ModelContext(container).fetch(request).map(\.name)
    #expect(unsaved == stored)
    #expect(observer.results.map(\.name) == stored)
    let edited = try #require(observer.results.first { $0.name == "4" })
    (edited.value, edited.rank) = (.nan, .nan)
    let pending = observer.results.map(\.name)
    #expect(try context.fetch(request).map(\.name) == pending)
    try context.save()
    #expect(try ModelContext(container).fetch(request).map(\.name) == pending)
  }
}
