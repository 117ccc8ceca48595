import Foundation

/// Prints the tables.
enum Report {
  private static let names = Benchmarks.contenders.map { $0.name }
  private static var baseline: String { HandwrittenContender.name }

  static func printTimes(_ times: [String: [Task: Double]], rows: Int) {
    print("Milliseconds, and the ratio to handwritten code over the C API, best of rounds\n")
    printHeader()
    for task in Task.allCases {
      let reference = times[baseline]?[task] ?? .nan
      var line = task.title.padded(to: 40)
      for name in names {
        let seconds = times[name]?[task] ?? .nan
        line += (seconds * 1000).text(digits: 1).leading(10)
        line += name == baseline ? "" : "\((seconds / reference).text(digits: 2)) x".leading(10)
      }
      line += "    " + (task.bar.map { "≤ \($0.text(digits: 1)) x" } ?? barOfCreating(task))
      print(line)
    }
    let last = names[names.count - 1]
    let shapes = (times[last]?[.compile] ?? .nan) / 1000 * 1_000_000
    print("\nOne count by a new shape of predicate: \(shapes.text(digits: 1)) µs (bar: ≤ 100 µs)")
    let micros = (times[last]?[.create] ?? .nan) / Double(rows) * 1_000_000
    print("\nCreating one unsaved object with \(last): \(micros.text(digits: 2)) µs (bar: ≤ 3 µs)")
  }

  static func printMemory(_ peaks: [String: [PeakMemory.Stage: Double]]) {
    print("\nPeak memory above an open store, MB\n")
    printHeader()
    for (stage, title, bar) in [
      (PeakMemory.Stage.fetchAll, "fetch all and keep it", "≤ 2.0 x"),
      (.enumerate, "visit all one after the other", ""),
      (.insert, "insert and save", ""),
    ] {
      let reference = peaks[baseline]?[stage] ?? .nan
      var line = title.padded(to: 40)
      for name in names {
        let peak = peaks[name]?[stage] ?? .nan
        line += peak.text(digits: 1).leading(10)
        line += name == baseline ? "" : "\((peak / reference).text(digits: 2)) x".leading(10)
      }
      print(line + "    " + bar)
    }
  }

  private static func printHeader() {
    var line = "".padded(to: 40)
    for name in names { line += name.leading(10) + (name == baseline ? "" : "".leading(10)) }
    print(line + "    bar")
  }

  private static func barOfCreating(_ task: Task) -> String {
    task == .create ? "≤ 3 µs each" : ""
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  fileprivate func leading(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}

extension Double {
  fileprivate func text(digits: Int) -> String {
    isFinite ? String(format: "%.\(digits)f", self) : "-"
  }
}
