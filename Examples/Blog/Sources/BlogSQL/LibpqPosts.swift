#if Comparison && PostgreSQL
  import BlogLibpq
  import Foundation
  import Synchronization

  /// Handwritten SQL through libpq: prepared statements, and a thread for each connection.
  final class LibpqPosts: PostTable {
    private struct Failure: Error, CustomStringConvertible {
      let description: String
    }

    /// A connection, used on its queue only.
    private final class Connection: @unchecked Sendable {
      let queue = DispatchQueue(label: "connection")
      private let handle: OpaquePointer

      init(_ address: String) throws {
        guard let handle = PQconnectdb(address), PQstatus(handle) == CONNECTION_OK else {
          throw Failure(description: "no connection")
        }
        self.handle = handle
      }

      deinit { PQfinish(handle) }

      func prepare(_ name: String, _ sql: String) throws {
        PQclear(try checked(PQprepare(handle, name, sql, 0, nil)))
      }

      /// The rows of a statement.
      func rows(_ sql: String) throws -> [[String?]] {
        LibpqPosts.rows(try checked(PQexec(handle, sql)))
      }

      /// The rows of a prepared statement.
      func run(_ name: String, _ values: [String]) throws -> [[String?]] {
        let pointers = values.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        let constant = pointers.map { UnsafePointer($0) }
        return LibpqPosts.rows(
          try checked(
            PQexecPrepared(handle, name, Int32(values.count), constant, nil, nil, 0)))
      }

      private func checked(_ result: OpaquePointer?) throws -> OpaquePointer {
        guard let result else {
          throw Failure(description: String(cString: PQerrorMessage(handle)))
        }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return result
        default: throw Failure(description: String(cString: PQresultErrorMessage(result)))
        }
      }
    }

    private static func rows(_ result: OpaquePointer) -> [[String?]] {
      defer { PQclear(result) }
      return (0..<PQntuples(result)).map { row in
        (0..<PQnfields(result)).map { column in
          PQgetisnull(result, row, column) != 0
            ? nil : String(cString: PQgetvalue(result, row, column))
        }
      }
    }

    private static let columns = """
      SELECT p."Z_PK", p."ZCODE", p."ZTITLE", p."ZBODY", p."ZCREATED", p."ZLIKES", p."ZREVISION",
      a."ZCODE", a."ZNAME" FROM "ZPOST" p LEFT JOIN "ZAUTHOR" a ON a."Z_PK" = p."ZAUTHOR"
      """

    private let connections: [Connection]
    private let next = Atomic(0)

    init(_ address: String) throws {
      connections = try (0..<8).map { _ in try Connection(address) }
      let join = try Join(
        connections[0].rows(
          """
          SELECT table_name, column_name FROM information_schema.columns
          WHERE table_schema = current_schema() AND table_name ~ '^Z_[0-9]' ORDER BY ordinal_position
          """
        ).map { ($0[0] ?? "", $0[1] ?? "") })
      for connection in connections {
        try connection.prepare("post", "\(LibpqPosts.columns) WHERE p.\"ZCODE\" = $1")
        try connection.prepare(
          "latest", "\(LibpqPosts.columns) ORDER BY p.\"ZCODE\" DESC NULLS LAST LIMIT $1")
        try connection.prepare(
          "tagged",
          """
          \(LibpqPosts.columns) WHERE p."Z_PK" IN (SELECT j."\(join.post)" FROM "\(join.table)" j
          JOIN "ZTAG" t ON t."Z_PK" = j."\(join.tag)" WHERE t."ZNAME" = $2)
          ORDER BY p."ZCODE" DESC NULLS LAST LIMIT $1
          """)
        try connection.prepare(
          "tags",
          """
          SELECT j."\(join.post)", t."ZNAME" FROM "\(join.table)" j
          JOIN "ZTAG" t ON t."Z_PK" = j."\(join.tag)" WHERE j."\(join.post)" = ANY($1::bigint[])
          ORDER BY t."ZNAME"
          """)
        try connection.prepare(
          "change",
          """
          UPDATE "ZPOST" SET "ZTITLE" = $2, "ZREVISION" = "ZREVISION" + 1, "Z_OPT" = "Z_OPT" + 1
          WHERE "ZCODE" = $1
          """)
        try connection.prepare(
          "like",
          """
          UPDATE "ZPOST" SET "ZLIKES" = "ZLIKES" + 1, "Z_OPT" = "Z_OPT" + 1 WHERE "ZCODE" = $1
          RETURNING "ZLIKES"
          """)
      }
    }

    private func use<R: Sendable>(
      _ body: @escaping @Sendable (Connection) throws -> R
    ) async throws -> R {
      let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
      let connection = connections[number % connections.count]
      return try await withCheckedThrowingContinuation { continuation in
        connection.queue.async {
          continuation.resume(with: Result { try body(connection) })
        }
      }
    }

    func post(_ code: String) async throws -> PostView? {
      try await use { try LibpqPosts.posts($0, "post", [code]).first }
    }

    func latest(_ count: Int, tag: String?) async throws -> [PostView] {
      try await use {
        try LibpqPosts.posts(
          $0, tag == nil ? "latest" : "tagged", ["\(count)"] + (tag.map { [$0] } ?? []))
      }
    }

    func change(_ code: String, title: String) async throws -> PostView? {
      try await use { connection in
        _ = try connection.run("change", [code, title])
        return try LibpqPosts.posts(connection, "post", [code]).first
      }
    }

    func like(_ code: String) async throws -> Int {
      try await use { try $0.run("like", [code]).first?[0].flatMap { Int($0) } ?? 0 }
    }

    /// The posts of a statement, with their tags in a second one.
    private static func posts(
      _ connection: Connection, _ name: String, _ values: [String]
    ) throws -> [PostView] {
      var posts = try connection.run(name, values).map { row in
        PostView(
          key: row[0].flatMap { Int64($0) } ?? 0, code: row[1] ?? "", title: row[2] ?? "",
          body: row[3] ?? "",
          created: Date(timeIntervalSinceReferenceDate: row[4].flatMap { Double($0) } ?? 0),
          likes: row[5].flatMap { Int($0) } ?? 0, revision: row[6].flatMap { Int($0) } ?? 0,
          author: row[7].map { PostView.Writer(code: $0, name: row[8] ?? "") })
      }
      let keys = posts.map { "\($0.key)" }.joined(separator: ",")
      var names: [Int64: [String]] = [:]
      for pair in try connection.run("tags", ["{\(keys)}"]) {
        guard let key = pair[0].flatMap({ Int64($0) }), let name = pair[1] else { continue }
        names[key, default: []].append(name)
      }
      for index in posts.indices { posts[index].tags = names[posts[index].key] ?? [] }
      return posts
    }
  }
#endif
