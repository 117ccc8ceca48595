import BenchmarkModels
import Foundation
import SwiftData

/// What opening a store takes: the first time in a process, as at the launch of an app, and later.
///
/// Each measurement is in a process of its own: `--open <path> <models> <times>`. The child opens an
/// existing file with some classes of `BenchmarkModels`, once or more often, and prints milliseconds
/// of each opening. The best of the processes counts.
struct OpeningComparison {
  private let folder: URL
  private static let processes = 5
  private static let openings = 6

  /// - Parameter folder: Where nothing else is.
  init(in folder: URL) { self.folder = folder }

  func run() throws {
    print("Milliseconds of an opening: the first of a process, later ones, bar\n")
    for (count, bar) in [(10, 3.0), (100, 12), (300, 35)] {
      let file = folder.appendingPathComponent("\(count).store")
      try Models.first(count).open(file)
      printRow("\(count) classes", try measure(.first(count), file), bar: bar)
    }
    let file = folder.appendingPathComponent("last.store")
    try Models.lastVersion.open(file)
    let alone = try measure(.lastVersion, file)
    printRow("the classes of the last of 20 versions", alone, bar: 3)
    printRow("the same with the plan", try measure(.plan, file), bar: alone.first + 10)
  }

  static func runChild(_ arguments: [String]) throws {
    guard arguments.count == 3, let models = Models(argument: arguments[1]),
      let times = Int(arguments[2])
    else { throw UsageFailure() }
    let file = URL(fileURLWithPath: arguments[0])
    for _ in 0..<times {
      print(
        try measured {
          let start = ContinuousClock.now
          let container = try models.open(file)
          return withExtendedLifetime(container) {
            (ContinuousClock.now - start) / .milliseconds(1)
          }
        })
    }
  }

  private struct Times {
    var first = Double.infinity
    var later = Double.infinity
  }

  private func measure(_ models: Models, _ file: URL) throws -> Times {
    var best = Times()
    for _ in 0..<Self.processes {
      let text = try outputOfThisProgram(["--open", file.path, models.argument, "\(Self.openings)"])
        .text
      let times = text.split(separator: "\n").compactMap { Double($0) }
      guard times.count == Self.openings else { throw UsageFailure() }
      best.first = min(best.first, times[0])
      best.later = min(best.later, times.dropFirst().min() ?? .infinity)
    }
    return best
  }

  private func printRow(_ title: String, _ times: Times, bar: Double) {
    print(
      title.padding(toLength: 44, withPad: " ", startingAt: 0)
        + String(format: "%10.1f %10.1f    ≤ %.1f", times.first, times.later, bar))
  }
}

/// What a store is opened with.
private enum Models {
  case first(Int)
  case lastVersion
  case plan

  init?(argument: String) {
    switch argument {
    case "last": self = .lastVersion
    case "plan": self = .plan
    default:
      guard let count = Int(argument) else { return nil }
      self = .first(count)
    }
  }

  var argument: String {
    switch self {
    case .first(let count): "\(count)"
    case .lastVersion: "last"
    case .plan: "plan"
    }
  }

  @discardableResult
  func open(_ file: URL) throws -> ModelContainer {
    let configuration = ModelConfiguration(url: file)
    switch self {
    case .first(let count):
      return try ModelContainer(
        for: Schema(Array(allModels.prefix(count))), configurations: configuration)
    case .lastVersion:
      return try ModelContainer(
        for: Schema(versionedSchema: Version20.self), configurations: configuration)
    case .plan:
      return try ModelContainer(
        for: Schema(versionedSchema: Version20.self), migrationPlan: LongPlan.self,
        configurations: configuration)
    }
  }
}
