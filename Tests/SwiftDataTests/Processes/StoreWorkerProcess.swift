import Foundation
import Testing

extension Process {
  /// The second process, which is built beside the tests.
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

  /// Runs a worker that reports its saves, and kills it.
  /// - Parameters:
  ///   - afterFirstSave: Whether the delay begins when the worker reports for the first time.
  ///   - delay: Seconds that it has.
  /// - Returns: The number of the last save that it reported.
  static func killedStoreWorker(
    _ arguments: [String], afterFirstSave: Bool = true, delay: TimeInterval
  ) throws -> Int {
    let process = storeWorker(arguments)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var text = Data()
    if afterFirstSave { text += output.fileHandleForReading.availableData }
    Thread.sleep(forTimeInterval: delay)
    kill(process.processIdentifier, SIGKILL)
    text += output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
      .compactMap { Int($0.dropFirst(6)) }.max() ?? 0
  }
}
