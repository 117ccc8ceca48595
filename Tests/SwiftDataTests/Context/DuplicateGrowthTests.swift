import Foundation
import SwiftData
import Testing

/// What it takes to keep many duplicate instances, counted.
@Suite struct DuplicateGrowthTests {
  /// How many rows are looked at while models become duplicates of as many rows.
  private func visits(_ count: Int, releasing: Bool) -> Int {
    var duplicates = DuplicateInstances()
    var held: [Upserting.Seat] = []
    for number in 0..<count {
      let seat = Upserting.Seat("a", number)
      duplicates.insert(seat._$storage, for: seat.persistentModelID)
      if !releasing { held.append(seat) }
    }
    return duplicates.visits
  }

  @Test(arguments: [250, 1000, 4000, 16_000])
  func eachInsertionPaysForAFewLooks(_ count: Int) {
    #expect(visits(count, releasing: false) <= 2 * count)
    #expect(visits(count, releasing: true) <= 2 * count)
  }

  @Test func instancesThatAreGoneAreDropped() {
    #expect(visits(4000, releasing: true) > 0)
  }

  /// Without sweeps each save would look at all that were ever merged with the row.
  @Test func releasedInstancesOfOneRowAreDropped() {
    var duplicates = DuplicateInstances()
    let row = Upserting.Seat("a", 1)
    for number in 0..<4000 {
      duplicates.insert(Upserting.Seat("a", number)._$storage, for: row.persistentModelID)
    }
    #expect(duplicates.visits > 1000 && duplicates.visits <= 2 * 4000)
  }

  @Test func allInstancesShowWhatWasSaved() throws {
    let context = try Upserting.context()
    let first = (0..<600).map { Upserting.Seat("a", $0, guest: "first") }
    for seat in first { context.insert(seat) }
    try context.save()
    let second = (0..<600).map { Upserting.Seat("a", $0, guest: "second") }
    for seat in second { context.insert(seat) }
    try context.save()
    #expect(first.allSatisfy { $0.guest == "second" })
    for seat in first { seat.guest = "third" }
    try context.save()
    #expect(second.allSatisfy { $0.guest == "third" })
    #expect(zip(first, second).allSatisfy { $0.persistentModelID == $1.persistentModelID })
    #expect(try context.fetchCount(FetchDescriptor<Upserting.Seat>()) == 600)
  }
}
