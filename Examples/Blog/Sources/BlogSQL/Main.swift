#if Comparison
  import Foundation
  import Hummingbird

  /// The reads and writes of the blog that load tests use, without SwiftData, on the same tables.
  ///
  ///     BlogSQL sql STORE             handwritten SQL through GRDB
  ///     BlogSQL associations STORE    records and associations of GRDB
  ///     BlogSQL libpq ADDRESS         handwritten SQL through libpq
  ///
  /// All answer with the same JSON. They write no history, and only the columns of the post.
  @main
  struct BlogSQL {
    static func main() async throws {
      let arguments = CommandLine.arguments
      guard arguments.count == 3, let posts = try posts(arguments[1], arguments[2]) else {
        fatalError("usage: BlogSQL sql|associations STORE, or BlogSQL libpq ADDRESS")
      }
      let router = Router()
      router.get("posts/:code") { _, context in
        let code = try context.parameters.require("code")
        guard let post = try await posts.post(code) else { throw HTTPError(.notFound) }
        return post
      }
      router.get("posts") { request, _ in
        let tag = request.uri.queryParameters["tag"].map(String.init)
        return Page(try await posts.latest(21, tag: tag), limit: 20)
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
          print("The other one is at http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
          fflush(nil)
        })
      try await server.runService()
    }

    private static func posts(_ kind: String, _ address: String) throws -> (any PostTable)? {
      switch kind {
      case "sql": try SQLPosts(address)
      case "associations": try AssociatedPosts(address)
      #if PostgreSQL
        case "libpq": try LibpqPosts(address)
      #endif
      default: nil
      }
    }
  }

  /// The posts of a store, read and changed in one way or another.
  protocol PostTable: Sendable {
    func post(_ code: String) async throws -> PostView?

    /// The newest posts, with a tag or all.
    func latest(_ count: Int, tag: String?) async throws -> [PostView]

    /// - Returns: The changed post; `nil` if there is none.
    func change(_ code: String, title: String) async throws -> PostView?

    /// - Returns: The new number.
    func like(_ code: String) async throws -> Int
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

    init(_ found: [PostView], limit: Int) {
      items = Array(found.prefix(limit))
      next = found.count > limit ? items.last?.code : nil
    }
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
#else
  @main
  struct BlogSQL {
    static func main() { print("Build with --traits Comparison.") }
  }
#endif
