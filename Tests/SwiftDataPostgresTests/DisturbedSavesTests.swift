import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

/// Saves while the network, the server or its disk fails: each ends in time, says what is stored, and can
/// be repeated.
@Suite(.enabled(if: PostgresServer.isAvailable), .serialized)
struct DisturbedSavesTests {
  private func container(
    _ address: String, _ limit: Duration = .seconds(1)
  ) throws -> ModelContainer {
    var configuration = try PostgresConfiguration(url: address)
    configuration.statementTimeout = limit
    return try ModelContainer(for: Place.self, City.self, configurations: configuration)
  }

  /// A container that reaches the server through a proxy, and the address without it.
  private func disturbed() throws -> (ModelContainer, PostgresProxy, String) {
    let server = try PostgresServer.shared
    let address = try server.addressOfNewSchema()
    let proxy = try PostgresProxy(to: server.socketFolder)
    let container = try container(proxy.address(like: address))
    return (container, proxy, address)
  }

  private func count(_ address: String) throws -> Int {
    try StoredRows(address).integer("SELECT count(*) FROM \"ZPLACE\"")
  }

  private func failure(_ body: () throws -> Void) -> SwiftDataError? {
    do {
      try body()
      return nil
    } catch {
      return error as? SwiftDataError
    }
  }

  /// A context whose connection has saved before or not: the first saves wait for answers, later
  /// ones of new rows are sent at once.
  private func context(_ container: ModelContainer, after saves: Int) throws -> ModelContext {
    let context = ModelContext(container)
    for index in 0..<saves {
      context.insert(Place("earlier \(index)"))
      try context.save()
    }
    return context
  }

  @Test(arguments: [0, 3]) func aCommitWhoseAnswerIsLostIsASuccess(_ saves: Int) throws {
    let (container, proxy, address) = try disturbed()
    let context = try context(container, after: saves)
    let place = Place("a")
    context.insert(place)
    proxy.set(.loseAnswerToCommit)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try count(address) == saves + 1)
    place.visits = 4
    try context.save()
    #expect(try StoredRows(address).integer("SELECT max(\"ZVISITS\") FROM \"ZPLACE\"") == 4)
  }

  /// A server that crashes may lose that a sequence has given a key, and give it to another process.
  @Test func aRowOfAnotherSaveWithTheSameKeyDoesNotProveACommit() throws {
    let (container, proxy, address) = try disturbed()
    let context = try context(container, after: 3)
    let rows = try StoredRows(address)
    let key = try rows.integer("SELECT max(\"Z_PK\") + 1 FROM \"ZPLACE\"")
    let entity = try rows.integer(
      "SELECT \"Z_ENT\" FROM \"Z_PRIMARYKEY\" WHERE \"Z_NAME\" = 'Place'")
    _ = try rows.integer("SELECT setval('\"Z_KEYS_\(entity)\"', \(key), false)")
    let other = ModelContext(try self.container(address))
    other.insert(Place("other"))
    try other.save()
    #expect(try rows.integer("SELECT max(\"Z_PK\") FROM \"ZPLACE\"") == key)
    context.insert(Place("lost"))
    proxy.set(.loseCommits(1))
    #expect(failure { try context.save() }?.reason == .outcomeUnknown)
    #expect(context.hasChanges)
    #expect(try count(address) == 4)
    try context.save()
    let names = try ModelContext(container).fetch(FetchDescriptor<Place>()).map(\.name)
    #expect(names.count == 5 && names.contains("other") && names.contains("lost"))
  }

  /// The classes of one table share its keys.
  @Test func aRowOfAnotherClassWithTheSameKeyDoesNotProveACommit() throws {
    let server = try PostgresServer.shared
    let address = try server.addressOfNewSchema()
    let proxy = try PostgresProxy(to: server.socketFolder)
    func open(_ address: String) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Animal.self, Dog.self, configurations: PostgresConfiguration(url: address)))
    }
    let context = try open(proxy.address(like: address))
    for number in 0..<3 {
      context.insert(Dog("earlier \(number)", tricks: 0))
      try context.save()
    }
    let rows = try StoredRows(address)
    let key = try rows.integer("SELECT max(\"Z_PK\") + 1 FROM \"ZANIMAL\"")
    let entity = try rows.integer(
      "SELECT \"Z_ENT\" FROM \"Z_PRIMARYKEY\" WHERE \"Z_NAME\" = 'Animal'")
    _ = try rows.integer("SELECT setval('\"Z_KEYS_\(entity)\"', \(key), false)")
    let other = try open(address)
    other.insert(Animal("other"))
    try other.save()
    #expect(try rows.integer("SELECT max(\"Z_PK\") FROM \"ZANIMAL\"") == key)
    context.insert(Dog("lost", tricks: 1))
    proxy.set(.loseCommits(1))
    // The loss is certain, so the save is repeated with another key.
    try context.save()
    let animals = try open(address).fetch(FetchDescriptor<Animal>())
    #expect(animals.count == 5)
    #expect(animals.contains { $0.name == "other" && !($0 is Dog) })
    #expect(animals.contains { $0.name == "lost" && $0 is Dog })
  }

  /// The server finishes a commit before it obeys an administrator.
  @Test(arguments: [0, 3], [true, false])
  func aSessionThatEndsBehindItsCommitHasSaved(_ saves: Int, _ confirms: Bool) throws {
    let (container, proxy, address) = try disturbed()
    let context = try context(container, after: saves)
    for number in 1...3 {
      context.insert(Place("a"))
      proxy.set(.endSessionAfterCommit(confirms: confirms))
      try context.save()
      #expect(!context.hasChanges)
      #expect(try count(address) == saves + number)
    }
    for _ in 0..<200 { context.insert(Place("b")) }
    proxy.set(.endSessionAfterCommit(confirms: confirms))
    try context.save()
    #expect(try count(address) == saves + 203)
    var runs = 0
    proxy.set(.endSessionAfterCommit(confirms: confirms))
    try context.transaction {
      runs += 1
      context.insert(Place("c"))
    }
    #expect(try count(address) == saves + 204 && runs == 1)
  }

  /// The server may have ended an idle connection. Nothing of the app has run before the begin.
  @Test(arguments: [0, 3]) func theBeginOfATransactionIsRepeated(_ saves: Int) throws {
    let (container, proxy, address) = try disturbed()
    let context = try context(container, after: saves)
    proxy.set(.loseMessage(after: 0))
    var runs = 0
    try context.transaction {
      runs += 1
      context.insert(Place("a"))
    }
    #expect(try count(address) == saves + 1 && runs == 1)
    // After the begin the code has run.
    proxy.set(.forward)
    runs = 0
    let error = failure {
      try context.transaction {
        runs += 1
        proxy.set(.loseMessage(after: 0))
        context.insert(Place("b"))
        try context.save()
        _ = try context.fetchCount(FetchDescriptor<Place>())
      }
    }
    proxy.set(.forward)
    #expect(runs == 1 && error == .storeWriteFailure, "\(String(describing: error))")
    #expect(try count(address) == saves + 1)
  }

  /// Which store writes first depends on their identifiers, which are random.
  @Test(arguments: 0..<5) func aTransactionThatFailsEndsInEachStore(_ round: Int) throws {
    let server = try PostgresServer.shared
    let address = try server.addressOfNewSchema()
    let proxy = try PostgresProxy(to: server.socketFolder)
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).store")
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: file.path + suffix)
      }
    }
    let container = try ModelContainer(
      for: Schema([Place.self, City.self, Memo.self]),
      configurations: [
        PostgresConfiguration(
          "server", schema: Schema([Place.self, City.self]),
          url: proxy.address(like: address)),
        ModelConfiguration("file", schema: Schema([Memo.self]), url: file),
      ])
    let context = ModelContext(container)
    for _ in 0..<3 { try context.transaction { context.insert(Place("earlier")) } }
    #expect(throws: SwiftDataError.self) {
      try context.transaction {
        context.insert(Place("lost"))
        context.insert(Memo("lost"))
        proxy.set(.loseMessage(after: 0))
      }
    }
    proxy.set(.forward)
    context.insert(Memo("later"))
    try context.save()
    let other = ModelContext(
      try ModelContainer(for: Memo.self, configurations: ModelConfiguration(url: file)))
    #expect(try other.fetch(FetchDescriptor<Memo>()).map(\.text) == ["later"])
    #expect(try count(address) == 3)
  }

  @Test(arguments: [0, 3]) func aCommitThatDoesNotReachTheServerIsRepeated(_ saves: Int) throws {
    let (container, proxy, address) = try disturbed()
    let context = try context(container, after: saves)
    context.insert(Place("a"))
    proxy.set(.loseCommits(2))
    try context.save()
    #expect(!context.hasChanges)
    #expect(try count(address) == saves + 1)
    proxy.set(.loseCommits(1))
    try context.delete(model: Place.self)
    try context.save()
    #expect(try count(address) == 0)
  }

  /// A place, and a context whose connection has saved so often before.
  private func place(
    _ container: ModelContainer, after saves: Int
  ) throws -> (Place, ModelContext) {
    let context = ModelContext(container)
    let place = Place("a")
    context.insert(place)
    try context.save()
    for visits in 0..<saves {
      place.visits = 10 + visits
      try context.save()
    }
    return (place, context)
  }

  private func visits(_ address: String) throws -> Int {
    try StoredRows(address).integer("SELECT \"ZVISITS\" FROM \"ZPLACE\"")
  }

  @Test(arguments: [0, 3]) func aChangeWhoseAnswerIsLostIsASuccess(_ saves: Int) throws {
    let (container, proxy, address) = try disturbed()
    let (place, context) = try place(container, after: saves)
    place.visits = 4
    proxy.set(.loseAnswerToCommit)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try visits(address) == 4)
    let rows = try StoredRows(address)
    #expect(try rows.integer("SELECT count(*) FROM \"ATRANSACTION\"") == saves + 2)
  }

  @Test(arguments: [0, 3]) func aChangeThatDoesNotReachTheServerIsRepeated(_ saves: Int) throws {
    let (container, proxy, address) = try disturbed()
    let (place, context) = try place(container, after: saves)
    place.visits = 4
    proxy.set(.loseCommits(2))
    try context.save()
    #expect(!context.hasChanges)
    #expect(try visits(address) == 4)
    let rows = try StoredRows(address)
    #expect(try rows.integer("SELECT count(*) FROM \"ATRANSACTION\"") == saves + 2)
  }

  /// The history has one row for them.
  @Test func aChangeOfSeveralRowsWhoseAnswerIsLostIsASuccess() throws {
    let (container, proxy, address) = try disturbed()
    let context = ModelContext(container)
    let places = (0..<3).map { Place("\($0)") }
    for visits in 1...4 {
      for place in places {
        context.insert(place)
        place.visits = visits
      }
      if visits == 4 { proxy.set(.loseAnswerToCommit) }
      try context.save()
    }
    let rows = try StoredRows(address)
    #expect(try rows.integers("SELECT \"ZVISITS\" FROM \"ZPLACE\"") == [4, 4, 4])
    #expect(
      try rows.integers("SELECT \"ZENTITYPK\" - \"ZFIRSTPK\" FROM \"ACHANGE\"") == [2, 2, 2, 2])
  }

  /// Whether the change was stored can't be told if another program has removed its history, and that before
  /// it.
  @Test func aChangeWhoseHistoryIsRemovedIsInDoubt() throws {
    let (container, proxy, address) = try disturbed()
    let (place, context) = try place(container, after: 3)
    try StoredRows(address).connection.execute(
      """
      CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN DELETE FROM "ACHANGE"; DELETE FROM "ATRANSACTION"; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER forget AFTER INSERT ON "ATRANSACTION"
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION forget()
      """)
    place.visits = 4
    proxy.set(.loseAnswerToCommit)
    let error = failure { try context.save() }
    #expect(
      error?.description.contains("Either all changes were stored, or none") == true,
      "\(error as Any)")
    #expect(try visits(address) == 4)
  }

  @Test func aChangeThatArrivesLateIsNotPerformed() throws {
    let (container, proxy, address) = try disturbed()
    let (place, context) = try place(container, after: 3)
    place.visits = 4
    proxy.set(.delayCommitAndLoseTwo(seconds: 3))
    let error = failure { try context.save() }
    #expect(error?.description.contains("nothing was saved") == true, "\(error as Any)")
    Thread.sleep(forTimeInterval: 3.5)
    #expect(try visits(address) == 12)
    try context.save()
    #expect(try visits(address) == 4)
  }

  /// A role connects and works as another one, which may not end processes of the first, nor see when they
  /// have begun. So its saves are not sent at once, and are found by the numbers of their transactions.
  @Test func aSaveOfAnotherRoleIsFoundByItsNumber() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let address = try server.addressOfNewSchema()
    let rows = try StoredRows(address)
    let schema = try #require(try rows.connection.texts("SELECT current_schema()").first)
    try rows.connection.execute(
      """
      CREATE ROLE worker; CREATE ROLE visitor LOGIN; GRANT worker TO visitor;
      ALTER ROLE visitor NOINHERIT; GRANT ALL ON SCHEMA "\(schema)" TO worker
      """)
    let proxy = try PostgresProxy(to: server.socketFolder)
    let container = try container(
      proxy.address(like: address)
        .replacing("user=postgres", with: "user=visitor")
        .replacing("options='", with: "options='-c role=worker "))
    let (place, context) = try place(container, after: 3)
    place.visits = 4
    let count = ExchangeCount()
    try ExchangeCount.$current.withValue(count) { try context.save() }
    #expect(count.value == 2)
    place.visits = 5
    proxy.set(.delayCommitAndLoseTwo(seconds: 1))
    try context.save()
    #expect(try visits(address) == 5)
  }

  /// The network delivers a save after its failure was reported.
  @Test func aSaveThatArrivesLateIsNotPerformed() throws {
    let (container, proxy, address) = try disturbed()
    let context = try context(container, after: 3)
    context.insert(Place("a"))
    proxy.set(.delayCommitAndLoseTwo(seconds: 3))
    let error = failure { try context.save() }
    #expect(error?.description.contains("nothing was saved") == true, "\(error as Any)")
    Thread.sleep(forTimeInterval: 3.5)
    #expect(try count(address) == 3)
    try context.save()
    #expect(try count(address) == 4)
  }

  /// The third loss of a connection in one save is reported: the work itself may be the cause.
  @Test(arguments: [0, 3])
  func aCommitThatNeverReachesTheServerIsAFailureWithoutDoubt(_ saves: Int) throws {
    let (container, proxy, address) = try disturbed()
    let context = try context(container, after: saves)
    context.insert(Place("a"))
    proxy.set(.loseCommits(3))
    let error = failure { try context.save() }
    #expect(error == .storeWriteFailure)
    #expect(error?.description.contains("nothing was saved") == true, "\(error as Any)")
    #expect(try count(address) == saves)
    #expect(context.hasChanges)
    try context.save()
    #expect(try count(address) == saves + 1)
  }

  /// The code of a user in a transaction runs once.
  @Test func aTransactionThatLosesItsConnectionIsNotRepeated() throws {
    let (container, proxy, address) = try disturbed()
    let context = ModelContext(container)
    var runs = 0
    proxy.set(.loseCommits(1))
    let error = failure {
      try context.transaction {
        runs += 1
        context.insert(Place("a"))
      }
    }
    #expect(runs == 1)
    #expect(error == .storeWriteFailure)
    #expect(try count(address) == 0)
  }

  /// All connections end during a save: before it has sent anything, or between writing and commit.
  @Test(arguments: [SaveStep.locked, .written])
  func savesSurviveConnectionsThatTheServerEnds(_ step: SaveStep) throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let address = try server.addressOfNewSchema()
    let context = ModelContext(try container(address, .seconds(20)))
    let place = Place("a")
    context.insert(place)
    try context.save()
    for round in 1...10 {
      place.visits += 1
      context.insert(Place("\(round)"))
      let ends = Mutex(1)
      try SaveStep.$reached.withValue({ reached in
        guard reached == step, ends.withLock({ $0 > 0 }) else { return }
        ends.withLock { $0 -= 1 }
        try? server.endConnections()
      }) { try context.save() }
      #expect(ends.withLock { $0 } == 0)
    }
    let rows = try StoredRows(address)
    #expect(try rows.integer("SELECT \"ZVISITS\" FROM \"ZPLACE\" WHERE \"ZNAME\" = 'a'") == 10)
    #expect(try count(address) == 11)
    #expect(try rows.integer("SELECT count(*) FROM \"ATRANSACTION\"") == 11)
  }

  @Test func aSaveSurvivesARestartOfTheServer() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let address = try server.addressOfNewSchema()
    let context = ModelContext(try container(address, .seconds(20)))
    context.insert(Place("a"))
    try context.save()
    context.insert(Place("b"))
    let restarts = Mutex(1)
    try SaveStep.$reached.withValue({ step in
      guard step == .written, restarts.withLock({ $0 > 0 }) else { return }
      restarts.withLock { $0 -= 1 }
      #expect(throws: Never.self) { try server.restart() }
    }) { try context.save() }
    #expect(restarts.withLock { $0 } == 0)
    #expect(try count(address) == 2)
  }

  @Test(arguments: [0, 3]) func aCommitBeforeTheServerVanishesIsInDoubt(_ saves: Int) throws {
    let (container, proxy, address) = try disturbed()
    let context = try context(container, after: saves)
    context.insert(Place("a"))
    proxy.set(.loseServerAfterCommit)
    let error = failure { try context.save() }
    #expect(error == .storeWriteFailure)
    #expect(
      error?.description.contains("Either all changes were stored, or none") == true,
      "\(error as Any)")
    #expect(error?.description.contains("nothing was saved") == false)
    #expect(try count(address) == saves + 1)
  }

  @Test(arguments: [0, 3]) func aSaveEndsInTimeIfTheNetworkLosesEverything(_ saves: Int) throws {
    let (container, proxy, address) = try disturbed()
    let context = try context(container, after: saves)
    context.insert(Place("a"))
    proxy.set(.drop)
    let start = Date()
    #expect(failure { try context.save() } == .storeWriteFailure)
    #expect(Date().timeIntervalSince(start) < 20)
    proxy.set(.forward)
    try context.save()
    #expect(try count(address) == saves + 1)
  }

  @Test func aSaveEndsInTimeIfTheServerStops() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let address = try server.addressOfNewSchema()
    let context = ModelContext(try container(address))
    context.insert(Place("a"))
    try context.save()
    let rows = try StoredRows(address)
    let processes = try rows.integers(
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    ).map { Int32($0) }
    server.pause()
    for process in processes { kill(process, SIGSTOP) }
    context.insert(Place("b"))
    let start = Date()
    let error = failure { try context.save() }
    #expect(error == .storeWriteFailure)
    #expect(Date().timeIntervalSince(start) < 20)
    server.resume(processes)
    try context.save()
    #expect(try count(address) == 2)
  }

  @Test func aSaveOnAFullDiskStoresNothingAndSaysSo() throws {
    let folder = NSTemporaryDirectory() + "opensd-disk-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let setup =
      "mount -t tmpfs -o size=12m,mode=777 tmpfs \(folder) && mkdir \(folder)/rows"
      + " && chown postgres \(folder)/rows"
    guard system(setup + " 2> /dev/null") == 0 else {
      rmdir(folder)
      return print("No file system can be mounted: the test of a full disk is SKIPPED.")
    }
    let server = try PostgresServer()
    defer {
      server.stop()
      _ = system("umount \(folder); rmdir \(folder)")
    }
    try server.connect().execute("CREATE TABLESPACE small LOCATION '\(folder)/rows'")
    let address = try server.addressOfNewSchema().replacing(
      "options='", with: "options='-c default_tablespace=small ")
    let context = ModelContext(try container(address, .seconds(20)))
    var (saved, error): (Int, SwiftDataError?) = (0, nil)
    while saved < 100, error == nil {
      let place = Place("\(saved)")
      place.photo = Data((0..<500_000).map { _ in UInt8.random(in: 0...255) })
      context.insert(place)
      error = failure { try context.save() }
      if error == nil { saved += 1 }
    }
    #expect(saved > 3)
    #expect(error == .storeWriteFailure)
    #expect(error?.description.contains("nothing was saved") == true, "\(error as Any)")
    #expect(error?.description.contains("Free space on the disk") == true, "\(error as Any)")
    #expect(try count(address) == saved)
    #expect(context.hasChanges)
    _ = system("mount -o remount,size=64m \(folder)")
    try context.save()
    #expect(try count(address) == saved + 1)
  }

  @Test func aUserWithoutTheRightIsTold() throws {
    let server = try PostgresServer.shared
    let address = try server.addressOfNewSchema()
    _ = try container(address)
    let rows = try StoredRows(address)
    try rows.connection.execute(
      """
      DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN;
      DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO reader', current_schema());
      EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO reader', current_schema()); END $$
      """)
    let context = ModelContext(
      try container(address.replacing("user=postgres", with: "user=reader")))
    #expect(try context.fetchCount(FetchDescriptor<Place>()) == 0)
    context.insert(Place("a"))
    let error = failure { try context.save() }
    #expect(error == .storeWriteFailure)
    #expect(error?.description.contains("GRANT the missing right") == true, "\(error as Any)")
    try rows.connection.execute("DROP OWNED BY reader; DROP ROLE reader")
  }

  @Test func aLockOfAnotherProgramEndsInTime() throws {
    let address = try PostgresServer.shared.addressOfNewSchema()
    let context = ModelContext(try container(address, .seconds(2)))
    let place = Place("a")
    context.insert(place)
    try context.save()
    let rows = try StoredRows(address)
    try rows.connection.execute("BEGIN; UPDATE \"ZPLACE\" SET \"ZVISITS\" = 9")
    place.visits = 1
    let start = Date()
    let error = failure { try context.save() }
    #expect(error == .storeWriteFailure)
    #expect(error?.description.contains("nothing was saved") == true, "\(error as Any)")
    #expect(Date().timeIntervalSince(start) < 10)
    try rows.connection.execute("ROLLBACK")
    try context.save()
    #expect(try rows.integer("SELECT \"ZVISITS\" FROM \"ZPLACE\"") == 1)
  }
}
