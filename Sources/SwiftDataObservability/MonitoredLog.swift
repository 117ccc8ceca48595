#if Observability
  import SwiftData

  /// A log of a monitor. A store with this log is found by it, whatever its configuration is named.
  final class MonitoredLog: Sendable {
    /// The name of the store in metrics and messages.
    let store: String
    let examiner: StoreExaminer

    init(store: String, examiner: StoreExaminer) {
      self.store = store
      self.examiner = examiner
    }

    /// The log of a store; `nil` if it is not one of a monitor.
    static func log(of store: any DataStore) -> MonitoredLog? {
      (store.configuration as? any StatementLogging)?.statementLog?.origin as? MonitoredLog
    }
  }
#endif
