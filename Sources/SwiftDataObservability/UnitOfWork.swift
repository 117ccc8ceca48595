#if Observability
  import Logging
  import Synchronization

  /// The work of one request: its logger, and how often it has run each statement that reads a single
  /// model.
  final class UnitOfWork: Sendable {
    @TaskLocal static var current: UnitOfWork?

    let name: String
    let logger: Logger
    private struct Read: Hashable {
      let store: String
      let sql: String
    }

    /// There are at most as many as the models have entities and relationships, for each store.
    private let counts = Mutex<[Read: Int]>([:])

    init(name: String, logger: Logger) {
      self.name = name
      self.logger = logger
    }

    /// Counts a statement.
    /// - Returns: How often the unit has run it in the store.
    func count(_ sql: String, in store: String) -> Int {
      let read = Read(store: store, sql: sql)
      return counts.withLock { counts in
        counts[read, default: 0] += 1
        return counts[read] ?? 0
      }
    }
  }
#endif
