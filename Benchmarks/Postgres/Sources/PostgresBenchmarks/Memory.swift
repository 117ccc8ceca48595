import Foundation

/// Peak memory of tasks, each in a process of its own: the parent starts this program again with
/// `--memory <contender> <stage> <address> <rows>`.
enum Memory {
  private enum Stage: String {
    case open, insert, fetchAll, enumerate
  }

  private static var contenders: [any Contender.Type] {
    [HandwrittenContender.self, ModelContender.self]
  }

  static func print(_ server: Server) throws {
    Swift.print("\nPeak memory above an open store, MB: libpq, SwiftData\n")
    var schemas: [String: String] = [:]
    for rows in [100_000, 1_000_000] {
      for type in contenders {
        schemas[type.name] = try PostgresBenchmarks.newSchema(server)
        _ = try type.init(schemas[type.name]!, isEmpty: true)
      }
      for (stage, title) in [
        (Stage.insert, "insert and save"), (.fetchAll, "fetch all and keep it"),
        (.enumerate, "visit all one after the other"),
      ] {
        var line = "\(title), \(rows) rows".padding(toLength: 46, withPad: " ", startingAt: 0)
        for type in contenders {
          let address = schemas[type.name] ?? ""
          let base = try measure(type.name, .open, address, rows)
          line += PostgresBenchmarks.number(try measure(type.name, stage, address, rows) - base)
        }
        Swift.print(line)
      }
    }
  }

  private static func measure(
    _ contender: String, _ stage: Stage, _ address: String, _ rows: Int
  ) throws -> Double {
    let output = try outputOfThisProgram([
      "--memory", contender, stage.rawValue, address, "\(rows)",
    ])
    guard output.status == 0,
      let megabytes = Double(output.text.trimmingCharacters(in: .whitespacesAndNewlines))
    else { throw Failure("\(contender) failed at \(stage.rawValue)") }
    return megabytes
  }

  static func runChild(_ arguments: [String]) throws {
    guard arguments.count == 4, let stage = Stage(rawValue: arguments[1]),
      let rows = Int(arguments[3]),
      let type = contenders.first(where: { $0.name == arguments[0] })
    else { throw Failure("usage: --memory <contender> <stage> <address> <rows>") }
    let contender = try type.init(arguments[2], isEmpty: false)
    switch stage {
    case .open: break
    case .insert: try contender.insert((0..<rows).map(OrderValue.init))
    case .fetchAll:
      let all = try contender.fetchAll()
      guard all.count == rows else { throw Failure("not all rows were found") }
      return withExtendedLifetime(all) { Swift.print(peakMegabytes()) }
    case .enumerate: _ = try contender.enumerate()
    }
    Swift.print(peakMegabytes())
  }

  private static func peakMegabytes() -> Double {
    #if os(Linux)
      // getrusage would return the parent's peak: Linux carries it over fork and exec.
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
