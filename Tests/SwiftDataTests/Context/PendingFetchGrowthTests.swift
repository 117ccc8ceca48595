import Foundation
import SwiftData
import Synchronization
import Testing

/// Writers, their posts and the posts' tags.
enum Blog {
  @Model final class Writer {
    var name: String
    var bio = ""
    @Relationship(inverse: \Post.writer) var posts: [Post] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Post {
    @Attribute(.unique) var slug: String
    var number: Int
    var writer: Writer?
    @Relationship(inverse: \Tag.posts) var tags: [Tag] = []

    init(_ number: Int, writer: Writer? = nil) {
      slug = "post-\(number)"
      self.number = number
      self.writer = writer
    }
  }

  @Model final class Tag {
    var name: String
    var color = ""
    var posts: [Post] = []

    init(_ name: String) { self.name = name }
  }

  static let types: [any PersistentModel.Type] = [Writer.self, Post.self, Tag.self]

  /// A post in ten by each writer, one in twenty under each tag.
  static func fill(_ container: ModelContainer, posts count: Int) throws {
    let context = ModelContext(container)
    let writers = (0..<10).map { Writer("writer \($0)") }
    let tags = (0..<20).map { Tag("tag \($0)") }
    for writer in writers { context.insert(writer) }
    for tag in tags { context.insert(tag) }
    for number in 0..<count {
      let post = Post(number, writer: writers[number % 10])
      context.insert(post)
      post.tags = [tags[number % 20]]
    }
    try context.save()
  }
}

/// What a fetch reads while changes are pending: rows that these concern, and no others.
@Suite(.databases) struct PendingFetchGrowthTests {
  typealias Writer = Blog.Writer
  typealias Post = Blog.Post
  typealias Tag = Blog.Tag

  private struct Desk {
    let recorder = StatementRecorder()
    let container: ModelContainer
    let context: ModelContext

    init(_ count: Int = 400) throws {
      container = try recorder.container(Blog.types)
      try Blog.fill(container, posts: count)
      context = ModelContext(container)
      context.autosaveEnabled = false
    }

    func writer(_ number: Int) throws -> Writer {
      let name = "writer \(number)"
      let found = try context.fetch(
        FetchDescriptor<Writer>(predicate: #Predicate { $0.name == name }))
      return try #require(found.first)
    }

    func tag(_ number: Int) throws -> Tag {
      let name = "tag \(number)"
      let found = try context.fetch(FetchDescriptor<Tag>(predicate: #Predicate { $0.name == name }))
      return try #require(found.first)
    }

    /// Fetches, and counts statements and rows.
    func fetch<T: PersistentModel>(
      _ descriptor: FetchDescriptor<T>, statements: Int, rows: Int,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [T] {
      var found: [T] = []
      let ran = try recorder.during { found = try context.fetch(descriptor) }
      #expect(
        ran.count == statements, "\(ran.map(\.sql).joined(separator: "\n"))",
        sourceLocation: sourceLocation)
      #expect(
        ran.reduce(0) { $0 + $1.rowCount } == rows, "\(ran.map { "\($0.rowCount): \($0.sql)" })",
        sourceLocation: sourceLocation)
      return found
    }
  }

  private static var bySlug: FetchDescriptor<Post> {
    FetchDescriptor(predicate: #Predicate { $0.slug == "post-7" })
  }

  private static func by(tag name: String) -> FetchDescriptor<Post> {
    FetchDescriptor(predicate: #Predicate { $0.tags.contains { $0.name == name } })
  }

  private static func by(writer name: String) -> FetchDescriptor<Post> {
    FetchDescriptor(predicate: #Predicate { $0.writer?.name == name })
  }

  @Test(.sqliteOnly("counts statements")) func anUnrelatedEditCostsNothing() throws {
    let desk = try Desk()
    try desk.writer(3).bio = "edited"
    let work = try desk.recorder.leftToMemory { () throws in
      #expect(try desk.fetch(Self.bySlug, statements: 1, rows: 1).count == 1)
      #expect(try desk.fetch(Self.by(tag: "tag 5"), statements: 1, rows: 20).count == 20)
      // The writer's name is read, and it is another property that was edited.
      #expect(try desk.fetch(Self.by(writer: "writer 3"), statements: 1, rows: 40).count == 40)
    }
    #expect(work.isEmpty)
    // A new writer, and one to be deleted, are none that a stored post names by another way.
    desk.context.insert(Writer("new"))
    desk.context.delete(try desk.writer(8))
    #expect(try desk.fetch(Self.by(writer: "writer 3"), statements: 1, rows: 40).count == 40)
    #expect(try desk.context.fetchCount(Self.by(writer: "writer 3")) == 40)
  }

  @Test(.sqliteOnly("counts statements")) func anEditThatIsReadConcernsTheRowsThatLeadToIt() throws
  {
    let desk = try Desk()
    try desk.writer(3).name = "edited"
    let work = try desk.recorder.leftToMemory { () throws in
      // The keys of the 40 posts of that writer, what the store finds, and those that it did not.
      let found = try desk.fetch(Self.by(writer: "edited"), statements: 3, rows: 80)
      #expect(Set(found.map { $0.number % 10 }) == [3] && found.count == 40)
      #expect(try desk.fetch(Self.by(writer: "writer 3"), statements: 2, rows: 80).isEmpty)
      #expect(try desk.fetch(Self.by(writer: "writer 4"), statements: 3, rows: 120).count == 40)
    }
    #expect(work.map(\.entityName) == ["Post", "Post", "Post"])
    #expect(work.first?.reasons == ["40 rows: unsaved changes of Writer"])
    #expect(try desk.context.fetchCount(Self.by(writer: "edited")) == 40)
    #expect(try desk.context.fetchCount(Self.by(writer: "writer 3")) == 0)
    // What is asked of the post itself narrows the rows that are judged.
    let one = FetchDescriptor<Post>(
      predicate: #Predicate { $0.slug == "post-13" && $0.writer?.name == "edited" })
    #expect(try desk.fetch(one, statements: 3, rows: 2).map(\.number) == [13])
  }

  @Test(.sqliteOnly("counts statements")) func membersThatWereEditedConcernTheirOwners() throws {
    let desk = try Desk()
    try desk.tag(5).color = "red"
    #expect(try desk.fetch(Self.by(tag: "tag 5"), statements: 1, rows: 20).count == 20)
    try desk.tag(5).name = "edited"
    // Keys, the answer of the store, the rows that it did not find, and their tags.
    #expect(try desk.fetch(Self.by(tag: "edited"), statements: 4, rows: 60).count == 20)
    #expect(try desk.fetch(Self.by(tag: "tag 5"), statements: 3, rows: 60).isEmpty)
    let post = try #require(try desk.context.fetch(Self.bySlug).first)
    post.tags.append(try desk.tag(5 + 1))
    #expect(try desk.context.fetch(Self.by(tag: "tag 6")).count == 21)
  }

  @Test(.sqliteOnly("counts statements")) func pathsOfSeveralStepsLeadBackToo() throws {
    let desk = try Desk()
    try desk.tag(5).name = "edited"
    let writers = FetchDescriptor<Writer>(
      predicate: #Predicate { $0.posts.contains { $0.tags.contains { $0.name == "edited" } } })
    #expect(try desk.context.fetch(writers).map(\.name) == ["writer 5"])
    #expect(try desk.context.fetchCount(writers) == 1)
    let sorted = FetchDescriptor<Post>(
      predicate: #Predicate { $0.number < 10 }, sortBy: [SortDescriptor(\.writer?.name)])
    try desk.writer(0).name = "zzz"
    #expect(
      try desk.context.fetch(sorted).map(\.number) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0])
  }

  @Test(.sqliteOnly("counts statements")) func aPageReadsAPage() throws {
    let desk = try Desk()
    let edited = try #require(try desk.context.fetch(Self.bySlug).first)
    edited.number = -1
    desk.context.insert(Post(100_000))
    var page = FetchDescriptor<Post>(sortBy: [SortDescriptor(\.number)])
    page.fetchLimit = 5
    #expect(try desk.fetch(page, statements: 1, rows: 6).map(\.number) == [-1, 0, 1, 2, 3])
    page.fetchOffset = 5
    #expect(try desk.fetch(page, statements: 1, rows: 11).map(\.number) == [4, 5, 6, 8, 9])
    // The keys of 397 rows before it.
    page.fetchOffset = 398
    #expect(
      try desk.fetch(page, statements: 2, rows: 397 + 3).map(\.number) == [398, 399, 100_000])
    edited.number = 7
    try desk.context.save()
    desk.context.insert(Post(100_001))
    page.fetchOffset = 398
    #expect(
      try desk.fetch(page, statements: 1, rows: 4).map(\.number) == [398, 399, 100_000, 100_001])
    var numbers: [Int] = []
    var unsorted = FetchDescriptor<Post>()
    unsorted.fetchLimit = 50
    for start in stride(from: 0, to: 450, by: 50) {
      unsorted.fetchOffset = start
      numbers += try desk.context.fetch(unsorted).map(\.number)
    }
    #expect(numbers.count == 402 && Set(numbers).count == 402)
  }

  /// Some changes, with the requests whose pages are compared with the whole result.
  @Test(arguments: 0..<8) func pagesAreSlicesOfTheWholeResult(changes: Int) throws {
    let container = try ModelContainer(
      for: Schema(Blog.types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    try Blog.fill(container, posts: 40)
    let context = ModelContext(container)
    let posts = try context.fetch(FetchDescriptor<Post>(sortBy: [SortDescriptor(\.number)]))
    if changes & 1 != 0 {
      for number in [-1, 17, 18, 90] { context.insert(Post(number + 1000 * (number % 2))) }
    }
    if changes & 2 != 0 {
      for (index, number) in [(3, 25), (20, -4), (21, 5), (39, 12)] { posts[index].number = number }
      posts[30].writer?.name = "a"
    }
    if changes & 4 != 0 { for index in [0, 1, 19, 38] { context.delete(posts[index]) } }
    let requests = [
      FetchDescriptor<Post>(), FetchDescriptor<Post>(sortBy: [SortDescriptor(\.number)]),
      FetchDescriptor<Post>(sortBy: [SortDescriptor(\.number, order: .reverse)]),
      FetchDescriptor<Post>(
        predicate: #Predicate { $0.number > 4 && $0.number < 31 }, sortBy: [SortDescriptor(\.slug)]),
      FetchDescriptor<Post>(
        predicate: #Predicate { $0.number > 2 },
        sortBy: [SortDescriptor(\.writer?.name), SortDescriptor(\.number)]),
    ]
    try PendingMergeLimit.$skipped.withValue(0) {
      for request in requests {
        let all = try context.fetch(request).map(\.slug)
        for offset in stride(from: 0, through: all.count + 2, by: 1) {
          for limit in [nil, 1, 3] {
            var page = request
            (page.fetchOffset, page.fetchLimit) = (offset, limit)
            let expected = all.dropFirst(offset).prefix(limit ?? .max)
            #expect(
              try context.fetch(page).map(\.slug) == Array(expected), "\(offset), \(limit ?? 0)")
          }
        }
      }
    }
  }

  @Test(.sqliteOnly("counts statements")) func countingReadsNoRows() throws {
    let desk = try Desk()
    let posts = try desk.context.fetch(
      FetchDescriptor<Post>(predicate: #Predicate { $0.number < 4 }))
    posts[0].number = 900
    posts[1].number = 901
    desk.context.delete(posts[2])
    for number in 1000..<1010 { desk.context.insert(Post(number)) }
    let large = FetchDescriptor<Post>(predicate: #Predicate { $0.number >= 300 })
    let ran = try desk.recorder.during { () throws in
      #expect(try desk.context.fetchCount(large) == 112)
      #expect(try desk.context.fetchCount(FetchDescriptor<Post>()) == 409)
    }
    // The last one counts the edited rows, which another container may have deleted.
    #expect(ran.allSatisfy { $0.rowCount == 1 } && ran.count == 5, "\(ran.map(\.sql))")
    let again = try desk.recorder.during { () throws in
      #expect(try desk.context.fetchCount(FetchDescriptor<Post>()) == 409)
    }
    #expect(again.count == 2, "\(again.map(\.sql))")
  }

  // MARK: Many pending changes

  /// Looks each post up before it is inserted or edited.
  private func evaluations(_ count: Int, stored: Int) throws -> Int {
    let desk = try Desk(stored)
    Counting.count.withLock { $0 = 0 }
    for number in 0..<count {
      let slug = "post-\(number)"
      let request = Predicate<Post> { post in
        PredicateExpressions.Conjunction(
          lhs: Counting(),
          rhs: PredicateExpressions.build_Equal(
            lhs: PredicateExpressions.build_KeyPath(root: post, keyPath: \.slug),
            rhs: PredicateExpressions.build_Arg(slug)))
      }
      let found = try desk.context.fetch(FetchDescriptor(predicate: request))
      #expect(found.count == (number < stored ? 1 : 0))
      if let post = found.first { post.number += 1 } else { desk.context.insert(Post(number)) }
      // It is found again, under its own value and no other.
      #expect(try desk.context.fetch(FetchDescriptor(predicate: request)).count == 1)
    }
    return Counting.count.withLock { $0 }
  }

  @Test(.sqliteOnly("counts statements"), arguments: [0, 1000])
  func lookingUpBeforeEachInsertJudgesFewModels(stored: Int) throws {
    let (small, large) = (
      try evaluations(100, stored: stored), try evaluations(400, stored: stored)
    )
    #expect(small >= 100 && large <= 5 * small, "\(small), \(large)")
  }

  /// Asks which of the new models have one of many values, as an import does.
  private func readElements(_ count: Int) throws -> Int {
    let desk = try Desk(20)
    for number in 100..<(100 + count) { desk.context.insert(Post(number)) }
    let slugs = CountedTexts((10..<(90 + count)).map { "post-\($0)" })
    CountedTexts.count.withLock { $0 = 0 }
    let request = FetchDescriptor<Post>(
      predicate: #Predicate { slugs.contains($0.slug) && $0.number != 15 },
      sortBy: [SortDescriptor(\.number)])
    let found = try desk.context.fetch(request).map(\.number)
    let numbers: [Int] = Array(10..<15) + Array(16..<20) + Array(100..<(90 + count))
    #expect(found == numbers)
    let known = try desk.context.fetch(FetchDescriptor<Post>())
    let expected = try known.filter { try request.predicate?.evaluate($0) ?? true }.map(\.number)
      .sorted()
    CountedTexts.count.withLock { $0 = 0 }
    #expect(try desk.context.fetch(request).map(\.number) == expected)
    #expect(try desk.context.fetchCount(request) == expected.count)
    return CountedTexts.count.withLock { $0 }
  }

  @Test func aLongListIsNotSearchedForEachModel() throws {
    let (small, large) = (try readElements(100), try readElements(400))
    #expect(small >= 100 && large <= 5 * small, "\(small), \(large)")
  }

  @Test(.sqliteOnly("counts statements")) func aPendingModelIsFoundUnderItsNewValue() throws {
    let desk = try Desk(20)
    let new = (100..<140).map { Post($0) }
    for post in new { desk.context.insert(post) }
    func find(_ slug: String) throws -> [Post] {
      try desk.context.fetch(FetchDescriptor(predicate: #Predicate { $0.slug == slug }))
    }
    #expect(try find("post-120") == [new[20]])
    new[20].slug = "other"
    #expect(try find("post-120").isEmpty && find("other") == [new[20]])
    new[20].slug = "third"
    #expect(try find("third") == [new[20]] && find("other").isEmpty)
    new[20].slug = "post-120"
    #expect(try find("post-120") == [new[20]] && find("third").isEmpty)
    let stored = try #require(try find("post-3").first)
    for number in 0..<20 { try find("post-\(number)").first?.number += 1 }
    stored.slug = "moved"
    #expect(try find("moved") == [stored] && find("post-3").isEmpty)
    desk.context.delete(new[20])
    #expect(try find("post-120").isEmpty)
    desk.context.rollback()
    #expect(try find("moved").isEmpty && find("post-3") == [stored] && find("post-130").isEmpty)
  }
}

/// Counts how often an element is read.
private struct CountedTexts: Collection, Codable, Sendable {
  static let count = Mutex(0)

  private let texts: [String]

  init(_ texts: [String]) { self.texts = texts }

  var startIndex: Int { texts.startIndex }
  var endIndex: Int { texts.endIndex }

  func index(after index: Int) -> Int { index + 1 }

  subscript(index: Int) -> String {
    Self.count.withLock { $0 += 1 }
    return texts[index]
  }
}

/// Is true, and counts how often it is judged in memory.
private struct Counting: StandardPredicateExpression {
  static let count = Mutex(0)

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    Self.count.withLock { $0 += 1 }
    return true
  }
}
