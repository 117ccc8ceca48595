#if OPENSWIFTDATA_INVARIANTS
  import OpenSwiftDataCSQLite
  import Synchronization
#endif

/// Makes one operation of stores fail, so that tests see what becomes of the rest: an opening of a database,
/// a statement, or a change of a file beside a store.
///
/// First count, then let each one fail:
///
/// ```swift
/// let count = try FaultInjector.counting { try migrate(copy()) }
/// for number in 1...count {
///   let store = try copy()
///   let injector = FaultInjector(failingAt: number, .full)
///   #expect(throws: (any Error).self) { try injector.run { try migrate(store) } }
///   expectUnchanged(store)
/// }
/// ```
///
/// It concerns the task that runs `run`, and what that calls on its thread. A statement counts when it
/// begins, whatever the number of its rows. `ROLLBACK` never fails, as with SQLite. Without the compilation
/// condition `OPENSWIFTDATA_INVARIANTS` nothing is counted and nothing fails.
package final class FaultInjector: Sendable {
  /// What happens besides the error.
  package enum Effect: Sendable {
    /// The operation is not done.
    case none
    /// The open transaction is undone too, as SQLite does it for a full disk.
    case undoesTransaction
  }

  /// The operation that fails, from 1; later ones succeed.
  package let number: Int?
  package let code: ResultCode
  package let effect: Effect

  /// - Parameters:
  ///   - number: Which operation fails, from 1; `nil` to count only.
  ///   - code: `.inputOutput` or `.full`.
  ///   - isLasting: Whether all later operations fail too, as on a disk that stays full.
  package init(
    failingAt number: Int?, _ code: ResultCode = .inputOutput, effect: Effect = .none,
    isLasting: Bool = false
  ) {
    self.number = number
    self.code = code
    self.effect = effect
    #if OPENSWIFTDATA_INVARIANTS
      self.isLasting = isLasting
    #endif
  }

  #if OPENSWIFTDATA_INVARIANTS
    /// Whether anything fails at all in this build.
    package static let isAvailable = true

    @TaskLocal private static var current: FaultInjector?

    private let isLasting: Bool
    private let passed = Mutex<[String]>([])

    /// What was done, each as a text; the last one failed if any did.
    package var operations: [String] { passed.withLock { $0 } }

    /// Lets operations fail while `body` runs.
    package func run<R>(_ body: () throws -> R) rethrows -> R {
      try FaultInjector.$current.withValue(self, operation: body)
    }

    /// Called before each operation.
    /// - Returns: The injector whose turn it is to fail.
    package static func failing(_ operation: @autoclosure () -> String) -> FaultInjector? {
      guard let current else { return nil }
      let operation = operation()
      if operation.hasPrefix("ROLLBACK") { return nil }
      let count = current.passed.withLock { passed in
        passed.append(operation)
        return passed.count
      }
      guard let number = current.number else { return nil }
      return count == number || current.isLasting && count > number ? current : nil
    }
  #else
    package static let isAvailable = false
    package var operations: [String] { [] }
    package func run<R>(_ body: () throws -> R) rethrows -> R { try body() }
    package static func failing(_ operation: @autoclosure () -> String) -> FaultInjector? { nil }
  #endif

  /// How many operations `body` takes.
  package static func counting(_ body: () throws -> Void) rethrows -> Int {
    let injector = FaultInjector(failingAt: nil)
    try injector.run(body)
    return injector.operations.count
  }
}

#if OPENSWIFTDATA_INVARIANTS
  extension FaultInjector {
    func fail(_ handle: OpaquePointer?, sql: String?) -> SQLiteError {
      if effect == .undoesTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      return SQLiteError(code, message: "a fault of a test", sql: sql)
    }
  }

  extension Statement {
    /// A statement that has given a row goes on.
    @usableFromInline
    func throwInjectedFault() throws {
      guard sqlite3_stmt_busy(handle) == 0, let injector = FaultInjector.failing(sql) else {
        return
      }
      throw injector.fail(sqlite3_db_handle(handle), sql: sql)
    }
  }
#endif
