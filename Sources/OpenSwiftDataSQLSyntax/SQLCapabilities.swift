/// The dialect of a database, and its features beyond the SQL that all dialects share. Code that
/// builds a statement checks them, and leaves unsupported conditions to memory.
package struct SQLCapabilities: Hashable, Sendable {
  /// Which of the library's functions and collations statements may call.
  package enum Functions: Hashable, Sendable {
    /// All: the driver registers them on each connection.
    case all
    /// Those that have a counterpart in the dialect.
    case counterparts
  }

  package var dialect: SQLDialect
  package var functions: Functions
  /// Whether an integer overflow or a division by zero gives a value of another type instead of an
  /// error.
  package var marksOverflow: Bool
  /// Whether a cross join runs in the order in which its tables are written.
  package var keepsJoinOrder: Bool
  /// Whether the database has R-trees that triggers keep up to date.
  package var hasSpatialTrees: Bool
  /// Whether the library can know, until the next write, that a text index holds composed text
  /// only.
  package var reportsChanges: Bool
  /// The maximum number of parameters in one statement.
  package var parameterLimit: Int
  /// Whether each statement waits for a network, unless several are sent together.
  package var isRemote: Bool
  /// Whether the plan of a statement depends on how many rows are wanted, so that a limit is better part of its
  /// text.
  package var plansByLimits: Bool

  package init(
    dialect: SQLDialect, functions: Functions, marksOverflow: Bool, keepsJoinOrder: Bool,
    hasSpatialTrees: Bool,
    reportsChanges: Bool, parameterLimit: Int, isRemote: Bool = false, plansByLimits: Bool = false
  ) {
    self.dialect = dialect
    self.functions = functions
    self.marksOverflow = marksOverflow
    self.keepsJoinOrder = keepsJoinOrder
    self.hasSpatialTrees = hasSpatialTrees
    self.reportsChanges = reportsChanges
    self.parameterLimit = parameterLimit
    self.isRemote = isRemote
    self.plansByLimits = plansByLimits
  }

  /// SQLite in its default build, with the library's functions: 32,766 parameters.
  package static let sqlite = SQLCapabilities(
    dialect: .sqlite, functions: .all, marksOverflow: true, keepsJoinOrder: true,
    hasSpatialTrees: true,
    reportsChanges: true, parameterLimit: 32_766)

  /// A PostgreSQL server, where no Swift functions can be registered.
  ///
  /// The protocol allows 65,535 parameters. But the server describes each prepared statement in a message with
  /// 6 bytes and 4 for each parameter, and libpq takes a message of this type that has more than 30,000 bytes, with
  /// the 4 of its length, for a sign of lost synchronisation: it closes the connection.
  package static let postgreSQL = SQLCapabilities(
    dialect: .postgreSQL, functions: .counterparts, marksOverflow: false, keepsJoinOrder: false,
    hasSpatialTrees: false,
    reportsChanges: false, parameterLimit: 7_498, isRemote: true, plansByLimits: true)
}
