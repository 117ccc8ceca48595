import Foundation
import OpenSwiftDataTestModels
import SwiftData

/// What the process does to a store that another one observes.
enum RemoteWork: String {
  case pulse, edits, idle, pairs

  @MainActor func run(_ container: ModelContainer, _ count: Int, _ size: Int) throws {
    switch self {
    case .pulse: try pulse(ModelContext(container), count, pause: Double(size) / 1000)
    case .edits:
      try edit(ModelContext(container), seconds: count, seed: UInt64(size))
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

  /// Saves random edits for some seconds, and prints how many saves it made.
  private func edit(_ context: ModelContext, seconds: Int, seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    let end = Date(timeIntervalSinceNow: Double(seconds))
    var saves = 0
    while Date() < end {
      try edits.save(in: context)
      saves += 1
    }
    print("saves \(saves)")
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
