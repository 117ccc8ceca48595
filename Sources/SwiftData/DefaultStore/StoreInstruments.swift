import Foundation
import OpenSwiftDataSQLiteEngine

/// What tests put into a store: see the module SwiftDataTesting.
package struct StoreInstruments: Sendable {
  /// Asked before each statement; may make it fail.
  package var interceptor: (any StatementInterceptor)?
  /// The time that the history records, in place of that of the system.
  package var now: (@Sendable () -> Date)?
  /// What records the statements of the store, so that an expectation finds it.
  package var recorder: (any AnyObject & Sendable)?
  /// Lives as long as the store: the folder of its file, which is removed then.
  package var folder: (any AnyObject & Sendable)?

  package init() {}

  func driver(over driver: SQLiteDriver) -> any SQLDriver {
    interceptor.map { InterceptedDriver(driver, $0) } ?? driver
  }
}

/// A failure of the database that an interceptor reports.
package enum StoreFault: Sendable {
  case diskFull, busy, inputOutput

  /// The error as the database would report it. The driver translates it as such.
  package func error(sql: String?, _ message: String) -> any Error {
    let code: ResultCode =
      switch self {
      case .diskFull: .full
      case .busy: .busy
      case .inputOutput: .inputOutput
      }
    return SQLiteError(code, message: message, sql: sql)
  }
}
