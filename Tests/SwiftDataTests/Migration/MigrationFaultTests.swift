import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// Each operation of a migration with stages fails once: the store is that of before, or that of after.
@Suite struct MigrationFaultTests {
  private let folder: TemporaryFolder
  private let original: URL

  init() throws {
    folder = try TemporaryFolder()
    original = folder.url.appending(path: "original.store")
    try Journey.make(original)
  }

  private func reset() throws {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: folder.store.path + suffix)
    }
    try FileManager.default.copyItem(at: original, to: folder.store)
  }

  private func migrate() throws {
    let context = try Journey.open(
      Journey.Current.models, at: folder.store, plan: Journey.Plan.self)
    #expect(try context.fetchCount(FetchDescriptor<Journey.Current.Trip>()) == 3)
  }

  private func expectOldStore(_ operation: String) throws {
    let context = try Journey.open(Journey.V1.self, at: folder.store)
    let trips = try context.fetch(
      FetchDescriptor<Journey.V1.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["Oslo", "Rome", "Rome"], "\(operation)")
    #expect(trips.map(\.stops.count).reduce(0, +) == 3, "\(operation)")
  }

  private func expectNewStore(_ operation: String) throws {
    let context = try Journey.open(Journey.Current.models, at: folder.store)
    let trips = try context.fetch(
      FetchDescriptor<Journey.Current.Trip>(sortBy: [SortDescriptor(\.title)]))
    #expect(trips.map(\.title) == ["Oslo", "Rome", "Rome 2"], "\(operation)")
    #expect(trips.allSatisfy { $0.guide?.name == "Gina" }, "\(operation)")
    #expect(trips.map(\.stops.count).reduce(0, +) == 3, "\(operation)")
  }

  @Test(.enabled(if: FailureInjector.isAvailable), arguments: 0..<4)
  func anyOperationMayFail(_ part: Int) throws {
    try reset()
    let count = try FailureInjector.counting { try migrate() }
    #expect(count > 100)
    let version = "SELECT hex(Z_PLIST) LIKE '%332E302E30%' FROM Z_METADATA"
    // A quarter of the operations each, every other one as a disk that is full.
    for number in stride(from: 1 + part, through: count, by: 4) {
      try reset()
      let injector = FailureInjector(
        failingAt: number, number % 8 < 4 ? .inputOutput : .full,
        effect: number % 8 < 4 ? .none : .undoesTransaction)
      try? injector.run { try migrate() }
      let operation = "\(number): \(injector.operations.last ?? "")"
      if try SQLiteFile.integer(version, in: folder.store) == 1 {
        try expectNewStore(operation)
      } else {
        try expectOldStore(operation)
      }
    }
  }
}
