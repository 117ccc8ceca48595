import BenchmarkSQLite
import Foundation
import SwiftData

/// Lightweight migrations of a large store, beside the statements that a person would write for the same
/// change of its table.
///
/// Each round works on fresh copies of one store. Both run in one transaction; this package opens the
/// container besides, and keeps entity numbers, history, metadata and the model in the file up to date.
struct MigrationComparison {
  private let store: URL
  private let folder: URL
  private static let rounds = 3

  /// - Parameter folder: Where nothing else is.
  init(in folder: URL, rows: Int) throws {
    self.folder = folder
    store = folder.appendingPathComponent("made.store")
    let container = try ModelContainer(
      for: Made.Parcel.self, configurations: ModelConfiguration(url: store))
    for part in stride(from: 0, to: rows, by: 50_000) {
      let context = ModelContext(container)
      for number in part..<min(part + 50_000, rows) { context.insert(Made.Parcel(number)) }
      try context.save()
    }
  }

  func run() throws {
    print("Milliseconds of a migration: this package, handwritten, their ratio\n")
    try compare(
      "new property with a value", WithNote.self,
      ["ALTER TABLE ZPARCEL ADD COLUMN ZNOTE VARCHAR DEFAULT 'none'"])
    try compare(
      "new name of a property with an index", Renamed.self,
      [
        "DROP INDEX Z_Parcel_SwiftDataIndexOnBinarycity",
        "ALTER TABLE ZPARCEL RENAME COLUMN ZCITY TO ZTOWN",
        "CREATE INDEX Z_Parcel_SwiftDataIndexOnBinarytown ON ZPARCEL (ZTOWN COLLATE BINARY ASC)",
      ])
    try compare(
      "removed property", WithoutCity.self,
      ["DROP INDEX Z_Parcel_SwiftDataIndexOnBinarycity", "ALTER TABLE ZPARCEL DROP COLUMN ZCITY"])
    try compare(
      "whole numbers become floating-point numbers", Weighed.self,
      [
        """
        CREATE TABLE NEW (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER, \
        ZWEIGHT FLOAT, ZSENT TIMESTAMP, ZCITY VARCHAR, ZNAME VARCHAR)
        """,
        """
        INSERT INTO NEW SELECT Z_PK, Z_ENT, Z_OPT, ZNUMBER, CAST(ZWEIGHT AS REAL), ZSENT, ZCITY, ZNAME \
        FROM ZPARCEL
        """, "DROP TABLE ZPARCEL", "ALTER TABLE NEW RENAME TO ZPARCEL",
        "CREATE INDEX Z_Parcel_SwiftDataIndexOnBinarycity ON ZPARCEL (ZCITY COLLATE BINARY ASC)",
      ])
    try compare(
      "new index", Indexed.self,
      ["CREATE INDEX Z_Parcel_SwiftDataIndexOnBinaryname ON ZPARCEL (ZNAME COLLATE BINARY ASC)"])
    try compare(
      "new unique values", Unique.self,
      ["CREATE UNIQUE INDEX Z_Parcel_UNIQUE_number ON ZPARCEL (ZNUMBER COLLATE BINARY ASC)"])
  }

  /// Stages whose code goes through all rows; memory is what the process grows by meanwhile.
  func runCode() throws {
    print("\nMilliseconds of a stage with code for each row, and what memory grows by, MB\n")
    try measure("didMigrate that enumerates and saves", CodedPlan.self)
    try measure("transform that sees both sides", TransformedPlan.self)
  }

  private func measure(_ title: String, _ plan: any SchemaMigrationPlan.Type) throws {
    let url = try copy()
    let sampler = MemorySampler()
    let start = ContinuousClock.now
    let container = try ModelContainer(
      for: Schema(versionedSchema: Counted.self), migrationPlan: plan,
      configurations: ModelConfiguration(url: url))
    let time = (ContinuousClock.now - start) / .milliseconds(1)
    let growth = sampler.stop()
    let count = try ModelContext(container).fetchCount(
      FetchDescriptor<Counted.Parcel>(predicate: #Predicate { $0.length > 0 }))
    let all = try ModelContext(container).fetchCount(FetchDescriptor<Counted.Parcel>())
    guard count == all else { throw SQLiteFailure(message: "\(count) of \(all) rows were changed") }
    try FileManager.default.removeItem(at: url)
    let name = title.padding(toLength: 44, withPad: " ", startingAt: 0)
    print(name + String(format: "%10.0f %10.1f", time, growth))
  }

  private func compare(
    _ title: String, _ version: any VersionedSchema.Type, _ statements: [String]
  ) throws {
    let clock = ContinuousClock()
    var (ours, theirs) = (Double.infinity, Double.infinity)
    for _ in 0..<Self.rounds {
      let (first, second) = (try copy(), try copy())
      var start = clock.now
      let container = try ModelContainer(
        for: Schema(versionedSchema: version), configurations: ModelConfiguration(url: first))
      ours = min(ours, (clock.now - start) / .milliseconds(1))
      withExtendedLifetime(container) {}
      start = clock.now
      try execute(statements, in: second)
      theirs = min(theirs, (clock.now - start) / .milliseconds(1))
      try FileManager.default.removeItem(at: first)
      try FileManager.default.removeItem(at: second)
    }
    let name = title.padding(toLength: 44, withPad: " ", startingAt: 0)
    print(name + String(format: "%10.1f %10.1f %8.2f x", ours, theirs, ours / theirs))
  }

  private func copy() throws -> URL {
    let copy = folder.appendingPathComponent("\(UUID().uuidString).store")
    try FileManager.default.copyItem(at: store, to: copy)
    return copy
  }

  private func execute(_ statements: [String], in url: URL) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open(url.path, &database) == SQLITE_OK else {
      throw SQLiteFailure(message: "\(url.path) cannot be opened")
    }
    let settings = [
      "PRAGMA cache_size = -8000", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL",
      "BEGIN IMMEDIATE",
    ]
    for sql in settings + statements + ["COMMIT"] {
      guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
        throw SQLiteFailure(message: String(cString: sqlite3_errmsg(database)))
      }
    }
  }
}

/// How far the resident memory of the process grows until it is stopped.
private final class MemorySampler: @unchecked Sendable {
  private let lock = NSLock()
  private let first = MemorySampler.resident
  private var largest = 0.0
  private var isRunning = true

  init() {
    Thread.detachNewThread { [self] in
      while lock.withLock({ isRunning }) {
        lock.withLock { largest = max(largest, MemorySampler.resident) }
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
  }

  func stop() -> Double {
    lock.withLock {
      isRunning = false
      return max(largest, MemorySampler.resident) - first
    }
  }

  /// In MB, without the pages of files.
  private static var resident: Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
    return kilobytes.flatMap { Double($0) }.map { $0 / 1024 } ?? .nan
  }
}

// MARK: - Versions

private enum CodedPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Made.self, Counted.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Made.self, toVersion: Counted.self, willMigrate: nil,
        didMigrate: { context in
          var count = 0
          try context.enumerate(
            FetchDescriptor<Counted.Parcel>(), batchSize: 5000, allowEscapingMutations: true
          ) { parcel in
            parcel.length = parcel.name.count
            count += 1
            if count % 5000 == 0 { try context.save() }
          }
          try context.save()
        })
    ]
  }
}

private enum TransformedPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Made.self, Counted.self] }
  static var stages: [MigrationStage] {
    [
      .transform(
        fromVersion: Made.self, toVersion: Counted.self,
        transformation: { transformation in
          try transformation.forEach(Made.Parcel.self, Counted.Parcel.self) { old, new, _ in
            new?.length = old.name.count
          }
        })
    ]
  }
}

private enum Made: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Parcel.self] }

  @Model final class Parcel {
    #Index<Parcel>([\.city])

    var number: Int
    var name: String
    var city: String
    var weight: Int
    var sent: Date

    init(_ index: Int) {
      number = index
      name = "Parcel \(index)"
      city = "City \(index % 500)"
      weight = index % 3000
      sent = Date(timeIntervalSinceReferenceDate: Double(index))
    }
  }
}

private enum WithNote: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Parcel.self] }

  @Model final class Parcel {
    #Index<Parcel>([\.city])

    var number: Int
    var name: String
    var city: String
    var weight: Int
    var sent: Date
    var note: String = "none"

    init() { (number, name, city, weight, sent) = (0, "", "", 0, .now) }
  }
}

private enum Renamed: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Parcel.self] }

  @Model final class Parcel {
    #Index<Parcel>([\.town])

    var number: Int
    var name: String
    @Attribute(originalName: "city") var town: String
    var weight: Int
    var sent: Date

    init() { (number, name, town, weight, sent) = (0, "", "", 0, .now) }
  }
}

private enum WithoutCity: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Parcel.self] }

  @Model final class Parcel {
    var number: Int
    var name: String
    var weight: Int
    var sent: Date

    init() { (number, name, weight, sent) = (0, "", 0, .now) }
  }
}

private enum Weighed: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Parcel.self] }

  @Model final class Parcel {
    #Index<Parcel>([\.city])

    var number: Int
    var name: String
    var city: String
    var weight: Double
    var sent: Date

    init() { (number, name, city, weight, sent) = (0, "", "", 0, .now) }
  }
}

private enum Indexed: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Parcel.self] }

  @Model final class Parcel {
    #Index<Parcel>([\.city], [\.name])

    var number: Int
    var name: String
    var city: String
    var weight: Int
    var sent: Date

    init() { (number, name, city, weight, sent) = (0, "", "", 0, .now) }
  }
}

private enum Unique: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Parcel.self] }

  @Model final class Parcel {
    #Index<Parcel>([\.city])

    @Attribute(.unique) var number: Int
    var name: String
    var city: String
    var weight: Int
    var sent: Date

    init() { (number, name, city, weight, sent) = (0, "", "", 0, .now) }
  }
}

private enum Counted: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Parcel.self] }

  @Model final class Parcel {
    #Index<Parcel>([\.city])

    var number: Int
    var name: String
    var city: String
    var weight: Int
    var sent: Date
    var length: Int = 0

    init() { (number, name, city, weight, sent) = (0, "", "", 0, .now) }
  }
}
