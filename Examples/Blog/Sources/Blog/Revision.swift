import Foundation
import Hummingbird

/// The revision in `If-Match`: that of an `ETag`, or `*` for any.
///
/// An `ETag` has the revision, which an edit requires, and a checksum of the answer: what others change without an
/// edit, such as likes and the name of the author, makes it another one too.
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
      let tag = text.hasPrefix("\"") && text.hasSuffix("\"") ? text.dropFirst().dropLast() : ""
      number = Int(tag.prefix { $0 != "-" }) ?? -1
    }
  }

  func check(_ stored: Int) throws {
    if let number, number != stored {
      throw HTTPError(
        .preconditionFailed, message: "It was changed meanwhile. Read it again, then repeat.")
    }
  }

  static func tag(_ revision: Int, of answer: Data) -> String {
    // FNV-1a: the same in all processes.
    let checksum = answer.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return "\"\(revision)-\(String(checksum, radix: 36))\""
  }
}
