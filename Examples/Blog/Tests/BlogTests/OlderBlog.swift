import Foundation
import SwiftData

/// The models of the blog before it had images and comments.
enum OlderBlog {
  static let schema = Schema([Author.self, Post.self, Tag.self])

  @Model
  final class Author {
    @Attribute(.unique) var code: String
    @Attribute(.unique) var email: String
    var name: String
    var revision: Int
    @Relationship(deleteRule: .deny, inverse: \Post.author) var posts: [Post] = []

    init(email: String, name: String) {
      code = UUID().uuidString
      self.email = email
      self.name = name
      revision = 1
    }
  }

  @Model
  final class Post {
    @Attribute(.unique) var code: String
    var title: String
    var body: String
    var created: Date
    var likes: Int
    var revision: Int
    var author: Author?
    @Relationship(inverse: \Tag.posts) var tags: [Tag] = []

    init(title: String, author: Author) {
      code = UUID().uuidString
      self.title = title
      body = ""
      created = .now
      likes = 3
      revision = 1
      self.author = author
    }
  }

  @Model
  final class Tag {
    @Attribute(.unique) var name: String
    var posts: [Post] = []

    init(name: String) { self.name = name }
  }
}
