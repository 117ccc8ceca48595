/// The R-tree of a spatial index: a virtual table beside the entity's table, and triggers that
/// update it whichever program writes.
///
/// The statements use only what SQLite contains, so any SQLite with R-trees can write the file.
///
/// R-trees are a module of SQLite, so the statements are in its dialect.
package struct SpatialTree: Hashable, Sendable {
  /// One number of the rows, and the tree columns for its minimum and maximum.
  package struct Range: Hashable, Sendable {
    package var column: String
    package var lower: String
    package var upper: String

    package init(column: String, lower: String, upper: String) {
      self.column = column
      self.lower = lower
      self.upper = upper
    }
  }

  package var name: String
  package var table: String
  /// The primary key of the table, and of the tree.
  package var key: String
  package var ranges: [Range]

  package init(_ name: String, of table: String, key: String, ranges: [Range]) {
    self.name = name
    self.table = table
    self.key = key
    self.ranges = ranges
  }

  /// The statements that create the tree and fill it from the table.
  package var statements: [String] {
    let (tree, table, key) = (name.quotedName, self.table.quotedName, self.key.quotedName)
    let columns = ranges.flatMap { [$0.lower, $0.upper] }.map { "\($0.quotedName) FLOAT" }.joined(
      separator: ", ")
    let watched = ranges.map { $0.column.quotedName }.joined(separator: ", ")
    let hasMoved = ranges.map { "OLD.\($0.column.quotedName) IS NOT NEW.\($0.column.quotedName)" }
      .joined(separator: " OR ")
    return [
      "CREATE VIRTUAL TABLE \(tree) USING RTREE (\(key) INTEGER PRIMARY KEY, \(columns))",
      "INSERT INTO \(tree) \(row("\(table).")) FROM \(table) WHERE \(isPlaced("\(table)."))",
      """
      CREATE TRIGGER \((name + "_INSERT").quotedName) AFTER INSERT ON \(table) FOR EACH ROW \
      WHEN \(isPlaced("NEW.")) BEGIN INSERT OR REPLACE INTO \(tree) \(row("NEW.")); END
      """,
      """
      CREATE TRIGGER \((name + "_UPDATE").quotedName) AFTER UPDATE OF \(watched) ON \(table) \
      FOR EACH ROW WHEN \(hasMoved) BEGIN DELETE FROM \(tree) WHERE \(key) = OLD.\(key); \
      INSERT OR REPLACE INTO \(tree) \(row("NEW.")) WHERE \(isPlaced("NEW.")); END
      """,
      """
      CREATE TRIGGER \((name + "_DELETE").quotedName) AFTER DELETE ON \(table) FOR EACH ROW \
      BEGIN DELETE FROM \(tree) WHERE \(key) = OLD.\(key); END
      """,
    ]
  }

  /// The row of the tree. A tree stores 32-bit numbers, rounded outwards except for the largest and
  /// the smallest: it treats a number beyond the range of `Float` as infinite, and one that is too
  /// small as 0. The bounds are therefore limited and widened.
  private func row(_ source: String) -> String {
    let bounds = ranges.map { range in
      let value = source + range.column.quotedName
      return "min(\(value), 3e38) - 1e-37, max(\(value), -3e38) + 1e-37"
    }
    return "SELECT \(source)\(key.quotedName), \(bounds.joined(separator: ", "))"
  }

  private func isPlaced(_ source: String) -> String {
    ranges.map { "\(source)\($0.column.quotedName) IS NOT NULL" }.joined(separator: " AND ")
  }
}
