import Foundation
import Hummingbird

/// The revisions in `If-Match`: those of its `ETag`s, or any for `*`.
///
/// An `ETag` has the revision, which an edit requires, and a checksum of the answer: what others change without an
/// edit, such as likes and the name of the author, makes it another one too.
struct Revision: Sendable {
  /// `nil` for any revision.
  private let numbers: [Int]?

  /// - Throws: 428 without the header, so that no client overwrites changes that it has not seen.
  init(required request: Request) throws {
    guard let revision = Revision(request) else {
      throw HTTPError(
        .preconditionRequired, message: "Send the ETag of what you have read as If-Match.")
    }
    self = revision
  }

  init?(_ request: Request) { self.init(ifMatch: request.headers[.ifMatch]) }

  init?(ifMatch header: String?) {
    guard let header else { return nil }
    // Neither a weak tag nor one that this server has not made matches.
    numbers = Revision.tags(header)?.compactMap { tag in
      guard tag.hasPrefix("\""), tag.hasSuffix("\"") else { return nil }
      return Int(tag.dropFirst().dropLast().prefix { $0 != "-" })
    }
  }

  func check(_ stored: Int) throws {
    if let numbers, !numbers.contains(stored) {
      throw HTTPError(
        .preconditionFailed, message: "It was changed meanwhile. Read it again, then repeat.")
    }
  }

  /// Whether `If-None-Match` has a tag. Weak ones count: a proxy that compresses answers makes their tags weak.
  static func isKnown(_ tag: String, ifNoneMatch header: String?) -> Bool {
    guard let header else { return false }
    return tags(header)?.contains { $0 == tag || $0 == "W/" + tag } ?? true
  }

  /// The tags of a list (RFC 9110, section 13.1); `nil` for `*`.
  private static func tags(_ header: String) -> [String]? {
    let tags = header.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    return tags == ["*"] ? nil : tags
  }

  static func tag(_ revision: Int, of answer: Data) -> String {
    // FNV-1a: the same in all processes.
    let checksum = answer.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return "\"\(revision)-\(String(checksum, radix: 36))\""
  }
}
