import Foundation
import SwiftData
import Testing

/// Once for each list, a save says that it took a member from another owner, and how owners can share it.
@Suite struct SingleOwnerWarningTests {
  /// A post whose tags have no inverse.
  enum Taken {
    @Model final class Post {
      var title: String
      var tags: [Tag] = []

      init(_ title: String) { self.title = title }
    }

    @Model final class Tag {
      var name: String

      init(_ name: String) { self.name = name }
    }
  }

  /// The same entities, as the warning advises.
  enum Shared {
    @Model final class Post {
      var title: String
      var tags: [Tag] = []

      init(_ title: String) { self.title = title }
    }

    @Model final class Tag {
      var name: String
      @Relationship(inverse: \Post.tags) var posts: [Post] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum Moved {
    @Model final class Shelf {
      var books: [Book] = []

      init() {}
    }

    @Model final class Book {
      init() {}
    }
  }

  @Test func sharedMembersAreReportedAndTheAdviceKeepsThem() throws {
    let folder = try TemporaryFolder()
    let url = folder.store
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Taken.Post.self, configurations: ModelConfiguration(url: url)))
      let tag = Taken.Tag("swift")
      let posts = [Taken.Post("one"), Taken.Post("two")]
      for post in posts {
        context.insert(post)
        post.tags.append(tag)
      }
      let found = try WarningLog.lines { try context.save() }
      #expect(
        found == [
          "A save moved a Tag from the tags of one Post to those of another. Post.tags has no inverse, so "
            + "each Tag belongs to the Post that it was added to last. If several are to have it, "
            + "declare an array of Post in Tag with @Relationship(inverse: \\Post.tags)."
        ])
      #expect(posts.map(\.tags.count) == [0, 1])
      posts[0].tags.append(tag)
      #expect(try WarningLog.lines { try context.save() } == [])
    }
    let context = ModelContext(
      try ModelContainer(for: Shared.Post.self, configurations: ModelConfiguration(url: url)))
    let posts = try context.fetch(FetchDescriptor<Shared.Post>(sortBy: [SortDescriptor(\.title)]))
    #expect(posts.map { $0.tags.map(\.name) } == [["swift"], []])
    posts[1].tags = posts[0].tags
    #expect(try WarningLog.lines { try context.save() } == [])
    #expect(posts.map { $0.tags.map(\.name) } == [["swift"], ["swift"]])
  }

  /// Of two shelves and a stored book, which is on the first one.
  @Test func aMemberThatIsTakenFromItsStoredOwnerIsReported() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Moved.Shelf.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let (first, second, book) = (Moved.Shelf(), Moved.Shelf(), Moved.Book())
    context.insert(first)
    context.insert(second)
    first.books = [book]
    try context.save()
    // A book that its shelf gives away is not taken.
    first.books = []
    second.books = [book]
    #expect(try WarningLog.lines { try context.save() } == [])
    first.books = [book]
    let found = try WarningLog.lines { try context.save() }
    #expect(found.map { $0.prefix(22) } == ["A save moved a Book fr"])
    #expect(second.books == [])
  }
}
