package import SwiftData

/// Inserts, changes, links and deletes parcels and batches at random, one save after the other. The
/// tests and the second process edit one file with it at the same time.
package struct RandomEdits {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  private mutating func below(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % count
  }

  /// Makes up to three edits, and saves them.
  package mutating func save(in context: ModelContext) throws {
    var parcels = try context.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.index)]))
    var batches = try context.fetch(FetchDescriptor<Batch>(sortBy: [SortDescriptor(\.number)]))
    for _ in 0..<1 + below(3) {
      switch below(6) {
      case 0: context.insert(Parcel(index: below(1_000_000)))
      case 1: context.insert(Batch(number: below(1_000_000_000), size: below(10)))
      case 2 where parcels.count > 20: context.delete(parcels.remove(at: below(parcels.count)))
      case 3 where batches.count > 5: context.delete(batches.remove(at: below(batches.count)))
      case 4 where !parcels.isEmpty && !batches.isEmpty:
        parcels[below(parcels.count)].batch = batches[below(batches.count)]
      default:
        if !parcels.isEmpty { parcels[below(parcels.count)].text = "text \(below(1000))" }
      }
    }
    try context.save()
  }
}
