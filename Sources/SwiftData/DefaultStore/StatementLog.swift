import Foundation
import SQLiteEngine

/// Prints each statement with its time and row count when the environment has `OPENSWIFTDATA_SQL=1`.
///
/// Bound values are not printed.
enum StatementLog {
  static let isWanted = ProcessInfo.processInfo.environment["OPENSWIFTDATA_SQL"] == "1"

  static func write(_ trace: StatementTrace) {
    let milliseconds = trace.duration / .milliseconds(1)
    let time = String(format: "%.3f", milliseconds)
    let line = "SQL \(time) ms, \(trace.rowCount) rows: \(trace.sql)\n"
    FileHandle.standardError.write(Data(line.utf8))
  }
}
