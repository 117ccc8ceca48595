import Foundation
import SwiftData

/// Shows how far a migration is: as one line that is drawn again and again in a terminal, else as plain lines.
struct ProgressDisplay {
  /// The columns of the terminal; nil where the output is a file or a pipe.
  private let columns = ProgressDisplay.terminalColumns()
  private var lastLine = ""

  /// Shows the progress as it is now.
  mutating func show(_ progress: MigrationProgress) {
    let percent = Int(progress.fraction * 100)
    if let columns {
      draw(Self.line(progress, percent: percent, columns: columns))
    } else if !progress.stage.isEmpty {
      // One line for each stage and each tenth of the whole.
      let line = "\(percent / 10 * 10) %  \(progress.stage)"
      if line != lastLine { print(line) }
      lastLine = line
    }
    fflush(nil)
  }

  /// Ends the line, so that the next one begins below it.
  func end() {
    if columns != nil { print() }
  }

  private mutating func draw(_ line: String) {
    // Blanks cover what is left of a longer line.
    let blanks = String(repeating: " ", count: max(0, lastLine.count - line.count))
    print("\r" + line + blanks, terminator: "")
    lastLine = line
  }

  /// A line that leaves the last column free, because some terminals begin a new line after it.
  private static func line(
    _ progress: MigrationProgress, percent: Int, columns: Int
  ) -> String {
    let rows = progress.entity.map { "  \($0): \(progress.rows) of \(progress.totalRows)" } ?? ""
    let text = " \(percent) %  \(progress.stage)\(rows)"
    // The text of most lines has less than 60 columns; the bar keeps its width while the text changes.
    let width = max(5, min(40, columns - 63))
    let filled = Int(progress.fraction * Double(width))
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
    return String("[\(bar)]\(text)".prefix(max(0, columns - 1)))
  }

  /// Asks the terminal, then the variable COLUMNS; 80 where neither says how wide it is.
  private static func terminalColumns() -> Int? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    var size = winsize()
    if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Int(size.ws_col)
    }
    let variable = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
    return variable.flatMap { $0 > 0 ? $0 : nil } ?? 80
  }
}
