import ArgumentParser
import Foundation
import SwiftData

/// Fills a store with authors, tags and posts, for a first look and for load tests.
struct Seed: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Adds authors, tags and posts.")

  @OptionGroup var options: StoreOptions

  @Option(help: "The number of posts.")
  var posts = 1000

  func run() async throws {
    let stores = options.stores()
    try stores.migrate()
    let blog = Blog(try stores.open())
    let count = posts
    try await blog.write { context in
      let authors = (0..<max(count / 20, 1)).map { number in
        Author(email: "author\(number)-\(Code.next())@blog.example", name: "Author \(number)")
      }
      let known = try context.fetch(FetchDescriptor<Tag>())
      let tags = (0..<50).map { number in
        known.first { $0.name == "tag\(number)" } ?? Tag(name: "tag\(number)")
      }
      for number in 0..<count {
        let post = Post(
          title: "Post \(number)",
          body: String(repeating: "Some text of post \(number). ", count: 20),
          author: authors[number % authors.count])
        context.insert(post)
        post.tags = [tags[number % 50], tags[(number * 7 + 3) % 50]]
      }
    }
    print("\(stores.place) has \(count) more posts.")
  }
}
