import BenchmarkSQLite
import Foundation
import SwiftData

/// What one small save costs: one changed title, or one new post, by SQL that a person wrote for it,
/// and by this package with and without history.
///
/// All write files of the same layout, with the same settings. Rounds take turns, the best one
/// counts. The pages are those that a save appends to the write-ahead log.
struct SaveComparison {
  enum Change: String, CaseIterable {
    case changed, inserted

    fileprivate var title: String {
      switch self {
      case .changed: "one changed title"
      case .inserted: "one new post"
      }
    }
  }

  private enum Writer: CaseIterable {
    case handwritten, withoutHistory, withHistory
  }

  private let folder: URL
  private static let rounds = 7
  private static let saves = 2_000
  /// So few that their pages stay in the log, which SQLite writes back after 1,000 pages.
  private static let countedSaves = 50
  private static let posts = 1_000

  /// - Parameter folder: Where nothing else is.
  init(in folder: URL) { self.folder = folder }

  /// - Parameter arguments: None for a report, or a change and a number of saves for a profiler;
  ///   `without` after these turns the history off.
  func run(_ arguments: [String]) throws {
    guard let name = arguments.first else { return try report() }
    guard arguments.count >= 2, let change = Change(rawValue: name), let count = Int(arguments[1])
    else { throw UsageFailure() }
    let isWithout = arguments.dropFirst(2).first == "without"
    let store = try PostStore(
      folder.appendingPathComponent("repeated.store"), posts: Self.posts, keepsHistory: !isWithout)
    try store.save(change, 100)
    try measured { try store.save(change, count) }
  }

  private func report() throws {
    print(
      """
      A save by hand, without history and with history: microseconds of CPU time, pages of the log

      """)
    for change in Change.allCases {
      let writers = try Writer.allCases.map { ($0, try writer($0, change)) }
      var best = writers.map { _ in Double.infinity }
      for _ in 0..<Self.rounds {
        for (index, (_, writer)) in writers.enumerated() {
          best[index] = min(best[index], try Self.time { try writer.save(change, Self.saves) })
        }
      }
      let pages = try writers.map { try Self.pages(of: $1, change) }
      let times = best.map { $0 / Double(Self.saves) }
      for (index, (kind, _)) in writers.enumerated() {
        let name = "\(change.title), \(kind)".padding(toLength: 36, withPad: " ", startingAt: 0)
        print(
          name
            + String(
              format: "%8.1f %8.2f x %8.2f", times[index], times[index] / times[0], pages[index]))
      }
    }
  }

  private func writer(_ kind: Writer, _ change: Change) throws -> any PostWriter {
    let url = folder.appendingPathComponent("\(change)-\(kind).store")
    switch kind {
    case .handwritten:
      _ = try PostStore(url, posts: Self.posts, keepsHistory: false)
      return try HandwrittenPosts(url)
    case .withoutHistory: return try PostStore(url, posts: Self.posts, keepsHistory: false)
    case .withHistory: return try PostStore(url, posts: Self.posts, keepsHistory: true)
    }
  }

  /// - Returns: The CPU time of this thread, in microseconds.
  private static func time(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
    let start = now()
    try body()
    return now() - start
  }

  /// The pages that a save appends to the log, on average.
  private static func pages(of writer: any PostWriter, _ change: Change) throws -> Double {
    try HandwrittenPosts(writer.url).emptyLog()
    try writer.save(change, 1)
    let before = try logSize(writer.url)
    try writer.save(change, countedSaves)
    // A page of the log has a header of 24 bytes.
    return Double(try logSize(writer.url) - before) / Double(4096 + 24) / Double(countedSaves)
  }

  private static func logSize(_ url: URL) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path + "-wal")
    return attributes[.size] as? Int ?? 0
  }
}

/// A function that profilers find by its name: they count what runs inside.
@inline(never)
private func measured(_ body: () throws -> Void) rethrows { try body() }

private protocol PostWriter {
  var url: URL { get }

  /// Makes some changes, each with a save of its own.
  func save(_ change: SaveComparison.Change, _ count: Int) throws
}

@Model
final class Post {
  var title: String
  var body: String
  var views: Int

  init(_ index: Int) {
    title = "Post \(index)"
    body = Post.body(index)
    views = index
  }

  static func body(_ index: Int) -> String { "What post \(index) says, in one sentence." }
}

// MARK: - This package

private final class PostStore: PostWriter {
  let url: URL
  private let context: ModelContext
  private let posts: [Post]
  private var number = 0

  /// - Parameter url: A file that does not exist yet.
  init(_ url: URL, posts count: Int, keepsHistory: Bool) throws {
    self.url = url
    var configuration = ModelConfiguration(url: url)
    configuration.keepsHistory = keepsHistory
    context = ModelContext(try ModelContainer(for: Post.self, configurations: configuration))
    context.autosaveEnabled = false
    posts = (0..<count).map(Post.init)
    for post in posts { context.insert(post) }
    try context.save()
  }

  func save(_ change: SaveComparison.Change, _ count: Int) throws {
    for _ in 0..<count {
      number += 1
      switch change {
      case .changed: posts[number * 7 % posts.count].title = "Title \(number)"
      case .inserted: context.insert(Post(number))
      }
      try context.save()
    }
  }
}

// MARK: - By hand

private final class HandwrittenPosts: PostWriter, ConnectedContender {
  let url: URL
  private(set) var database: OpaquePointer?
  private var statements: [OpaquePointer?] = []
  private var number = 0
  private var posts: Int64 = 0

  /// - Parameter url: A file that this package has created.
  init(_ url: URL) throws {
    self.url = url
    try check(sqlite3_open(url.path, &database))
    try run("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000")
    statements = try [
      "BEGIN IMMEDIATE", "COMMIT",
      "UPDATE ZPOST SET ZTITLE = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?",
      "INSERT INTO ZPOST (Z_PK, Z_ENT, Z_OPT, ZVIEWS, ZTITLE, ZBODY) VALUES (?, ?, 1, ?, ?, ?)",
      "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
      "SELECT Z_MAX, Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Post'",
    ].map(prepare)
    posts = try lastKey().key
  }

  deinit {
    for statement in statements { sqlite3_finalize(statement) }
    sqlite3_close_v2(database)
  }

  func save(_ change: SaveComparison.Change, _ count: Int) throws {
    for _ in 0..<count {
      number += 1
      try step(statements[0])
      switch change {
      case .changed:
        bind("Title \(number)", to: statements[2], at: 1)
        sqlite3_bind_int64(statements[2], 2, Int64(number * 7) % posts + 1)
        try step(statements[2])
      case .inserted:
        let last = try lastKey()
        sqlite3_bind_int64(statements[3], 1, last.key + 1)
        sqlite3_bind_int64(statements[3], 2, last.entity)
        sqlite3_bind_int64(statements[3], 3, Int64(number))
        bind("Post \(number)", to: statements[3], at: 4)
        bind(Post.body(number), to: statements[3], at: 5)
        try step(statements[3])
        sqlite3_bind_int64(statements[4], 1, last.key + 1)
        sqlite3_bind_int64(statements[4], 2, last.entity)
        try step(statements[4])
      }
      try step(statements[1])
    }
  }

  /// Writes the whole log back to the file, and makes it empty.
  func emptyLog() throws { try run("PRAGMA wal_checkpoint(TRUNCATE)") }

  private func lastKey() throws -> (key: Int64, entity: Int64) {
    let statement = statements[5]
    guard sqlite3_step(statement) == SQLITE_ROW else { throw failure }
    defer { sqlite3_reset(statement) }
    return (sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1))
  }

  private func bind(_ text: String, to statement: OpaquePointer?, at index: Int32) {
    var text = text
    text.bind(to: statement, at: index)
  }

  private func step(_ statement: OpaquePointer?) throws {
    guard sqlite3_step(statement) == SQLITE_DONE else { throw failure }
    sqlite3_reset(statement)
  }
}
