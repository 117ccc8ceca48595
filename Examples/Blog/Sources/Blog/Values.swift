import Foundation
import Hummingbird

// What clients receive. Models stay on the actor of their context; these values leave it.

struct AuthorView: ResponseEncodable, Sendable {
  let code: String
  let email: String
  let name: String
  let revision: Int

  init(_ author: Author) {
    code = author.code
    email = author.email
    name = author.name
    revision = author.revision
  }
}

struct PostView: ResponseEncodable, Sendable {
  struct Writer: Encodable, Sendable {
    let code: String
    let name: String
  }

  let code: String
  let title: String
  let body: String
  let created: Date
  let likes: Int
  let revision: Int
  let author: Writer?
  let tags: [String]

  /// What the view of a post reads besides the post. A fetch that prefetches it is one round trip on a server.
  static var relationships: [PartialKeyPath<Post>] { [\.author, \.tags] }

  init(_ post: Post) {
    code = post.code
    title = post.title
    body = post.body
    created = post.created
    likes = post.likes
    revision = post.revision
    author = post.author.map { Writer(code: $0.code, name: $0.name) }
    tags = post.tags.map(\.name).sorted()
  }
}

struct CommentView: ResponseEncodable, Sendable {
  let code: String
  let signature: String
  let text: String
  let created: Date

  init(_ comment: Comment) {
    code = comment.code
    signature = comment.signature
    text = comment.text
    created = comment.created
  }
}

struct ImageView: ResponseEncodable, Sendable {
  let code: String
  let mediaType: String
  let size: Int
}

/// A page of a list, and where the next one begins.
struct Page<Element: Encodable & Sendable>: ResponseEncodable, Sendable {
  let items: [Element]
  /// The value of `after` for the next page; `nil` for the last page.
  let next: String?

  /// - Parameter fetched: The elements of the page, and one more if there is a next page.
  init(_ fetched: [Element], limit: Int, code: (Element) -> String) {
    items = Array(fetched.prefix(limit))
    next = fetched.count > limit ? items.last.map(code) : nil
  }
}

struct Likes: ResponseEncodable, Sendable {
  let likes: Int
}
