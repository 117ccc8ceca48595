import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// Stores without the features that compatible systems may lack.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresProfileTests {
  private func container(_ url: String) throws -> ModelContainer {
    var configuration = try PostgresConfiguration(url: url)
    configuration.profile = .portable
    return try ModelContainer(
      for: Place.self, City.self, Memo.self, configurations: configuration)
  }

  @Test func severalContainersOpenAndSaveAtTheSameTime() async throws {
    let url = try PostgresServer.shared.addressOfNewSchema()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          let container = try container(url)
          for round in 0..<10 {
            let context = ModelContext(container)
            context.insert(City("\(round)"))
            context.insert(Place("\(number)", visits: round))
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    let context = ModelContext(try container(url))
    #expect(try context.fetchCount(FetchDescriptor<Place>()) == 40)
    #expect(try context.fetchCount(FetchDescriptor<City>()) == 10)
    let numbers = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .map(\.transactionIdentifier)
    #expect(numbers.count == 40)
    #expect(Set(numbers).count == 40)
  }

  @Test(arguments: [PostgresProfile.portable, .postgreSQL])
  func aWritingTransactionLocksARowOrTheTable(profile: PostgresProfile) throws {
    let database = try MemoDatabase()
    let container = try database.container { $0.profile = profile }
    let context = ModelContext(container)
    try context.transaction {
      context.insert(Memo("a"))
      try context.save()
      let count = try PostgresServer.shared.connect().prepare(
        """
        SELECT count(*) FROM pg_locks JOIN pg_class ON pg_class.oid = relation \
        WHERE relnamespace = '\(database.schema)'::regnamespace \
        AND mode = 'ShareRowExclusiveLock'
        """
      ).integer()
      #expect(count == (profile.tableLocks ? 1 : 0))
    }
    #expect(try container.texts() == ["a"])
  }

  /// The search path leads to both schemas.
  @Test func aStoreDoesNotUseTheLocksOfAnotherSchema() throws {
    let other = try MemoDatabase()
    _ = try other.container { $0.profile = .portable }
    let url = try PostgresServer.shared.addressOfNewSchema()
    let context = ModelContext(try container("\(url.dropLast()),\(other.schema)'"))
    context.insert(City("Bern"))
    try context.save()
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"
    let count = try StoredRows(url).integer("\(tables) AND tablename = 'Z_LOCK'")
    #expect(count == 1)
  }

  @Test func aSaveThatWaitsForATransactionSeesItsDeletions() throws {
    let url = try PostgresServer.shared.addressOfNewSchema()
    let (first, second) = (try container(url), try container(url))
    let context = ModelContext(first)
    context.insert(City("Bern"))
    try context.save()
    nonisolated(unsafe) let other = ModelContext(second)
    let city = try #require(other.fetch(FetchDescriptor<City>()).first)
    other.insert(Place("p", city: city))
    let hasEnded = DispatchSemaphore(value: 0)
    try context.transaction {
      context.delete(try #require(context.fetch(FetchDescriptor<City>()).first))
      try context.save()
      Thread {
        try? other.save()
        hasEnded.signal()
      }.start()
      Thread.sleep(forTimeInterval: 0.5)
    }
    #expect(hasEnded.wait(timeout: .now() + 20) == .success)
    let orphans = try PostgresConnection(ConnectionParameters(url)).prepare(
      """
      SELECT count(*) FROM "ZPLACE" WHERE "ZCITY" IS NOT NULL \
      AND "ZCITY" NOT IN (SELECT "Z_PK" FROM "ZCITY")
      """
    ).integer()
    #expect(orphans == 0)
  }

  @Test func relationshipsUniqueValuesAndDeleteRulesWork() throws {
    let container = try container(PostgresServer.shared.addressOfNewSchema())
    let context = ModelContext(container)
    let city = City("Bern")
    context.insert(city)
    for number in 0..<5 { context.insert(Place("p\(number)", city: city)) }
    try context.save()
    let other = ModelContext(container)
    other.insert(City("Bern"))
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<City>()) == 1)
    context.delete(city)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Place>()) == 0)
  }

  @Test func notificationsAreRefused() throws {
    let database = try MemoDatabase()
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try database.container {
        $0.profile = .portable
        $0.notifiesCommits = true
      }
    }
  }

  /// The profile has no number of the transaction, by which the server could be asked.
  @Test func aCommitWhoseAnswerIsLostIsInDoubt() throws {
    let server = try PostgresServer.shared
    let address = try server.addressOfNewSchema()
    let proxy = try PostgresProxy(to: server.socketFolder)
    let context = ModelContext(try container(proxy.address(like: address)))
    context.insert(Place("a", visits: 1))
    proxy.set(.loseAnswerToCommit)
    do {
      try context.save()
      Issue.record("the save knew that the commit had succeeded")
    } catch let error as SwiftDataError {
      #expect(error == .storeWriteFailure)
      #expect("\(error.reason)" == "outcomeUnknown")
      #expect(error.description.contains("Either all changes were stored, or none"), "\(error)")
      #expect(!error.description.contains("nothing was saved"))
    }
    // Not repeated: the row was stored once, and the context has its change.
    #expect(try StoredRows(address).integer("SELECT count(*) FROM \"ZPLACE\"") == 1)
    #expect(context.hasChanges)
    context.rollback()
    #expect(try context.fetch(FetchDescriptor<Place>()).map(\.name) == ["a"])
  }

  @Test func aCommitThatDoesNotReachTheServerIsInDoubtToo() throws {
    let server = try PostgresServer.shared
    let address = try server.addressOfNewSchema()
    let proxy = try PostgresProxy(to: server.socketFolder)
    let context = ModelContext(try container(proxy.address(like: address)))
    context.insert(Place("a", visits: 1))
    proxy.set(.loseCommits(1))
    do {
      try context.save()
      Issue.record("the save succeeded")
    } catch let error as SwiftDataError {
      #expect("\(error.reason)" == "outcomeUnknown", "\(error)")
    }
    #expect(try StoredRows(address).integer("SELECT count(*) FROM \"ZPLACE\"") == 0)
    try context.save()
    #expect(try StoredRows(address).integer("SELECT count(*) FROM \"ZPLACE\"") == 1)
  }
}
