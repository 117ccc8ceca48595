import Foundation
import OpenSwiftDataTestModels
import SwiftData

/// Writes pairs of parcels, so that after each commit of any process every index is there twice, and observes
/// whether that is ever not so.
@MainActor
struct PairWork {
  private let writer: ModelContext
  private let observer: ResultsObserver<Parcel, Never>
  private var random: UInt64

  init(_ container: ModelContainer, seed: UInt64) throws {
    writer = ModelContext(container)
    observer = try ResultsObserver(sortBy: [SortDescriptor(\.index)], modelContainer: container)
    random = seed
  }

  private mutating func below(_ count: Int) -> Int {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(random >> 33) % count
  }

  mutating func run(seconds: Int) throws {
    var (saves, answers, faults) = (0, 0, 0)
    var last: [Int] = []
    func look() {
      let seen = observer.results.map(\.index)
      if seen == last { return }
      (answers, last) = (answers + 1, seen)
      let pairs = stride(from: 0, to: seen.count - 1, by: 2)
      if seen.count % 2 != 0 || pairs.contains(where: { seen[$0] != seen[$0 + 1] }) { faults += 1 }
    }
    let end = Date(timeIntervalSinceNow: Double(seconds))
    while Date() < end {
      try step()
      saves += 1
      look()
    }
    // The other process may still write.
    let rest = Date(timeIntervalSinceNow: 2)
    while Date() < rest {
      look()
      Thread.sleep(forTimeInterval: 0.005)
    }
    print("saves \(saves) answers \(answers) faults \(faults)")
    print(last.map(String.init).joined(separator: ","))
  }

  private mutating func step() throws {
    let all = try writer.fetch(FetchDescriptor<Parcel>())
    if all.count < 40 || all.count < 200 && below(2) == 0 {
      let index = below(1_000_000)
      for _ in 0..<2 { writer.insert(Parcel(index: index)) }
    } else if let index = all.isEmpty ? nil : all[below(all.count)].index {
      for parcel in all where parcel.index == index { writer.delete(parcel) }
    }
    try writer.save()
  }
}
