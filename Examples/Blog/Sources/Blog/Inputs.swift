import Foundation
import Hummingbird

// What clients send. Each checks its values before a context sees them.

struct AuthorInput: Decodable, Sendable {
  let email: String
  let name: String

  func validated() throws -> AuthorInput {
    AuthorInput(email: try Field.email(email), name: try Field.line(name, "name", 1...100))
  }
}

/// New values of some properties; the others stay.
struct AuthorEdit: Decodable, Sendable {
  let email: String?
  let name: String?

  func validated() throws -> AuthorEdit {
    AuthorEdit(
      email: try email.map(Field.email), name: try name.map { try Field.line($0, "name", 1...100) })
  }
}

struct PostInput: Decodable, Sendable {
  let author: String
  let title: String
  let body: String
  let tags: [String]?

  func validated() throws -> PostInput {
    PostInput(
      author: author, title: try Field.line(title, "title", 1...200),
      body: try Field.text(body, "body", 0...100_000), tags: try tags.map(Field.tags))
  }
}

struct PostEdit: Decodable, Sendable {
  let title: String?
  let body: String?
  let tags: [String]?

  func validated() throws -> PostEdit {
    PostEdit(
      title: try title.map { try Field.line($0, "title", 1...200) },
      body: try body.map { try Field.text($0, "body", 0...100_000) },
      tags: try tags.map(Field.tags))
  }
}

struct CommentInput: Decodable, Sendable {
  let signature: String
  let text: String

  func validated() throws -> CommentInput {
    CommentInput(
      signature: try Field.line(signature, "signature", 1...100),
      text: try Field.text(text, "text", 1...10_000))
  }
}

/// The rules for values, each with its answer 422, or 415 for a media type.
enum Field {
  static func line(_ value: String, _ name: String, _ count: ClosedRange<Int>) throws -> String {
    let value = try text(value, name, 0...Int.max).trimmingCharacters(in: .whitespaces)
    if value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      throw HTTPError(.unprocessableContent, message: "\(name) has a control character.")
    }
    return try text(value, name, count)
  }

  /// - Parameter count: The number of bytes in UTF-8, which is known without reading the text.
  static func text(_ value: String, _ name: String, _ count: ClosedRange<Int>) throws -> String {
    guard count.contains(value.utf8.count) else {
      throw HTTPError(
        .unprocessableContent,
        message: "\(name) has \(value.utf8.count) bytes; it may have \(count.lowerBound) to "
          + "\(count.upperBound).")
    }
    // PostgreSQL cannot store it in a text.
    if value.utf8.contains(0) {
      throw HTTPError(.unprocessableContent, message: "\(name) has the character U+0000.")
    }
    return value
  }

  /// A form in which equal texts have equal bytes: unique values are compared byte by byte.
  private static func normal(_ text: String) -> String {
    // Lowercase letters may have another composed form.
    text.lowercased().precomposedStringWithCanonicalMapping
  }

  static func email(_ value: String) throws -> String {
    let email = normal(try line(value, "email", 3...254))
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && !$0.contains(" ") }) else {
      throw HTTPError(.unprocessableContent, message: "email is not an e-mail address.")
    }
    return email
  }

  static func tags(_ values: [String]) throws -> [String] {
    guard values.count <= 20 else {
      throw HTTPError(.unprocessableContent, message: "A post may have 20 tags.")
    }
    return try Set(values.map { normal(try line($0, "tag", 1...50)) }).sorted()
  }
  /// Media types have no case, and may have parameters.
  static func pictureType(_ header: String?) throws -> String {
    let type = (header ?? "").prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    guard ["image/png", "image/jpeg", "image/webp", "image/gif"].contains(type) else {
      throw HTTPError(.unsupportedMediaType, message: "Send a PNG, JPEG, WebP or GIF picture.")
    }
    return type
  }
}
