import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

/// A store behind PgBouncer with `pool_mode = transaction`, which has two connections to the server.
@Suite(.enabled(if: PostgresServer.isAvailable && PostgresServer.hasPooler), .serialized)
struct PoolerStoreTests {
  private func container(_ address: ConnectionParameters) throws -> ModelContainer {
    var configuration = try PostgresConfiguration(
      url: "host=\(address["host"] ?? "") port=6432 user=postgres dbname=postgres")
    configuration.usesTransactionPooling = true
    return try ModelContainer(for: Place.self, City.self, configurations: configuration)
  }

  @Test func aPoolerThatRefusesSettingsIsNamed() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let host = try server.startPooler()["host"] ?? ""
    let setting = "usesTransactionPooling"
    for (pools, options, isSettingNamed) in [
      (false, "", true), (false, " options='-c work_mem=8MB'", true),
      (true, " options='-c work_mem=8MB'", false),
    ] {
      var configuration = try PostgresConfiguration(
        url: "host=\(host) port=6432 user=postgres dbname=postgres" + options)
      configuration.usesTransactionPooling = pools
      do {
        _ = try ModelContainer(for: Place.self, City.self, configurations: configuration)
        Issue.record("opened")
      } catch let error as SwiftDataError {
        let text = error.description
        #expect(text.contains(setting) == isSettingNamed, "\(text)")
        #expect(text.contains("ALTER ROLE") == !options.isEmpty, "\(text)")
        #expect(!text.contains("Hint of the server"), "\(text)")
        #expect(error.reason == .other)
      }
    }
  }

  @Test func contextsWriteAndReadThroughAPooler() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let container = try container(try server.startPooler())
    let context = ModelContext(container)
    let city = City("Bergen")
    context.insert(city)
    for number in 0..<300 { context.insert(Place("\(number)", visits: number, city: city)) }
    try context.save()
    let other = ModelContext(container)
    #expect(
      try other.fetchCount(
        FetchDescriptor<Place>(predicate: #Predicate { $0.city?.name == "Bergen" }))
        == 300)
    // An upsert by the unique name, changes, code inside a transaction, and a batch deletion.
    other.insert(City("Bergen"))
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<City>()) == 1)
    try other.transaction {
      for place in try other.fetch(FetchDescriptor<Place>()) { place.visits += 1 }
    }
    try other.delete(model: Place.self, where: #Predicate { $0.visits > 100 })
    try other.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Place>()) == 100)
    let history = try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.count >= 3)
    let rows = try server.connect()
    #expect(try rows.prepare("SELECT sum(\"ZVISITS\")::bigint FROM \"ZPLACE\"").integer() == 5050)
  }

  /// The process of the server changes, so a save must not be sent at once with its commit: nothing would tell
  /// what became of it.
  @Test func savesThroughAPoolerWaitForTheNumberOfTheTransaction() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let context = ModelContext(try container(try server.startPooler()))
    let trips = try (0..<6).map { index in
      context.insert(Place("\(index)"))
      let count = ExchangeCount()
      try ExchangeCount.$current.withValue(count) { try context.save() }
      return count.value
    }
    #expect(trips.min() == 2)
  }

  /// Advisory locks and table locks end with their transactions, so the pooler keeps them apart.
  @Test func threadsThatOpenAndWriteThroughAPoolerDisturbNothing() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let address = try server.startPooler()
    let errors = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      do {
        let context = ModelContext(try container(address))
        for number in 0..<20 {
          context.insert(Place("\(thread).\(number)"))
          try context.save()
        }
      } catch {
        errors.withLock { $0.append("\(error)") }
      }
    }
    #expect(errors.withLock(\.self) == [])
    let rows = try server.connect()
    #expect(try rows.prepare("SELECT count(*) FROM \"ZPLACE\"").integer() == 80)
    #expect(try rows.prepare("SELECT count(*) FROM \"ATRANSACTION\"").integer() == 80)
    // Otherwise nothing was pooled, and this test shows nothing. Four threads of a busy machine may need
    // one only.
    let connections = try rows.prepare(
      "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' "
        + "AND pid <> pg_backend_pid()"
    ).integer()
    #expect(connections == 1 || connections == 2)
  }
}
