import Hummingbird

/// The revision in `If-Match`: a number in quotation marks as in `ETag`, or `*` for any.
struct Revision: Sendable {
  /// `nil` for any revision.
  let number: Int?

  /// - Throws: 428 without the header, so that no client overwrites changes that it has not seen.
  init(required request: Request) throws {
    guard let revision = try Revision(request) else {
      throw HTTPError(
        .preconditionRequired, message: "Send the ETag of what you have read as If-Match.")
    }
    self = revision
  }

  init?(_ request: Request) throws {
    guard let text = request.headers[.ifMatch] else { return nil }
    if text == "*" {
      number = nil
    } else {
      // A tag that this server has not made matches nothing.
      number = Int(text.trimmingPrefix("\"").dropLast()) ?? -1
    }
  }

  func check(_ stored: Int) throws {
    if let number, number != stored {
      throw HTTPError(
        .preconditionFailed, message: "It was changed meanwhile. Read it again, then repeat.")
    }
  }

  static func tag(_ revision: Int) -> String { "\"\(revision)\"" }
}
