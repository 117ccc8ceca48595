import Foundation
import SwiftData
import Testing

/// The history that Apple's SwiftData wrote into a file, held against plain SQL.
@Suite struct SchedulerFileHistoryTests {
  private let file: RealFile
  private let context: ModelContext

  init() throws {
    file = try RealFile("spezi-scheduler")
    context = ModelContext(
      try file.container(Scheduler.Task.self, Scheduler.Outcome.self, allowsSave: false))
  }

  private func transactions() throws -> [DefaultHistoryTransaction] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }

  @Test func transactionsAreThoseOfTheTables() throws {
    let transactions = try transactions()
    #expect(!transactions.isEmpty)
    #expect(
      try transactions.map { "\($0.transactionIdentifier)" }
        == file.column("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK"))
    #expect(
      try transactions.map(\.timestamp.timeIntervalSinceReferenceDate)
        == file.numbers("SELECT ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK"))
    func texts(_ column: String) throws -> [String?] {
      try file.column(
        """
        SELECT (SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column)) \
        FROM ATRANSACTION t ORDER BY t.Z_PK
        """)
    }
    #expect(try transactions.map(\.author) == texts("ZAUTHORTS"))
    #expect(try transactions.map(\.bundleIdentifier) == texts("ZBUNDLEIDTS").map { $0 ?? "" })
    #expect(try transactions.map(\.processIdentifier) == texts("ZPROCESSIDTS").map { $0 ?? "" })
    #expect(try transactions.map(\.contextName) == texts("ZCONTEXTNAMETS"))
  }

  @Test func changesAreThoseOfTheTables() throws {
    let changes = try transactions().flatMap(\.changes)
    #expect(
      try changes.map { "\($0.number)" } == file.column("SELECT Z_PK FROM ACHANGE ORDER BY Z_PK"))
    #expect(
      try changes.map { change in
        let type =
          switch change {
          case .insert: 0
          case .update: 1
          case .delete: 2
          }
        let identifier = change.changedPersistentIdentifier
        return "\(type) \(identifier.entityName) \(identifier.primaryKey)"
      }
        == file.column(
          """
          SELECT c.ZCHANGETYPE || ' ' || p.Z_NAME || ' p' || c.ZENTITYPK FROM ACHANGE c \
          JOIN Z_PRIMARYKEY p ON p.Z_ENT = c.ZENTITY ORDER BY c.Z_PK
          """))
  }
}

extension HistoryChange {
  /// The number of the change in a default store.
  fileprivate var number: Int64 {
    func number<I>(_ identifier: I) -> Int64 { identifier as? Int64 ?? -1 }
    return switch self {
    case .insert(let change): number(change.changeIdentifier)
    case .update(let change): number(change.changeIdentifier)
    case .delete(let change): number(change.changeIdentifier)
    }
  }
}
