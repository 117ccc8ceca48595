import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// An open container whose address leads to another store with the same models neither writes nor reads it.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct ReplacedStoreTests {
  private let database: MemoDatabase

  init() throws { database = try MemoDatabase() }

  private func execute(_ sql: String) throws {
    try PostgresServer.shared.connect().execute(sql)
  }

  private func expectRefusal(
    _ kind: SwiftDataError, _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    let error = #expect(throws: kind, sourceLocation: location, performing: body)
    // The same call does not succeed later.
    #expect(error?.reason == .schemaMismatch, sourceLocation: location)
    #expect(error?.reason.isTransient == false, sourceLocation: location)
    #expect(
      error?.description.contains("leads to another store") == true,
      "\(String(describing: error))", sourceLocation: location)
  }

  /// The first row of both stores has the same key.
  @Test(arguments: [PostgresProfile.postgreSQL, .portable])
  func aSchemaThatWasMadeAnewIsNotWritten(profile: PostgresProfile) throws {
    let container = try database.container { $0.profile = profile }
    let context = ModelContext(container)
    let memo = Memo("a")
    context.insert(memo)
    try context.save()
    try execute("DROP SCHEMA \(database.schema) CASCADE; CREATE SCHEMA \(database.schema)")
    let later = try database.container { $0.profile = profile }
    try later.add("z")
    memo.text = "a2"
    expectRefusal(.storeWriteFailure) { try context.save() }
    #expect(context.hasChanges)
    expectRefusal(.storeWriteFailure) { try ModelContext(container).transaction {} }
    expectRefusal(.storeWriteFailure) { try ModelContext(container).delete(model: Memo.self) }
    #expect(try later.texts() == ["z"])
  }

  @Test func aStoreThatTookThePlaceOfAnotherIsNotReadUntilItIsBack() throws {
    let other = try MemoDatabase()
    let (container, replacement) = (try database.container(), try other.container())
    try container.add("a")
    try replacement.add("z")
    func swap() throws {
      try execute(
        """
        ALTER SCHEMA \(database.schema) RENAME TO \(database.schema)_swap;
        ALTER SCHEMA \(other.schema) RENAME TO \(database.schema);
        ALTER SCHEMA \(database.schema)_swap RENAME TO \(other.schema)
        """)
    }
    try swap()
    expectRefusal(.storeReadFailure) {
      // Longer than the time for which a check holds.
      let end = ContinuousClock.now + .seconds(20)
      while ContinuousClock.now < end { _ = try container.texts() }
    }
    expectRefusal(.storeWriteFailure) { try container.add("b") }
    try swap()
    try container.add("b")
    #expect(try container.texts() == ["a", "b"])
    #expect(try replacement.texts() == ["z"])
  }
}
