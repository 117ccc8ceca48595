import SwiftData
import Testing

/// A context that nobody uses, as the main context of a server.
@Suite struct IdleContextTests {
  @Model final class Counter {
    var value = 0
    init() {}
  }

  /// The idle context takes none of the changes that the others announce, so they add up.
  @Test func itDoesNotSlowDownTheSavesOfOthers() throws {
    let container = try ModelContainer(
      for: Counter.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let idle = ModelContext(container)
    let context = ModelContext(container)
    let counter = Counter()
    context.insert(counter)
    try context.save()
    #expect(try idle.fetch(FetchDescriptor<Counter>()).map(\.value) == [0])
    func time(_ saves: Int) throws -> Duration {
      try ContinuousClock().measure {
        for _ in 0..<saves {
          counter.value += 1
          try context.save()
        }
      }
    }
    _ = try time(500)
    let first = try time(1000)
    let rest = try time(11000)
    let last = try time(1000)
    print("XX", first, rest, last)
    #expect(last < first * 3)
    #expect(try idle.fetch(FetchDescriptor<Counter>()).map(\.value) == [counter.value])
  }
}
