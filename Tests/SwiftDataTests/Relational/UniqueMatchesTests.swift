import SwiftData
import Testing

struct UniqueMatchesTests {
  /// - Parameter constraints: For each constraint rows of a position, the first position with the same values,
  ///   both from 1, a key and the number of an entity.
  private func fates(
    _ count: Int, _ constraints: [Int64]..., refusesUpserts: Bool = false
  ) -> [UniqueMatches.Fate] {
    var matches = UniqueMatches(count: count)
    for found in constraints {
      matches.add(ListedResult(count: count, integers: found), entity: nil)
    }
    return matches.fates(of: 7, refusesUpserts: refusesUpserts)
  }

  @Test func modelsBecomeStoredRowsAndEarlierModels() {
    let found = fates(5, [2, 2, 40, 7, 3, 1, 0, 0, 5, 2, 40, 7])
    #expect(found == [.inserted, .row(40), .earlier(0), .inserted, .row(40)])
  }

  @Test func aRowOfAnotherClassEndsTheBatch() {
    #expect(fates(3, [2, 2, 40, 8]) == [.inserted])
    #expect(fates(3, [1, 1, 40, 8]) == [])
  }

  @Test func anUpsertThatIsRefusedEndsTheBatch() {
    #expect(fates(3, [2, 2, 40, 7], refusesUpserts: true) == [.inserted])
    #expect(fates(3, [3, 1, 0, 0], refusesUpserts: true) == [.inserted, .inserted])
  }

  /// A row may lose the value of one constraint when it is found by another one.
  @Test func modelsThatMayMeetInSeveralConstraintsEndTheBatch() {
    #expect(fates(3, [3, 1, 0, 0], []) == [.inserted, .inserted])
    #expect(fates(3, [1, 1, 40, 7], [2, 2, 40, 7]) == [.row(40)])
    #expect(fates(3, [1, 1, 40, 7], [1, 1, 41, 7]) == [])
    #expect(
      fates(3, [1, 1, 40, 7], [1, 1, 40, 7, 3, 3, 41, 7]) == [.row(40), .inserted, .row(41)])
  }

  @Test func aBatchIsAsLongAsItsShortestLookUp() {
    var matches = UniqueMatches(count: 9)
    matches.add(ListedResult(count: 5, integers: []), entity: 7)
    matches.add(ListedResult(count: 4, integers: [1, 1, 3]), entity: 7)
    #expect(
      matches.fates(of: 7, refusesUpserts: false) == [.row(3), .inserted, .inserted, .inserted])
  }

  @Test func batchesThatEndEarlyAreFollowedBySmallOnes() {
    var size = UniqueBatchSize()
    #expect(size.count == 1000)
    size.note(written: 3, of: 1000)
    #expect(size.count == 8)
    size.note(written: 8, of: 8)
    #expect(size.count == 16)
    size.note(written: 10, of: 16)
    #expect(size.count == 20)
    for _ in 0..<10 { size.note(written: size.count, of: size.count) }
    #expect(size.count == 1000)
  }
}
