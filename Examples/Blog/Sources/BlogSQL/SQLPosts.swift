#if Comparison
  import Foundation
  import GRDB

  /// Handwritten SQL through GRDB.
  struct SQLPosts: PostTable {
    private let database: DatabasePool
    private let join: Join

    init(_ path: String) throws {
      database = try DatabasePool(path: path, configuration: .blog)
      join = try database.read(Join.init)
    }

    private static let columns = """
      SELECT p.Z_PK, p.ZCODE, p.ZTITLE, p.ZBODY, p.ZCREATED, p.ZLIKES, p.ZREVISION, a.ZCODE, a.ZNAME
      FROM ZPOST p LEFT JOIN ZAUTHOR a ON a.Z_PK = p.ZAUTHOR
      """

    func post(_ code: String) async throws -> PostView? {
      try await database.read { try post(code, in: $0) }
    }

    func latest(_ count: Int, tag: String?) async throws -> [PostView] {
      try await database.read { db in
        guard let tag else {
          return try posts(
            db, "\(SQLPosts.columns) ORDER BY p.ZCODE DESC LIMIT \(count)", [])
        }
        let filter = """
          \(SQLPosts.columns)
          WHERE p.Z_PK IN (SELECT j.\(join.post) FROM \(join.table) j
            JOIN ZTAG t ON t.Z_PK = j.\(join.tag) WHERE t.ZNAME = ?)
          ORDER BY p.ZCODE DESC LIMIT \(count)
          """
        return try posts(db, filter, [tag])
      }
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
      try posts(db, "\(SQLPosts.columns) WHERE p.ZCODE = ?", [code]).first
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

  extension Configuration {
    static var blog: Configuration {
      var configuration = Configuration()
      configuration.busyMode = .timeout(5)
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
      return configuration
    }
  }

  /// The table of the pairs of posts and tags, whose name has the number of an entity.
  struct Join: Sendable {
    let table: String
    let post: String
    let tag: String

    init(_ db: Database) throws {
      let sql = """
        SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
        WHERE m.type = 'table' AND m.name GLOB 'Z_[0-9]*' ORDER BY c.cid
        """
      let rows = try Row.fetchAll(db, sql: sql)
      try self.init(rows.map { ($0[0], $0[1]) })
    }

    /// - Parameter columns: The names of tables and columns.
    init(_ columns: [(table: String, column: String)]) throws {
      guard let table = columns.first?.table,
        let post = columns.first(where: { $0.column.hasSuffix("POSTS") })?.column,
        let tag = columns.first(where: { $0.column.hasSuffix("TAGS") })?.column
      else { throw DatabaseError(message: "no table of pairs") }
      (self.table, self.post, self.tag) = (table, post, tag)
    }
  }
#endif
