import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataTestModels
import SwiftData
import Testing

/// Processes that migrate a store: killed at random moments, or several at once.
///
/// `OPENSWIFTDATA_KILLS` is how many are killed, `CRASH_SEED` chooses other moments.
@Suite(.serialized) struct MigratingProcessTests {
  private static let count = 1500

  /// The store that each test copies.
  private static let template = Result {
    let folder = try TemporaryFolder()
    try Freight.make(folder.store, count: count)
    return folder
  }

  private let made: TemporaryFolder

  init() throws { made = try MigratingProcessTests.template.get() }

  private func copy() throws -> TemporaryFolder { try TemporaryFolder(copying: made) }

  @Test func aKilledMigrationIsDoneOrNotBegun() async throws {
    let environment = ProcessInfo.processInfo.environment
    let kills = environment["OPENSWIFTDATA_KILLS"].flatMap(Int.init) ?? 12
    var random = SeededRandom(environment["CRASH_SEED"].flatMap(UInt64.init) ?? 5)
    // The moments lie in the time that the fastest of some processes takes.
    var longest = Double.infinity
    for _ in 0..<3 {
      let folder = try copy()
      let (text, seconds) = try await onThread {
        let begin = ContinuousClock.now
        let text = try StoreWorkerProcess(["migrate", folder.store.path]).finishedText()
        return (text, (ContinuousClock.now - begin) / .seconds(1))
      }
      #expect(text.hasSuffix("migrated 1350 1\n"), "\(text)")
      longest = min(longest, seconds)
    }
    let before = try MigratedStore.content(of: made.store)
    var (old, new) = (0, 0)
    for attempt in 0..<kills {
      let folder = try copy()
      let delay = Double.random(in: longest / 10..<longest, using: &random)
      try await onThread {
        try StoreWorkerProcess(["migrate", folder.store.path]).kill(after: delay)
      }
      let isOld = try MigratedStore.content(of: folder.store) == before
      if isOld {
        old += 1
        try expectFirst(folder, "kill \(attempt)")
      } else {
        new += 1
      }
      try expectSecond(folder, "kill \(attempt)")
    }
    #expect(old > 0, "\(new) of \(kills) were migrated")
    if kills > 12 { print("killed: \(old) not begun, \(new) done") }
  }

  private func expectFirst(_ folder: TemporaryFolder, _ comment: Comment) throws {
    let context = try Freight.open(Freight.V1.self, folder.store)
    let crates = try context.fetch(
      FetchDescriptor<Freight.V1.Crate>(sortBy: [SortDescriptor(\.number)]))
    #expect(crates.map(\.number) == Array(0..<MigratingProcessTests.count), comment)
    for crate in crates where crate.number % 50 == 0 {
      #expect(crate.data == Freight.data(crate.number, edit: 1), comment)
    }
    #expect(crates.allSatisfy { $0.depot?.name == "depot \($0.number % 5)" }, comment)
    try folder.expectWhole(MigratingProcessTests.count / 50)
    #expect(folder.journals.isEmpty, comment)
  }

  /// Completes the migration where it is not done.
  private func expectSecond(_ folder: TemporaryFolder, _ comment: Comment) throws {
    let context = try Freight.open(Freight.V2.self, folder.store, plan: Freight.Plan.self)
    let crates = try context.fetch(
      FetchDescriptor<Freight.V2.Crate>(sortBy: [SortDescriptor(\.number)]))
    #expect(
      crates.map(\.number) == (0..<MigratingProcessTests.count).filter { $0 % 10 != 9 }, comment)
    for crate in crates where crate.number % 50 == 0 {
      let edit = crate.number % 100 == 0 ? 2 : 1
      #expect(crate.data == Freight.data(crate.number, edit: edit), comment)
    }
    #expect(
      crates.allSatisfy {
        $0.weight == Double($0.number) / 2 && $0.label == "crate \($0.number)"
          && $0.depot?.name == "depot \($0.number % 5)"
      }, comment)
    #expect(try context.fetchCount(FetchDescriptor<Freight.V2.Mark>()) == 1, comment)
    try folder.expectWhole(MigratingProcessTests.count / 50)
    #expect(folder.journals.isEmpty, comment)
    #expect(try SQLiteFile.text("PRAGMA integrity_check", in: folder.store) == "ok", comment)
  }

  @Test func twoProcessesMigrateOnce() async throws {
    for round in 0..<10 {
      let folder = try copy()
      let workers = try (0..<2).map { _ in
        try StoreWorkerProcess(["migrate", folder.store.path])
      }
      for worker in workers {
        let text = try await worker.text()
        #expect(text.hasSuffix("migrated 1350 1\n"), "round \(round): \(text)")
      }
      if round == 0 { try expectSecond(folder, "round \(round)") }
    }
  }

  @Test func aWriterThatDoesNotEndIsNamed() async throws {
    let folder = try copy()
    let before = try MigratedStore.content(of: folder.store)
    let writer = try Connection(path: folder.store.path)
    try writer.execute("BEGIN IMMEDIATE")
    let text = try await StoreWorkerProcess(["migrate", folder.store.path]).text()
    #expect(text.contains("is being written by another process or container"), "\(text)")
    #expect(text.contains("Try again later; the file is unchanged"), "\(text)")
    try writer.execute("ROLLBACK")
    #expect(try MigratedStore.content(of: folder.store) == before)
    try expectSecond(folder, "after the writer")
  }
}
