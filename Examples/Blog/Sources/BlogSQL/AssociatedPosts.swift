#if Comparison
  import Foundation
  import GRDB
  import Synchronization

  /// Records and associations of GRDB, as its users write them.
  struct AssociatedPosts: PostTable {
    private let database: DatabasePool

    init(_ path: String) throws {
      database = try DatabasePool(path: path, configuration: .blog)
      let join = try database.read(Join.init)
      PostTag.join.withLock { $0 = join }
    }

    private static let posts = PostRecord.including(optional: PostRecord.author)
      .including(all: PostRecord.tags)

    func post(_ code: String) async throws -> PostView? {
      try await database.read { try post(code, in: $0) }
    }

    func latest(_ count: Int, tag: String?) async throws -> [PostView] {
      try await database.read { db in
        var request = AssociatedPosts.posts.order(PostRecord.Columns.code.desc).limit(count)
        if let tag {
          let named = PostRecord.tags.filter(Column("ZNAME") == tag).forKey("named")
          request = request.joining(required: named)
        }
        return try request.asRequest(of: PostInfo.self).fetchAll(db).map(\.view)
      }
    }

    func change(_ code: String, title: String) async throws -> PostView? {
      try await database.write { db in
        guard var post = try PostRecord.filter(PostRecord.Columns.code == code).fetchOne(db) else {
          return nil
        }
        try post.updateChanges(db) {
          $0.title = title
          $0.revision += 1
          $0.version += 1
        }
        return try self.post(code, in: db)
      }
    }

    func like(_ code: String) async throws -> Int {
      try await database.write { db in
        guard var post = try PostRecord.filter(PostRecord.Columns.code == code).fetchOne(db) else {
          return 0
        }
        try post.updateChanges(db) {
          $0.likes += 1
          $0.version += 1
        }
        return post.likes
      }
    }

    private func post(_ code: String, in db: Database) throws -> PostView? {
      try AssociatedPosts.posts.filter(PostRecord.Columns.code == code)
        .asRequest(of: PostInfo.self).fetchOne(db)?.view
    }
  }

  private struct PostRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "ZPOST"
    static let author = belongsTo(
      AuthorRecord.self, key: "author", using: ForeignKey(["ZAUTHOR"], to: ["Z_PK"]))
    static var pairs: HasManyAssociation<PostRecord, PostTag> {
      hasMany(PostTag.self, using: ForeignKey([PostTag.names.post], to: ["Z_PK"]))
    }
    static var tags: HasManyThroughAssociation<PostRecord, TagRecord> {
      hasMany(TagRecord.self, through: pairs, using: PostTag.tag).forKey("tags")
    }

    var key: Int64
    var version: Int
    var code: String
    var title: String
    var body: String
    var created: Double
    var likes: Int
    var revision: Int

    enum CodingKeys: String, CodingKey {
      case key = "Z_PK"
      case version = "Z_OPT"
      case code = "ZCODE"
      case title = "ZTITLE"
      case body = "ZBODY"
      case created = "ZCREATED"
      case likes = "ZLIKES"
      case revision = "ZREVISION"
    }

    enum Columns {
      static let code = Column(CodingKeys.code)
    }
  }

  private struct AuthorRecord: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "ZAUTHOR"
    var code: String
    var name: String

    enum CodingKeys: String, CodingKey {
      case code = "ZCODE"
      case name = "ZNAME"
    }
  }

  private struct TagRecord: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "ZTAG"
    var name: String

    enum CodingKeys: String, CodingKey { case name = "ZNAME" }
  }

  /// A pair of a post and a tag.
  private struct PostTag: TableRecord {
    static let join = Mutex<Join?>(nil)
    static var names: Join { join.withLock { $0! } }
    static var databaseTableName: String { names.table }
    static var tag: BelongsToAssociation<PostTag, TagRecord> {
      belongsTo(TagRecord.self, using: ForeignKey([names.tag], to: ["Z_PK"]))
    }
  }

  private struct PostInfo: Decodable, FetchableRecord {
    let post: PostRecord
    let author: AuthorRecord?
    let tags: [TagRecord]

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      post = try PostRecord(from: decoder)
      author = try values.decodeIfPresent(AuthorRecord.self, forKey: .author)
      tags = try values.decode([TagRecord].self, forKey: .tags)
    }

    enum CodingKeys: CodingKey { case author, tags }

    var view: PostView {
      PostView(
        key: post.key, code: post.code, title: post.title, body: post.body,
        created: Date(timeIntervalSinceReferenceDate: post.created), likes: post.likes,
        revision: post.revision,
        author: author.map { PostView.Writer(code: $0.code, name: $0.name) },
        tags: tags.map(\.name).sorted())
    }
  }
#endif
