import Foundation
import SwiftData

/// What the process does to a store that another one observes.
enum RemoteWork: String {
  case pulse, hammer, idle, pairs

  @MainActor func run(_ container: ModelContainer, _ count: Int, _ size: Int) throws {
    switch self {
    case .pulse: try pulse(ModelContext(container), count, pause: Double(size) / 1000)
    case .hammer:
      var hammer = Hammer(seed: UInt64(size))
      try hammer.run(ModelContext(container), seconds: count)
    case .idle: idle(container, seconds: count)
    case .pairs:
      var work = try PairWork(container, seed: UInt64(size))
      try work.run(seconds: count)
    }
  }

  /// Prints how many files are watched, then when nothing is observed any more, and the milliseconds of
  /// processor time that observing takes while nothing is written.
  private func idle(_ container: ModelContainer, seconds: Int) {
    container.observesRemoteChanges = true
    // What opening has written is looked at for some seconds.
    Thread.sleep(forTimeInterval: 4)
    let before = clock()
    Thread.sleep(forTimeInterval: Double(seconds))
    let time = clock() - before
    print("watches \(StoreFileWatch.count)")
    container.observesRemoteChanges = false
    print("watches \(StoreFileWatch.count)")
    print(Double(time) / Double(CLOCKS_PER_SEC) * 1000)
  }

  /// Changes one parcel again and again, and prints when each save was done.
  private func pulse(_ context: ModelContext, _ count: Int, pause: Double) throws {
    let parcels = try context.fetch(FetchDescriptor<Parcel>())
    for number in 1...count {
      Thread.sleep(forTimeInterval: pause)
      parcels[0].index = number
      try context.save()
      let text = "saved \(number) \(Date().timeIntervalSince1970)\n"
      FileHandle.standardOutput.write(Data(text.utf8))
    }
  }
}

/// Inserts, changes, links and deletes parcels and batches at random, one save after the other.
struct Hammer {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  private mutating func below(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % count
  }

  mutating func run(_ context: ModelContext, seconds: Int) throws {
    let end = Date(timeIntervalSinceNow: Double(seconds))
    var saves = 0
    while Date() < end {
      try step(context)
      saves += 1
    }
    print("saves \(saves)")
  }

  mutating func step(_ context: ModelContext) throws {
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
