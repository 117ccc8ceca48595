import Foundation
import GRDB
import SwiftData

/// What writes of a server cost without its HTTP: a title is edited, or a like is counted, by tasks that
/// run at the same time.
///
/// This package runs them as units of a `ModelWriter`, GRDB as transactions with SQL that a person wrote. Both
/// write files of the same layout, and return the same values. Only ours keeps a history. Rounds take turns, the
/// best one counts.
struct UnitComparison {
  fileprivate static let articles = 2_000
  private static let writes = 4_000
  private static let rounds = 5
  private static let taskCounts = [1, 8, 64]

  private let folder: URL

  /// - Parameter folder: Where nothing else is.
  init(in folder: URL) { self.folder = folder }

  /// Runs units for a profiler on this thread, because valgrind stops where tasks begin.
  /// - Parameter arguments: How many units a transaction has, and how many there are.
  func profile(_ arguments: [String]) throws {
    guard arguments.count == 2, let size = Int(arguments[0]), let count = Int(arguments[1])
    else { throw UsageFailure() }
    let store = try UnitStore(
      folder.appendingPathComponent("repeated.store"), articles: Self.articles)
    let context = ModelContext(store.container)
    try Self.writeGroups(of: size, 100, context)
    try Self.writeGroups(of: size, count, context)
  }

  /// What a `ModelWriter` does with units that come together.
  @inline(never)
  private static func writeGroups(of size: Int, _ count: Int, _ context: ModelContext) throws {
    for start in stride(from: 0, to: count, by: size) {
      try context.transaction {
        for number in start..<min(start + size, count) {
          try UnitStore.write(number, context)
          try context.save()
        }
      }
    }
  }

  func run() async throws {
    let store = try UnitStore(folder.appendingPathComponent("store"), articles: Self.articles)
    let other = folder.appendingPathComponent("handwritten.store")
    _ = try UnitStore(other, articles: Self.articles)
    let handwritten = try HandwrittenUnits(other.path)
    print("Writes of a server: microseconds of CPU time of the process, ratio\n")
    for tasks in Self.taskCounts {
      var best = [Double.infinity, .infinity]
      for _ in 0..<Self.rounds {
        best[0] = min(best[0], try await Self.time(tasks, handwritten))
        best[1] = min(best[1], try await Self.time(tasks, store))
      }
      let times = best.map { $0 / Double(Self.writes) }
      let name = "\(tasks) tasks".padding(toLength: 12, withPad: " ", startingAt: 0)
      print(name + String(format: "%8.1f %8.1f %8.2f x", times[0], times[1], times[1] / times[0]))
    }
  }

  private static func time(_ tasks: Int, _ writer: some UnitWriter) async throws -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
    let start = now()
    try await write(writes, tasks, writer)
    return now() - start
  }

  private static func write(_ count: Int, _ tasks: Int, _ writer: some UnitWriter) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          for number in stride(from: task, to: count, by: tasks) {
            try await writer.write(number)
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

private struct MissingArticle: Error {}

private protocol UnitWriter: Sendable {
  /// Edits the title of an article and returns all of it, or counts a like and returns their number.
  func write(_ number: Int) async throws
}

@Model
final class Article {
  @Attribute(.unique) var code: String
  var title: String
  var body: String
  var created: Date
  var likes = 0
  var revision = 1
  var writer: Writer?
  @Relationship(inverse: \Topic.articles) var topics: [Topic] = []

  init(_ index: Int, _ writer: Writer) {
    code = Article.code(index)
    title = "Article \(index)"
    body = "What article \(index) says, in one sentence."
    created = Date(timeIntervalSinceReferenceDate: Double(index))
    self.writer = writer
  }

  static func code(_ index: Int) -> String { String(1_000_000 + index, radix: 36) }

  /// The code of the article that a unit changes.
  static func code(ofUnit number: Int) -> String { code(number * 7 % UnitComparison.articles) }
}

@Model
final class Writer {
  var name: String
  @Relationship(inverse: \Article.writer) var articles: [Article] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Topic {
  var name: String
  var articles: [Article] = []

  init(_ name: String) { self.name = name }
}

/// An article as an answer has it.
struct ArticleView: Sendable {
  var code: String
  var title: String
  var body: String
  var created: Date
  var likes: Int
  var revision: Int
  var writer: String?
  var topics: [String]
}

// MARK: - This package

private final class UnitStore: UnitWriter {
  let container: ModelContainer
  private let writer: ModelWriter

  /// - Parameter url: A file that does not exist yet.
  init(_ url: URL, articles count: Int) throws {
    container = try ModelContainer(
      for: Article.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    let writers = (0..<20).map { Writer("Writer \($0)") }
    let topics = (0..<50).map { Topic("Topic \($0)") }
    for index in 0..<count {
      let article = Article(index, writers[index % 20])
      context.insert(article)
      article.topics = (0..<3).map { topics[(index + $0 * 7) % 50] }
    }
    try context.save()
    writer = ModelWriter(container)
  }

  func write(_ number: Int) async throws {
    try await writer.write { try UnitStore.write(number, $0) }
  }

  static func write(_ number: Int, _ context: ModelContext) throws {
    let code = Article.code(ofUnit: number)
    if number % 2 == 0 {
      _ = try edit(code, title: "Title \(number)", context)
    } else {
      _ = try like(code, context)
    }
  }

  private static func edit(
    _ code: String, title: String, _ context: ModelContext
  ) throws -> ArticleView {
    var descriptor = FetchDescriptor<Article>(predicate: #Predicate { $0.code == code })
    descriptor.relationshipKeyPathsForPrefetching = [\.writer, \.topics]
    guard let article = try context.fetch(descriptor).first else { throw MissingArticle() }
    article.title = title
    article.revision += 1
    return ArticleView(
      code: article.code, title: article.title, body: article.body, created: article.created,
      likes: article.likes, revision: article.revision, writer: article.writer?.name,
      topics: article.topics.map(\.name).sorted())
  }

  private static func like(_ code: String, _ context: ModelContext) throws -> Int {
    let descriptor = FetchDescriptor<Article>(predicate: #Predicate { $0.code == code })
    guard let article = try context.fetch(descriptor).first else { throw MissingArticle() }
    article.likes += 1
    return article.likes
  }
}

// MARK: - By hand

private final class HandwrittenUnits: UnitWriter {
  private let pool: DatabasePool
  private let pairs: String

  /// - Parameter path: A file that this package has created.
  init(_ path: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
    pool = try DatabasePool(path: path, configuration: configuration)
    pairs = try pool.read { database in
      // The names of the table and its columns have the numbers of entities.
      let columns = try Row.fetchAll(
        database,
        sql: """
          SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
          WHERE m.type = 'table' AND m.name GLOB 'Z_[0-9]*' ORDER BY c.cid
          """
      ).map { (table: $0[0] as String, column: $0[1] as String) }
      guard let table = columns.first?.table,
        let article = columns.first(where: { $0.column.hasSuffix("ARTICLES") })?.column,
        let topic = columns.first(where: { $0.column.hasSuffix("TOPICS") })?.column
      else { throw MissingArticle() }
      return """
        SELECT t.ZNAME FROM \(table) j JOIN ZTOPIC t ON t.Z_PK = j.\(topic)
        WHERE j.\(article) = ? ORDER BY t.ZNAME
        """
    }
  }

  func write(_ number: Int) async throws {
    let code = Article.code(ofUnit: number)
    if number % 2 == 0 {
      _ = try await edit(code, title: "Title \(number)")
    } else {
      _ = try await like(code)
    }
  }

  private func edit(_ code: String, title: String) async throws -> ArticleView {
    try await pool.write { [pairs] database in
      let change = try database.cachedStatement(
        sql: """
          UPDATE ZARTICLE SET ZTITLE = ?, ZREVISION = ZREVISION + 1, Z_OPT = Z_OPT + 1
          WHERE ZCODE = ?
          """)
      try change.execute(arguments: [title, code])
      let statement = try database.cachedStatement(
        sql: """
          SELECT a.Z_PK, a.ZCODE, a.ZTITLE, a.ZBODY, a.ZCREATED, a.ZLIKES, a.ZREVISION, w.ZNAME
          FROM ZARTICLE a LEFT JOIN ZWRITER w ON w.Z_PK = a.ZWRITER WHERE a.ZCODE = ?
          """)
      guard let row = try Row.fetchOne(statement, arguments: [code])
      else { throw MissingArticle() }
      let topics = try String.fetchAll(
        try database.cachedStatement(sql: pairs), arguments: [row[0] as Int64])
      return ArticleView(
        code: row[1], title: row[2], body: row[3],
        created: Date(timeIntervalSinceReferenceDate: row[4]), likes: row[5], revision: row[6],
        writer: row[7], topics: topics)
    }
  }

  private func like(_ code: String) async throws -> Int {
    try await pool.write { database in
      let statement = try database.cachedStatement(
        sql: """
          UPDATE ZARTICLE SET ZLIKES = ZLIKES + 1, Z_OPT = Z_OPT + 1 WHERE ZCODE = ?
          RETURNING ZLIKES
          """)
      guard let likes = try Int.fetchOne(statement, arguments: [code])
      else { throw MissingArticle() }
      return likes
    }
  }
}
