import Foundation
import SwiftData
import Testing

/// To-many relationships whose members are new instances of rows that exist.
///
/// The list is compared by row: after an upsert the new members and the old ones may be the same.
@Suite(.databases) struct UpsertToManyTests {
  @Model final class Post {
    @Attribute(.unique) var title: String
    var tags: [Tag] = []
    var keywords: [Keyword] = []
    @Relationship(inverse: \Comment.post) var comments: [Comment] = []

    init(_ title: String) { self.title = title }
  }

  @Model final class Tag {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Post.tags) var posts: [Post] = []
    var links: [Tag] = []
    @Relationship(inverse: \Tag.links) var linkedBy: [Tag] = []

    init(_ name: String) { self.name = name }
  }

  /// No inverse: the owner's key is a column of the keyword.
  @Model final class Keyword {
    @Attribute(.unique) var name: String

    init(_ name: String) { self.name = name }
  }

  @Model final class Comment {
    @Attribute(.unique) var text: String
    var post: Post?

    init(_ text: String) { self.text = text }
  }

  private static func container(
    _ recorder: StatementRecorder? = nil
  ) throws -> ModelContainer {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    if let recorder { configuration.statementLog = recorder.log() }
    return try ModelContainer(
      for: Post.self, Tag.self, Keyword.self, Comment.self, configurations: configuration)
  }

  private static func newTags(_ names: [String]) -> [Tag] { names.map(Tag.init) }

  /// The names of a post's tags in memory, in another context, and those that lead back to the post.
  private static func expect(
    _ post: Post, _ names: Set<String>, _ container: ModelContainer,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(Set(post.tags.map(\.name)) == names, sourceLocation: sourceLocation)
    #expect(post.tags.count == names.count, sourceLocation: sourceLocation)
    let other = ModelContext(container)
    let posts = try other.fetch(FetchDescriptor<Post>())
    #expect(posts.count == 1, sourceLocation: sourceLocation)
    let stored = try #require(posts.first, sourceLocation: sourceLocation)
    #expect(Set(stored.tags.map(\.name)) == names, sourceLocation: sourceLocation)
    #expect(stored.tags.count == names.count, sourceLocation: sourceLocation)
    let tags = try other.fetch(FetchDescriptor<Tag>())
    let back = tags.filter { $0.posts.contains { $0.title == post.title } }
    #expect(Set(back.map(\.name)) == names, sourceLocation: sourceLocation)
  }

  @Test(arguments: [true, false])
  func theSameTagsSetAgainStay(isLoaded: Bool) throws {
    let container = try Self.container()
    let context = ModelContext(container)
    let post = Post("p")
    context.insert(post)
    for _ in 1...3 {
      post.tags = Self.newTags(["one", "two"])
      try context.save()
      if isLoaded { try Self.expect(post, ["one", "two"], container) }
      #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 2)
    }
    try Self.expect(post, ["one", "two"], container)
  }

  @Test func anOverlappingListReplacesTheOldOne() throws {
    let container = try Self.container()
    let context = ModelContext(container)
    let post = Post("p")
    context.insert(post)
    post.tags = Self.newTags(["one", "two"])
    try context.save()
    post.tags = Self.newTags(["two", "three"])
    try context.save()
    try Self.expect(post, ["two", "three"], container)
    post.tags = Self.newTags(["three"])
    try context.save()
    try Self.expect(post, ["three"], container)
    post.tags = []
    try context.save()
    try Self.expect(post, [], container)
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 3)
  }

  @Test func aNewOwnerThatBecomesAnOldOneKeepsItsMembersAndAddsItsOwn() throws {
    let container = try Self.container()
    let context = ModelContext(container)
    let post = Post("p")
    context.insert(post)
    post.tags = Self.newTags(["one", "two"])
    try context.save()
    let again = Post("p")
    context.insert(again)
    again.tags = Self.newTags(["two", "three"])
    try context.save()
    try Self.expect(post, ["one", "two", "three"], container)
    #expect(Set(again.tags.map(\.name)) == ["one", "two", "three"])
  }

  @Test func anOldMemberThatIsRemovedAndComesBackAsANewInstanceStays() throws {
    let container = try Self.container()
    let context = ModelContext(container)
    let post = Post("p")
    context.insert(post)
    post.tags = Self.newTags(["one", "two"])
    try context.save()
    post.tags.removeAll { $0.name == "one" }
    post.tags.append(Tag("one"))
    try context.save()
    try Self.expect(post, ["one", "two"], container)
    // From the other side.
    let tag = try #require(post.tags.first { $0.name == "two" })
    tag.posts = [Post("p")]
    try context.save()
    try Self.expect(post, ["one", "two"], container)
  }

  @Test func theFileOfAnotherContextIsReplacedToo() throws {
    let container = try Self.container()
    let first = ModelContext(container)
    let post = Post("p")
    first.insert(post)
    post.tags = Self.newTags(["one", "two"])
    try first.save()
    let second = ModelContext(container)
    let same = try #require(try second.fetch(FetchDescriptor<Post>()).first)
    same.tags = Self.newTags(["two", "three"])
    try second.save()
    try Self.expect(same, ["two", "three"], container)
    _ = try first.fetch(FetchDescriptor<Post>())
    try Self.expect(post, ["two", "three"], container)
  }

  @Test func membersWithoutInverseAreReplaced() throws {
    let container = try Self.container()
    let context = ModelContext(container)
    let post = Post("p")
    context.insert(post)
    for names in [["one", "two"], ["one", "two"], ["two", "three"], ["three"]] {
      post.keywords = names.map(Keyword.init)
      try context.save()
      #expect(Set(post.keywords.map(\.name)) == Set(names))
      let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Post>()).first)
      #expect(Set(stored.keywords.map(\.name)) == Set(names))
    }
  }

  @Test func membersWithAToOneAreReplaced() throws {
    let container = try Self.container()
    let context = ModelContext(container)
    let post = Post("p")
    context.insert(post)
    for texts in [["one", "two"], ["one", "two"], ["two", "three"], ["three"]] {
      post.comments = texts.map(Comment.init)
      try context.save()
      #expect(Set(post.comments.map(\.text)) == Set(texts))
      let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Post>()).first)
      #expect(Set(stored.comments.map(\.text)) == Set(texts))
    }
  }

  @Test func linksOfAnEntityWithItselfAreReplaced() throws {
    let container = try Self.container()
    let context = ModelContext(container)
    let tag = Tag("root")
    context.insert(tag)
    for names in [["one", "two"], ["one", "two"], ["two", "root"], ["root"]] {
      tag.links = names.map(Tag.init)
      try context.save()
      let stored = try ModelContext(container).fetch(FetchDescriptor<Tag>())
      let root = try #require(stored.first { $0.name == "root" })
      #expect(Set(root.links.map(\.name)) == Set(names))
      let back = stored.filter { $0.linkedBy.contains { $0.name == "root" } }
      #expect(Set(back.map(\.name)) == Set(names))
    }
  }

  @Test(.sqliteOnly("counts statements")) func eachPairIsWrittenOnce() throws {
    let recorder = StatementRecorder()
    let container = try Self.container(recorder)
    let context = ModelContext(container)
    let post = Post("p")
    context.insert(post)
    post.tags = Self.newTags(["one", "two", "three"])
    let first = try recorder.during { try context.save() }
    #expect(first.filter(Self.writesPairs).count == 3)
    post.tags = Self.newTags(["three", "four"])
    let second = try recorder.during { try context.save() }
    // "one" and "two" go, "three" is written again, "four" is new.
    #expect(second.filter(Self.writesPairs).count == 4)
  }

  private static func writesPairs(_ statement: StatementLog.Statement) -> Bool {
    ["INSERT OR IGNORE INTO \"Z_", "DELETE FROM \"Z_"].contains { statement.sql.hasPrefix($0) }
  }
}
