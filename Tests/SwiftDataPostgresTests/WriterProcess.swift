import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Synchronization

/// A process with several clients (`Tests/PostgresWorker`), and what it has printed.
final class WriterProcess: Sendable {
  private let process: Process
  private let received = Mutex(Data())
  private let end = DispatchSemaphore(value: 0)

  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    process = Process()
    process.executableURL = WriterProcess.executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let reading = output.fileHandleForReading
    Thread {
      while true {
        let data = reading.availableData
        if data.isEmpty { break }
        self.received.withLock { $0 += data }
      }
      self.end.signal()
    }.start()
  }

  static var executable: URL {
    let name = "OpenSwiftDataPostgresWorker"
    let executable = Bundle.main.bundleURL.appendingPathComponent(name)
    if FileManager.default.isExecutableFile(atPath: executable.path) { return executable }
    return URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent(name)
  }

  var identifier: Int32 { process.processIdentifier }

  /// Waits for the end of the process.
  /// - Returns: The lines that it has printed.
  func lines() -> [String] {
    end.wait()
    process.waitUntilExit()
    return received.withLock {
      String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  func kill() { _ = Foundation.kill(identifier, SIGKILL) }

  /// Creates the tables, and the models that all clients use.
  static func prepare(_ address: String) throws {
    let lines = try WriterProcess(["prepare", address]).lines()
    if !lines.isEmpty { throw PostgresServer.Failure(description: "\(lines)") }
  }
}

/// What clients have committed, by their lines.
struct Acknowledged {
  var increments: [Int: Int] = [:]
  /// The attempts, which may have been committed without an answer.
  var attempts: [Int: Int] = [:]
  var tags: Set<String> = []
  var errors: [String] = []
  var count = 0

  init(_ lines: [String]) {
    for line in lines {
      let words = line.split(separator: " ")
      switch words.first {
      case "try": attempts[Int(words[1]) ?? -1, default: 0] += 1
      case "increment":
        increments[Int(words[1]) ?? -1, default: 0] += 1
        count += 1
      case "tag":
        tags.insert(line.dropFirst(4).description)
        count += 1
      case "error": errors.append(line)
      default: break
      }
    }
  }
}

/// Judges by plain SQL what the clients have left.
struct StoredRows {
  let connection: PostgresConnection

  init(_ address: String) throws {
    connection = try PostgresConnection(ConnectionParameters(address))
  }

  func integer(_ sql: String) throws -> Int { Int(try connection.prepare(sql).integer() ?? 0) }

  func integers(_ sql: String) throws -> [Int] {
    try connection.prepare(sql).integers().map { Int($0) }
  }

  /// - Returns: What contradicts the rules of the models.
  func problems(_ acknowledged: Acknowledged, isComplete: Bool) throws -> [String] {
    var problems: [String] = []
    for (number, count) in acknowledged.increments {
      let value = try integer("SELECT \"ZVALUE\" FROM \"ZACCOUNT\" WHERE \"ZNUMBER\" = \(number)")
      let most = isComplete ? count : acknowledged.attempts[number] ?? 0
      if value < count || value > most {
        problems.append("account \(number) is \(value), but \(count) of \(most) were committed")
      }
    }
    let names = try connection.prepare("SELECT \"ZNAME\" FROM \"ZTAG\"").rows { rows in
      var names: [String] = []
      while try rows.next() { names.append(try rows.text(0) ?? "") }
      return names
    }
    if Set(names).count != names.count { problems.append("tags are not unique: \(names)") }
    let lost = acknowledged.tags.subtracting(names)
    if !lost.isEmpty { problems.append("tags are lost: \(lost)") }
    for (text, sql) in StoredRows.queries {
      let count = try integer(sql)
      if count != 0 { problems.append("\(count) \(text)") }
    }
    problems += try problemsOfPairs()
    return problems
  }

  private static let queries = [
    (
      "items have an owner that does not exist",
      """
      SELECT count(*) FROM "ZITEM" WHERE "ZOWNER" IS NOT NULL \
      AND "ZOWNER" NOT IN (SELECT "Z_PK" FROM "ZOWNER")
      """
    ),
    (
      "boxes have too many marbles",
      """
      SELECT count(*) FROM (SELECT "ZBOX" FROM "ZMARBLE" WHERE "ZBOX" IS NOT NULL GROUP BY "ZBOX" \
      HAVING count(*) > 5) AS full_boxes
      """
    ),
    (
      "changes have no transaction",
      """
      SELECT count(*) FROM "ACHANGE" WHERE "ZTRANSACTIONID" NOT IN (SELECT "Z_PK" FROM "ATRANSACTION")
      """
    ),
    (
      "transactions lack texts",
      """
      SELECT count(*) FROM "ATRANSACTION" WHERE "ZBUNDLEIDTS" IS NULL OR "ZPROCESSIDTS" IS NULL
      """
    ),
    (
      "items have no insertion in the history, or several",
      """
      SELECT count(*) FROM "ZITEM" AS i LEFT JOIN (SELECT "ZENTITY", "ZENTITYPK", count(*) AS n \
      FROM \(HistorySQL.changes) WHERE "ZCHANGETYPE" = 0 GROUP BY 1, 2) AS c \
      ON c."ZENTITY" = i."Z_ENT" AND c."ZENTITYPK" = i."Z_PK" WHERE c.n IS DISTINCT FROM 1
      """
    ),
    (
      "versions of accounts do not agree with the history",
      """
      SELECT count(*) FROM "ZACCOUNT" WHERE "Z_OPT" <> (SELECT count(*) FROM \(HistorySQL.changes) \
      WHERE "ZENTITY" = "ZACCOUNT"."Z_ENT" AND "ZENTITYPK" = "ZACCOUNT"."Z_PK")
      """
    ),
  ]

  /// Pairs of the list of people whose rows do not exist.
  private func problemsOfPairs() throws -> [String] {
    let tables = try connection.prepare(
      """
      SELECT table_name::text, column_name::text FROM information_schema.columns \
      WHERE table_schema = current_schema() AND table_name LIKE 'Z\\_%' \
      AND (column_name LIKE '%CLUBS%' OR column_name LIKE '%PEOPLE%')
      """
    ).rows { rows in
      var columns: [(table: String, column: String)] = []
      while try rows.next() { columns.append((try rows.text(0) ?? "", try rows.text(1) ?? "")) }
      return columns
    }
    if tables.count != 2 { return ["the table of pairs was not found: \(tables)"] }
    let (first, second) = (tables[0], tables[1])
    // Which column refers to which table is not known: both columns must refer to one of them each.
    let possible = [("ZPERSON", "ZCLUB"), ("ZCLUB", "ZPERSON")]
    let counts = try possible.map { one, other in
      try integer(
        """
        SELECT count(*) FROM "\(first.table)" WHERE "\(first.column)" NOT IN \
        (SELECT "Z_PK" FROM "\(one)") OR "\(second.column)" NOT IN (SELECT "Z_PK" FROM "\(other)")
        """)
    }
    return counts.contains(0) ? [] : ["pairs refer to rows that do not exist: \(counts)"]
  }
}

/// Follows the history as another program does: by the last number that it has seen.
final class HistoryReader: Sendable {
  private let seen = Mutex<[Int]>([])
  private let isEnding = Mutex(false)
  private let end = DispatchSemaphore(value: 0)

  init(_ address: String) {
    Thread {
      while !self.isEnding.withLock({ $0 }) {
        do {
          let rows = try StoredRows(address)
          while !self.isEnding.withLock({ $0 }) { try self.read(rows) }
        } catch {
          Thread.sleep(forTimeInterval: 0.05)
        }
      }
      self.end.signal()
    }.start()
  }

  private func read(_ rows: StoredRows) throws {
    let last = seen.withLock { $0.last ?? 0 }
    let new = try rows.integers(
      "SELECT \"Z_PK\" FROM \"ATRANSACTION\" WHERE \"Z_PK\" > \(last) ORDER BY \"Z_PK\"")
    seen.withLock { $0 += new }
  }

  /// - Returns: The numbers that the reader has missed.
  func missed(_ address: String) throws -> [Int] {
    isEnding.withLock { $0 = true }
    end.wait()
    let rows = try StoredRows(address)
    try read(rows)
    let all = try rows.integers("SELECT \"Z_PK\" FROM \"ATRANSACTION\"")
    return Set(all).subtracting(seen.withLock { $0 }).sorted()
  }
}
