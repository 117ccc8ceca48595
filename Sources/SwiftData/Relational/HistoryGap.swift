import Synchronization

/// The gap that a store itself has written at the end of the history: a transaction without changes,
/// which stands for changes without history.
///
/// 1. The first save without history writes the row of the gap (`HistoryWriter`).
/// 2. Later saves only assign the next number (`Z_MAX`), as long as the row is the last transaction
///    and `maximumAge` has not passed. So the gap reaches from the number of its row to the last
///    assigned number, and readers treat it as if its row had that number
///    (`HistoryRows.lastGap`).
/// 3. The next writer moves the row to the end of the gap, or replaces it.
///
/// The number and the time identify the row, because a number is assigned again after a rollback.
/// The statement compares them, and the last number, with the stored ones, so this memory is only a
/// proposal.
final class HistoryGap: Sendable {
  struct Row: Sendable {
    let number: Int64
    /// Seconds since 2001-01-01.
    let time: Double
    let author: String?
    /// The last number that was assigned to the gap.
    var end: Int64
  }

  /// How long the row of a gap may keep its number and its time, in seconds.
  static let maximumAge = 60.0

  private let row = Mutex<Row?>(nil)

  /// Called when the row is written or its gap is extended, before the commit.
  func note(_ row: Row) { self.row.withLock { $0 = row } }

  /// The row, if a save of this author may extend its gap now.
  func row(by author: String?, at time: Double) -> Row? {
    guard let row = row.withLock({ $0 }), row.author == author, time >= row.time,
      time - row.time < HistoryGap.maximumAge
    else { return nil }
    return row
  }
}
