import Foundation

/// Runs every task with every contender and prints how long each took beside the C API.
///
/// Rounds are interleaved, so that a busy moment of the machine hits all; the best round counts.
@main
struct Benchmarks {
  static var contenders: [any Contender.Type] {
    [HandwrittenContender.self, GRDBContender.self, SwiftDataContender.self]
  }

  static let rows = 100_000
  static let rounds = 3

  @MainActor static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--memory" {
      return try PeakMemory.runChild(Array(arguments.dropFirst()), contenders: contenders)
    }
    if arguments.first == "--open" {
      return try OpeningComparison.runChild(Array(arguments.dropFirst()))
    }
    if arguments.first == "--repeat" {
      return try Repetition(arguments: Array(arguments.dropFirst())).run(contenders)
    }
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("Benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }

    if arguments.first == "--queries" {
      return try QueryComparison(path: directory.appendingPathComponent("queries.store").path).run()
    }
    if arguments.first == "--migrations" {
      let comparison = try MigrationComparison(in: directory, rows: 1_000_000)
      try comparison.run()
      return try comparison.runCode()
    }
    if arguments.first == "--insert-growth" {
      return try InsertGrowth(directory: directory, contenders: contenders).run()
    }
    if arguments.first == "--opening" { return try OpeningComparison(in: directory).run() }
    if arguments.first == "--links" {
      let path = directory.appendingPathComponent("links.store").path
      let comparison = try LinkComparison(path: path)
      return try arguments.count > 1 ? comparison.profile(arguments[1]) : comparison.run()
    }
    if arguments.first == "--deletions" {
      let comparison = DeletionComparison(in: directory)
      return try arguments.count > 1 ? comparison.profile(arguments[1]) : comparison.run()
    }
    if arguments.first == "--saves" {
      return try SaveComparison(in: directory).run(Array(arguments.dropFirst()))
    }
    if arguments.first == "--units" {
      let comparison = UnitComparison(in: directory)
      if arguments.count > 1 { return try comparison.profile(Array(arguments.dropFirst())) }
      return try await comparison.run()
    }
    if arguments.first == "--history" { return try HistoryComparison(in: directory).run() }
    if arguments.first == "--observers" { return try await ObserverComparison(in: directory).run() }
    Report.printTimes(try times(in: directory), rows: rows)
    Report.printMemory(try memory(in: directory))
    print()
    try QueryComparison(path: directory.appendingPathComponent("queries.store").path).run()
  }

  private static func times(in directory: URL) throws -> [String: [Task: Double]] {
    let workload = Workload(rows: rows)
    var best: [String: [Task: Double]] = [:]
    for round in 1...rounds {
      for type in contenders {
        let path = directory.appendingPathComponent("\(type.name)-\(round).store").path
        let contender = try type.init(path: path)
        for task in Task.allCases {
          let seconds = try workload.time(task, of: contender)
          if seconds.isNaN { continue }
          best[type.name, default: [:]][task] = min(best[type.name]?[task] ?? .infinity, seconds)
        }
      }
    }
    return best
  }

  private static func memory(in directory: URL) throws -> [String: [PeakMemory.Stage: Double]] {
    var peaks: [String: [PeakMemory.Stage: Double]] = [:]
    for type in contenders {
      let path = directory.appendingPathComponent("\(type.name)-memory.store").path
      func peak(_ stage: PeakMemory.Stage) throws -> Double {
        try PeakMemory.measure(type.name, stage, path: path, rows: rows)
      }
      let baseline = try peak(.open)
      peaks[type.name] = [
        .insert: try peak(.insert) - baseline,
        .fetchAll: try peak(.fetchAll) - baseline,
        .enumerate: try peak(.enumerate) - baseline,
      ]
    }
    return peaks
  }
}
