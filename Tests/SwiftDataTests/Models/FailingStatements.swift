import SwiftData
import Synchronization

/// Makes statements of a store fail, as long as it is set.
final class FailingStatements: StatementInterceptor {
  private let condition = Mutex<(@Sendable (String) -> Bool)?>(nil)
  private let failures = Mutex(0)

  /// The number of statements that have failed.
  var count: Int { failures.withLock { $0 } }

  /// - Parameter condition: Selects the statements that fail; `nil` for none.
  func set(_ condition: (@Sendable (_ sql: String) -> Bool)?) {
    self.condition.withLock { $0 = condition }
  }

  /// The configuration of a store whose statements fail.
  func configuration(_ configuration: ModelConfiguration) -> ModelConfiguration {
    var failing = configuration
    var instruments = StoreInstruments()
    instruments.interceptor = self
    failing.instruments = instruments
    return failing
  }

  func willRun(_ sql: String, times count: Int) throws {
    guard condition.withLock({ $0 })?(sql) == true else { return }
    failures.withLock { $0 += 1 }
    throw StoreFault.inputOutput.error(sql: sql, "a failure of a test")
  }

  func willBeginSave() {}
  func willCommitSave() {}
  func willCommitTransaction() {}
}
