import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

extension StoreCopyTests {
  private func error(_ body: () throws -> Void) -> SwiftDataError? {
    do {
      try body()
      return nil
    } catch {
      return error as? SwiftDataError
    }
  }

  /// The address of the schema for a role without rights to it.
  private func addressOfStranger(_ grant: (String, String) -> String) throws -> String {
    let role = "stranger_" + UUID().uuidString.lowercased().prefix(8)
    let schema = try #require(address.split(separator: "=").last?.dropLast())
    let admin = try PostgresServer.shared.connect()
    try admin.execute("CREATE ROLE \(role) LOGIN; " + grant(String(schema), role))
    return address.replacing("user=postgres", with: "user=\(role)")
  }

  @Test func aPreviewFindsASchemaInWhichNoTablesCanBeCreated() throws {
    let url = try folder.makeStore(albums: 2)
    let place = try addressOfStranger { "GRANT USAGE ON SCHEMA \($0) TO \($1)" }
    let copy = StoreCopy(from: .file(url), to: try .database(place))
    let problems = try copy.preview().problems
    #expect(problems.count == 1 && problems[0].contains("GRANT CREATE"), "\(problems)")
    let failure = error { _ = try copy.run() }
    #expect(failure?.description.contains("GRANT CREATE") == true)
    #expect(failure?.description.contains("is kept") == false)
  }

  @Test func aPreviewFindsAStandby() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let standby = try PostgresStandby(of: server, port: 5434)
    let place = "host=\(standby.parameters["host"] ?? "") port=5434 user=postgres dbname=postgres"
    let copy = StoreCopy(from: .file(try folder.makeStore(albums: 2)), to: try .database(place))
    let problems = try copy.preview().problems
    #expect(problems.count == 1 && problems[0].contains("is a standby"), "\(problems)")
  }

  @Test func aPreviewFindsAFolderThatIsMissing() throws {
    let url = try folder.makeStore(albums: 2)
    let copy = StoreCopy(
      from: .file(url), to: .file(folder.url.appending(path: "missing/back.store")))
    let problems = try copy.preview().problems
    #expect(problems.count == 1 && problems[0].contains("There is no folder"), "\(problems)")
    #expect(error { _ = try copy.run() }?.description.contains("There is no folder") == true)
  }

  @Test(.enabled(if: geteuid() != 0))
  func aPreviewFindsAFolderThatCannotBeWritten() throws {
    let url = try folder.makeStore(albums: 2)
    let closed = folder.url.appending(path: "closed")
    try FileManager.default.createDirectory(at: closed, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: closed.path)
    let copy = StoreCopy(from: .file(url), to: .file(closed.appending(path: "back.store")))
    #expect(try copy.preview().problems.first?.contains("can't be written") == true)
  }
}
