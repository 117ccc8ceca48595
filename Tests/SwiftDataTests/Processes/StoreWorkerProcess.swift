import Foundation
import Testing

/// A second process, which is built beside the tests, and what it prints.
final class StoreWorkerProcess: Sendable {
  let process: Process
  private let pipe = Pipe()

  /// Starts the process.
  /// - Parameter readsErrors: Whether its standard error is read, instead of its standard output.
  init(_ arguments: [String], readsErrors: Bool = false) throws {
    process = Process.storeWorker(arguments)
    if readsErrors { process.standardError = pipe } else { process.standardOutput = pipe }
    try process.run()
  }

  /// Waits for the end of the process.
  /// - Returns: What it has printed.
  func text() async throws -> String {
    try await onThread { [self] in finishedText() }
  }

  /// As ``text()``, on the calling thread.
  func finishedText() -> String {
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  /// Runs a process that reports its saves, and kills it.
  /// - Parameters:
  ///   - afterFirstSave: Whether the delay begins when the process reports for the first time.
  ///   - delay: Seconds that it has.
  /// - Returns: The number of the last save that it reported.
  static func lastSave(
    ofKilled arguments: [String], afterFirstSave: Bool = true, delay: TimeInterval
  ) async throws -> Int {
    let (text, reason) = try await onThread {
      let worker = try StoreWorkerProcess(arguments)
      var text = Data()
      if afterFirstSave { text += worker.pipe.fileHandleForReading.availableData }
      worker.kill(after: delay)
      text += worker.pipe.fileHandleForReading.readDataToEndOfFile()
      return (String(decoding: text, as: UTF8.self), worker.process.terminationReason)
    }
    #expect(reason == .uncaughtSignal)
    return text.split(separator: "\n").compactMap { Int($0.dropFirst(6)) }.max() ?? 0
  }

  /// Lets the process run for a time, ends it at once, and waits for its end.
  func kill(after delay: TimeInterval) {
    Thread.sleep(forTimeInterval: delay)
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

extension Process {
  /// The second process, not started.
  static func storeWorker(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = Bundle.main.bundleURL.appendingPathComponent("OpenSwiftDataStoreWorker")
    if !FileManager.default.isExecutableFile(atPath: process.executableURL?.path ?? "") {
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        .deletingLastPathComponent().appendingPathComponent("OpenSwiftDataStoreWorker")
    }
    process.arguments = arguments
    return process
  }
}
