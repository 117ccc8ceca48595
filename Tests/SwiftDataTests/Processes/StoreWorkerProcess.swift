import Foundation

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
}
