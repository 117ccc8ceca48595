/// A state of a store, as one of its connections sees it. If two are equal, nothing was written in between.
///
/// A list remembers the state in which its members were read (`_ToManyValue.state`), and rows of a fetch the
/// state in which they were read (`FetchedRows.state`).
package struct StoreState: Hashable, Sendable {
  /// The number of the connection, which no other one of the process has.
  private let connection: Int
  /// Changes with each commit that the connection sees.
  private let commits: Int64
  /// Changes with each change of the connection, before its commit too.
  private let changes: Int64

  package init(connection: Int, commits: Int64, changes: Int64) {
    self.connection = connection
    self.commits = commits
    self.changes = changes
  }

  /// Whether nothing was committed in between.
  func hasSameCommits(as other: StoreState) -> Bool {
    connection == other.connection && commits == other.commits
  }
}
