import Foundation

/// Runs every task by hand over libpq and with SwiftData, in one run on one server, and prints the
/// ratios. Rounds are interleaved; the best round counts.
@main
struct PostgresBenchmarks {
  static var contenders: [any Contender.Type] {
    [HandwrittenContender.self, HistoryContender.self, ModelContender.self]
  }
  static let rounds = 3

  static func main() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--memory" { return try Memory.runChild(Array(arguments.dropFirst())) }
    let isDurable = arguments.first == "--durable"
    if isDurable { arguments.removeFirst() }
    let repetition = Repetition(arguments)
    let tasks = arguments.compactMap(Task.init)
    guard repetition != nil || tasks.count == arguments.count else { refuse() }
    let server = try Server(isDurable: isDurable)
    defer { server.stop() }
    if let repetition { return try repeatTask(repetition, server) }
    try printTimes(server, tasks)
    if arguments.isEmpty { try Memory.print(server) }
  }

  /// A new schema, in which names need no prefix.
  static func newSchema(_ server: Server) throws -> String {
    let name = "benchmark_" + UUID().uuidString.lowercased().filter { $0 != "-" }
    try Libpq(server.address).execute("CREATE SCHEMA \(name)")
    if server.address.contains("://") {
      let separator = server.address.contains("?") ? "&" : "?"
      return server.address + "\(separator)options=-csearch_path%3D\(name)"
    }
    return server.address + " options='-c search_path=\(name)'"
  }

  /// - Parameter wanted: The tasks to print; empty for all. Those before them run too.
  private static func printTimes(_ server: Server, _ wanted: [Task]) throws {
    let workload = Workload()
    var best: [String: [Task: Double]] = [:]
    for _ in 0..<rounds {
      for type in contenders {
        let contender = try type.init(newSchema(server), isEmpty: true)
        for task in Task.allCases {
          let isNeeded = wanted.isEmpty || wanted.contains(task) || task == .insert
          if !isNeeded || type == HistoryContender.self && !task.writes { continue }
          let seconds = try workload.time(task, of: contender)
          best[type.name, default: [:]][task] = min(
            best[type.name]?[task] ?? .infinity, seconds)
        }
      }
    }
    print(
      "Milliseconds: libpq, libpq with history, SwiftData, and the ratios to both; best of \(rounds) rounds\n"
    )
    for task in Task.allCases where wanted.isEmpty || wanted.contains(task) {
      let hand = best[HandwrittenContender.name]?[task] ?? .nan
      let history = best[HistoryContender.name]?[task]
      let model = best[ModelContender.name]?[task] ?? .nan
      let missing = String(repeating: " ", count: 9) + "-"
      let bar = task.bar.map { "  ≤ \($0)" } ?? ""
      print(
        task.title.padding(toLength: 38, withPad: " ", startingAt: 0)
          + number(hand * 1000) + (history.map { number($0 * 1000) } ?? missing)
          + number(model * 1000) + number(model / hand, digits: 2)
          + (history.map { number(model / $0, digits: 2) } ?? missing) + bar)
    }
  }

  static func number(_ value: Double, digits: Int = 1) -> String {
    let text = String(format: "%.\(digits)f", value)
    return String(repeating: " ", count: max(1, 10 - text.count)) + text
  }

  private static func refuse() -> Never {
    let tasks = Task.allCases.map(\.rawValue).joined(separator: ", ")
    let names = contenders.map { "'\($0.name)'" }.joined(separator: ", ")
    FileHandle.standardError.write(
      Data(
        """
        usage: PostgresBenchmarks [--durable] [TASK ...]
               PostgresBenchmarks --repeat CONTENDER TASK COUNT
        Tasks: \(tasks). Contenders: \(names).
        With --durable commits wait for the disk, as by the defaults of PostgreSQL.

        """.utf8))
    exit(2)
  }

  /// One task of one contender, many times, for a profiler: `--repeat SwiftData filter 20`.
  private struct Repetition {
    let contender: any Contender.Type
    let task: Task
    let count: Int

    init?(_ arguments: [String]) {
      guard arguments.count == 4, arguments[0] == "--repeat",
        let contender = contenders.first(where: { $0.name == arguments[1] }),
        let task = Task(rawValue: arguments[2]), let count = Int(arguments[3])
      else { return nil }
      (self.contender, self.task, self.count) = (contender, task, count)
    }
  }

  private static func repeatTask(_ repetition: Repetition, _ server: Server) throws {
    let (task, workload) = (repetition.task, Workload())
    let contender = try repetition.contender.init(newSchema(server), isEmpty: true)
    if task != .insert { _ = try workload.time(.insert, of: contender) }
    for _ in 0..<repetition.count {
      let seconds = try workload.time(task, of: contender)
      print((seconds * 1000).rounded(), "ms")
      if task == .insert || task == .saveOne { try contender.deleteAll() }
    }
  }
}
