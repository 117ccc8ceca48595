import Foundation
import SwiftData

/// An author, who is found by a unique e-mail address.
@Model
final class Author {
  @Attribute(.unique) private(set) var code: String
  @Attribute(.unique) var email: String
  var name: String
  /// Counts the changes, for `ETag` and `If-Match`.
  var revision: Int
  @Relationship(deleteRule: .deny, inverse: \Post.author) var posts: [Post] = []

  init(email: String, name: String) {
    code = Code.next()
    self.email = email
    self.name = name
    revision = 1
  }
}

/// A post with its counters.
@Model
final class Post {
  /// Identifies the post in URLs. Codes ascend with time, so they are also the order of pages.
  @Attribute(.unique) private(set) var code: String
  var title: String
  var body: String
  var created: Date
  var likes: Int
  var revision: Int
  var author: Author?
  @Relationship(inverse: \Tag.posts) var tags: [Tag] = []
  @Relationship(deleteRule: .cascade, inverse: \Comment.post) var comments: [Comment] = []
  @Relationship(deleteRule: .cascade, inverse: \Image.post) var images: [Image] = []

  init(title: String, body: String, author: Author) {
    code = Code.next()
    self.title = title
    self.body = body
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
  @Attribute(.unique) private(set) var code: String
  var signature: String
  var text: String
  var created: Date
  var post: Post?

  init(signature: String, text: String, post: Post) {
    code = Code.next()
    self.signature = signature
    self.text = text
    created = .now
    self.post = post
  }
}

/// An uploaded picture, whose data is a file beside the store if it is large.
@Model
final class Image {
  @Attribute(.unique) private(set) var code: String
  var mediaType: String
  @Attribute(.externalStorage) var data: Data
  var post: Post?

  init(mediaType: String, data: Data, post: Post) {
    code = Code.next()
    self.mediaType = mediaType
    self.data = data
    self.post = post
  }
}

/// The second version of the models; the first one had no comments and no images.
///
/// A store names the version that made or migrated it. So a program with an older version refuses the store of a newer
/// one; without versions its `migrate` would delete what only the newer models have. When the models change, add a
/// version with the next number to the plan, and keep copies of the earlier classes in this one.
enum BlogV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] {
    [Author.self, Post.self, Tag.self, Comment.self, Image.self]
  }
}

enum BlogPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [BlogV2.self] }
  static var stages: [MigrationStage] { [] }
}

let blogSchema = Schema(versionedSchema: BlogV2.self)
