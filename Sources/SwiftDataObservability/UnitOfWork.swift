#if Observability
  import Logging
  import Synchronization

  /// The work of one request: its logger, and how often it has run each statement that reads a single
  /// model.
  final class UnitOfWork: Sendable {
    @TaskLocal static var current: UnitOfWork?

    let name: String
    let logger: Logger
    /// By text. There are at most as many as the models have entities and relationships.
    private let counts = Mutex<[String: Int]>([:])

    init(name: String, logger: Logger) {
      self.name = name
      self.logger = logger
    }

    /// Counts a statement.
    /// - Returns: How often the unit has run it.
    func count(_ sql: String) -> Int {
      counts.withLock { counts in
        counts[sql, default: 0] += 1
        return counts[sql] ?? 0
      }
    }
  }
#endif
