import Foundation
import SwiftData
import Testing

/// The samples of the articles *Writing a server*, *Testing a server* and *From Fluent*.
enum Served {
  @Model
  final class Author {
    @Attribute(.unique) var email: String
    @Relationship(deleteRule: .deny, inverse: \Post.author) var posts: [Post] = []

    init(email: String) { self.email = email }
  }

  @Model
  final class Post {
    @Attribute(.unique) var code: String
    var title: String
    var likes = 0
    var revision = 1
    var author: Author?

    init(code: String, title: String, author: Author) {
      self.code = code
      self.title = title
      self.author = author
    }
  }

  struct PostView: Codable, Equatable, Sendable {
    let code: String
    let title: String
    let author: String?

    init(_ post: Post) {
      code = post.code
      title = post.title
      author = post.author?.email
    }
  }

  struct RequestError: Error {
    let status: Int
    let message: String
  }

  @Suite struct WritingAServerArticleTests {
    func answer(to error: SwiftDataError) -> RequestError {
      let status =
        switch error.reason {
        case .invalidIdentifier(.unsaved): 500
        case .notFound, .invalidIdentifier: 404
        case .uniqueValueTaken, .conflict, .deletionDenied: 409
        case .requiredValueMissing, .tooFewMembers, .tooManyMembers, .invalidValue: 422
        case .historyExpired: 410
        case .diskFull: 507
        case .busy, .timedOut, .cancelled, .unavailable, .closed, .readOnly: 503
        default: 500
        }
      return RequestError(status: status, message: error.publicMessage)
    }

    private var documentedFile: URL {
      let file = URL(fileURLWithPath: "/var/lib/blog/blog.store")

      return file
    }

    private func container() throws -> ModelContainer {
      let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
      let container = try ModelContainer(
        for: Author.self, Post.self, configurations: configuration)
      return container
    }

    private func seeded() async throws -> (ModelWriter, ModelReaders) {
      let container = try container()

      let writer = ModelWriter(container, waitingAtMost: .seconds(5)) { context in
        context.uniquenessPolicy = .refuse
      }
      let readers = ModelReaders(container, waitingAtMost: .seconds(5))
      try await writer.write { context in
        let author = Author(email: "ada@blog.example")
        for number in 0..<30 {
          context.insert(Post(code: "p\(number + 10)", title: "\(number)", author: author))
        }
      }
      return (writer, readers)
    }

    @Test func aPageIsReadWithItsAuthors() async throws {
      let (_, readers) = try await seeded()

      let page = try await readers.read { context in
        var descriptor = FetchDescriptor<Post>(sortBy: [SortDescriptor(\.code, order: .reverse)])
        descriptor.fetchLimit = 20
        descriptor.relationshipKeyPathsForPrefetching = [\.author]
        return try context.fetch(descriptor).map(PostView.init)
      }
      let json = try JSONEncoder().encode(page)

      #expect(page.count == 20 && page.first?.code == "p39")
      #expect(try JSONDecoder().decode([PostView].self, from: json) == page)

      let last = page.last?.code ?? ""
      let next = try await readers.read { context in
        try context.fetch(
          FetchDescriptor<Post>(
            predicate: #Predicate { $0.code < last },
            sortBy: [SortDescriptor(\.code, order: .reverse)])
        ).map(PostView.init)
      }
      #expect(next.count == 10 && next.first?.code == "p19")
    }

    @Test func aRevisionRefusesAStaleEdit() async throws {
      let (writer, readers) = try await seeded()

      func rename(_ code: String, to title: String, at revision: Int) async throws -> PostView {
        try await writer.write { context in
          let found = FetchDescriptor<Post>(predicate: #Predicate { $0.code == code })
          guard let post = try context.fetch(found).first else {
            throw RequestError(status: 404, message: "There is no such post.")
          }
          guard post.revision == revision else {
            throw RequestError(status: 412, message: "It was changed meanwhile.")
          }
          post.title = title
          post.revision += 1
          return PostView(post)
        }
      }

      #expect(try await rename("p10", to: "new", at: 1).title == "new")
      let stale = await #expect(throws: RequestError.self) {
        try await rename("p10", to: "newer", at: 1)
      }
      #expect(stale?.status == 412)
      let titles = try await readers.read { try $0.fetch(FetchDescriptor<Post>()).map(\.title) }
      #expect(titles.contains("new") && !titles.contains("newer"))
    }

    @Test func failuresHaveAnswers() async throws {
      let (writer, readers) = try await seeded()

      do {
        try await writer.write { $0.insert(Author(email: "ada@blog.example")) }
      } catch let error as SwiftDataError {
        let refused = answer(to: error)
        print(refused.status, refused.message)
      }

      let error = await #expect(throws: SwiftDataError.self) {
        try await writer.write { $0.insert(Author(email: "ada@blog.example")) }
      }
      #expect(answer(to: try #require(error)).status == 409)
      let denied = await #expect(throws: SwiftDataError.self) {
        try await writer.write { context in
          for author in try context.fetch(FetchDescriptor<Author>()) { context.delete(author) }
        }
      }
      #expect(answer(to: try #require(denied)).status == 409)
      #expect(try await readers.read { try $0.fetchCount(FetchDescriptor<Author>()) } == 1)
    }

    @Test func aNewModelHasATextAfterTheWrite() async throws {
      let (writer, readers) = try await seeded()

      let identifier = try await writer.write { context in
        let author = Author(email: "grace@blog.example")
        context.insert(author)
        return author.persistentModelID
      }
      let path = "/authors/\(try identifier.urlText)"

      let text = String(path.dropFirst("/authors/".count))
      let email = try await readers.read { try $0.model(Author.self, urlText: text).email }
      #expect(email == "grace@blog.example")

      let early = await #expect(throws: SwiftDataError.self) {
        try await writer.write { context in
          let author = Author(email: "early@blog.example")
          context.insert(author)
          return try author.persistentModelID.urlText
        }
      }
      #expect(answer(to: try #require(early)).status == 500)
    }

    @Test func noIncrementIsLost() async throws {
      let (writer, readers) = try await seeded()

      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<1600 {
          group.addTask {
            try await writer.write { context in
              let first = FetchDescriptor<Post>(predicate: #Predicate { $0.code == "p10" })
              try context.fetch(first).first?.likes += 1
            }
          }
        }
        try await group.waitForAll()
      }
      let likes = try await readers.read { context in
        let first = FetchDescriptor<Post>(predicate: #Predicate { $0.code == "p10" })
        return try context.fetch(first).first?.likes
      }
      #expect(likes == 1600)
    }

    @Test func aServerDoesNotMigrate() throws {
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("server-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      let file = folder.appendingPathComponent("blog.store")

      var configuration = ModelConfiguration(url: file)
      configuration.allowsMigration = false
      let served = try ModelContainer(for: Author.self, Post.self, configurations: configuration)

      #expect(served.schema.entities.count == 2)
      #expect(documentedFile.lastPathComponent == file.lastPathComponent)

      for preview in try ModelContainer.migrationPreview(
        for: Schema([Author.self, Post.self]), configurations: [ModelConfiguration(url: file)])
      {
        print(preview)
      }
      _ = try ModelContainer(
        for: Author.self, Post.self, configurations: ModelConfiguration(url: file))
    }

    @Test func theHistoryIsSmall() throws {
      let container = try container()
      let context = ModelContext(container)
      context.insert(Author(email: "ada@blog.example"))
      try context.save()

      for size in try container.historySize() where size.changeCount > 1_000_000 {
        print("The history has \(size.changeCount) changes in \(size.byteCount) bytes.")
      }

      #expect(try container.historySize().map(\.changeCount) == [1])
    }

    @Test func aClosedContainerRefuses() async throws {
      let container = try container()

      try await container.close()

      let error = #expect(throws: SwiftDataError.self) {
        try ModelContext(container).fetchCount(FetchDescriptor<Post>())
      }
      #expect(error == .containerClosed)
    }

    @Test func counterpartsOfFluent() throws {
      let context = ModelContext(try container())
      let ada = Author(email: "ada@blog.example")
      context.insert(Post(code: "a", title: "Lisbon", author: ada))
      context.insert(Post(code: "b", title: "Porto", author: ada))
      try context.save()

      let email = "ada@blog.example"
      var descriptor = FetchDescriptor<Post>(
        predicate: #Predicate { $0.author?.email == email && $0.title.starts(with: "L") },
        sortBy: [SortDescriptor(\.title)])
      descriptor.fetchLimit = 10
      descriptor.relationshipKeyPathsForPrefetching = [\.author]
      let posts = try context.fetch(descriptor)

      #expect(posts.map(\.title) == ["Lisbon"])
      let count = try context.fetchCount(descriptor)
      #expect(count == 1)

      try context.delete(model: Post.self, where: #Predicate { $0.title == "Porto" })
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Post>()) == 1)
    }
  }
}
