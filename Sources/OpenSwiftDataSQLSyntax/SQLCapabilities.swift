/// The dialect of a database, and what it can do besides the SQL that all dialects share. Whoever builds a statement asks,
/// and leaves to memory what cannot be done.
package struct SQLCapabilities: Hashable, Sendable {
  /// Which of the library's functions and collations statements may call.
  package enum Functions: Hashable, Sendable {
    /// All: the driver registers them with each connection.
    case all
    /// Those that the dialect has counterparts of.
    case counterparts
  }

  package var dialect: SQLDialect
  package var functions: Functions
  /// Whether a whole number that leaves 64 bits, or a division by zero, gives a value of another type
  /// instead of an error.
  package var marksOverflow: Bool
  /// Whether a cross join is carried out in the order in which its tables are written.
  package var keepsJoinOrder: Bool
  /// Whether the database has R-trees that triggers keep.
  package var hasSpatialTrees: Bool
  /// Whether a text index can be known to hold composed text only, until something is written.
  package var tellsChanges: Bool
  /// The most parameters of one statement.
  package var parameterLimit: Int

  package init(
    dialect: SQLDialect, functions: Functions, marksOverflow: Bool, keepsJoinOrder: Bool,
    hasSpatialTrees: Bool,
    tellsChanges: Bool, parameterLimit: Int
  ) {
    self.dialect = dialect
    self.functions = functions
    self.marksOverflow = marksOverflow
    self.keepsJoinOrder = keepsJoinOrder
    self.hasSpatialTrees = hasSpatialTrees
    self.tellsChanges = tellsChanges
    self.parameterLimit = parameterLimit
  }

  /// SQLite with the library's functions, as it is built by default: 32,766 parameters.
  package static let sqlite = SQLCapabilities(
    dialect: .sqlite, functions: .all, marksOverflow: true, keepsJoinOrder: true,
    hasSpatialTrees: true,
    tellsChanges: true, parameterLimit: 32_766)

  /// A PostgreSQL server, which nobody can teach functions of Swift.
  package static let postgreSQL = SQLCapabilities(
    dialect: .postgreSQL, functions: .counterparts, marksOverflow: false, keepsJoinOrder: false,
    hasSpatialTrees: false,
    tellsChanges: false, parameterLimit: 65_535)
}
