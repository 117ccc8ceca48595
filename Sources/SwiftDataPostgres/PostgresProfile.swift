/// Features of a server that a store may use.
///
/// Systems that speak PostgreSQL's protocol may lack some of them. ``portable`` uses none, so it costs
/// a little more, and works with plain statements only. All containers of a store must have the same
/// profile: locks of different kinds do not exclude each other.
///
/// ```swift
/// var configuration = try PostgresConfiguration(url: url)
/// configuration.profile = .portable
/// ```
public struct PostgresProfile: Hashable, Sendable {
  /// Whether `LOCK TABLE` may exclude other writers. Otherwise a row of a table is locked.
  public var tableLocks = true

  /// Whether `pg_advisory_xact_lock` may be used. Otherwise a row of a table is locked.
  public var advisoryLocks = true

  /// Whether `NOTIFY` and `LISTEN` may be used. Otherwise
  /// ``PostgresConfiguration/notifiesCommits`` is refused, and commits are found by polling.
  public var notifications = true

  /// Whether `#Index` of the kind `.rtree` becomes a GiST index of points. Otherwise it is an ordinary index.
  public var pointIndexes = true

  /// All features of PostgreSQL.
  public static let postgreSQL = PostgresProfile()

  /// Tables, indexes and transactions with row locks only.
  public static let portable = PostgresProfile(
    tableLocks: false, advisoryLocks: false, notifications: false, pointIndexes: false)

  /// Creates a profile.
  /// - Parameters:
  ///   - tableLocks: Whether `LOCK TABLE` may be used.
  ///   - advisoryLocks: Whether `pg_advisory_xact_lock` may be used.
  ///   - notifications: Whether `NOTIFY` and `LISTEN` may be used.
  ///   - pointIndexes: Whether GiST indexes of points may be used.
  public init(
    tableLocks: Bool = true, advisoryLocks: Bool = true, notifications: Bool = true,
    pointIndexes: Bool = true
  ) {
    self.tableLocks = tableLocks
    self.advisoryLocks = advisoryLocks
    self.notifications = notifications
    self.pointIndexes = pointIndexes
  }
}
