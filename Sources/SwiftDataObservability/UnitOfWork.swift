#if Observability
  import Logging
  import SwiftData
  import Synchronization

  /// The work of one request: its logger, and how often it has read each relationship for a single model.
  final class UnitOfWork: Sendable {
    @TaskLocal static var current: UnitOfWork?

    let name: String
    let logger: Logger
    private struct Read: Hashable {
      let store: String
      let fault: FaultRead
    }

    /// There are at most as many as the models have entities and relationships, for each store.
    private let counts = Mutex<[Read: Int]>([:])

    init(name: String, logger: Logger) {
      self.name = name
      self.logger = logger
    }

    /// Counts a read.
    /// - Returns: How often the unit has had it in the store.
    func count(_ fault: FaultRead, in store: String) -> Int {
      let read = Read(store: store, fault: fault)
      return counts.withLock { counts in
        counts[read, default: 0] += 1
        return counts[read] ?? 0
      }
    }
  }
#endif
