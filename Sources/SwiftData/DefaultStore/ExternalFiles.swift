import Foundation
package import OpenSwiftDataRowStorage
import Synchronization

/// Stores values that are too large for rows in files: attributes with the option
/// `externalStorage`.
///
/// The life of a file:
///
/// 1. A save writes the new names to its journal (`ExternalJournal`). It writes each value to a
///    file with a temporary name, synchronises it with the disk and renames it to a UUID. Then the
///    rows with the names are written, in the open transaction.
/// 2. Triggers on the writing connection record the names that rows lose by any statement
///    (`ExternalFiles+Names.swift`). These are in the journal before the commit.
/// 3. After the commit, and once the commit is on disk, the files of dropped names are removed.
///    After a rollback, the files that the transaction added are removed.
/// 4. Deleted models keep their values while they are in memory (`keeping`), and snapshots those of the rows that
///    they see. The file of such a value is removed when the last of these models is released and these snapshots have
///    ended, and stays in the journal until then.
/// 5. A killed process leaves its journal. The next process that opens the store for writing
///    resolves it.
/// 6. Transactions may be nested. The names of an inner one become part of the outer one, and are
///    resolved with the outermost, or with the enclosing transaction of a migration
///    (`ExternalFiles+Enclosing.swift`).
///
/// `state` guards all mutable state; only the store's single writer changes the transactions in it.
package final class ExternalFiles: ExternalValueStore {
  /// Values of up to 128 KiB stay in their rows. SQLite reads smaller ones faster than a file
  /// system does, and Apple's framework is said to use this limit.
  package static let threshold = 128 * 1024

  let folder: ExternalFolder
  let state = Mutex(State())

  /// The changes of a transaction to file names.
  struct Changes {
    /// The names that it added.
    var added: [String] = []
    /// The names that rows lost.
    var lost: [String] = []

    var isEmpty: Bool { added.isEmpty && lost.isEmpty }
  }

  struct State {
    var journal: ExternalJournal?
    /// The changes of the open transactions, the innermost last; the first entry is outside of
    /// them.
    var transactions = [Changes()]
    /// Whether the first entry is part of an enclosing transaction.
    var isEnclosed = false
    /// How many objects keep a value, by name.
    var kept: [String: Int] = [:]
    /// Names that no row contains any more, and whose files are needed: by a model, or perhaps by
    /// another store.
    var waiting: Set<String> = []
    /// The open snapshots, by number.
    var snapshots: Set<Int> = []
    var nextSnapshot = 0
    /// Names that rows lost while snapshots with smaller numbers were open, which may read them.
    var held: [(before: Int, names: [String])] = []

    var isInTransaction: Bool {
      isEnclosed || transactions.count > 1 || transactions.contains { !$0.isEmpty }
    }

    /// The changes of the innermost transaction.
    var changes: Changes {
      get { transactions[transactions.count - 1] }
      set { transactions[transactions.count - 1] = newValue }
    }

    /// - Returns: The changes of the innermost transaction, which has ended.
    mutating func endTransaction() -> Changes {
      let changes = changes
      if transactions.count > 1 { transactions.removeLast() } else { self.changes = Changes() }
      return changes
    }

    /// Whether the commit of the innermost transaction is final.
    var isOutermost: Bool { !isEnclosed && transactions.count <= 2 }
  }

  package init(of store: URL) {
    folder = ExternalFolder(of: store)
  }

  deinit {
    state.withLock { if !$0.waiting.isEmpty || $0.isInTransaction { $0.journal?.abandon() } }
  }

  // MARK: Reading

  package func content(named name: String) throws -> Data? { try folder.content(named: name) }

  package func keeping(_ names: [String]) -> any ExternalValues {
    state.withLock { state in
      for name in names { state.kept[name, default: 0] += 1 }
    }
    return RetainedValues(names, of: self)
  }

  fileprivate func release(_ names: [String]) {
    state.withLock { state in
      var unused: [String] = []
      for name in names {
        guard let count = state.kept[name] else { continue }
        state.kept[name] = count > 1 ? count - 1 : nil
        if count == 1, state.waiting.remove(name) != nil { unused.append(name) }
      }
      removeUnread(unused, &state)
      settleJournal(&state)
    }
  }

  /// Called before a snapshot begins: keeps the files of the rows that it will see.
  /// - Returns: The number of the snapshot.
  func beginSnapshot() -> Int {
    state.withLock { state in
      state.nextSnapshot += 1
      state.snapshots.insert(state.nextSnapshot - 1)
      return state.nextSnapshot - 1
    }
  }

  func endSnapshot(_ number: Int) {
    state.withLock { state in
      state.snapshots.remove(number)
      if state.held.isEmpty { return }
      let oldest = state.snapshots.min() ?? state.nextSnapshot
      let count = state.held.prefix { $0.before <= oldest }.count
      let names = state.held.prefix(count).flatMap(\.names).filter { state.kept[$0] == nil }
      state.held.removeFirst(count)
      state.waiting.subtract(names)
      remove(names, &state)
      settleJournal(&state)
    }
  }

  // MARK: Transactions

  package var threshold: Int { ExternalFiles.threshold }

  package func write(_ values: [Data]) throws -> [String] {
    let names = values.map { _ in UUID().uuidString }
    try reportingFailure("A large value can't be written to") {
      try folder.make()
      try note(names) { $0.changes.added += names }
      for (value, name) in zip(values, names) { try folder.write(value, named: name) }
      try folder.synchronize()
    }
    return names
  }

  /// Called by the triggers, and by a save for values that it has written in vain.
  package func recordDropped(_ name: String) { state.withLock { $0.changes.lost.append(name) } }

  package func didBegin() { state.withLock { $0.transactions.append(Changes()) } }

  package func willCommit() throws {
    let (lost, isOutermost) = state.withLock { ($0.changes.lost, $0.isOutermost) }
    if isOutermost { try noteBeforeCommit(lost) }
  }

  func noteBeforeCommit(_ lost: [String]) throws {
    if lost.isEmpty { return }
    try reportingFailure("The removal of large values can't be prepared in") {
      try note(lost) { _ in }
    }
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

  /// Removes the files of dropped names, after the commit.
  ///
  /// The last commits may not be on disk yet. If a power failure undid them, rows would refer to
  /// removed files, so the log is synchronised first.
  func settle(_ changes: Changes, _ state: inout State) {
    if !changes.lost.isEmpty {
      try? ExternalFolder.synchronize(URL(fileURLWithPath: folder.store.path + "-wal"))
      let kept = changes.lost.filter { state.kept[$0] != nil }
      state.waiting.formUnion(kept)
      removeUnread(changes.lost.filter { state.kept[$0] == nil }, &state)
    }
    settleJournal(&state)
  }

  /// Removes files once the snapshots that are open now have ended.
  private func removeUnread(_ names: [String], _ state: inout State) {
    guard !state.snapshots.isEmpty, !names.isEmpty else { return remove(names, &state) }
    state.held.append((state.nextSnapshot, names))
    state.waiting.formUnion(names)
  }

  /// Removes files, if no other store can need them. Otherwise their names stay in the journal, and the next
  /// opening looks for them in the other stores.
  private func remove(_ names: [String], _ state: inout State) {
    if names.isEmpty { return }
    let shared = folder.sharedPlaces()
    if shared.contains(folder.values.standardizedFileURL.path) { state.waiting.formUnion(names) }
    folder.remove(names, except: shared)
  }

  /// Removes the files of added names, after a rollback.
  /// - Parameter isUncertain: Whether a commit failed, so that it is not known what is stored.
  func undo(_ changes: Changes, isUncertain: Bool, _ state: inout State) {
    if isUncertain, state.journal?.count ?? 0 > 0 {
      // The next opening of the store checks whether rows name these files.
      state.journal?.abandon()
      state.journal = nil
      return
    }
    for name in changes.added { folder.remove(name) }
    settleJournal(&state)
  }

  // MARK: The journal

  /// Called when the store is closed: removes a journal that nothing needs.
  func close() {
    state.withLock { if !$0.isInTransaction, $0.waiting.isEmpty { $0.journal = nil } }
  }

  private func note(_ names: [String], _ change: (inout State) -> Void) throws {
    try state.withLock { state in
      if state.journal == nil {
        try folder.make()
        state.journal = try ExternalJournal.make(in: folder.support, folder.storeAccess)
      }
      change(&state)
      try state.journal?.add(names)
    }
  }

  /// Empties the journal. While models keep deleted values, their names must stay in it; then it is
  /// replaced once it has many other names.
  private func settleJournal(_ state: inout State) {
    guard !state.isInTransaction, let journal = state.journal else { return }
    if state.waiting.isEmpty { return journal.empty() }
    guard journal.count > 1000 + 4 * state.waiting.count,
      let fresh = try? ExternalJournal.make(in: folder.support, folder.storeAccess)
    else { return }
    // The old journal stays until the new one contains the names.
    if (try? fresh.add(Array(state.waiting))) != nil { state.journal = fresh }
  }

  /// - Parameter problem: The beginning of a sentence that ends with the folder.
  private func reportingFailure<R>(_ problem: String, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch {
      let advice = folder.deniedFolder.map { " \($0)" } ?? ""
      throw SwiftDataError.storeWriteFailure.with(
        "\(problem) \(folder.values.path); nothing was stored.\(advice)",
        doing: "writing an external file of the store", underlying: error,
        because: SwiftDataError.Reason(systemError: error))
    }
  }
}

/// Keeps values readable as long as this object lives.
private final class RetainedValues: ExternalValues {
  private let names: [String]
  private let files: ExternalFiles

  init(_ names: [String], of files: ExternalFiles) {
    self.names = names
    self.files = files
  }

  deinit { files.release(names) }

  func content(named name: String) throws -> Data? { try files.content(named: name) }

  func keeping(_ names: [String]) -> any ExternalValues { files.keeping(names) }
}
