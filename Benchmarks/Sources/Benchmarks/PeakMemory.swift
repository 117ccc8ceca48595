import Foundation

/// Peak memory of one task, measured in a process of its own.
///
/// The parent starts this program again with `--memory <contender> <task> <path> <rows>`; the child
/// prints its peak resident size. A child that only opens the store gives the baseline.
enum PeakMemory {
  enum Stage: String {
    case open, fetchAll, enumerate, insert
  }

  static func measure(
    _ contender: String, _ stage: Stage, path: String, rows: Int
  ) throws -> Double {
    let output = try outputOfThisProgram([
      "--memory", contender, stage.rawValue, path, String(rows),
    ])
    guard output.status == 0,
      let megabytes = Double(output.text.trimmingCharacters(in: .whitespacesAndNewlines))
    else { throw MemoryFailure(contender: contender, stage: stage.rawValue) }
    return megabytes
  }

  static func runChild(_ arguments: [String], contenders: [any Contender.Type]) throws {
    guard arguments.count == 4, let stage = Stage(rawValue: arguments[1]),
      let rows = Int(arguments[3]),
      let type = contenders.first(where: { $0.name == arguments[0] })
    else { throw MemoryFailure(contender: "unknown", stage: arguments.joined(separator: " ")) }
    let contender = try type.init(path: arguments[2])
    switch stage {
    case .open: break
    case .fetchAll: try withExtendedLifetime(contender.fetchAll()) { report() }
    case .enumerate: _ = try contender.enumerate()
    case .insert: try contender.insert((0..<rows).map(OrderValue.init))
    }
    if stage != .fetchAll { report() }
  }

  private static func report() {
    print(peakMegabytes())
  }

  private static func peakMegabytes() -> Double {
    #if os(Linux)
      // getrusage would answer the parent's peak: Linux carries it over fork and exec.
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
      return kilobytes.flatMap { Double($0) }.map { $0 / 1024 } ?? .nan
    #else
      var usage = rusage()
      getrusage(RUSAGE_SELF, &usage)
      return Double(usage.ru_maxrss) / 1024 / 1024
    #endif
  }
}

struct MemoryFailure: Error {
  let contender: String
  let stage: String
}
