import OpenSwiftDataSQLSyntax
import Synchronization

/// Reads what other containers and processes have committed to a store, on the queue of
/// `RemoteCommitHub`.
///
/// Each look is one transaction on the writing session, if there is one. The database tells that
/// session whether other connections have written, and no write can happen between this answer and
/// reading the history.
package final class RemoteCommitReader: Sendable {
  /// With more changes than this, individual rows are not reported.
  @TaskLocal package static var defaultLimit = 20_000

  /// What other writers have changed since the last look, according to the history.
  package struct Changes: Sendable {
    package var inserted: [PersistentIdentifier] = []
    /// Each with the slots of the changed properties.
    package var updated: [(identifier: PersistentIdentifier, slots: SlotSet)] = []
    package var deleted: [PersistentIdentifier] = []
    /// Whether any row may have been changed, inserted or deleted.
    package var isEverything = false

    package static var everything: Changes { Changes(isEverything: true) }
  }

  private struct State {
    var judge: RemoteCommitJudge?
    /// The change stamps of the sessions at their last look.
    var stamps: [ObjectIdentifier: Int64] = [:]
  }

  private let store: RelationalStore
  private let statements: Statements?
  private let state = Mutex(State())
  private let limit = RemoteCommitReader.defaultLimit

  /// Records the current state of the store; only later commits are reported.
  ///
  /// While another thread of the process has the writing session, the first look does this, and reports
  /// that anything may have been changed.
  package init(_ store: RelationalStore) {
    self.store = store
    statements = store.history.map { Statements($0, in: store.driver.dialect) }
    store.ownTransactions.begin()
    try? state.withLock { state in
      try snapshot(within: .zero) { try begin($0, &state) }
    }
  }

  deinit { store.ownTransactions.end() }

  /// - Returns: What other writers have committed since the last look; `nil` if there is nothing.
  /// - Throws: Any error of the store. The next call then reports these commits.
  package func look() throws -> Changes? {
    try state.withLock { state in
      try snapshot { session in
        guard var judge = state.judge else {
          try begin(session, &state)
          return .everything
        }
        let stamp = try session.changeStamp().others
        var finding = try finding(session, after: judge.last)
        // A session without an earlier stamp can't report changes.
        finding.hasForeignCommits =
          reportsChanges && state.stamps[ObjectIdentifier(session)] != stamp
        let found = try changes(session, judge.judge(finding))
        if found != nil { store.driver.includeInReads(judge.last) }
        state.judge = judge
        if reportsChanges { state.stamps[ObjectIdentifier(session)] = stamp }
        store.ownTransactions.forget(through: judge.last)
        return found
      }
    }
  }

  /// The number of the last transaction at the last look that succeeded; `nil` before the first one.
  package var lastNumber: Int64? { state.withLock { $0.judge?.last } }

  private func begin(_ session: any SQLSession, _ state: inout State) throws {
    state.stamps[ObjectIdentifier(session)] = try session.changeStamp().others
    let last = try finding(session, after: .max).last
    let newest = try finding(session, after: max(last, 1) - 1)
    let isExtended =
      try statements != nil
      && HistoryRows(session: session, plans: store.plans).extendedGap(end: last) != nil
    state.judge = RemoteCommitJudge(
      last: last, oldest: newest.oldest,
      endsInGap: isExtended || newest.transactions.contains(where: \.isGap))
  }

  /// Whether the database reports commits of other connections. If not, only the history shows them.
  private var reportsChanges: Bool { store.driver.capabilities.reportsChanges }

  /// - Parameter limit: How long to wait for the writing session; `nil` for the driver's own limit.
  private func snapshot<R>(
    within limit: Duration? = nil, _ body: (any SQLSession) throws -> R
  ) throws -> R {
    guard store.isWritable, reportsChanges else {
      return try store.driver.readingPrimary {
        try store.driver.read { session in try session.snapshot { try body(session) } }
      }
    }
    func read(_ session: any SQLSession) throws -> R {
      try session.snapshot { try body(session) }
    }
    guard let limit else {
      return try store.driver.write(else: "nothing was written", read)
    }
    let writer = try store.driver.leaseWriter(for: nil, within: limit)
    defer { writer.end() }
    return try writer.use(read)
  }

  private func finding(
    _ session: any SQLSession, after last: Int64
  ) throws -> RemoteCommitJudge.Finding {
    guard let statements else {
      return .init(hasForeignCommits: false, last: 0, oldest: nil, transactions: [])
    }
    let rows = HistoryRows(session: session, plans: store.plans)
    let values = try session.statement(statements.transactions).values(
      .values([.integer(last), .integer(Int64(limit))]))
    var transactions = values.map { row in
      let number = row[0].integer ?? 0
      let isOwn = store.ownTransactions.contains(number, at: row[1].real ?? 0)
      return RemoteCommitJudge.Transaction(
        number: number, isOwn: isOwn, isGap: row[2].integer == 0)
    }
    let newest = try rows.lastAssignedNumber()
    if let deleted = try DeletedHistory(session: session, plans: store.plans).record() {
      // With so many, not all of them were read.
      let isTruncated = transactions.count >= limit
      return .init(
        hasForeignCommits: false, last: newest, oldest: deleted.start + 1,
        transactions: transactions, lastDeleted: isTruncated ? .max : deleted.last)
    }
    if newest > last {
      // Own transactions without a row: a store without history leaves one gap after several saves.
      let found = Set(transactions.map(\.number))
      transactions += store.ownTransactions.numbers(in: last + 1...newest)
        .filter { !found.contains($0) }.map { .init(number: $0, isOwn: true, isGap: true) }
      transactions.sort { $0.number < $1.number }
    }
    return .init(
      hasForeignCommits: false, last: newest, oldest: try rows.oldest(), transactions: transactions)
  }

  private func changes(
    _ session: any SQLSession, _ verdict: RemoteCommitJudge.Verdict
  ) throws -> Changes? {
    var changes = Changes()
    switch verdict {
    case .nothing: return nil
    case .everything: changes.isEverything = true
    case .transactions(let numbers):
      guard let statements else { return nil }
      let values = try session.statement(statements.changes).values(
        .values([.text(store.driver.dialect.list(numbers)), .integer(Int64(limit) + 1)]))
      let counts = values.map { row in
        HistoryTables.Change.count(
          from: store.plans.historyHasRanges ? row[4].integer : nil, to: row[2].integer ?? 0)
      }
      if counts.reduce(0, +) > limit {
        changes.isEverything = true
      } else {
        for (row, count) in zip(values, counts) { add(row, count, to: &changes) }
      }
    }
    return changes
  }

  /// - Parameters:
  ///   - row: The kind of change, entity number, last key, and the bits of an update.
  ///   - count: The number of rows.
  private func add(_ row: [_StoredValue], _ count: Int64, to changes: inout Changes) {
    guard let type = row[0].integer.flatMap(HistoryTables.ChangeType.init),
      let entity = store.mapping.entity(number: Int(row[1].integer ?? 0)),
      let last = row[2].integer
    else { return }
    let scope = store.plans.scope(number: entity.number)
    let identifiers = (0..<count).lazy.map {
      PersistentIdentifier(scope: scope, key: last - count + 1 + $0)
    }
    switch type {
    case .inserted: changes.inserted += identifiers
    case .deleted: changes.deleted += identifiers
    case .updated:
      let slots = row[3].blob.map { store.plans.changes(of: entity).columns.slots(of: $0) } ?? .all
      changes.updated += identifiers.map { ($0, slots) }
    }
  }
}

extension RemoteCommitReader {
  private struct Statements: Sendable {
    /// Reads number, time, and whether there are changes, of the transactions after parameter 0;
    /// parameter 1 is the limit.
    let transactions: String
    /// Reads the rows of changes of the transactions in list 0; parameter 1 is the limit.
    let changes: String

    init(_ tables: HistoryTables, in dialect: SQLDialect) {
      typealias Change = HistoryTables.Change
      let change = HistoryTables.Entity.change.table
      let transaction = HistoryTables.Entity.transaction.table
      func column(_ name: String, of table: String) -> SQLExpression {
        .column(table: table, name: name)
      }
      let some = Select(
        [.integer(1)], from: TableReference(change),
        where: .binary(
          column(Change.transaction, of: change), .equal, RowColumns.key(of: transaction)))
      transactions =
        Select(
          [
            RowColumns.key(of: transaction),
            column(HistoryTables.Transaction.timestamp, of: transaction), .exists(some),
          ], from: TableReference(transaction),
          where: .binary(RowColumns.key(of: transaction), .greater, .parameter(0)),
          orderBy: [.key(RowColumns.key(of: transaction))], limit: .parameter(1)
        ).rendered(in: dialect).sql
      changes =
        Select(
          ([Change.type, Change.entity, Change.key, Change.columns]
            + (tables.hasRanges ? [Change.firstKey] : [])).map { column($0, of: change) },
          from: TableReference(change),
          where: .isMember(
            column(Change.transaction, of: change),
            of: ListParameter(.parameter(0), of: .integer)), limit: .parameter(1)
        ).rendered(in: dialect).sql
    }
  }
}
