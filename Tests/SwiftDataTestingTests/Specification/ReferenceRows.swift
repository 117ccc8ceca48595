import Foundation
import SwiftData
import Synchronization

/// The rows of a store, which outlive it: stores with the name of an earlier one have its rows.
final class ReferenceRows<Snapshot: DataStoreSnapshot>: Sendable {
  struct State {
    var rows: [PersistentIdentifier: Snapshot] = [:]
    var order: [PersistentIdentifier] = []
    var nextKey = 1
    var transactions: [ReferenceTransaction] = []
    var nextTransaction = 1

    // Only defective stores use these.
    var before: [PersistentIdentifier: Snapshot] = [:]
    var first: [PersistentIdentifier: Snapshot] = [:]
    var lastEditor: UUID?
    var lastInserted: Snapshot?
    var fetches = 0

    mutating func put(_ snapshot: Snapshot) {
      let identifier = snapshot.persistentIdentifier
      if rows.updateValue(snapshot, forKey: identifier) == nil { order.append(identifier) }
      if first[identifier] == nil { first[identifier] = snapshot }
    }

    mutating func remove(_ identifier: PersistentIdentifier) {
      if rows.removeValue(forKey: identifier) != nil { order.removeAll { $0 == identifier } }
    }
  }

  let state = Mutex(State())

  static func rows(named name: String) -> ReferenceRows {
    knownRows.withLock { known in
      let key = "\(Snapshot.self) \(name)"
      if let rows = known[key] as? ReferenceRows { return rows }
      let rows = ReferenceRows()
      known[key] = rows
      return rows
    }
  }
}

private let knownRows = Mutex<[String: any AnyObject & Sendable]>([:])
