import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// What an administrator has added to the tables, and addresses that nobody fulfils.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresForeignIndexTests {
  private let url: String
  private let rows: StoredRows

  init() throws {
    url = try PostgresServer.shared.addressOfNewSchema()
    rows = try StoredRows(url)
  }

  /// The failure of a save of a city after `sql`.
  private func failure(_ sql: String) throws -> SwiftDataError {
    let context = ModelContext(
      try ModelContainer(
        for: Place.self, City.self, configurations: PostgresConfiguration(url: url)))
    context.insert(City("Kunde"))
    try context.save()
    try rows.connection.execute(sql)
    context.insert(City("KUNDE"))
    return try #require(#expect(throws: SwiftDataError.self) { try context.save() })
  }

  @Test(
    arguments: [
      #"CREATE UNIQUE INDEX ON "ZCITY" (lower("ZNAME"))"#,
      #"""
      ALTER TABLE "ZCITY" ADD COLUMN tenant_id bigint DEFAULT 1;
      CREATE UNIQUE INDEX ON "ZCITY" (tenant_id)
      """#,
      #"""
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE ''no'' USING ERRCODE = ''23505''; END';
      CREATE TRIGGER refusal BEFORE INSERT ON "ZCITY" FOR EACH ROW EXECUTE FUNCTION refuse()
      """#,
    ])
  func anIndexOverOtherColumnsNamesNone(_ sql: String) throws {
    let error = try failure(sql)
    #expect(error.reason == .uniqueValueTaken(entity: "City", properties: [], holder: nil))
    #expect(error.publicMessage == "Another City already has this value.")
    #expect(error.entity == "City" && error.property == nil, "\(error)")
  }

  @Test func aRequiredColumnOfAnotherProgramIsNotNamed() throws {
    let error = try failure(
      #"ALTER TABLE "ZCITY" ADD COLUMN tenant_id bigint; UPDATE "ZCITY" SET tenant_id = 1;"#
        + #"ALTER TABLE "ZCITY" ALTER COLUMN tenant_id SET NOT NULL"#)
    #expect(error.reason == .requiredValueMissing(entity: "City", properties: []))
    #expect(error.publicMessage == "The City needs a value for a required property.")
    #expect(error.description.contains("tenant_id"))
  }

  @Test(
    arguments: [
      "requirepeer=zz", "gssencmode=require", "channel_binding=require", "service=nope",
      "options=-cstatement_timeout=abc", "options=-csearch_path=no_such_schema",
    ])
  func anAddressThatNobodyFulfilsIsNoPassingFailure(_ parameter: String) throws {
    // The last value of a parameter is valid.
    let error = try #require(
      #expect(throws: SwiftDataError.self) {
        _ = try ModelContainer(
          for: Place.self, City.self,
          configurations: PostgresConfiguration(url: "\(url) \(parameter)"))
      })
    #expect(error.reason == .other && !error.reason.isTransient, "\(error.reason): \(error)")
    #expect(!error.description.contains("Check that the server runs"), "\(error)")
  }

  /// In a daemon that closed them, a socket would become standard error.
  @Test func standardDescriptorsAreNoSockets() throws {
    try WriterProcess.prepare(url)
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [
      "-c", "exec \"$0\" \"$@\" <&- >&- 2>&-", WriterProcess.executable.path, "update", url, "3",
      "2",
    ]
    try shell.run()
    defer { shell.waitUntilExit() }
    func target(_ number: Int) -> String? {
      try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(shell.processIdentifier)/fd/\(number)")
    }
    // Until it has connections.
    for _ in 0..<250 where !(3..<20).contains(where: { target($0)?.hasPrefix("socket:") == true }) {
      Thread.sleep(forTimeInterval: 0.01)
    }
    // The runtime may have opened a pipe of its own before.
    let targets = (0...2).map { target($0) ?? "" }
    #expect(targets[2] == "/dev/null")
    #expect(!targets.contains { $0.hasPrefix("socket:") }, "\(targets)")
    shell.terminate()
  }
}
