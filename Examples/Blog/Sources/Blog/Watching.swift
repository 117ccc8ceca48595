import Hummingbird
import SwiftDataObservability

/// Makes each request a unit of work: messages of the store have the identifier of the request, and
/// relationships that it reads one model at a time are found. Writes belong to no request: several share a
/// transaction.
struct Watching: RouterMiddleware {
  typealias Context = BlogContext

  let monitor: StoreMonitor

  func handle(
    _ request: Request, context: BlogContext,
    next: (Request, BlogContext) async throws -> Response
  ) async throws -> Response {
    try await monitor.unitOfWork(
      "\(request.method) \(request.uri.path)", logger: context.logger
    ) {
      try await next(request, context)
    }
  }
}
