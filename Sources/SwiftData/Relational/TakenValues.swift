import Synchronization

/// Remembers in which tables new models had the unique values of stored rows.
///
/// An optimistic save inserts new rows without looking for others with their unique values, and fails at its
/// commit if there is one. Where models are often merged with stored rows, as in an import that is repeated,
/// it would mostly fail, so that the next saves look first.
final class TakenValues: Sendable {
  /// For each table, how many of the next new rows are looked up first.
  private let expected = Mutex<[String: Int]>([:])

  /// The number of new rows after the last one whose values were taken.
  private static let memory = 64

  func note(in table: String) { expected.withLock { $0[table] = TakenValues.memory } }

  /// Whether some new rows probably have the unique values of others. They count among the next ones.
  func areExpected(in table: String, forNew count: Int) -> Bool {
    expected.withLock { expected in
      guard let rest = expected[table] else { return false }
      expected[table] = rest > count ? rest - count : nil
      return true
    }
  }
}
