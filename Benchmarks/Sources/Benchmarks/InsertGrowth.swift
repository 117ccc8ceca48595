import Foundation

/// Time and memory for each inserted row, for more and more rows in one save. Both have to stay the
/// same: a save has no part that grows faster than its rows.
///
///     Benchmarks --insert-growth
struct InsertGrowth {
  private static let counts = [50_000, 100_000, 200_000, 400_000]

  let directory: URL
  let contenders: [any Contender.Type]

  func run() throws {
    print("rows in one save | contender | µs per row | bytes of peak memory per row")
    print("---:|---|---:|---:")
    for count in Self.counts {
      for type in contenders {
        let path = directory.appendingPathComponent("\(type.name)-\(count).store").path
        let open = try PeakMemory.measure(type.name, .open, path: path, rows: count)
        let peak = try PeakMemory.measure(type.name, .insert, path: path, rows: count)
        let seconds = try seconds(count, type, path: path + "-timed")
        let bytes = (peak - open) * 1024 * 1024 / Double(count)
        print(
          count, type.name, String(format: "%.2f", seconds * 1e6 / Double(count)),
          String(format: "%.0f", bytes), separator: " | ")
      }
    }
  }

  private func seconds(_ count: Int, _ type: any Contender.Type, path: String) throws -> Double {
    let contender = try type.init(path: path)
    let values = (0..<count).map(OrderValue.init)
    let clock = ContinuousClock()
    let start = clock.now
    try contender.insert(values)
    return (clock.now - start) / .seconds(1)
  }
}
