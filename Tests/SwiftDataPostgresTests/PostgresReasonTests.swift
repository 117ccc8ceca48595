import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// Each kind of failure of a server has its own reason.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresReasonTests {
  private let url: String
  private let rows: StoredRows

  init() throws {
    url = try PostgresServer.shared.addressOfNewSchema()
    rows = try StoredRows(url)
  }

  private func context(
    _ change: (inout PostgresConfiguration) -> Void = { _ in }
  ) throws -> ModelContext {
    var configuration = try PostgresConfiguration(url: url)
    change(&configuration)
    return ModelContext(
      try ModelContainer(for: Place.self, City.self, configurations: configuration))
  }

  private func failure(_ body: () throws -> Void) throws -> SwiftDataError {
    var found: SwiftDataError?
    do { try body() } catch { found = error as? SwiftDataError }
    let error = try #require(found)
    let message = error.publicMessage
    #expect(message.hasSuffix(".") && !message.contains("/") && !message.contains("ZPLACE"))
    return error
  }

  /// As a file that is missing: another process may create the store.
  @Test func aStoreThatIsMissingIsUnavailable() throws {
    let error = try failure { _ = try context { $0.allowsSave = false } }
    #expect(error.reason == .unavailable && error.reason.isTransient)
    _ = try context()
    _ = try context { $0.allowsSave = false }
  }

  @Test(
    arguments: [
      (.server, "23505", "uniqueValueTaken"), (.server, "23502", "requiredValueMissing"),
      (.server, "23503", "invalidValue"), (.server, "23514", "invalidValue"),
      (.server, "22003", "invalidValue"), (.server, "40001", "busy"), (.server, "40P01", "busy"),
      (.server, "55P03", "busy"), (.server, "53300", "busy"), (.server, "53100", "diskFull"),
      (.server, "53200", "unavailable"), (.server, "42501", "readOnly"),
      (.server, "25006", "readOnly"), (.server, "42P01", "schemaMismatch"),
      (.server, "42703", "schemaMismatch"), (.server, "XX001", "storeDamaged"),
      (.server, "54000", "invalidValue"), (.server, "57P01", "unavailable"),
      (.server, "57P05", "unavailable"),
      (.connection, "08006", "unavailable"), (.connection, "28000", "other"),
      (.connection, "3D000", "other"), (.connection, "42704", "other"),
      (.connection, "0A000", "other"), (.connection, "22023", "other"),
      (.connection, "42501", "other"), (.server, "3F000", "other"),
      (.connection, "28P01", "other"), (.connection, nil, "unavailable"),
      (.server, "40003", "outcomeUnknown"), (.timeout, "57014", "timedOut"),
      (.server, "25P03", "timedOut"), (.server, "25P04", "timedOut"),
      (.timeout, nil, "timedOut"), (.cancelled, "57014", "cancelled"),
      (.cancelled, nil, "cancelled"),
      (.busy, nil, "busy"), (.closed, nil, "closed"), (.value, nil, "invalidValue"),
      (.invalidAnswer, nil, "unavailable"), (.misuse, nil, "invalidRequest"),
      (.server, "42601", "other"),
    ] as [(PostgresError.Kind, String?, String)])
  func kindsAndStates(_ kind: PostgresError.Kind, _ state: String?, _ name: String) {
    let error = PostgresError(kind, "secret", state: state.map { SQLState(rawValue: $0) })
    let reason = error.reason(entity: "Place", properties: ["name"])
    #expect("\(reason)".hasPrefix(name), "\(reason)")
    var unknown = error
    unknown.isOutcomeUnknown = true
    guard case .outcomeUnknown = unknown.reason(entity: nil, properties: []) else {
      Issue.record("\(kind)")
      return
    }
  }

  /// The server has ended the session with the transaction, which can be repeated.
  @Test(arguments: ["25P03", "25P04"] as [SQLState])
  func aTransactionThatTookTooLongCanBeRepeated(_ state: SQLState) throws {
    var error = PostgresError(.server, "secret", state: state)
    #expect(error.repetition == .onNewConnection)
    error.isLossOfConnection = true
    #expect(error.obstacle == .lostConnection)
  }

  /// The check with which a save begins divides by zero if the description of the store has changed.
  @Test func aCheckOfTheTablesThatFailsCanBeRepeated() throws {
    let error = PostgresError(
      .server, "division by zero", state: "22012",
      sql: "SELECT txid_current() / (xmin = '0'::xid)::integer FROM \"Z_METADATA\"")
    #expect(error.reason(entity: nil, properties: []) == .busy)
  }

  /// No repetition helps before somebody has changed the server or the address.
  @Test(arguments: ["absent", "ascii"]) func anUnsuitableDatabaseIsNoPassingFailure(_ name: String)
    throws
  {
    let database = "reason_\(name)_\(UInt32.random(in: 0..<UInt32.max))"
    if name == "ascii" {
      try rows.connection.execute(
        "CREATE DATABASE \(database) ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
      )
    }
    defer { try? rows.connection.execute("DROP DATABASE IF EXISTS \(database)") }
    let address = url.replacing("dbname=postgres", with: "dbname=\(database)")
    let error = try failure {
      _ = try ModelContainer(
        for: Place.self, City.self, configurations: PostgresConfiguration(url: address))
    }
    #expect(error.reason == .other && !error.reason.isTransient)
    let text = name == "ascii" ? "has the encoding SQL_ASCII" : "Create the database"
    #expect(error.description.contains(text), "\(error)")
    #expect(!error.description.contains("repeat the whole transaction"))
  }

  /// From some 8,000 bytes on the server does not name the index.
  @Test(arguments: [4_000, 40_000], [1, 300])
  func aTextThatIsTooLongForAnIndexNamesItsProperty(_ length: Int, _ count: Int) throws {
    let context = try context()
    for number in 1..<count { context.insert(City("city \(number)")) }
    let city = City(TestDatabase.incompressibleText(length))
    context.insert(city)
    let error = try failure { try context.save() }
    guard case .invalidValue(entity: "City", property: "name") = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
    #expect(error.description.contains("#Index or .unique"))
    city.name = "short"
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<City>()) == count)
    city.name = TestDatabase.incompressibleText(length)
    let second = try failure { try context.save() }
    #expect(second.property == "name")
  }

  @Test func aUniqueValueNamesItsHolder() throws {
    let context = try context()
    let cities = ["a", "b", "c"].map { City($0) }
    for city in cities { context.insert(city) }
    try context.save()
    let other = try self.context()
    let taken = City("secret")
    other.insert(taken)
    try other.save()
    // Two changed rows are written together.
    cities[0].name = "d"
    cities[1].name = "secret"
    let error = try failure { try context.save() }
    guard case .uniqueValueTaken("City", ["name"], let holder) = error.reason else {
      Issue.record("\(error.reason): \(error)")
      return
    }
    #expect(holder == taken.persistentModelID)
    #expect(error.description.contains("\(cities[1].persistentModelID)"))
    #expect(try rows.integers("SELECT count(*) FROM \"ZCITY\" WHERE \"ZNAME\" = 'd'") == [0])
    cities[1].name = "e"
    try context.save()
    #expect(
      try rows.integers("SELECT count(*) FROM \"ZCITY\" WHERE \"ZNAME\" IN ('d', 'e')") == [2])
  }

  @Test func constraintsOfOtherPrograms() throws {
    let context = try context()
    try rows.connection.execute(
      """
      ALTER TABLE "ZPLACE" ALTER COLUMN "ZRATING" SET NOT NULL;
      ALTER TABLE "ZPLACE" ADD CHECK ("ZVISITS" >= 0);
      CREATE TABLE "towns" (id bigint PRIMARY KEY);
      ALTER TABLE "ZPLACE" ADD FOREIGN KEY ("ZCITY") REFERENCES "towns" (id)
      """)
    let place = Place("a")
    context.insert(place)
    let missing = try failure { try context.save() }
    guard case .requiredValueMissing("Place", ["rating"]) = missing.reason else {
      Issue.record("\(missing.reason): \(missing)")
      return
    }
    place.rating = 1
    place.visits = -1
    let wrong = try failure { try context.save() }
    guard case .invalidValue("Place", _) = wrong.reason else {
      Issue.record("\(wrong.reason): \(wrong)")
      return
    }
    place.visits = 1
    place.city = City("a")
    let foreign = try failure { try context.save() }
    guard case .invalidValue("Place", _) = foreign.reason else {
      Issue.record("\(foreign.reason): \(foreign)")
      return
    }
    place.city = nil
    try context.save()
  }

  /// A save that waits for a lock of another program, while `body` runs.
  private func waitingSave(
    _ limit: Duration, _ body: @escaping @Sendable (StoredRows) throws -> Void = { _ in }
  ) throws -> SwiftDataError {
    let context = try context { $0.statementTimeout = limit }
    let place = Place("a")
    context.insert(place)
    try context.save()
    try rows.connection.execute("BEGIN; UPDATE \"ZPLACE\" SET \"ZVISITS\" = 9")
    defer { try? rows.connection.execute("ROLLBACK") }
    place.visits = 1
    let (url, done) = (url, DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      defer { done.signal() }
      guard let admin = try? StoredRows(url) else { return }
      // Until the save waits.
      for _ in 0..<500 {
        let waiting =
          (try? admin.integer(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
              + "AND query LIKE '%UPDATE \"ZPLACE\"%'")) ?? 0
        if waiting > 0 { break }
        Thread.sleep(forTimeInterval: 0.01)
      }
      try? body(admin)
    }
    defer { done.wait() }
    return try failure { try context.save() }
  }

  @Test func aTimeLimit() throws {
    let context = try context { $0.statementTimeout = .milliseconds(400) }
    try rows.connection.execute(
      """
      CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql \
      AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END'; \
      CREATE TRIGGER sleep BEFORE INSERT ON "ZPLACE" FOR EACH ROW EXECUTE FUNCTION sleep()
      """)
    context.insert(Place("a"))
    let error = try failure { try context.save() }
    #expect(error.reason == .timedOut && error.reason.isTransient, "\(error.reason): \(error)")
  }

  /// The wait ends before the statement does.
  @Test func aLockThatIsHeldLongerThanAStatementMayRun() throws {
    let error = try waitingSave(.milliseconds(400))
    #expect(error.reason == .busy && error.reason.isTransient, "\(error.reason): \(error)")
  }

  /// The limit of the wait is not that of a statement.
  @Test(arguments: [PostgresProfile.postgreSQL, .portable])
  func aTransactionWaitsLongerThanAStatementMayRun(_ profile: PostgresProfile) throws {
    let context = try context {
      $0.statementTimeout = .seconds(1)
      $0.profile = profile
    }
    let lock =
      profile.tableLocks
      ? "LOCK TABLE \"Z_PRIMARYKEY\" IN SHARE ROW EXCLUSIVE MODE"
      : "UPDATE \"Z_LOCK\" SET \"Z_PK\" = \"Z_PK\""
    try rows.connection.execute("BEGIN; \(lock)")
    let process = rows.connection.serverProcess
    let (url, done) = (url, DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      defer { done.signal() }
      guard let admin = try? StoredRows(url) else { return }
      for _ in 0..<2_000 {
        let waiting =
          (try? admin.integer(
            "SELECT count(*) FROM pg_stat_activity WHERE \(process) = ANY(pg_blocking_pids(pid))"))
          ?? 0
        if waiting > 0 { break }
        Thread.sleep(forTimeInterval: 0.01)
      }
      Thread.sleep(forTimeInterval: 2.5)
      _ = try? admin.connection.texts("SELECT pg_terminate_backend(\(process))")
    }
    try context.transaction(waitingAtMost: .seconds(60)) { context.insert(Place("a")) }
    done.wait()
    #expect(try context.fetchCount(FetchDescriptor<Place>()) == 1)
    // Later statements have the usual limit.
    let error = try failure {
      try context.transaction(waitingAtMost: .seconds(60)) {
        context.insert(Place("b"))
        let admin = try StoredRows(url)
        try admin.connection.execute("BEGIN; LOCK TABLE \"ZPLACE\" IN SHARE MODE")
        try context.save()
        withExtendedLifetime(admin) {}
      }
    }
    #expect(error.reason == .busy, "\(error.reason): \(error)")
  }

  @Test func aStatementThatTheServerCancels() throws {
    let schema = try schemaName()
    let error = try waitingSave(.seconds(30)) { admin in
      try admin.cancelWaiting(in: schema)
    }
    guard case .cancelled = error.reason else {
      Issue.record("\(error.reason): \(error)")
      return
    }
  }

  /// A save begins again, up to twice.
  @Test func connectionsThatTheServerEnds() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let context = ModelContext(
      try ModelContainer(
        for: Place.self, City.self,
        configurations: PostgresConfiguration(url: server.addressOfNewSchema())))
    context.insert(Place("a"))
    let error = try SaveStep.$reached.withValue({ step in
      if step == .locked { try? server.endConnections() }
    }) {
      try failure { try context.save() }
    }
    guard case .unavailable = error.reason, error.reason.isTransient else {
      Issue.record("\(error.reason): \(error)")
      return
    }
  }

  private func schemaName() throws -> String {
    let found = try rows.connection.prepare("SELECT current_schema()::text").values()
    guard case .text(let name)? = found.first?.first else { return "" }
    return name
  }

  @Test func noConnectionIsLeftForTheUser() throws {
    let role = "limited_" + UUID().uuidString.lowercased().filter { $0 != "-" }
    try rows.connection.execute("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 0")
    defer { try? rows.connection.execute("DROP ROLE \(role)") }
    let url = url.replacing("user=postgres", with: "user=\(role)")
    let error = try failure {
      _ = try ModelContainer(
        for: Place.self, City.self, configurations: PostgresConfiguration(url: url))
    }
    guard case .busy = error.reason, error.reason.isTransient else {
      Issue.record("\(error.reason): \(error)")
      return
    }
  }

  @Test func noServerIsThere() throws {
    let error = try failure {
      _ = try ModelContainer(
        for: Place.self, City.self,
        configurations: PostgresConfiguration(url: "host=/nowhere user=a dbname=b"))
    }
    guard case .unavailable = error.reason else {
      Issue.record("\(error.reason): \(error)")
      return
    }
  }

  @Test func eachUseOfAClosedContainer() async throws {
    let context = try context()
    let container = context.container
    let city = City("a")
    context.insert(city)
    city.places = [Place("b")]
    try context.save()
    let identifier = city.persistentModelID
    try await container.close()
    let uses: [(String, () throws -> Void)] = [
      ("fetch", { _ = try context.fetch(FetchDescriptor<City>()) }),
      ("count", { _ = try context.fetchCount(FetchDescriptor<City>()) }),
      ("look-up", { _ = try context.existingModel(City.self, for: identifier) }),
      ("transaction", { try context.transaction { city.name = "c" } }),
      ("snapshot", { try context.snapshot { _ = try context.fetch(FetchDescriptor<City>()) } }),
      ("deletion", { try context.delete(model: City.self) }),
      ("history", { _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) }),
      ("size of the history", { _ = try container.historySize() }),
      ("erasure", { try container.erase() }),
      ("new context", { _ = try ModelContext(container).fetch(FetchDescriptor<City>()) }),
    ]
    for (name, use) in uses {
      let error = try failure(use)
      #expect(error == .containerClosed, "\(name): \(error)")
      guard case .closed = error.reason else {
        Issue.record("\(name): \(error.reason)")
        continue
      }
    }
    // A fault is a placeholder, and does not stop the program.
    let fault = ModelContext(container).model(for: identifier) as? City
    #expect(fault?.name == "")
  }
}

extension StoredRows {
  /// Cancels what waits for a lock in the tables of a schema.
  fileprivate func cancelWaiting(in schema: String) throws {
    _ = try connection.prepare(
      """
      SELECT pg_cancel_backend(a.pid) FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid \
      WHERE a.wait_event_type = 'Lock' AND a.query LIKE '%UPDATE "ZPLACE"%' \
      AND l.relation = '\(schema)."ZPLACE"'::regclass
      """
    ).values()
  }
}
