import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataTestModels
import SwiftData
import Testing

/// A process is killed at random moments while it saves; whoever opens the file next finds every
/// save there whole or not at all, and every save that was reported there.
///
/// `CRASH_MOMENTS` is how many processes are killed, `CRASH_SEED` chooses other moments.
@Suite(.serialized) struct CrashTests {
  private static let size = 200

  @Test func aKilledProcessLosesNothingThatItSaved() async throws {
    let environment = ProcessInfo.processInfo.environment
    let moments = environment["CRASH_MOMENTS"].flatMap(Int.init) ?? 12
    var random = SeededRandom(environment["CRASH_SEED"].flatMap(UInt64.init) ?? 1)
    var begun = 0
    for moment in 0..<moments {
      let folder = try TemporaryFolder()
      // One in six is killed while it opens the store.
      let awaitsFirstSave = moment % 6 > 0
      let reported = try await killedWorker(
        folder.store, "chain", afterFirstSave: awaitsFirstSave,
        delay: Double.random(in: 0..<(awaitsFirstSave ? 0.2 : 0.08), using: &random))
      try expectWhole(folder.store, reported: reported)
      if reported > 0 { begun += 1 }
    }
    #expect(begun > moments / 2)
  }

  @Test func aProcessThatIsKilledWhilePruningLeavesWholeTransactions() async throws {
    var random = SeededRandom(2)
    for _ in 0..<6 {
      let folder = try TemporaryFolder()
      let reported = try await killedWorker(
        folder.store, "prune", afterFirstSave: true,
        delay: Double.random(in: 0..<0.2, using: &random)
      )
      try expectWhole(folder.store, reported: reported, isPruned: true)
      let kept = try SQLiteFile.integer("SELECT count(*) FROM ATRANSACTION", in: folder.store)
      // The last one may have been committed, and its step of pruning not begun; steps are small, so they may
      // be a few saves behind.
      #expect((1...8).contains(kept))
    }
  }

  /// - Returns: The number of the last save that the process reported.
  private func killedWorker(
    _ store: URL, _ verb: String, afterFirstSave: Bool, delay: TimeInterval
  ) async throws -> Int {
    try await StoreWorkerProcess.lastSave(
      ofKilled: [verb, store.path, "100000", "\(CrashTests.size)"], afterFirstSave: afterFirstSave,
      delay: delay)
  }

  /// Each save adds a batch, marks the members of the batch before it, and deletes the third last
  /// with its members.
  private func expectWhole(_ store: URL, reported: Int, isPruned: Bool = false) throws {
    let container = try ModelContainer(
      for: Batch.self, Parcel.self, configurations: ModelConfiguration(url: store))
    let context = ModelContext(container)
    let batches = try context.fetch(FetchDescriptor<Batch>(sortBy: [SortDescriptor(\.number)]))
    let last = batches.last?.number ?? 0
    #expect(last >= reported)
    #expect(batches.map(\.number) == Array(max(1, last - 1)..<(last + 1)))
    for batch in batches {
      #expect(Set(batch.members.map(\.index)) == Set(0..<CrashTests.size))
      #expect(batch.members.count == CrashTests.size)
      let mark = batch.number == last ? Parcel.text : "before \(last)"
      #expect(batch.members.allSatisfy { $0.text == mark })
    }
    #expect(
      try context.fetchCount(FetchDescriptor<Parcel>()) == batches.count * CrashTests.size)
    #expect(try SQLiteFile.text("PRAGMA integrity_check", in: store) == "ok")
    let dangling = try SQLiteFile.integer(
      """
      SELECT count(*) FROM ZPARCEL
      WHERE ZBATCH IS NULL OR ZBATCH NOT IN (SELECT Z_PK FROM ZBATCH)
      """, in: store)
    #expect(dangling == 0)
    try expectWholeHistory(store, isPruned: isPruned)
    try expectHistory(ofSave: last, in: store)
    context.insert(Parcel(index: 1))
    try context.save()
    let keys = try SQLiteFile.integer(
      "SELECT max(Z_PK) - (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Parcel') FROM ZPARCEL",
      in: store)
    #expect(keys == 0)
  }

  /// The history has the transactions of the saves that are there, each with all that it changed.
  private func expectWholeHistory(_ store: URL, isPruned: Bool) throws {
    let unaccounted = try SQLiteFile.integer(
      """
      SELECT (SELECT count(*) FROM ZPARCEL) + (SELECT count(*) FROM ZBATCH)
        - (SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 0)
        + (SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 2)
      """, in: store)
    if !isPruned { #expect(unaccounted == 0) }
    let homeless = try SQLiteFile.integer(
      """
      SELECT count(*) FROM ACHANGE
      WHERE ZTRANSACTIONID IS NULL OR ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)
      """, in: store)
    #expect(homeless == 0)
    let empty = try SQLiteFile.integer(
      """
      SELECT count(*) FROM ATRANSACTION WHERE Z_PK NOT IN (SELECT ZTRANSACTIONID FROM ACHANGE)
      """, in: store)
    #expect(empty == 0)
    let misnumbered = try SQLiteFile.integer(
      """
      SELECT (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001)
        - ifnull((SELECT max(Z_PK) FROM ACHANGE), 0)
        + 1000000 * ((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002)
        - ifnull((SELECT max(Z_PK) FROM ATRANSACTION), 0))
      """, in: store)
    #expect(misnumbered == 0)
  }

  /// The last transaction has what the last save did: it inserted a batch, updated the members of the one before,
  /// and deleted the third last.
  private func expectHistory(ofSave number: Int, in store: URL) throws {
    let differences = try SQLiteFile.integer(
      """
      WITH recorded(type, entity, key) AS (SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE
          WHERE ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION)),
        done AS (
          SELECT 0 AS type, Z_ENT, Z_PK FROM ZBATCH WHERE ZNUMBER = \(number)
          UNION ALL SELECT 0, Z_ENT, Z_PK FROM ZPARCEL
          WHERE ZBATCH = (SELECT Z_PK FROM ZBATCH WHERE ZNUMBER = \(number))
          UNION ALL SELECT 1, Z_ENT, Z_PK FROM ZPARCEL
          WHERE ZBATCH = (SELECT Z_PK FROM ZBATCH WHERE ZNUMBER = \(number - 1)))
      SELECT (SELECT count(*) FROM (SELECT * FROM done EXCEPT SELECT * FROM recorded))
        + (SELECT count(*) FROM (SELECT * FROM recorded WHERE type < 2 EXCEPT SELECT * FROM done))
      """, in: store)
    #expect(differences == 0)
    let deleted = try SQLiteFile.integer(
      """
      SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 2
      AND ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION)
      """, in: store)
    #expect(deleted == (number > 2 ? Int64(CrashTests.size) + 1 : 0))
  }
}
