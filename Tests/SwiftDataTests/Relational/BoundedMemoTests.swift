import SwiftData
import Testing

/// Values are made once for each key. At the bound all are dropped, and made again when they are
/// asked for.
struct BoundedMemoTests {
  private func value(_ key: Int, in memo: BoundedMemo<Int, String>) -> String {
    memo.value(for: key) { "value \(key)" }
  }

  @Test func aValueIsMadeOnce() {
    let memo = BoundedMemo<Int, String>(bound: 3)
    #expect(memo[1] == nil)
    for _ in 0..<5 {
      for key in 1...3 { #expect(value(key, in: memo) == "value \(key)") }
    }
    #expect(memo.madeCount == 3)
    #expect(memo.value(for: 1) { "another" } == "value 1")
  }

  @Test func atTheBoundAllValuesAreDropped() {
    let memo = BoundedMemo<Int, String>(bound: 3)
    for key in 1...3 { _ = value(key, in: memo) }
    #expect((1...3).allSatisfy { memo[$0] != nil })
    #expect(value(4, in: memo) == "value 4")
    #expect((1...3).allSatisfy { memo[$0] == nil })
    #expect(memo[4] == "value 4" && memo.madeCount == 4)
    for key in 1...2 { #expect(value(key, in: memo) == "value \(key)") }
    #expect(memo[4] == "value 4" && memo.madeCount == 6)
  }

  @Test func neverMoreValuesThanTheBound() {
    let memo = BoundedMemo<Int, String>(bound: 7)
    for key in 0..<1000 {
      _ = value(key, in: memo)
      let kept = (0...key).filter { memo[$0] != nil }
      #expect(kept.count <= 7 && kept.last == key)
    }
    #expect(memo.madeCount == 1000)
  }

  @Test func noValueIsKeptAfterAnError() {
    struct Failure: Error {}
    let memo = BoundedMemo<Int, String>()
    #expect(throws: Failure.self) { try memo.value(for: 1) { throw Failure() } }
    #expect(memo[1] == nil && memo.madeCount == 0)
  }

  /// Making a value may ask for another one, of the same memo too.
  @Test func aValueMayNeedAnotherOne() {
    let memo = BoundedMemo<Int, Int>()
    func sum(_ key: Int) -> Int { memo.value(for: key) { key == 0 ? 0 : key + sum(key - 1) } }
    #expect(sum(100) == 5050)
    #expect(memo.madeCount == 101)
  }

  @Test func anEarlierValueStays() {
    let memo = BoundedMemo<Int, String>()
    // What happens if another thread stores a value while this one makes it.
    let found = memo.value(for: 1) {
      memo.store("first", for: 1)
      return "second"
    }
    #expect(found == "first" && memo[1] == "first")
  }
}
