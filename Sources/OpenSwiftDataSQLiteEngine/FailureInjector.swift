#if OPENSWIFTDATA_INVARIANTS
  import OpenSwiftDataCSQLite
  import Synchronization
#endif

/// Makes one operation of stores fail, so that tests can check the result: opening a database, a
/// statement, or a change of a file beside a store.
///
/// First count the operations, then let each one fail:
///
/// ```swift
/// let count = try FailureInjector.counting { try migrate(copy()) }
/// for number in 1...count {
///   let store = try copy()
///   let injector = FailureInjector(failingAt: number, .full)
///   #expect(throws: (any Error).self) { try injector.run { try migrate(store) } }
///   expectUnchanged(store)
/// }
/// ```
///
/// It affects the task that calls `run`, and everything that it calls on its thread. A statement
/// counts once, when it begins. `ROLLBACK` never fails, as in SQLite. Without the compilation
/// condition `OPENSWIFTDATA_INVARIANTS` nothing is counted and nothing fails.
package final class FailureInjector: Sendable {
  /// What happens in addition to the error.
  package enum Effect: Sendable {
    /// The operation is not performed.
    case none
    /// The open transaction is rolled back too, as SQLite does on a full disk.
    case undoesTransaction
  }

  /// The number of the operation that fails, from 1; later ones succeed.
  package let number: Int?
  package let code: ResultCode
  package let effect: Effect

  /// - Parameters:
  ///   - number: The number of the operation that fails, from 1; `nil` only counts.
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
    /// Whether this build supports fault injection.
    package static let isAvailable = true

    @TaskLocal private static var current: FailureInjector?

    private let isLasting: Bool
    private let passed = Mutex<[String]>([])

    /// A description of each operation; if one failed, it is the last.
    package var operations: [String] { passed.withLock { $0 } }

    /// Injects faults while `body` runs.
    package func run<R>(_ body: () throws -> R) rethrows -> R {
      try FailureInjector.$current.withValue(self, operation: body)
    }

    /// Called before each operation.
    /// - Returns: The injector if this operation must fail.
    package static func failing(_ operation: @autoclosure () -> String) -> FailureInjector? {
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
    package static func failing(_ operation: @autoclosure () -> String) -> FailureInjector? { nil }
  #endif

  /// The number of operations that `body` performs.
  package static func counting(_ body: () throws -> Void) rethrows -> Int {
    let injector = FailureInjector(failingAt: nil)
    try injector.run(body)
    return injector.operations.count
  }
}

#if OPENSWIFTDATA_INVARIANTS
  extension FailureInjector {
    func fail(_ handle: OpaquePointer?, sql: String?) -> SQLiteError {
      if effect == .undoesTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      return SQLiteError(code, message: "a failure injected by a test", sql: sql)
    }
  }

  extension Statement {
    /// A statement that has already returned a row does not fail.
    @usableFromInline
    func throwInjectedFault() throws {
      guard sqlite3_stmt_busy(handle) == 0, let injector = FailureInjector.failing(sql) else {
        return
      }
      throw injector.fail(sqlite3_db_handle(handle), sql: sql)
    }
  }
#endif
