import Foundation

/// Keys of new rows and the history, for a database with several writers at once.
///
/// With one writer the engine continues the largest numbers in the tables. Where several write, each
/// save would read what all others write, so that only one of them could commit. So the driver takes
/// keys from outside of the transactions, and numbers the transactions of the history in the order of
/// their commits.
package protocol NumberAllocator: Sendable {
  /// Reserves keys for new rows. A rollback does not release them.
  /// - Parameters:
  ///   - count: The number of wanted keys, at least 1.
  ///   - root: The root entity of the table.
  /// - Returns: At least one key, and at most `count`, in sequence.
  /// - Throws: The database's error, or `SwiftDataError.storeWriteFailure` if no key is left.
  func reserveKeys(
    _ count: Int, of root: EntityMapping, _ session: any SQLSession
  ) throws -> Range<Int64>

  /// Takes back reserved keys that no row has got.
  func returnKeys(_ keys: Range<Int64>, of root: EntityMapping)

  /// Adds a transaction to the history, at the latest with the commit of the session. Called last in a save:
  /// until its commit no other save gets a number, so that the numbers have the order of the commits.
  /// - Parameter added: Called with the number of the transaction.
  func addTransaction(
    _ transaction: NewTransaction, _ session: any SQLSession, added: @escaping (Int64) -> Void
  ) throws
}

/// A transaction that is added to the history, with its changes.
package struct NewTransaction: Sendable {
  /// Changes of the same kind to rows of one entity with keys in sequence.
  package struct Changes: Sendable {
    package let type: HistoryTables.ChangeType
    package let entity: Int
    package var keys: ClosedRange<Int64>
    /// The bits of the changed properties; `nil` if there are none, or if they are not known.
    package let columns: Data?
    /// The preserved values of a single deleted row, as the columns of the history have them.
    package var preserved: [Data?] = []
  }

  /// The texts in the order of `HistoryTables.Transaction.texts`.
  package let texts: [String?]
  /// Seconds since 2001-01-01.
  package let time: Double
  package private(set) var changes: [Changes] = []

  package init(texts: [String?], time: Double, changes: [Changes] = []) {
    self.texts = texts
    self.time = time
    self.changes = changes
  }

  /// Adds the deletion of a row whose values are preserved.
  mutating func addDeleted(entity: Int, _ key: Int64, preserved: [Data?]) {
    changes.append(
      Changes(
        type: .deleted, entity: entity, keys: key...key, columns: nil, preserved: preserved))
  }

  /// - Parameter keys: In the order in which the changes are listed.
  mutating func add(
    _ type: HistoryTables.ChangeType, entity: Int, _ keys: some Sequence<Int64>,
    columns: Data? = nil
  ) {
    var current: ClosedRange<Int64>?
    for key in keys {
      if let range = current, range.upperBound + 1 == key {
        current = range.lowerBound...key
      } else {
        if let current {
          changes.append(Changes(type: type, entity: entity, keys: current, columns: columns))
        }
        current = key...key
      }
    }
    if let current {
      changes.append(Changes(type: type, entity: entity, keys: current, columns: columns))
    }
  }
}
