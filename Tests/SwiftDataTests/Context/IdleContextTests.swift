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
    func seconds(_ saves: Int) throws -> Double {
      try Growth.seconds {
        for _ in 0..<saves {
          counter.value += 1
          try context.save()
        }
      }
    }
    _ = try seconds(500)
    let first = try seconds(1000)
    _ = try seconds(10_000)
    #expect(try seconds(1000) < first * 3)
    #expect(try idle.fetch(FetchDescriptor<Counter>()).map(\.value) == [counter.value])
  }
}
