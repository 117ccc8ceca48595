import SwiftData
import Testing

@Suite(.databases) struct FetchResultsCollectionTests {
  @Test func anArrayIsACollection() {
    let results = FetchResultsCollection([3, 4, 5])
    #expect(Array(results) == [3, 4, 5])
    #expect(results[1...].first == 4)
    #expect(results.reversed() == [5, 4, 3])
    #expect(FetchResultsCollection([Int]()).isEmpty)
  }

  @Test func batchesAreReadOnceAndWhenUsed() {
    var ranges: [Range<Int>] = []
    let results = FetchResultsCollection(count: 10, batchSize: 4) { range in
      ranges.append(range)
      return Array(range)
    }
    #expect(results.count == 10)
    #expect(ranges.isEmpty)
    #expect(results[5] == 5)
    #expect(ranges == [4..<8])
    #expect(Array(results) == Array(0..<10))
    #expect(ranges == [4..<8, 0..<4, 8..<10])
  }

  @Test func fewBatchesAreKept() {
    var reads = 0
    let results = FetchResultsCollection(count: 100, batchSize: 1) { range in
      reads += 1
      return Array(range)
    }
    _ = Array(results)
    #expect(reads == 100)
    _ = results[99]
    #expect(reads == 100)
    _ = results[0]
    #expect(reads == 101)
  }
}
