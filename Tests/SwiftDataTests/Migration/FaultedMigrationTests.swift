import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// Each operation of a migration fails once: the store is then as it was, or, behind the commit, whole in its new
/// form. `MIGRATION_FAULTS=all` tries every operation with every kind of fault; otherwise some are tried.
@Suite(.serialized, .enabled(if: FailureInjector.isAvailable)) struct FaultedMigrationTests {
  private enum Fault: CaseIterable {
    case once, undoing, lasting

    func injector(_ number: Int) -> FailureInjector {
      switch self {
      case .once: FailureInjector(failingAt: number, .inputOutput)
      case .undoing: FailureInjector(failingAt: number, .full, effect: .undoesTransaction)
      case .lasting: FailureInjector(failingAt: number, .full, isLasting: true)
      }
    }
  }

  private let made: TemporaryFolder

  init() throws {
    made = try TemporaryFolder()
    try Faulted.make(made.store)
  }

  @Test(arguments: [Int64(20_000), 0]) func aChangeOfTables(_ smallTable: Int64) throws {
    try SchemaChange.$smallTable.withValue(smallTable) {
      try expectAllOrNothing(
        migrate: { _ = try Faulted.open(Faulted.V2.self, $0, plan: Faulted.PlainPlan.self) },
        expectNew: Faulted.expectSecond)
    }
  }

  @Test func stagesWithCode() throws {
    try expectAllOrNothing(
      migrate: { _ = try Faulted.open(Faulted.V3.self, $0, plan: Faulted.Plan.self) },
      expectNew: Faulted.expectThird)
  }

  @Test func aMigrationThatKeepsABackup() throws {
    try expectAllOrNothing(
      migrate: {
        _ = try Faulted.open(
          Faulted.V2.self, $0, plan: Faulted.PlainPlan.self, keepsBackup: true)
      }, expectNew: Faulted.expectSecond)
  }

  private func expectAllOrNothing(
    migrate: (URL) throws -> Void, expectNew: (URL, Comment) throws -> Void
  ) throws {
    let before = try MigratedStore.content(of: made.store)
    let names = try listing(made)
    let model = try copy()
    let counter = FailureInjector(failingAt: nil)
    try counter.run { try migrate(model.store) }
    try expectNew(model.store, "without a fault")
    let operations = counter.operations
    try #require(operations.count > 100)
    // Reading ends with a commit too, so the one that counts is the first behind the last change of a table.
    let change = try #require(operations.lastIndex { $0.contains("\"Z_METADATA\" SET") })
    let commit = try #require(operations[change...].firstIndex(of: "COMMIT"))
    // The indexes count from zero.
    let commits = [Fault.once, .undoing].map { (number: commit + 1, fault: $0) }
    for (number, fault) in attempts(operations.count) + commits {
      let operation = operations[number - 1]
      let comment: Comment = "\(fault) at \(number) of \(operations.count): \(operation)"
      let folder = try copy()
      let error = failure { try fault.injector(number).run { try migrate(folder.store) } }
      let isOld = try MigratedStore.content(of: folder.store) == before
      #expect(isOld || number > commit, comment)
      if isOld {
        let error = try #require(error as? SwiftDataError, comment)
        #expect(error.description.count > 60, comment)
        // Reading needs no space.
        let isRead = operation.hasPrefix("SELECT")
        #expect(fault == .once || isRead || error.reason == .diskFull, "\(comment): \(error)")
        try Faulted.expectFirst(folder.store, comment)
        try expectBackups(in: folder, names, comment)
        // A full disk needs the space. The outcome of a commit that failed otherwise may change, so its
        // copy is kept for the next attempt.
        if number == commit + 1, fault == .undoing { #expect(try copies(folder) == [], comment) }
        try migrate(folder.store)
        #expect(try copies(folder).count <= 1, comment)
      }
      try expectNew(folder.store, comment)
    }
  }

  /// What a failure leaves beside the store, once that was opened: nothing, or a whole copy.
  private func expectBackups(
    in folder: TemporaryFolder, _ names: Set<String>, _ comment: Comment
  ) throws {
    let others = try listing(folder).subtracting(names)
    #expect(others.filter { !$0.contains("-before-") } == [], comment)
    for name in others where name.hasSuffix(".store") {
      try Faulted.expectFirst(folder.url.appending(path: name), comment)
    }
    #expect(others.filter { $0.hasSuffix(".store") }.isEmpty == others.isEmpty, comment)
  }

  private func copies(_ folder: TemporaryFolder) throws -> [String] {
    try listing(folder).filter { $0.contains("-before-") && $0.hasSuffix(".store") }
  }

  private func attempts(_ count: Int) -> [(number: Int, fault: Fault)] {
    if ProcessInfo.processInfo.environment["MIGRATION_FAULTS"] == "all" {
      return (1...count).flatMap { number in Fault.allCases.map { (number, $0) } }
    }
    let faults = Fault.allCases
    return stride(from: 1, through: count, by: max(1, count / 14)).enumerated()
      .map { ($0.element, faults[$0.offset % faults.count]) } + [(count, .once)]
  }

  private func failure(_ body: () throws -> Void) -> (any Error)? {
    do {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private func copy() throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    for name in try FileManager.default.contentsOfDirectory(atPath: made.url.path) {
      try FileManager.default.copyItem(
        at: made.url.appending(path: name), to: copy.url.appending(path: name))
    }
    return copy
  }

  /// The files, of which SQLite's own log and index are left out.
  private func listing(_ folder: TemporaryFolder) throws -> Set<String> {
    Set(
      try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).filter {
        !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
      })
  }
}
