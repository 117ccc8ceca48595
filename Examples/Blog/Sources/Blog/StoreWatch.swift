import Logging
import ServiceLifecycle
import SwiftData

/// Ends the server with an error when another program has migrated the store to other models, or replaced its database.
///
/// From then on each request would fail, and liveness does not ask the store. So the process ends, and its supervisor
/// starts it again.
struct StoreWatch: Service {
  let blog: Blog
  let logger: Logger

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          try await blog.check()
        } catch let error as SwiftDataError where error.reason == .schemaMismatch {
          logger.critical("The store was migrated or replaced. The server ends.")
          throw error
        } catch {
          // A busy store is none of its concern: /readyz tells it.
        }
        try? await Task.sleep(for: .seconds(2))
      }
    }
  }
}
