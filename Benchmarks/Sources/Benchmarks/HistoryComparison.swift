import BenchmarkSQLite
import Foundation
import SwiftData

/// What the history costs: saves and files with and without it, and how reads, saves and deletions depend
/// on its length.
///
/// Rounds take turns, the best one counts. Long histories are made with plain SQL, ten changes to a
/// transaction.
struct HistoryComparison {
  private let folder: URL
  private static let rounds = 5
  private static let changesOfTransaction = 10

  /// - Parameter folder: Where nothing else is.
  init(in folder: URL) { self.folder = folder }

  func run() throws {
    try compareSaves()
    try comparePages()
    try compareMemory()
    try measureDeletions()
  }

  // MARK: Saves

  private func compareSaves() throws {
    let values = (0..<Benchmarks.rows).map(OrderValue.init)
    var best = [Double.infinity, .infinity]
    var sizes = [0.0, 0.0]
    for round in 0..<Self.rounds {
      for (place, keepsHistory) in [false, true].enumerated() {
        let url = file("saves-\(round)-\(place)")
        defer { remove(url) }
        let container = try container(url, keepsHistory: keepsHistory)
        let context = ModelContext(container)
        let start = ContinuousClock.now
        for value in values { context.insert(Order(value)) }
        try context.save()
        best[place] = min(best[place], milliseconds(since: start))
        try execute("PRAGMA wal_checkpoint(TRUNCATE)", url)
        sizes[place] = try megabytes(url)
      }
    }
    print("Without and with history, and their ratio\n")
    printRow("insert and save 100,000, ms", best[0], best[1], bar: 1.35)
    printRow("size of the file, MB", sizes[0], sizes[1], bar: 1.4)
  }

  // MARK: Lengths

  private func comparePages() throws {
    let lengths = [10_000, 10_000_000]
    var best = [Double.infinity, .infinity]
    let urls = try lengths.map { try store(changes: $0) }
    let containers = try urls.map { try container($0) }
    for _ in 0..<Self.rounds {
      for (place, container) in containers.enumerated() {
        let context = ModelContext(container)
        var one = HistoryDescriptor<DefaultHistoryTransaction>()
        let middle = Int64(lengths[place] / Self.changesOfTransaction / 2)
        one.predicate = #Predicate { $0.transactionIdentifier == middle }
        guard let token = try context.fetchHistory(one).first?.token else {
          throw SQLiteFailure(message: "there is no transaction \(middle)")
        }
        var page = HistoryDescriptor<DefaultHistoryTransaction>(
          predicate: #Predicate { $0.token > token })
        page.fetchLimit = 100
        let start = ContinuousClock.now
        let found = try context.fetchHistory(page)
        best[place] = min(best[place], milliseconds(since: start))
        guard found.map(\.transactionIdentifier) == Array(middle + 1...middle + 100),
          found.allSatisfy({ $0.changes.count == Self.changesOfTransaction })
        else { throw SQLiteFailure(message: "wrong page of \(lengths[place]) changes") }
      }
    }
    print("\nWith a history of 10,000 and of 10,000,000 changes, and their ratio\n")
    printRow("100 transactions behind a token, ms", best[0], best[1], bar: 1.5)
  }

  private func compareMemory() throws {
    let peaks = try [10_000, 10_000_000].map { length in
      let url = file("changes-\(length)")
      return try PeakMemory.measure(
        SwiftDataContender.name, .insert, path: url.path, rows: 10_000)
    }
    printRow("peak memory of saving 10,000, MB", peaks[0], peaks[1], bar: 1.05)
    for length in [10_000, 10_000_000] { remove(file("changes-\(length)")) }
  }

  private func measureDeletions() throws {
    print("\nMilliseconds of deleting all but one transaction, and of giving its space back\n")
    for length in [250_000, 500_000, 1_000_000] {
      let url = try store(changes: length)
      defer { remove(url) }
      let context = ModelContext(try container(url))
      let last = Int64(length / Self.changesOfTransaction)
      let before = try megabytes(url)
      let start = ContinuousClock.now
      try context.deleteHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(
          predicate: #Predicate { $0.transactionIdentifier < last }))
      let time = milliseconds(since: start)
      try execute("PRAGMA wal_checkpoint(TRUNCATE)", url)
      let sizes = String(format: "%.1f MB before, %.1f MB after", before, try megabytes(url))
      print(title("\(length) changes") + String(format: "%10.1f    ", time) + sizes)
    }
  }

  // MARK: Stores

  private func container(_ url: URL, keepsHistory: Bool = true) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: url)
    configuration.keepsHistory = keepsHistory
    return try ModelContainer(for: Order.self, configurations: configuration)
  }

  /// A store of one order, whose history tells that it was changed again and again.
  private func store(changes: Int) throws -> URL {
    let url = file("changes-\(changes)")
    do {
      let context = ModelContext(try container(url))
      context.insert(Order(OrderValue(number: -1)))
      try context.save()
    }
    let transactions = changes / Self.changesOfTransaction
    try execute(
      """
      BEGIN; DELETE FROM ACHANGE; DELETE FROM ATRANSACTION;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(transactions))
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP)
      SELECT i, 16002, 1, 1, 700000000.0 + i FROM n;
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(changes - 1))
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
      SELECT i + 1, 16001, 1, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Order'), 1,
        i / \(Self.changesOfTransaction) + 1, x'8000' FROM n;
      UPDATE Z_PRIMARYKEY SET Z_MAX = \(changes) WHERE Z_ENT = 16001;
      UPDATE Z_PRIMARYKEY SET Z_MAX = \(transactions) WHERE Z_ENT = 16002;
      COMMIT; PRAGMA wal_checkpoint(TRUNCATE)
      """, url)
    return url
  }

  private func file(_ name: String) -> URL { folder.appendingPathComponent("\(name).store") }

  private func remove(_ url: URL) {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
    }
  }

  private func megabytes(_ url: URL) throws -> Double {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    return ((attributes[.size] as? Int).map(Double.init) ?? .nan) / 1_000_000
  }

  private func execute(_ sql: String, _ url: URL) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open(url.path, &database) == SQLITE_OK,
      sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK
    else { throw SQLiteFailure(message: String(cString: sqlite3_errmsg(database))) }
  }

  // MARK: Reporting

  private func milliseconds(since start: ContinuousClock.Instant) -> Double {
    (ContinuousClock.now - start) / .milliseconds(1)
  }

  private func title(_ text: String) -> String {
    text.padding(toLength: 40, withPad: " ", startingAt: 0)
  }

  private func printRow(_ text: String, _ first: Double, _ second: Double, bar: Double) {
    print(
      title(text)
        + String(format: "%10.2f %10.2f %8.2f x    ≤ %.2f x", first, second, second / first, bar))
  }
}
