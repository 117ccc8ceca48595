import Foundation
import OpenSwiftDataSQLSyntax
import Synchronization

/// Deletes the oldest history after changes, according to the store's retention.
///
/// 1. After the commit of each change, the store calls `prune`, before it returns the writing session: no
///    change waits here for another thread. It reads nothing while no limit can be exceeded. The pruner
///    knows this from its last check: the time of the oldest transaction, and the number of the first
///    transaction that may exceed a limit.
/// 2. A check finds the first transaction to keep. All before it are due. Another process may
///    delete them at the same time.
/// 3. Each step deletes due transactions with at most `changesAtOnce` changes, or a single
///    transaction, in a transaction of its own. The rest is left for the next change of the store.
///
/// Where several write at the same time, a step needs the lock that excludes them. It waits for it shortly, and
/// after a failure no step is tried for a while (`PruningPause`).
///
/// Only the beginning of the history is removed, so the oldest number shows which tokens have
/// expired. A mutex guards `state` and is held during a step; other threads skip pruning meanwhile.
final class HistoryPruner: Sendable {
  private let retention: HistoryRetention
  private let state = Mutex(State())

  private struct State {
    /// The first transaction to keep; 0 if none is due.
    var firstKept: Int64 = 0
    /// The number of the oldest transaction that may exist.
    var first: Int64 = 0
    /// The timestamp of the oldest transaction, or an earlier one.
    var oldest = -Double.infinity
    /// From this number on, the number of transactions or their size may exceed a limit.
    var nextCheck: Int64 = 0
    var pause = PruningPause()
  }

  /// The number of changes that one step removes.
  private static let changesAtOnce: Int64 = 1000
  /// The number of pages that a step releases if it does not finish.
  private static let pagesAtOnce = 100
  /// A limit may be exceeded by this fraction of it.
  private static let tolerance = 16
  /// The number of transactions between two checks of the size.
  private static let sizeInterval: Int64 = 16

  init(_ retention: HistoryRetention) { self.retention = retention }

  /// - Parameter last: The number of the last transaction.
  func prune(_ store: RelationalStore, last: Int64) throws {
    let isPartial = try state.withLockIfAvailable { state -> Bool in
      if state.firstKept == 0, !mayBeDue(state, last, at: store.now) { return false }
      let held = store.holds.lowest.map { $0 + 1 } ?? .max
      if state.firstKept > 0, min(state.firstKept, held) <= state.first { return false }
      guard state.pause.isOver(at: .now) else { return false }
      return try store.driver.write(else: "no history was pruned") { session in
        var next = state
        let isPartial = try transaction(session, store.driver, &state.pause) {
          store.composedText.ownWrites.didBegin(session)
          let step = PruningStep(session: session, plans: store.plans)
          if next.firstKept == 0 { try look(&next, step, last, at: store.now) }
          return try run(step, &next, until: min(next.firstKept, held), at: store.now)
        }
        store.composedText.ownWrites.didCommit(session)
        next.pause = state.pause
        state = next
        return isPartial
      }
    }
    if isPartial == true { store.driver.reclaimSpace(limit: HistoryPruner.pagesAtOnce) }
  }

  private func transaction<R>(
    _ session: any SQLSession, _ driver: any SQLDriver, _ pause: inout PruningPause,
    _ body: () throws -> R
  ) throws -> R {
    guard driver.numberAllocator != nil else { return try session.transaction(body) }
    do {
      try session.beginEnclosingTransaction(.exclusive, within: pause.lockLimit)
    } catch {
      pause.begin(at: .now)
      throw error
    }
    pause.reset()
    do {
      let result = try body()
      try session.commitEnclosingTransaction()
      return result
    } catch {
      session.rollbackEnclosingTransaction()
      throw error
    }
  }

  private func mayBeDue(_ state: State, _ last: Int64, at now: Double) -> Bool {
    if let age {
      let allowed = age + age / Double(HistoryPruner.tolerance)
      if now - allowed > state.oldest { return true }
    }
    let isCounted = retention.maximumCount != nil || retention.maximumSize != nil
    return isCounted && last >= state.nextCheck
  }

  /// `nil` if the age is not limited.
  private var age: TimeInterval? {
    retention.maximumAge.flatMap { $0.isNaN || $0 == .infinity ? nil : $0 }
  }

  // MARK: Looking

  private func look(
    _ state: inout State, _ step: PruningStep, _ last: Int64, at now: Double
  ) throws {
    state.nextCheck = last + 1
    guard let first = try step.firstTransaction() else { return }
    state.nextCheck = .max
    state.first = first
    var kept: Int64 = 0
    if let age {
      kept = try step.first(since: now - age) ?? last + 1
    }
    // Larger than any real number, and small enough to calculate with.
    if let count = retention.maximumCount.map({ Int64(min(max($0, 0), Int.max / 4)) }) {
      let tolerance = count / Int64(HistoryPruner.tolerance)
      if last - first < count {
        state.nextCheck = first + count + tolerance
      } else {
        state.nextCheck = last + 1 + tolerance
        kept = max(kept, count == 0 ? last + 1 : try step.newest(count) ?? 0)
      }
    }
    if let size = retention.maximumSize {
      state.nextCheck = min(state.nextCheck, last + HistoryPruner.sizeInterval)
      kept = max(kept, try firstKept(ofSize: Double(max(size, 0)), step, first, last))
    }
    state.firstKept = kept > first ? kept : 0
    if state.firstKept == 0 { state.oldest = try oldest(step, at: now) }
  }

  /// The first of the latest transactions whose size fits into the limit; 0 if all fit.
  private func firstKept(
    ofSize size: Double, _ step: PruningStep, _ first: Int64, _ last: Int64
  ) throws -> Int64 {
    guard let changes = try step.changes() else { return 0 }
    let count = Double(changes.last - changes.first + 1)
    let estimate = count * changes.size + Double(last - first + 1) * PruningStep.transactionSize
    if estimate <= size { return 0 }
    // Aims below the limit, so that the next check is not due at once.
    let fitting = count * size / estimate * (1 - 1 / Double(HistoryPruner.tolerance))
    return try step.transaction(ofChange: changes.last - Int64(fitting) + 1) ?? last + 1
  }

  // MARK: Removing

  /// - Returns: Whether more must be removed.
  private func run(
    _ step: PruningStep, _ state: inout State, until end: Int64, at now: Double
  ) throws -> Bool {
    if end <= state.first { return false }
    let reached = try step.remove(before: end, changes: HistoryPruner.changesAtOnce)
    state.first = reached
    if reached < state.firstKept { return reached < end }
    state.firstKept = 0
    state.oldest = try oldest(step, at: now)
    try step.removeUnusedTexts()
    return false
  }

  /// In an empty history the next transaction will be the oldest one.
  private func oldest(_ step: PruningStep, at now: Double) throws -> Double {
    try step.oldest() ?? now.rounded(.down)
  }
}

extension RelationalStore {
  /// Called after the commit of a change, outside of transactions, by the thread that has the writing session.
  /// - Parameter number: The number of the transaction in the history; `nil` if it is not known.
  func didCommit(_ number: Int64? = nil) {
    driver.didCommit(number)
    pruneHistory(last: number)
  }

  /// Deletes history beyond the limits. An error here does not affect the change.
  /// - Parameter last: The number of the last transaction; `nil` reads it.
  private func pruneHistory(last: Int64?) {
    guard let pruner, isWritable else { return }
    // What could not be pruned is tried again after the next change.
    try? pruner.prune(self, last: last ?? lastTransaction())
  }

  private func lastTransaction() throws -> Int64 {
    try driver.readingPrimary {
      try driver.read { session in
        try session.statement(plans.history.transactionKeys.largest).integer(.none) ?? 0
      }
    }
  }
}
