import Foundation
import SwiftData
import Testing

/// `OPENSWIFTDATA_SQL` makes every store of a process print its statements.
@Suite struct SQLEnvironmentTests {
  private func errorOutput(_ value: String?) throws -> String {
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("OpenSwiftDataStoreWorker")
    process.arguments = ["increment", folder.store.path, "1"]
    var environment = ProcessInfo.processInfo.environment
    environment["OPENSWIFTDATA_SQL"] = value
    process.environment = environment
    let output = Pipe()
    process.standardError = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: text, as: UTF8.self)
  }

  @Test func statementsArePrintedWithoutValues() throws {
    let text = try errorOutput("1")
    let insert = try #require(
      text.split(separator: "\n").first { $0.contains(#"INSERT INTO "ZPARCEL""#) })
    #expect(insert.hasPrefix("SQL "))
    #expect(insert.contains(" ms, 0 rows: "))
    #expect(!text.contains("Some text"))
  }

  @Test func valuesArePrintedOnRequest() throws {
    #expect(try errorOutput("values").contains("'Some text that fills the page'"))
  }

  @Test func nothingIsPrintedOtherwise() throws {
    #expect(try errorOutput(nil).isEmpty)
  }
}
