import Foundation
import OpenSwiftDataRowStorage
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
///
/// All that changes is guarded by `state`; the transaction's part belongs to the one writer of the store.
final class ExternalFiles: ExternalValueStore {
  /// Values of up to 128 KiB stay in their rows. SQLite reads smaller ones faster than a file system
  /// does, and Apple's framework is said to move values out at this size.
  static let threshold = 128 * 1024

  let folder: ExternalFolder
  private let store: URL
  private let state = Mutex(State())

  private struct State {
    var journal: ExternalJournal?
    /// Names that the open transaction has added.
    var added: [String] = []
    /// Names that rows lose by the open transaction.
    var lost: [String] = []
    /// How often a value is kept, by name.
    var kept: [String: Int] = [:]
    /// Kept names that no row has any more.
    var waiting: Set<String> = []

    var isInTransaction: Bool { !added.isEmpty || !lost.isEmpty }
  }

  init(of store: URL) {
    self.store = store
    folder = ExternalFolder(of: store)
  }

  deinit {
    state.withLock { if !$0.waiting.isEmpty { $0.journal?.leaveBehind() } }
  }

  // MARK: Reading

  func content(named name: String) -> Data? { folder.content(named: name) }

  func keeping(_ names: [String]) -> any OutsideValues {
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

  var threshold: Int { ExternalFiles.threshold }

  func write(_ values: [Data]) throws -> [String] {
    let names = values.map { _ in UUID().uuidString }
    try reportingFailure {
      try folder.make()
      try note(names) { $0.added += names }
      for (value, name) in zip(values, names) { try folder.write(value, named: name) }
      try folder.synchronize()
    }
    return names
  }

  /// Called by the triggers.
  func noteLost(_ name: String) { state.withLock { $0.lost.append(name) } }

  func willCommit() throws {
    let lost = state.withLock(\.lost)
    if lost.isEmpty { return }
    try reportingFailure { try note(lost) { _ in } }
  }

  /// The last commits of the database are not on the disk yet. A power failure that undid them would bring
  /// rows back whose files are gone, so the log comes first.
  func didCommit() {
    state.withLock { state in
      let lost = state.lost
      (state.added, state.lost) = ([], [])
      if !lost.isEmpty {
        try? ExternalFolder.synchronize(URL(fileURLWithPath: store.path + "-wal"))
        for name in lost {
          if state.kept[name] == nil {
            folder.remove(name)
          } else {
            state.waiting.insert(name)
          }
        }
      }
      settleJournal(&state)
    }
  }

  func didRollBack(triedCommit: Bool) {
    state.withLock { state in
      let added = state.added
      (state.added, state.lost) = ([], [])
      if triedCommit, state.journal?.count ?? 0 > 0 {
        // Whether rows name the files is seen when the store is opened next.
        state.journal?.leaveBehind()
        state.journal = nil
        return
      }
      for name in added { folder.remove(name) }
      settleJournal(&state)
    }
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
