import Foundation
import Hummingbird
import Logging
import SwiftData

/// Turns errors of the store into answers, and gives each request its unit of work.
///
/// A client never sees a description of an error: it may have paths and names of tables. The log has
/// it, with the identifier of the request.
struct ErrorAnswers: RouterMiddleware {
  typealias Context = BlogContext

  func handle(
    _ request: Request, context: BlogContext,
    next: (Request, BlogContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as SwiftDataError {
      let answer = ErrorAnswers.answer(to: error)
      context.logger.log(
        level: answer.status.code >= 500 ? .error : .info, "The store has refused a request.",
        metadata: ["error": "\(error)", "status": "\(answer.status.code)"])
      throw answer
    }
  }

  static func answer(to error: SwiftDataError) -> HTTPError {
    switch error {
    case .uniquenessViolation:
      HTTPError(.conflict, message: "Another \(entity(error)) has the same value.")
    case .saveConflict:
      HTTPError(.conflict, message: "It was changed meanwhile. Read it again, then repeat.")
    case .modelValidationFailure:
      HTTPError(.conflict, message: "A rule of \(entity(error)) forbids this.")
    case .storeWriteFailure, .storeReadFailure:
      // Another writer, a full disk, a lost connection: the same request may succeed later.
      HTTPError(
        .serviceUnavailable, headers: [.retryAfter: "1"],
        message: "The store cannot be used now. Nothing was changed. Repeat the request later.")
    default:
      HTTPError(.internalServerError, message: "The request failed.")
    }
  }

  private static func entity(_ error: SwiftDataError) -> String {
    error.entity?.lowercased() ?? "the model"
  }
}

/// The context of a request.
struct BlogContext: RequestContext {
  var coreContext: CoreRequestContextStorage

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }

  /// The largest JSON document in bytes: a post with its longest body, escaped.
  var maxUploadSize: Int { 1 << 20 }
}
