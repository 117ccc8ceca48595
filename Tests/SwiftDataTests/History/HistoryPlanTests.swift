import Foundation
import SwiftData
import Testing

/// The SQL of predicates over transactions, and how SQLite answers it.
struct HistoryPlanTests {
  private let court: HistoryCourt

  init() throws { court = try HistoryCourt() }

  @Test func aTokenIsTheBeginningOfARangeOfRows() throws {
    let token = court.token(4)
    let predicate = #Predicate<DefaultHistoryTransaction> { $0.token > token }
    #expect(court.sql(predicate) == #""ATRANSACTION" AS "t0" WHERE "t0"."Z_PK" > ?1"#)
    let plan = try court.plan(predicate, limit: 100)
    #expect(plan == ["SEARCH t0 USING INTEGER PRIMARY KEY (rowid>?)"])
    let list = [token, court.token(7)]
    #expect(
      try court.plan(#Predicate { list.contains($0.token) })
        == ["SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"])
  }

  @Test func anAuthorIsFoundByItsKey() throws {
    let author = "app"
    let predicate = #Predicate<DefaultHistoryTransaction> { $0.author == author }
    let plan = try court.plan(predicate, sortBy: [])
    #expect(plan.contains { $0.contains("ATRANSACTION_ZAUTHORTS_INDEX") }, "\(plan)")
    #expect(plan.contains { $0.contains("Z_TRANSACTIONSTRING_UNIQUE_NAME") }, "\(plan)")
    #expect(!plan.contains("SCAN t0"), "\(plan)")
  }

  @Test func changesAreLookedUpByTheirTransaction() throws {
    let token = court.token(4)
    let names = ["Stop"]
    let predicate = #Predicate<DefaultHistoryTransaction> { transaction in
      transaction.token > token
        && transaction.changes.contains {
          names.contains($0.changedPersistentIdentifier.entityName)
        }
    }
    let plan = try court.plan(predicate, limit: 100)
    #expect(plan.first == "SEARCH t0 USING INTEGER PRIMARY KEY (rowid>?)")
    #expect(plan.contains { $0.contains("ACHANGE_ZTRANSACTIONID_INDEX (ZTRANSACTIONID=?)") })
    #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    #expect(
      court.sql(predicate) == #"""
        "ATRANSACTION" AS "t0" WHERE "t0"."Z_PK" > ?1 AND EXISTS (SELECT 1 FROM "ACHANGE" AS "t1" \#
        WHERE "t1"."ZTRANSACTIONID" = "t0"."Z_PK" AND "t1"."ZCHANGETYPE" IN (0, 1, 2) \#
        AND "t1"."ZENTITY" = 1)
        """#)
  }

  @Test func ordersByTokenNeedNoSort() throws {
    let plan = try court.plan(nil, limit: 10, sortBy: [SortDescriptor(\.token, order: .reverse)])
    #expect(plan == ["SCAN t0"])
    let byTime = try court.plan(
      nil, limit: 10, sortBy: [SortDescriptor(\.timestamp, order: .reverse)])
    #expect(byTime.first?.contains("Z_TRANSACTION_TransactionTimestampIndex") == true, "\(byTime)")
  }
}
