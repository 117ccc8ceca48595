import Foundation
import SwiftData
import Testing

@Suite struct DefaultLocationTests {
  @Test func theDefaultStoreIsInTheDataFolderOfTheApp() throws {
    let folder = try TemporaryFolder()
    for round in 1...2 {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        .deletingLastPathComponent().appendingPathComponent("OpenSwiftDataStoreWorker")
      process.arguments = ["increment", "-", "3"]
      process.environment = ProcessInfo.processInfo.environment
        .merging(["XDG_DATA_HOME": folder.url.path]) { $1 }
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      let store = folder.url.appending(path: "OpenSwiftDataStoreWorker/default.store")
      #expect(try SQLiteFile.integer("SELECT count(*) FROM ZPARCEL", in: store) == Int64(3 * round))
    }
  }
}
