import Foundation
import OpenSwiftDataSQLSyntax
import Synchronization

/// Forgets the oldest history of a store after changes, as far as its retention says.
///
/// 1. Each change of the store asks `prune`, behind its commit. Nothing is read as long as no limit can be
///    exceeded, which the pruner knows from its last look: when the oldest transaction was, and which
///    number may be the first to exceed a limit.
/// 2. A look finds the first transaction that is kept. Those before it are due, whoever deletes them: another
///    process may do so at the same time.
/// 3. Each step removes due transactions, together with at most `changesAtOnce` changes, or one transaction,
///    in a transaction of its own. What is left is for the next change of the store.
///
/// Only a first part of the history is ever removed, so that the oldest number tells which tokens are too old.
/// `state` is guarded by its mutex, which is held while a step runs; other threads do without meanwhile.
final class HistoryPruner: Sendable {
  private let retention: HistoryRetention
  private let state = Mutex(State())

  private struct State {
    /// The first transaction that is kept; 0 where none is due.
    var firstKept: Int64 = 0
    /// No transaction before this one is left.
    var first: Int64 = 0
    /// The timestamp of the oldest transaction, or less.
    var oldest = -Double.infinity
    /// The number of transactions, or the size, may be too large from this number on.
    var nextLook: Int64 = 0
  }

  /// How many changes one step removes.
  private static let changesAtOnce: Int64 = 1000
  /// How many pages a step gives back that leaves more to do.
  private static let pagesAtOnce = 100
  /// The part of a limit by which it may be exceeded.
  private static let tolerance = 16
  /// How many transactions come between two looks at the size.
  private static let sizeInterval: Int64 = 16

  init(_ retention: HistoryRetention) { self.retention = retention }

  /// - Parameter last: The number of the last transaction.
  func prune(_ store: RelationalStore, last: Int64) throws {
    let isPartial = try state.withLockIfAvailable { state -> Bool in
      if state.firstKept == 0, !mayBeDue(state, last) { return false }
      let held = store.holds.lowest.map { $0 + 1 } ?? .max
      if state.firstKept > 0, min(state.firstKept, held) <= state.first { return false }
      return try store.driver.write(else: "no history was pruned") { session in
        var next = state
        let isPartial = try session.transaction {
          let step = PruningStep(session: session, plans: store.plans)
          if next.firstKept == 0 { try look(&next, step, last) }
          return try run(step, &next, until: min(next.firstKept, held))
        }
        state = next
        return isPartial
      }
    }
    if isPartial == true { store.driver.reclaimSpace(limit: HistoryPruner.pagesAtOnce) }
  }

  private func mayBeDue(_ state: State, _ last: Int64) -> Bool {
    if let age {
      let allowed = age + age / Double(HistoryPruner.tolerance)
      if Date().timeIntervalSinceReferenceDate - allowed > state.oldest { return true }
    }
    let isCounted = retention.maximumCount != nil || retention.maximumSize != nil
    return isCounted && last >= state.nextLook
  }

  /// `nil` where transactions of any age stay.
  private var age: TimeInterval? {
    retention.maximumAge.flatMap { $0.isNaN || $0 == .infinity ? nil : $0 }
  }

  // MARK: Looking

  private func look(_ state: inout State, _ step: PruningStep, _ last: Int64) throws {
    state.nextLook = last + 1
    guard let first = try step.firstTransaction() else { return }
    state.nextLook = .max
    state.first = first
    var kept: Int64 = 0
    if let age {
      kept = try step.first(since: Date().timeIntervalSinceReferenceDate - age) ?? last + 1
    }
    // Far more than there will be, and with room to calculate.
    if let count = retention.maximumCount.map({ Int64(min(max($0, 0), Int.max / 4)) }) {
      let tolerance = count / Int64(HistoryPruner.tolerance)
      if last - first < count {
        state.nextLook = first + count + tolerance
      } else {
        state.nextLook = last + 1 + tolerance
        kept = max(kept, count == 0 ? last + 1 : try step.newest(count) ?? 0)
      }
    }
    if let size = retention.maximumSize {
      state.nextLook = min(state.nextLook, last + HistoryPruner.sizeInterval)
      kept = max(kept, try firstKept(ofSize: Double(max(size, 0)), step, first, last))
    }
    state.firstKept = kept > first ? kept : 0
    if state.firstKept == 0 { state.oldest = try step.oldest() }
  }

  /// The first transaction of those that fit into some bytes; 0 where all do.
  private func firstKept(
    ofSize size: Double, _ step: PruningStep, _ first: Int64, _ last: Int64
  ) throws -> Int64 {
    guard let changes = try step.changes() else { return 0 }
    let count = Double(changes.last - changes.first + 1)
    let estimate = count * changes.size + Double(last - first + 1) * PruningStep.transactionSize
    if estimate <= size { return 0 }
    // Less than the limit, so that the next look is not due at once.
    let fitting = count * size / estimate * (1 - 1 / Double(HistoryPruner.tolerance))
    return try step.transaction(ofChange: changes.last - Int64(fitting) + 1) ?? last + 1
  }

  // MARK: Removing

  /// - Returns: Whether there is more to remove.
  private func run(
    _ step: PruningStep, _ state: inout State, until end: Int64
  ) throws -> Bool {
    if end <= state.first { return false }
    let reached = try step.remove(before: end, changes: HistoryPruner.changesAtOnce)
    state.first = reached
    if reached < state.firstKept { return reached < end }
    state.firstKept = 0
    state.oldest = try step.oldest()
    try step.removeUnusedTexts()
    return false
  }
}

extension RelationalStore {
  /// Forgets history that is beyond the limits; called behind a commit, which an error of it leaves as it is.
  /// - Parameter last: The number of the last transaction; it is read where it is `nil`.
  func pruneHistory(last: Int64? = nil) {
    guard let pruner, isWritable else { return }
    // What could not be pruned is due after the next change too.
    try? pruner.prune(self, last: last ?? lastTransaction())
  }

  private func lastTransaction() throws -> Int64 {
    try driver.read { session in
      try session.statement(plans.history.transactionKeys.largest).integer(.none) ?? 0
    }
  }
}
