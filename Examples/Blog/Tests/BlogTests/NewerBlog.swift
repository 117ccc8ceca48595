import Foundation
import SwiftData

/// The models of the blog in a later version, whose authors have a biography.
enum NewerBlog: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] {
    [Author.self, Post.self, Tag.self, Comment.self, Image.self]
  }

  /// Makes a store of this version, or migrates one of the earlier version.
  static func migrate(_ store: URL) async throws {
    let schema = Schema(versionedSchema: NewerBlog.self)
    let container = try ModelContainer(
      for: schema, configurations: [ModelConfiguration("blog", schema: schema, url: store)])
    try await container.close()
  }

  @Model
  final class Author {
    @Attribute(.unique) var code: String
    @Attribute(.unique) var email: String
    var name: String
    var biography: String?
    var revision: Int
    @Relationship(deleteRule: .deny, inverse: \Post.author) var posts: [Post] = []

    init(email: String) {
      code = UUID().uuidString
      self.email = email
      name = ""
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
    @Relationship(deleteRule: .cascade, inverse: \Comment.post) var comments: [Comment] = []
    @Relationship(deleteRule: .cascade, inverse: \Image.post) var images: [Image] = []

    init(title: String, author: Author) {
      code = UUID().uuidString
      self.title = title
      body = ""
      created = .now
      likes = 0
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

  @Model
  final class Comment {
    @Attribute(.unique) var code: String
    var signature: String
    var text: String
    var created: Date
    var post: Post?

    init(text: String, post: Post) {
      code = UUID().uuidString
      signature = ""
      self.text = text
      created = .now
      self.post = post
    }
  }

  @Model
  final class Image {
    @Attribute(.unique) var code: String
    var mediaType: String
    @Attribute(.externalStorage) var data: Data
    var post: Post?

    init(data: Data, post: Post) {
      code = UUID().uuidString
      mediaType = "image/png"
      self.data = data
      self.post = post
    }
  }
}
