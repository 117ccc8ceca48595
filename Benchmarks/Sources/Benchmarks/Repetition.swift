import Foundation

/// One task of one contender, many times, for a profiler to look at.
///
///     perf record -g Benchmarks --repeat SwiftData readAll 20
struct Repetition {
  private let contender: String
  private let task: Task
  private let count: Int

  init(arguments: [String]) throws {
    guard arguments.count == 3, let task = Task(rawValue: arguments[1]),
      let count = Int(arguments[2])
    else { throw UsageFailure() }
    contender = arguments[0]
    self.task = task
    self.count = count
  }

  func run(_ contenders: [any Contender.Type]) throws {
    guard let type = contenders.first(where: { $0.name == contender }) else { throw UsageFailure() }
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("Benchmarks-\(UUID().uuidString).store")
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: file.path + suffix)
      }
    }
    let workload = Workload(rows: Benchmarks.rows)
    let instance = try type.init(path: file.path)
    if task != .insert { _ = try workload.time(.insert, of: instance) }
    for _ in 0..<count {
      let seconds = try workload.time(task, of: instance, run: measured)
      print((seconds * 1000).rounded(), "ms")
      if task == .insert { try instance.deleteAll() }
    }
  }
}

/// A function that `Scripts/count-instructions` and a profiler find by its name: it counts what runs inside.
@inline(never)
func measured<R>(_ body: () throws -> R) rethrows -> R { try body() }

struct UsageFailure: Error, CustomStringConvertible {
  var description: String { "usage: Benchmarks --repeat <contender> <task> <count>" }
}
