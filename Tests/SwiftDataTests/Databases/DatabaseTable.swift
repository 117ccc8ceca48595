import Foundation
import Synchronization
import Testing

/// How many tests of each suite ran on each database. Printed when the process ends.
enum DatabaseTable {
  struct Row {
    /// By `TestDatabase.index`.
    var passed = [0, 0]
    var failed = [0, 0]
    /// Tests that open no store, so that they show nothing of a database.
    var withoutStore = 0
    var onlySQLite = 0
    /// Tests that did not run because there is no PostgreSQL server.
    var missing = 0

    static func + (lhs: Row, rhs: Row) -> Row {
      Row(
        passed: zip(lhs.passed, rhs.passed).map(+), failed: zip(lhs.failed, rhs.failed).map(+),
        withoutStore: lhs.withoutStore + rhs.withoutStore,
        onlySQLite: lhs.onlySQLite + rhs.onlySQLite, missing: lhs.missing + rhs.missing)
    }
  }

  private static let rows = Mutex<[String: Row]>([:])

  static func count(_ suite: String, _ number: WritableKeyPath<Row, Int>) {
    rows.withLock { $0[suite, default: Row()][keyPath: number] += 1 }
  }

  static func suite(of test: Test) -> String {
    String(test.sourceLocation.fileName.dropLast(".swift".count))
  }

  private static let printing: Void = { atexit { DatabaseTable.printNow() } }()

  static func printAtExit() { printing }

  private static func printNow() {
    let rows = rows.withLock(\.self)
    // With SQLite alone it would say nothing.
    if rows.isEmpty || TestDatabase.chosen == [.sqlite] { return }
    let total = rows.values.reduce(Row(), +)
    var lines = [
      "Tests by suite and database (passed, failed; then those that open no store, those of SQLite only):",
      line("", ["SQLite", "PostgreSQL", "no store", "only SQLite"]),
    ]
    lines += rows.sorted { $0.key < $1.key }.map { line($0.key, cells($0.value)) }
    lines.append(line("all \(rows.count) suites", cells(total)))
    if total.missing > 0 {
      lines.append("\(total.missing) TESTS DID NOT RUN ON POSTGRESQL: \(reason).")
    }
    print(lines.joined(separator: "\n"))
  }

  private static var reason: String {
    #if compiler(>=6.3)
      "there is no server; run Scripts/setup --postgres"
    #else
      "that needs Swift 6.3"
    #endif
  }

  private static func cells(_ row: Row) -> [String] {
    func result(_ index: Int, without: Int = 0) -> String {
      let passed = row.passed[index] - without
      return row.failed[index] == 0 ? "\(passed)" : "\(passed), FAILED \(row.failed[index])"
    }
    return [
      result(0), result(1, without: row.withoutStore), "\(row.withoutStore)", "\(row.onlySQLite)",
    ]
  }

  private static func line(_ name: String, _ cells: [String]) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      text.padding(toLength: max(width, text.count), withPad: " ", startingAt: 0)
    }
    return padded(name, 34) + cells.map { padded($0, 18) }.joined()
  }
}

extension TestDatabase {
  var index: Int { self == .sqlite ? 0 : 1 }
}

/// How many issues a test has recorded, on any thread.
final class IssueCount: Sendable {
  private let count = Atomic(0)

  func add() { count.add(1, ordering: .relaxed) }

  var isZero: Bool { count.load(ordering: .relaxed) == 0 }
}
