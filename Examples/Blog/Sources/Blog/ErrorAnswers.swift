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
    } catch is CancellationError {
      // By a shutdown that takes too long. A client that goes away cancels nothing: Hummingbird does not watch for it,
      // except for `/events`, which asks for that.
      context.logger.info("The request was cancelled.")
      throw HTTPError(.serviceUnavailable)
    }
  }

  static func answer(to error: SwiftDataError) -> HTTPError {
    let status: HTTPResponse.Status =
      switch error.reason {
      // The server has asked for the text of an identifier before the commit.
      case .invalidIdentifier(.unsaved): .internalServerError
      case .notFound, .invalidIdentifier: .notFound
      case .uniqueValueTaken, .conflict, .deletionDenied: .conflict
      case .requiredValueMissing, .tooFewMembers, .tooManyMembers, .invalidValue:
        .unprocessableContent
      case .historyExpired: .gone
      case .diskFull: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
      case .busy, .timedOut, .cancelled, .unavailable, .closed, .readOnly: .serviceUnavailable
      case .invalidRequest, .storeDamaged, .schemaMismatch, .outcomeUnknown, .partiallySaved,
        .other:
        .internalServerError
      }
    return HTTPError(
      status, headers: error.reason.isTransient ? [.retryAfter: "1"] : [:],
      message: error.publicMessage)
  }
}

/// The context of a request.
struct BlogContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// Ends the connection of the request at once.
  let disconnect: @Sendable () -> Void

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    disconnect = { [channel = source.channel] in channel.close(promise: nil) }
  }

  /// The largest JSON document in bytes: a post with its longest body, escaped.
  var maxUploadSize: Int { 1 << 20 }
}
