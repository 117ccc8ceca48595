import Foundation
import OpenSwiftDataSQLSyntax

extension RelationalStore {
  /// Counts the rows of the history, and estimates their size as the pruner does.
  package func historySize() throws -> HistorySize? {
    if history == nil { return nil }
    return try driver.snapshot(canRepeat: { true }) {
      try driver.read { session in
        let step = PruningStep(session: session, plans: plans)
        let transactions = try count(.transaction, session)
        let changes = try countOfChanges(session)
        let oldest = try step.oldest()
        let size = try step.changes()?.size ?? 0
        return HistorySize(
          storeIdentifier: identifier, transactionCount: transactions, changeCount: changes,
          oldest: oldest.map(Date.init(timeIntervalSinceReferenceDate:)),
          byteCount: Int(
            Double(changes) * size + Double(transactions) * PruningStep.transactionSize))
      }
    }
  }

  private func countOfChanges(_ session: any SQLSession) throws -> Int {
    let rows = try count(.change, session)
    guard plans.historyHasRanges else { return rows }
    typealias Change = HistoryTables.Change
    let others = SQLExpression.binary(
      .column(table: nil, name: Change.key), .subtract,
      .column(table: nil, name: Change.firstKey))
    return try rows
      + integer(
        .cast(.function("sum", [others]), to: .integer), .change, session)
  }

  private func count(_ entity: HistoryTables.Entity, _ session: any SQLSession) throws -> Int {
    try integer(.function("count", [RowColumns.key()]), entity, session)
  }

  private func integer(
    _ value: SQLExpression, _ entity: HistoryTables.Entity, _ session: any SQLSession
  ) throws -> Int {
    let select = Select([value], from: TableReference(entity.table))
    return try Int(
      session.statement(select.rendered(in: driver.dialect).sql).integer(.none) ?? 0)
  }
}
