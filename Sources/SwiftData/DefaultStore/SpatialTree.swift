import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine

/// The R-tree of a spatial index: a virtual table beside the entity's table, and the triggers that keep
/// it in step whoever writes, this library, another program or Apple's framework.
///
/// Nothing but what comes with SQLite is in these statements, so that any SQLite with R-trees can
/// write the file.
struct SpatialTree {
  let index: SpatialIndex

  static func isSupported(by connection: Connection) throws -> Bool {
    try connection.integer("SELECT 1 FROM pragma_module_list WHERE name = 'rtree'") != nil
  }

  /// The statements that make the tree and put the rows of the table into it.
  var statements: [String] {
    let (tree, table) = (quoted(index.name), quoted(index.table))
    let ranges = index.columns.flatMap { [SpatialIndex.lower($0), SpatialIndex.upper($0)] }
    let columns = ranges.map { "\(quoted($0)) FLOAT" }.joined(separator: ", ")
    let watched = index.columns.map(quoted).joined(separator: ", ")
    let hasMoved = index.columns.map { "OLD.\(quoted($0)) IS NOT NEW.\(quoted($0))" }
      .joined(separator: " OR ")
    return [
      "CREATE VIRTUAL TABLE \(tree) USING RTREE (Z_PK INTEGER PRIMARY KEY, \(columns))",
      "INSERT INTO \(tree) \(row("\(table).")) FROM \(table) WHERE \(isPlaced("\(table)."))",
      """
      CREATE TRIGGER \(quoted(index.name + "_INSERT")) AFTER INSERT ON \(table) FOR EACH ROW \
      WHEN \(isPlaced("NEW.")) BEGIN INSERT OR REPLACE INTO \(tree) \(row("NEW.")); END
      """,
      """
      CREATE TRIGGER \(quoted(index.name + "_UPDATE")) AFTER UPDATE OF \(watched) ON \(table) \
      FOR EACH ROW WHEN \(hasMoved) BEGIN DELETE FROM \(tree) WHERE Z_PK = OLD.Z_PK; \
      INSERT OR REPLACE INTO \(tree) \(row("NEW.")) WHERE \(isPlaced("NEW.")); END
      """,
      """
      CREATE TRIGGER \(quoted(index.name + "_DELETE")) AFTER DELETE ON \(table) FOR EACH ROW \
      BEGIN DELETE FROM \(tree) WHERE Z_PK = OLD.Z_PK; END
      """,
    ]
  }

  /// The row of the tree. A tree keeps 32-bit numbers, rounded outwards but for the largest and the
  /// smallest: what is larger than a `Float` it takes for infinite, what is smaller for 0.
  private func row(_ source: String) -> String {
    let ranges = index.columns.map { column in
      let value = source + quoted(column)
      return "min(\(value), 3e38) - 1e-37, max(\(value), -3e38) + 1e-37"
    }
    return "SELECT \(source)Z_PK, \(ranges.joined(separator: ", "))"
  }

  private func isPlaced(_ source: String) -> String {
    index.columns.map { "\(source)\(quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
  }

  private func quoted(_ name: String) -> String {
    var renderer = SQLRenderer(dialect: .sqlite)
    renderer.write(identifier: name)
    return renderer.text
  }
}
