extension StoreCopy {
  /// How far a copy is.
  public struct Progress: Hashable, Sendable {
    /// What is done with the rows.
    public enum Phase: String, Hashable, Sendable {
      /// Reading all values of the source, to find those that the target can't store.
      case checking
      /// Writing rows into the target.
      case copying
      /// Reading the rows of both sides, to compare them.
      case verifying
    }

    /// What is done with the rows.
    public let phase: Phase
    /// The table whose rows are copied.
    public let table: String
    /// The number of rows of the table that are done.
    public let rows: Int
    /// The number of rows of the table in the source.
    public let total: Int
  }

  /// The rows of a table.
  public struct Table: Hashable, Sendable {
    /// The name of the table.
    public let name: String
    /// The number of rows.
    public let rows: Int
    /// 32 hexadecimal digits that the values of all rows determine. Not for use against forgery.
    public let checksum: String
  }

  /// What a copy would do.
  public struct Preview: Sendable {
    /// The store that would be read.
    public let source: Location
    /// The place of the new store.
    public let target: Location
    /// The tables that would be copied.
    public let tables: [Table]
    /// Columns and tables that the model does not have.
    public let unknown: [String]
    /// What prevents the copy; at most 20 values that the target can't store are listed.
    public let problems: [String]
  }

  /// A complete copy.
  public struct Report: Sendable {
    /// The store that was read.
    public let source: Location
    /// The new store.
    public let target: Location
    /// The identifier of the new store.
    public let identifier: String
    /// The copied tables. Counts and checksums are those of the source and of the copy.
    public let tables: [Table]
    /// Columns and tables that were left out.
    public let leftOut: [String]
    /// The number of rows that an earlier, interrupted run had copied.
    public let resumedRows: Int
  }
}

extension StoreCopy.Preview: CustomStringConvertible {
  /// A report as several lines of text.
  public var description: String {
    let rows = tables.reduce(0) { $0 + $1.rows }
    var lines = ["\(source) to \(target): \(rows) rows in \(tables.count) tables"]
    lines += tables.map { "  \($0.name) — \($0.rows) rows" }
    lines += unknown.map { "not in the model: \($0)" }
    lines += problems.isEmpty ? ["Nothing prevents the copy."] : problems.map { "problem: \($0)" }
    return lines.joined(separator: "\n")
  }
}

extension StoreCopy.Report: CustomStringConvertible {
  /// A report as several lines of text.
  public var description: String {
    let rows = tables.reduce(0) { $0 + $1.rows }
    var lines = ["\(source) was copied to \(target): \(rows) rows, verified on both sides"]
    if resumedRows > 0 { lines.append("An earlier run had copied \(resumedRows) of them.") }
    lines += tables.map { "  \($0.name) — \($0.rows) rows, \($0.checksum)" }
    lines += leftOut.map { "left out: \($0)" }
    lines.append("store \(identifier)")
    return lines.joined(separator: "\n")
  }
}
