import SwiftData
import Testing

struct KeySetTests {
  /// Keys in ascending runs, with gaps, in descending order and in any order, many of them twice.
  @Test(arguments: 0..<40) func containsWhatWasInserted(_ seed: UInt64) {
    var random = SeededRandom(seed)
    var (set, expected) = (KeySet(), Set<Int64>())
    var key: Int64 = 0
    for _ in 0..<300 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: key = Int64.random(in: -60...60, using: &random)
      case 1: key -= 1
      case 2: key += Int64.random(in: 2...5, using: &random)
      default: key += 1
      }
      let (isNew, known) = (set.insert(key), expected.insert(key).inserted)
      #expect(isNew == known)
    }
    for key in -400...1600 as ClosedRange<Int64> {
      #expect(set.contains(key) == expected.contains(key))
    }
  }

  @Test func containsTheLargestAndTheSmallestKey() {
    var set = KeySet()
    #expect(!set.contains(.min))
    for isNew in [true, false] {
      for key in [Int64.min, .min + 1, .max - 1, .max] {
        let isInserted = set.insert(key)
        #expect(isInserted == isNew)
      }
    }
    #expect(set.contains(.max) && set.contains(.min) && !set.contains(0))
  }
}
