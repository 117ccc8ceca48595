import Foundation
package import OpenSwiftDataRowStorage
import Synchronization

/// The values of a store that are too large for its rows: attributes with the option `externalStorage`.
///
/// The life of a file:
///
/// 1. A save writes its journal (`ExternalJournal`), then each value under a temporary name, puts it on the
///    disk and gives it its name, a UUID. The rows that name it follow, in the open transaction.
/// 2. Triggers of the connection that writes tell which names rows lose, by whatever statement
///    (`ExternalFiles+Names.swift`). These are in the journal before the commit.
/// 3. After the commit the files of lost names are removed, once the commit itself is on the disk; after a
///    rollback those that the transaction added.
/// 4. Models that a save deletes keep their values while they are in memory (`keeping`): the file of such
///    a value is removed when the last of them goes, and stays in the journal until then.
/// 5. A process that is killed leaves its journal, which the next one that opens the store resolves.
/// 6. Transactions may be nested. What an inner one has added and lost becomes part of the one around it, and
///    is settled with the outermost, or with the enclosing transaction of a migration
///    (`ExternalFiles+Enclosing.swift`).
///
/// All that changes is guarded by `state`; the transaction's part belongs to the one writer of the store.
package final class ExternalFiles: ExternalValueStore {
  /// Values of up to 128 KiB stay in their rows. SQLite reads smaller ones faster than a file system
  /// does, and Apple's framework is said to move values out at this size.
  static let threshold = 128 * 1024

  let folder: ExternalFolder
  let state = Mutex(State())

  /// What a transaction does to the names of files.
  struct Changes {
    /// Names that it has added.
    var added: [String] = []
    /// Names that rows lose by it.
    var lost: [String] = []

    var isEmpty: Bool { added.isEmpty && lost.isEmpty }
  }

  struct State {
    var journal: ExternalJournal?
    /// Of the open transactions, the innermost last; what is outside of them comes first.
    var transactions = [Changes()]
    /// Whether what is outside of them is part of an enclosing transaction.
    var isEnclosed = false
    /// How often a value is kept, by name.
    var kept: [String: Int] = [:]
    /// Kept names that no row has any more.
    var waiting: Set<String> = []

    var isInTransaction: Bool {
      isEnclosed || transactions.count > 1 || transactions.contains { !$0.isEmpty }
    }

    /// The changes of the innermost transaction.
    var changes: Changes {
      get { transactions[transactions.count - 1] }
      set { transactions[transactions.count - 1] = newValue }
    }

    /// - Returns: The changes of the innermost transaction, which is over.
    mutating func endTransaction() -> Changes {
      let changes = changes
      if transactions.count > 1 { transactions.removeLast() } else { self.changes = Changes() }
      return changes
    }

    /// Whether the innermost transaction commits for good when it commits.
    var isOutermost: Bool { !isEnclosed && transactions.count <= 2 }
  }

  package init(of store: URL) {
    folder = ExternalFolder(of: store)
  }

  deinit {
    state.withLock { if !$0.waiting.isEmpty || $0.isInTransaction { $0.journal?.leaveBehind() } }
  }

  // MARK: Reading

  package func content(named name: String) -> Data? { folder.content(named: name) }

  package func keeping(_ names: [String]) -> any OutsideValues {
    state.withLock { state in
      for name in names { state.kept[name, default: 0] += 1 }
    }
    return KeptValues(names, of: self)
  }

  fileprivate func release(_ names: [String]) {
    state.withLock { state in
      for name in names {
        guard let count = state.kept[name] else { continue }
        state.kept[name] = count > 1 ? count - 1 : nil
        if count == 1, state.waiting.remove(name) != nil { folder.remove(name) }
      }
      settleJournal(&state)
    }
  }

  // MARK: Transactions

  package var threshold: Int { ExternalFiles.threshold }

  package func write(_ values: [Data]) throws -> [String] {
    let names = values.map { _ in UUID().uuidString }
    try reportingFailure {
      try folder.make()
      try note(names) { $0.changes.added += names }
      for (value, name) in zip(values, names) { try folder.write(value, named: name) }
      try folder.synchronize()
    }
    return names
  }

  /// Called by the triggers.
  package func noteLost(_ name: String) { state.withLock { $0.changes.lost.append(name) } }

  package func didBegin() { state.withLock { $0.transactions.append(Changes()) } }

  package func willCommit() throws {
    let (lost, isOutermost) = state.withLock { ($0.changes.lost, $0.isOutermost) }
    if isOutermost { try noteBeforeCommit(lost) }
  }

  func noteBeforeCommit(_ lost: [String]) throws {
    if lost.isEmpty { return }
    try reportingFailure { try note(lost) { _ in } }
  }

  package func didCommit() {
    state.withLock { state in
      let isOutermost = state.isOutermost
      let changes = state.endTransaction()
      if isOutermost { return settle(changes, &state) }
      state.changes.added += changes.added
      state.changes.lost += changes.lost
    }
  }

  package func didRollBack(triedCommit: Bool) {
    state.withLock { state in
      let isUncertain = triedCommit && state.isOutermost
      undo(state.endTransaction(), isUncertain: isUncertain, &state)
    }
  }

  /// Removes the files of lost names, after the commit.
  ///
  /// The last commits of the database are not on the disk yet. A power failure that undid them would bring
  /// rows back whose files are gone, so the log comes first.
  func settle(_ changes: Changes, _ state: inout State) {
    if !changes.lost.isEmpty {
      try? ExternalFolder.synchronize(URL(fileURLWithPath: folder.store.path + "-wal"))
      for name in changes.lost {
        if state.kept[name] == nil {
          folder.remove(name)
        } else {
          state.waiting.insert(name)
        }
      }
    }
    settleJournal(&state)
  }

  /// Removes the files of added names, after a rollback.
  /// - Parameter isUncertain: Whether a commit failed, so that it is not known what is stored.
  func undo(_ changes: Changes, isUncertain: Bool, _ state: inout State) {
    if isUncertain, state.journal?.count ?? 0 > 0 {
      // Whether rows name the files is seen when the store is opened next.
      state.journal?.leaveBehind()
      state.journal = nil
      return
    }
    for name in changes.added { folder.remove(name) }
    settleJournal(&state)
  }

  // MARK: The journal

  private func note(_ names: [String], _ change: (inout State) -> Void) throws {
    try state.withLock { state in
      if state.journal == nil {
        try folder.make()
        state.journal = try ExternalJournal.make(in: folder.support)
      }
      change(&state)
      try state.journal?.add(names)
    }
  }

  /// Empties the journal. Values that wait for models to go keep their places in it; then it is replaced
  /// when it has many other names.
  private func settleJournal(_ state: inout State) {
    guard !state.isInTransaction, let journal = state.journal else { return }
    if state.waiting.isEmpty { return journal.empty() }
    guard journal.count > 1000 + 4 * state.waiting.count,
      let fresh = try? ExternalJournal.make(in: folder.support)
    else { return }
    // Until the fresh one has the names, the old one stays.
    if (try? fresh.add(Array(state.waiting))) != nil { state.journal = fresh }
  }

  private func reportingFailure<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch {
      throw SwiftDataError.storeWriteFailure.with(
        "A large value can't be written to \(folder.values.path); nothing was stored.",
        doing: "writing a file beside the store", underlying: error)
    }
  }
}

/// Keeps values readable as long as it lives.
private final class KeptValues: OutsideValues {
  private let names: [String]
  private let files: ExternalFiles

  init(_ names: [String], of files: ExternalFiles) {
    self.names = names
    self.files = files
  }

  deinit { files.release(names) }

  func content(named name: String) -> Data? { files.content(named: name) }

  func keeping(_ names: [String]) -> any OutsideValues { files.keeping(names) }
}
