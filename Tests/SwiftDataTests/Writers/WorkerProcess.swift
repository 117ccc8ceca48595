import Foundation
import OpenSwiftDataTestModels

/// The other process as a writer: it is sent each step and awaited.
final class WorkerProcess {
  private let process: Process
  private let input = Pipe()
  private let output = Pipe()
  private var received = Data()

  init(_ store: URL) throws {
    process = .storeWorker(["steps", store.path])
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  func run(_ request: League.Request) throws -> League.Answer {
    guard process.isRunning else { throw Disagreement(description: "the other process has ended") }
    try input.fileHandleForWriting.write(
      contentsOf: try JSONEncoder().encode(request) + Data("\n".utf8))
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = received[..<end]
        received = Data(received[(end + 1)...])
        return try JSONDecoder().decode(League.Answer.self, from: Data(line))
      }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { throw Disagreement(description: "the other process ended in this step") }
      received += data
    }
  }
}
