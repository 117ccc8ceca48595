import Foundation
package import OpenSwiftDataSQLiteEngine

/// The last transactions in the history of a file without its log. SQLite applies any log with pages of the
/// right size, for example one that was left beside a file which a backup has replaced; the file is
/// damaged then.
package struct LogLineage {
  /// The last transactions, each with its number and its time.
  private let transactions: [String]
  private let last: Int64
  /// Whether the last number in use is that of the last transaction.
  private let isComplete: Bool

  private static let count = 20

  /// - Returns: `nil` if the file has no history.
  init?(_ withoutLog: Connection) {
    guard
      let last = try? withoutLog.integer("SELECT max(Z_PK) FROM ATRANSACTION"),
      let transactions = try? withoutLog.texts(LogLineage.transactions(upTo: last))
    else { return nil }
    self.transactions = transactions
    self.last = last
    isComplete = LogLineage.lastNumber(withoutLog) == last
  }

  private static func lastNumber(_ connection: Connection) -> Int64? {
    (try? connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'TRANSACTION'")) ?? nil
  }

  private static func transactions(upTo last: Int64) -> String {
    "SELECT Z_PK || ' ' || printf('%!.17g', ZTIMESTAMP) FROM ATRANSACTION WHERE Z_PK <= \(last) "
      + "ORDER BY Z_PK DESC LIMIT \(count)"
  }

  /// Whether the file together with the log has the same transactions, and the next ones. Deleted history is
  /// no sign of another log.
  func goesOn(in whole: Connection) -> Bool {
    do {
      let found = try whole.texts(LogLineage.transactions(upTo: last))
      let known = Dictionary(transactions.map(LogLineage.parts), uniquingKeysWith: { $1 })
      for (number, time) in found.map(LogLineage.parts) {
        if let own = known[number], own != time { return false }
      }
      let next = try whole.integer("SELECT min(Z_PK) FROM ATRANSACTION WHERE Z_PK > \(last)")
      let hasGap = found.first == transactions.first && next.map { $0 != last + 1 } ?? false
      let lacksLast =
        try isComplete
        && LogLineage.lastNumber(whole) != whole.integer("SELECT max(Z_PK) FROM ATRANSACTION")
      guard hasGap || lacksLast else { return true }
      // Transactions are missing, which somebody may have deleted. Of another log pages are missing too.
      return try whole.text("PRAGMA quick_check(1)") == "ok"
    } catch let error as SQLiteError {
      return error.code != .corrupt && error.code != .notADatabase
    } catch {
      return true
    }
  }

  /// Whether the number of pages in the header is that after the last commit in the log. Each commit that adds
  /// pages writes the header. Repeated, because other connections may write the log back meanwhile.
  package static func hasSize(of file: DatabaseFile) -> Bool {
    for attempt in 0..<3 {
      if attempt > 0 { Thread.sleep(forTimeInterval: 0.02) }
      guard let log = LogPages(path: file.logPath), let count = log.pageCount else { return true }
      let header =
        log.page(1).flatMap(DatabaseHeader.init) ?? (try? DatabaseFile(at: file.path))?.header
      guard let known = header?.pageCount, known != count else { return true }
    }
    return false
  }

  private static func parts(_ transaction: String) -> (number: Substring, time: Substring) {
    let parts = transaction.split(separator: " ")
    return (parts[0], parts[1])
  }
}
