import SwiftData
import Synchronization

/// What the stores of a container tell of their work.
final class StatementRecorder: Sendable {
  private let statements = Mutex<[StatementLog.Statement]>([])
  private let inMemory = Mutex<[StatementLog.InMemoryWork]>([])
  private let recordedWaits = Mutex<[StatementLog.Wait]>([])

  /// All waits until now.
  var waits: [StatementLog.Wait] { recordedWaits.withLock(\.self) }

  func log(includesValues: Bool = false) -> StatementLog {
    StatementLog(includesValues: includesValues) { event in
      switch event {
      case .statement(let statement): self.statements.withLock { $0.append(statement) }
      case .inMemory(let work): self.inMemory.withLock { $0.append(work) }
      case .wait(let wait): self.recordedWaits.withLock { $0.append(wait) }
      case .checkpoint, .repetition: break
      }
    }
  }

  func container(
    _ types: [any PersistentModel.Type], includesValues: Bool = false
  ) throws -> ModelContainer {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.statementLog = log(includesValues: includesValues)
    return try ModelContainer(for: Schema(types), configurations: configuration)
  }

  /// The statements that run meanwhile, without those that write the history.
  ///
  /// On PostgreSQL also without transactions, locks and checks, which a store in memory does not have.
  func during(_ body: () throws -> Void) rethrows -> [StatementLog.Statement] {
    statements.withLock { $0 = [] }
    try body()
    return statements.withLock { $0 }.filter { statement in
      // The tables of the history, and the numbers of their entities.
      !["\"ACHANGE\"", "\"ATRANSACTION", "= 1600"].contains { statement.sql.contains($0) }
        && !(PostgresTestStores.current != nil && Self.isOfServer(statement.sql))
    }
  }

  private static func isOfServer(_ sql: String) -> Bool {
    ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "LOCK", "SET", "SELECT txid_current"]
      .contains { sql.hasPrefix($0) }
      || ["\"Z_METADATA\"", "nextval("].contains { sql.contains($0) }
  }

  /// What was left to memory meanwhile.
  func leftToMemory(during body: () throws -> Void) rethrows -> [StatementLog.InMemoryWork] {
    inMemory.withLock { $0 = [] }
    try body()
    return inMemory.withLock { $0 }
  }
}
