import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// A container is open while another process or container gives the store to other models.
@Suite struct MigratedElsewhereTests {
  enum Old {
    @Model final class Trip {
      var name: String
      var days: Int

      init(_ name: String, days: Int = 1) {
        self.name = name
        self.days = days
      }
    }

    @Model final class Zone {
      var name = ""

      init() {}
    }
  }

  enum New {
    @Model final class Trip {
      var name: String
      var nights: Int

      init(_ name: String) {
        self.name = name
        nights = 1
      }
    }

    @Model final class Aisle {
      var name = ""

      init() {}
    }
  }

  /// The same with an optional property: other hashes, equal tables.
  enum Lax {
    @Model final class Trip {
      var name: String
      var days: Int?

      init(_ name: String) { self.name = name }
    }
  }

  private let folder: TemporaryFolder
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    container = try MigratedElsewhereTests.container(folder.store, Old.Trip.self, Old.Zone.self)
    context = ModelContext(container)
    for name in ["Rome", "Pisa"] { context.insert(Old.Trip(name)) }
    context.insert(Old.Zone())
    try context.save()
  }

  private static func container(
    _ url: URL, _ types: any PersistentModel.Type...
  ) throws -> ModelContainer {
    try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: url))
  }

  /// Changes the tables as a migration does, and what the file says of its models.
  private func migrate(_ sql: String, to types: any PersistentModel.Type...) throws {
    let schema = Schema(types)
    let descriptors = schema.entities.compactMap { $0.modelType?._$descriptor }
    let model = ModelDescription(
      schema,
      descriptors: Dictionary(uniqueKeysWithValues: descriptors.map { ($0.entityName, $0) }))
    let pool = try ConnectionPool(path: folder.store.path, mode: .readWrite, readers: 0)
    try EnclosedWork(pool, external: nil).run {
      try pool.write { connection in
        try connection.execute(sql)
        let plist = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
        _ = try plist.step()
        let data = try StoreMetadata.data(model, replacing: plist.data(0))
        plist.reset()
        let update = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?1")
        try data.withUnsafeBytes { try update.bind(bytes: $0, at: 1) }
        try update.run()
      }
    }
    try pool.close()
  }

  private func expectRefusal(at location: SourceLocation = #_sourceLocation) throws {
    let rows = try SQLiteFile.integer("SELECT count(*) FROM ZTRIP", in: folder.store)
    for _ in 0..<2 {
      let other = ModelContext(container)
      other.insert(Old.Trip("Bari"))
      let write = #expect(throws: SwiftDataError.self, sourceLocation: location) {
        try other.save()
      }
      #expect(write == .storeWriteFailure, sourceLocation: location)
      let text = write?.description ?? ""
      #expect(text.contains("was migrated by another process"), sourceLocation: location)
      #expect(text.contains("Open it again"), sourceLocation: location)
      let deletion = #expect(throws: SwiftDataError.self, sourceLocation: location) {
        try other.delete(model: Old.Trip.self)
      }
      #expect(
        deletion?.description.contains("was migrated") == true, sourceLocation: location)
      let read = #expect(throws: SwiftDataError.self, sourceLocation: location) {
        try ModelContext(container).fetch(FetchDescriptor<Old.Trip>())
      }
      #expect(read == .storeReadFailure, sourceLocation: location)
      #expect(
        read?.description.contains("was migrated") == true, sourceLocation: location)
    }
    let after = try SQLiteFile.integer("SELECT count(*) FROM ZTRIP", in: folder.store)
    #expect(after == rows, sourceLocation: location)
  }

  @Test func aRenamedColumn() throws {
    try migrate(
      "ALTER TABLE ZTRIP RENAME COLUMN ZDAYS TO ZNIGHTS", to: New.Trip.self, Old.Zone.self)
    try expectRefusal()
    let other = ModelContext(
      try MigratedElsewhereTests.container(folder.store, New.Trip.self, Old.Zone.self))
    #expect(try other.fetchCount(FetchDescriptor<New.Trip>()) == 2)
  }

  /// The results stay, with an error; observers of the history have an event, and the error with their next fetch.
  @Test func observersGetAnError() async throws {
    let observer = try ResultsObserver<Old.Trip, Never>(
      sortBy: [SortDescriptor(\.name)], modelContext: context)
    let history = try HistoryObserver(modelContainer: container)
    #expect(observer.results.map(\.name) == ["Pisa", "Rome"])
    let before = history.eventCounter
    try migrate(
      "ALTER TABLE ZTRIP RENAME COLUMN ZDAYS TO ZNIGHTS", to: New.Trip.self, Old.Zone.self)
    try await eventually("an error and an event") {
      observer.fetchError != nil && history.eventCounter != before
    }
    let error = try #require(observer.fetchError as? SwiftDataError)
    #expect(error == .storeReadFailure && error.description.contains("was migrated"))
    #expect(observer.results.map(\.name) == ["Pisa", "Rome"])
    #expect(history.eventCounter == before + 1)
    #expect(throws: SwiftDataError.storeReadFailure) {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
  }

  /// A look for remote commits reads on the writing connection, so it sees the migration before the next save. The
  /// tables are equal, so no statement would fail.
  @Test func containersWithObserversRefuseWritesToo() async throws {
    container.observesRemoteChanges = true
    let observer = try ResultsObserver<Old.Trip, Never>(modelContext: context)
    let history = try HistoryObserver(modelContainer: container)
    let trip = try #require(observer.results.first)
    let before = history.eventCounter
    try migrate("UPDATE ZTRIP SET ZDAYS = NULL", to: Lax.Trip.self, Old.Zone.self)
    try await eventually("an event") { history.eventCounter != before }
    try expectRefusal()
    trip.days = 7
    for _ in 0..<2 {
      #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
    }
    #expect(throws: SwiftDataError.self) { try context.transaction {} }
    let written = "SELECT count(*) FROM ZTRIP WHERE ZDAYS IS NOT NULL"
    #expect(try SQLiteFile.integer(written, in: folder.store) == 0)
    context.rollback()
  }

  /// The columns fit, and the rows would get the number of another entity.
  @Test func otherNumbersOfEntities() throws {
    try migrate(
      """
      CREATE TABLE ZAISLE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 1 WHERE Z_ENT = 2;
      UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 1 WHERE Z_ENT = 1;
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Aisle', 0, 0);
      UPDATE ZTRIP SET Z_ENT = 2; UPDATE ZZONE SET Z_ENT = 3
      """, to: New.Aisle.self, Old.Trip.self, Old.Zone.self)
    try expectRefusal()
  }

  @Test func otherHashesOverEqualTables() throws {
    try migrate("UPDATE ZTRIP SET ZDAYS = NULL", to: Lax.Trip.self, Old.Zone.self)
    try expectRefusal()
  }

  @Test func whatOthersAddIsNoReason() throws {
    try SQLiteFile.execute(
      "CREATE INDEX mine ON ZTRIP (ZNAME); CREATE TABLE notes (text)", in: folder.store)
    for _ in 0..<2 {
      context.insert(Old.Trip("Bari"))
      try context.save()
      let another = ModelContext(container)
      another.insert(Old.Trip("Bari"))
      try another.save()
    }
    #expect(try context.fetchCount(FetchDescriptor<Old.Trip>()) == 6)
    // A model that only another container knows.
    try migrate(
      """
      CREATE TABLE ZAISLE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      INSERT INTO Z_PRIMARYKEY VALUES (3, 'Aisle', 0, 0)
      """, to: Old.Trip.self, Old.Zone.self, New.Aisle.self)
    let other = ModelContext(
      try MigratedElsewhereTests.container(
        folder.store, Old.Trip.self, Old.Zone.self, New.Aisle.self))
    other.insert(New.Aisle())
    try other.save()
    context.insert(Old.Trip("Bari"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Old.Trip>()) == 7)
  }

  @Test func unsavedEditsSurviveTheRefusal() throws {
    let trip = try #require(try context.fetch(FetchDescriptor<Old.Trip>()).first)
    trip.days = 9
    try migrate(
      "ALTER TABLE ZTRIP RENAME COLUMN ZDAYS TO ZNIGHTS", to: New.Trip.self, Old.Zone.self)
    #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
    #expect(context.hasChanges && trip.days == 9)
    context.rollback()
    #expect(trip.days == 1)
  }

  @Test func oneThatOnlyReads() throws {
    let reading = try ModelContainer(
      for: Old.Trip.self, Old.Zone.self,
      configurations: ModelConfiguration(url: folder.store, allowsSave: false))
    #expect(try ModelContext(reading).fetchCount(FetchDescriptor<Old.Trip>()) == 2)
    try migrate("UPDATE ZTRIP SET ZDAYS = NULL", to: Lax.Trip.self, Old.Zone.self)
    for _ in 0..<2 {
      #expect(throws: SwiftDataError.storeReadFailure) {
        try ModelContext(reading).fetch(FetchDescriptor<Old.Trip>())
      }
      #expect(throws: SwiftDataError.storeReadFailure) {
        try ModelContext(reading).fetchCount(FetchDescriptor<Old.Trip>())
      }
    }
  }

  /// As long as nobody migrates, no statement is added to fetches and saves.
  @Test func nothingIsAskedOtherwise() throws {
    let statements = Statements()
    var configuration = ModelConfiguration(url: folder.store)
    configuration.statementLog = StatementLog { event in
      if case .statement(let statement) = event { statements.add(statement.sql) }
    }
    let container = try ModelContainer(
      for: Old.Trip.self, Old.Zone.self, configurations: configuration)
    statements.removeAll()
    for _ in 0..<3 {
      let context = ModelContext(container)
      context.insert(Old.Trip("Bari"))
      try context.save()
      _ = try context.fetch(FetchDescriptor<Old.Trip>())
    }
    #expect(statements.all.count > 9)
    #expect(statements.all.filter { $0.contains("schema_version") } == [])
  }
}

private final class Statements: @unchecked Sendable {
  private let lock = NSLock()
  private var texts: [String] = []
  var all: [String] { lock.withLock { texts } }
  func add(_ text: String) { lock.withLock { texts.append(text) } }
  func removeAll() { lock.withLock { texts = [] } }
}
