import Foundation
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// Reasons of errors, identifiers in URLs and the end of a container, in PostgreSQL.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresServerNeedsTests {
  private func container(_ url: String) throws -> ModelContainer {
    try ModelContainer(
      for: Place.self, City.self, configurations: PostgresConfiguration(url: url))
  }

  private func failure(_ body: () throws -> Void) -> SwiftDataError? {
    do {
      try body()
      return nil
    } catch {
      return error as? SwiftDataError
    }
  }

  @Test func uniqueValuesHaveAReason() throws {
    let context = ModelContext(try container(PostgresServer.shared.addressOfNewSchema()))
    let (one, two) = (City("Porto"), City("Lisbon"))
    context.insert(one)
    context.insert(two)
    try context.save()
    two.name = "Porto"
    let error = try #require(failure { try context.save() })
    guard case .uniqueValueTaken("City", ["name"], _) = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
    #expect(error.publicMessage == "Another City already has this name.")
  }

  @Test func aTextOfAnIdentifierLeadsToItsModel() throws {
    let url = try PostgresServer.shared.addressOfNewSchema()
    let context = ModelContext(try container(url))
    let city = City("Porto")
    context.insert(city)
    try context.save()
    let text = try city.persistentModelID.urlText
    let other = ModelContext(try container(url))
    #expect(try other.model(City.self, urlText: text).name == "Porto")
    other.delete(try other.model(City.self, urlText: text))
    try other.save()
    #expect(failure { _ = try context.model(City.self, urlText: text) } == .modelNotFound)
    let elsewhere = ModelContext(try container(PostgresServer.shared.addressOfNewSchema()))
    let foreign = failure { _ = try elsewhere.model(City.self, urlText: text) }
    guard case .invalidIdentifier(.otherStore)? = foreign?.reason else {
      Issue.record("\(String(describing: foreign))")
      return
    }
  }

  @Test func closingEndsThePool() async throws {
    let url = try PostgresServer.shared.addressOfNewSchema()
    let container = try container(url)
    let context = ModelContext(container)
    context.insert(City("Porto"))
    try context.save()
    try await container.close()
    try await container.close()
    #expect(failure { _ = try context.fetch(FetchDescriptor<City>()) } == .containerClosed)
    context.insert(City("Lisbon"))
    #expect(failure { try context.save() } == .containerClosed)
    let again = try self.container(url)
    #expect(try ModelContext(again).fetchCount(FetchDescriptor<City>()) == 1)
  }

  @Test func backupsAreLeftToTheServer() async throws {
    let container = try container(PostgresServer.shared.addressOfNewSchema())
    do {
      try await container.backup(to: URL(filePath: "/tmp/never.store"))
      Issue.record("nothing was thrown")
    } catch {
      #expect("\(error)".contains("pg_dump"))
    }
  }

  @Test func theHistoryHasASize() throws {
    let container = try container(PostgresServer.shared.addressOfNewSchema())
    let context = ModelContext(container)
    context.insert(City("Porto"))
    try context.save()
    let size = try #require(container.historySize().first)
    #expect(size.transactionCount == 1 && size.changeCount == 1 && size.byteCount > 0)
  }

  /// In a process of its own, because libpq reads the environment.
  @Test(arguments: [false, true]) func optionsOfTheEnvironmentLeadToTheSchema(
    inService: Bool
  ) throws {
    let server = try PostgresServer.shared
    let schema = inService ? "of_service" : "of_environment"
    try server.connect().execute("CREATE SCHEMA \(schema)")
    let services = FileManager.default.temporaryDirectory.appending(
      path: "services-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: services) }
    let options = "-c search_path=\(schema)"
    try "[ours]\noptions=\(options)\n".write(to: services, atomically: true, encoding: .utf8)
    let address = "host=\(server.socketFolder) user=postgres dbname=postgres"
    let lines =
      inService
      ? try WriterProcess(
        ["prepare", "service=ours " + address], environment: ["PGSERVICEFILE": services.path]
      ).lines()
      : try WriterProcess(["prepare", address], environment: ["PGOPTIONS": options]).lines()
    #expect(lines.isEmpty)
    let tables = try TestDatabase.texts(
      address, "SELECT count(*) FROM pg_tables WHERE schemaname = '\(schema)'")
    #expect(tables.first.flatMap(Int.init) ?? 0 > 3)
  }
}
