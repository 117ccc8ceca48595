#if Comparison
  import Foundation
  import GRDB
  import Hummingbird

  /// The reads and writes of the blog that load tests use, as handwritten SQL on the same file.
  ///
  /// It answers with the same JSON. It writes no history, and only the columns of the post.
  @main
  struct BlogSQL {
    static func main() async throws {
      let arguments = CommandLine.arguments
      guard arguments.count == 2 else { fatalError("usage: BlogSQL STORE") }
      var configuration = Configuration()
      configuration.busyMode = .timeout(5)
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
      let database = try DatabasePool(path: arguments[1], configuration: configuration)
      let posts = try PostTable(database)
      let router = Router()
      router.get("posts/:code") { _, context in
        let code = try context.parameters.require("code")
        guard let post = try await posts.post(code) else { throw HTTPError(.notFound) }
        return post
      }
      router.get("posts") { request, _ in
        let query = request.uri.queryParameters
        return try await posts.latest(20, tag: query["tag"].map(String.init))
      }
      router.patch("posts/:code") { request, context in
        let code = try context.parameters.require("code")
        let edit = try await request.decode(as: Edit.self, context: context)
        guard let post = try await posts.change(code, title: edit.title) else {
          throw HTTPError(.notFound)
        }
        return post
      }
      router.post("posts/:code/likes") { _, context in
        Likes(likes: try await posts.like(try context.parameters.require("code")))
      }
      let server = Application(
        router: router,
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in
          print("SQL is at http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
          fflush(nil)
        })
      try await server.runService()
    }
  }

  struct Edit: Decodable, Sendable {
    let title: String
  }

  struct Likes: ResponseEncodable, Sendable {
    let likes: Int
  }

  struct Page: ResponseEncodable, Sendable {
    let items: [PostView]
    let next: String?
  }

  struct PostView: ResponseEncodable, Sendable {
    struct Writer: Encodable, Sendable {
      let code: String
      let name: String
    }

    let key: Int64
    let code: String
    let title: String
    let body: String
    let created: Date
    let likes: Int
    let revision: Int
    let author: Writer?
    var tags: [String] = []

    enum CodingKeys: CodingKey { case code, title, body, created, likes, revision, author, tags }
  }

  struct PostTable: Sendable {
    private let database: DatabasePool
    private let join: Join

    init(_ database: DatabasePool) throws {
      self.database = database
      join = try database.read(Join.init)
    }

    private static let columns = """
      SELECT p.Z_PK, p.ZCODE, p.ZTITLE, p.ZBODY, p.ZCREATED, p.ZLIKES, p.ZREVISION, a.ZCODE, a.ZNAME
      FROM ZPOST p LEFT JOIN ZAUTHOR a ON a.Z_PK = p.ZAUTHOR
      """

    func post(_ code: String) async throws -> PostView? {
      try await database.read { try post(code, in: $0) }
    }

    /// The newest posts, and the code of the last one if there are more.
    func latest(_ count: Int, tag: String?) async throws -> Page {
      let found = try await database.read { db in
        guard let tag else {
          return try posts(
            db, "\(PostTable.columns) ORDER BY p.ZCODE DESC LIMIT \(count + 1)", [])
        }
        let filter = """
          \(PostTable.columns)
          WHERE p.Z_PK IN (SELECT j.\(join.post) FROM \(join.table) j
            JOIN ZTAG t ON t.Z_PK = j.\(join.tag) WHERE t.ZNAME = ?)
          ORDER BY p.ZCODE DESC LIMIT \(count + 1)
          """
        return try posts(db, filter, [tag])
      }
      let items = Array(found.prefix(count))
      return Page(items: items, next: found.count > count ? items.last?.code : nil)
    }

    func change(_ code: String, title: String) async throws -> PostView? {
      try await database.write { db in
        let statement = try db.cachedStatement(
          sql: """
            UPDATE ZPOST SET ZTITLE = ?, ZREVISION = ZREVISION + 1, Z_OPT = Z_OPT + 1 WHERE ZCODE = ?
            """)
        try statement.execute(arguments: [title, code])
        return try post(code, in: db)
      }
    }

    func like(_ code: String) async throws -> Int {
      try await database.write { db in
        let statement = try db.cachedStatement(
          sql: """
            UPDATE ZPOST SET ZLIKES = ZLIKES + 1, Z_OPT = Z_OPT + 1 WHERE ZCODE = ? RETURNING ZLIKES
            """)
        return try Int.fetchOne(statement, arguments: [code]) ?? 0
      }
    }

    private func post(_ code: String, in db: Database) throws -> PostView? {
      try posts(db, "\(PostTable.columns) WHERE p.ZCODE = ?", [code]).first
    }

    /// The posts of a statement, with their tags in a second one.
    private func posts(
      _ db: Database, _ sql: String, _ arguments: StatementArguments
    ) throws -> [PostView] {
      let statement = try db.cachedStatement(sql: sql)
      var posts: [PostView] = []
      let rows = try Row.fetchCursor(statement, arguments: arguments)
      while let row = try rows.next() {
        posts.append(
          PostView(
            key: row[0], code: row[1], title: row[2], body: row[3],
            created: Date(timeIntervalSinceReferenceDate: row[4]), likes: row[5], revision: row[6],
            author: (row[7] as String?).map { PostView.Writer(code: $0, name: row[8]) }))
      }
      let marks = posts.map { _ in "?" }.joined(separator: ",")
      let tags = try db.cachedStatement(
        sql: """
          SELECT j.\(join.post), t.ZNAME FROM \(join.table) j JOIN ZTAG t ON t.Z_PK = j.\(join.tag)
          WHERE j.\(join.post) IN (\(marks)) ORDER BY t.ZNAME
          """)
      var names: [Int64: [String]] = [:]
      let pairs = try Row.fetchCursor(tags, arguments: StatementArguments(posts.map(\.key)))
      while let pair = try pairs.next() { names[pair[0], default: []].append(pair[1]) }
      for index in posts.indices { posts[index].tags = names[posts[index].key] ?? [] }
      return posts
    }
  }

  /// The table of the pairs of posts and tags, whose name has the number of an entity.
  private struct Join: Sendable {
    let table: String
    let post: String
    let tag: String

    init(_ db: Database) throws {
      let sql = """
        SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
        WHERE m.type = 'table' AND m.name GLOB 'Z_[0-9]*' ORDER BY c.cid
        """
      let rows = try Row.fetchAll(db, sql: sql)
      let names = rows.map { $0[1] as String }
      guard let table = rows.first?[0] as String?,
        let post = names.first(where: { $0.hasSuffix("POSTS") }),
        let tag = names.first(where: { $0.hasSuffix("TAGS") })
      else { throw DatabaseError(message: "no table of pairs") }
      (self.table, self.post, self.tag) = (table, post, tag)
    }
  }
#else
  @main
  struct BlogSQL {
    static func main() { print("Build with --traits Comparison.") }
  }
#endif
