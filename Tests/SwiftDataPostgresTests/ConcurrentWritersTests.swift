import Foundation
import OpenSwiftDataTestPostgres
import Testing

/// Several processes write to one database. The environment variable `OPENSWIFTDATA_LOAD_SECONDS` sets how
/// long.
@Suite(.enabled(if: PostgresServer.isAvailable), .serialized)
struct ConcurrentWritersTests {
  let seconds = ProcessInfo.processInfo.environment["OPENSWIFTDATA_LOAD_SECONDS"] ?? "10"

  @Test func fourProcessesWithEightClientsEachKeepTheRulesOfTheModels() throws {
    let address = try PostgresServer.shared.addressOfNewSchema()
    try WriterProcess.prepare(address)
    let reader = HistoryReader(address)
    let processes = try (1...4).map {
      try WriterProcess(["write", address, seconds, "8", "\($0)"])
    }
    let lines = processes.flatMap { $0.lines() }
    let acknowledged = Acknowledged(lines)
    #expect(acknowledged.errors == [])
    #expect(acknowledged.count > 50)
    let problems = try StoredRows(address).problems(acknowledged, isComplete: true)
    #expect(problems == [])
    #expect(try reader.missed(address) == [])
    print("Clients:", lines.filter { $0.hasPrefix("done") }, acknowledged.count)
  }

  @Test func clientsThatAreKilledLoseNothingThatWasCommitted() throws {
    let address = try PostgresServer.shared.addressOfNewSchema()
    try WriterProcess.prepare(address)
    let reader = HistoryReader(address)
    var lines: [String] = []
    for round in 0..<5 {
      let processes = try (0..<3).map {
        try WriterProcess(["write", address, "60", "4", "\(round * 10 + $0)"])
      }
      for process in processes {
        Thread.sleep(forTimeInterval: .random(in: 0.2...0.6))
        process.kill()
      }
      lines += processes.flatMap { $0.lines() }
    }
    let acknowledged = Acknowledged(lines)
    #expect(acknowledged.errors == [])
    #expect(acknowledged.count > 10)
    let problems = try StoredRows(address).problems(acknowledged, isComplete: false)
    #expect(problems == [])
    #expect(try reader.missed(address) == [])
  }

  @Test func aServerThatCrashesLosesNothingThatWasCommitted() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let address = try server.addressOfNewSchema()
    try WriterProcess.prepare(address)
    let processes = try (1...3).map { try WriterProcess(["write", address, "8", "4", "\($0)"]) }
    for _ in 0..<3 {
      Thread.sleep(forTimeInterval: 1.5)
      try server.restart("immediate")
    }
    let lines = processes.flatMap { $0.lines() }
    let acknowledged = Acknowledged(lines)
    #expect(acknowledged.count > 10)
    #expect(lines.count { $0.hasPrefix("done") } == 3)
    // Each client may see each crash, but nothing else.
    let others = acknowledged.errors.filter { error in
      !["No connection", "connection was lost"].contains { error.contains($0) }
    }
    #expect(others == [])
    let problems = try StoredRows(address).problems(acknowledged, isComplete: false)
    #expect(problems == [])
  }
}
