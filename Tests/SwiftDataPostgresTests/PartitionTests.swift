import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

/// Contexts whose network loses all packets, which tells neither side.
@Suite(.enabled(if: PostgresServer.isAvailable && LossyNetwork.isAvailable), .serialized)
struct PartitionTests {
  private let address: String
  private let network: LossyNetwork

  init() throws {
    let server = try PostgresServer.shared
    address = try server.addressOfNewSchema()
    network = try LossyNetwork(to: server.socketFolder)
  }

  private func container(_ parameters: String, _ limit: Duration) throws -> ModelContainer {
    let folder = try PostgresServer.shared.socketFolder
    var configuration = try PostgresConfiguration(
      url: address.replacing("host=\(folder)", with: "host=\(network.host) \(parameters)"))
    configuration.statementTimeout = limit
    return try ModelContainer(for: Place.self, City.self, configurations: configuration)
  }

  /// What several threads have seen.
  private struct Outcome {
    var acknowledged: [String] = []
    var failures = 0
    var longest = Duration.zero
    var hasEnded = false
  }

  /// Every call ends in time, what was acknowledged stays, and work goes on by itself.
  @Test func aPartitionHangsNothingAndLosesNothing() throws {
    defer { network.end() }
    let container = try container("connect_timeout=2", .seconds(1))
    let outcome = Mutex(Outcome())
    let threads = DispatchGroup()
    for thread in 0..<4 {
      threads.enter()
      Thread.detachNewThread {
        defer { threads.leave() }
        var number = 0
        while !outcome.withLock(\.hasEnded) {
          number += 1
          let name = "\(thread).\(number)"
          let start = ContinuousClock.now
          do {
            let context = ModelContext(container)
            context.reportsUnsavedChanges = false
            switch thread {
            case 0: _ = try context.fetchCount(FetchDescriptor<Place>())
            case 1: try context.transaction { context.insert(Place(name)) }
            default:
              context.insert(Place(name))
              try context.save()
            }
            if thread > 0 { outcome.withLock { $0.acknowledged.append(name) } }
          } catch {
            outcome.withLock { $0.failures += 1 }
          }
          outcome.withLock { $0.longest = max($0.longest, .now - start) }
        }
      }
    }
    func count() -> Int { outcome.withLock(\.acknowledged.count) }
    func waitForCommits(_ number: Int) {
      let limit = ContinuousClock.now + .seconds(60)
      while count() < number, ContinuousClock.now < limit { Thread.sleep(forTimeInterval: 0.05) }
    }
    waitForCommits(20)
    try network.set(isUp: false)
    let before = count()
    Thread.sleep(forTimeInterval: 5)
    let during = count()
    try network.set(isUp: true)
    waitForCommits(during + 50)
    outcome.withLock { $0.hasEnded = true }
    threads.wait()
    let seen = outcome.withLock(\.self)
    #expect(before > 0)
    // The three that write may have had their answer just then.
    #expect(during <= before + 3)
    #expect(seen.acknowledged.count >= during + 50)
    #expect(seen.failures > 0)
    // The limit of a statement, connecting, and the question what became of a commit.
    #expect(seen.longest < .seconds(20))
    let stored = Set(try TestDatabase.texts(address, "SELECT \"ZNAME\" FROM \"ZPLACE\""))
    #expect(stored.isSuperset(of: seen.acknowledged))
    print("a partition: the longest call took \(seen.longest), \(seen.failures) failures")
  }

  /// Statements with a long limit, and those of a migration without one, end with the socket.
  @Test func theSocketLimitsACallWhoseStatementMayTakeLong() throws {
    defer { network.end() }
    let container = try container("connect_timeout=1 tcp_user_timeout=2000", .seconds(600))
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Place>()) == 0)
    try network.set(isUp: false)
    let start = ContinuousClock.now
    #expect(throws: SwiftDataError.storeReadFailure) {
      _ = try context.fetchCount(FetchDescriptor<Place>())
    }
    #expect(ContinuousClock.now - start < .seconds(15))
    try network.set(isUp: true)
    #expect(try context.fetchCount(FetchDescriptor<Place>()) == 0)
  }

  /// The server gives up a client that has vanished, and its locks, long before its system would.
  @Test func theServerIsToldToNoticeVanishedClients() throws {
    let server = try TLSServer(usesTLS: false)
    defer {
      network.end()
      server.stop()
    }
    let query =
      "SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings WHERE name IN "
      + "('tcp_keepalives_count', 'tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_user_timeout')"
    func settings(_ options: String) throws -> PostgresValue? {
      let parameters = try ConnectionParameters(
        "host=localhost port=\(server.port) user=postgres dbname=postgres \(options)")
      return try PostgresPool(parameters).read { try $0.prepare(query).values().first?.first }
    }
    #expect(
      try settings("")
        == .text(
          "tcp_keepalives_count=4 tcp_keepalives_idle=10 tcp_keepalives_interval=5 tcp_user_timeout=30000"
        ))
    #expect(
      try settings("options=-ctcp_keepalives_idle=77")
        == .text(
          "tcp_keepalives_count=4 tcp_keepalives_idle=77 tcp_keepalives_interval=5 tcp_user_timeout=30000"
        ))
    // As the connection of a migration.
    var options = ConnectionOptions()
    (options.statementTimeout, options.statements) = (nil, .unnamed)
    let migrating = try PostgresConnection(
      ConnectionParameters("host=localhost port=\(server.port) user=postgres dbname=postgres"),
      options: options)
    try migrating.requireServer()
    #expect(try migrating.prepare(query).values().first?.first == settings(""))
  }
}
