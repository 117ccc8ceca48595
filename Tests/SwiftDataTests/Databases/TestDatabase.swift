import Foundation
import Testing

/// A database on which tests of models and contexts run.
enum TestDatabase: String, CaseIterable {
  case sqlite = "SQLite"
  case postgres = "PostgreSQL"

  /// The databases of this run. `OPENSWIFTDATA_TEST_DATABASE` (`sqlite` or `postgres`) limits it to one.
  static let chosen: [TestDatabase] = {
    switch ProcessInfo.processInfo.environment["OPENSWIFTDATA_TEST_DATABASE"] {
    case "sqlite": [.sqlite]
    case "postgres": [.postgres]
    default: TestDatabase.allCases
    }
  }()
}

/// Runs each test of a suite on each database: first with default stores, then with stores of a
/// PostgreSQL server in their place.
///
/// Suites without the trait run on SQLite only. `Scripts/check-databases` has the reasons.
struct DatabasesTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    DatabaseTable.printAtExit()
    let suite = DatabaseTable.suite(of: test)
    let reason = test.traits.lazy.compactMap { $0 as? SQLiteOnlyTrait }.first?.reason
    for database in TestDatabase.chosen {
      switch database {
      case .sqlite:
        try await counted(suite, database, test, testCase, function)
      case .postgres:
        if reason != nil {
          DatabaseTable.count(suite, \.onlySQLite)
        } else if DatabasesTrait.isPostgresAvailable {
          try await onPostgres(suite, test, testCase, function)
        } else {
          DatabaseTable.count(suite, \.missing)
        }
      }
    }
  }

  private func onPostgres(
    _ suite: String, _ test: Test, _ testCase: Test.Case?,
    _ function: @Sendable () async throws -> Void
  ) async throws {
    let stores = PostgresTestStores()
    defer { stores.end() }
    let hasPassed = try await PostgresTestStores.$current.withValue(stores) {
      try await counted(suite, .postgres, test, testCase, function)
    }
    // Such a test says nothing about the database.
    if hasPassed, stores.count == 0 { DatabaseTable.count(suite, \.withoutStore) }
  }

  #if compiler(>=6.3)
    static var isPostgresAvailable: Bool { PostgresTestStores.isAvailable }

    /// Runs the test, names the database in its issues, and counts it as passed or failed.
    /// - Returns: Whether it has passed.
    @discardableResult
    private func counted(
      _ suite: String, _ database: TestDatabase, _ test: Test, _ testCase: Test.Case?,
      _ function: @Sendable () async throws -> Void
    ) async throws -> Bool {
      let failures = IssueCount()
      let naming = IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments.append("on \(database.rawValue)")
        if issue.isFailure { failures.add() }
        return issue
      }
      try await naming.provideScope(for: test, testCase: testCase) {
        do {
          try await function()
        } catch {
          // The test goes on with the next database.
          Issue.record(error)
        }
      }
      DatabaseTable.count(
        suite, failures.isZero ? \.passed[database.index] : \.failed[database.index])
      return failures.isZero
    }
  #else
    /// Without the database's name in issues nobody could read a failure, so older compilers run the
    /// tests on SQLite only.
    static var isPostgresAvailable: Bool { false }

    @discardableResult
    private func counted(
      _ suite: String, _ database: TestDatabase, _ test: Test, _ testCase: Test.Case?,
      _ function: @Sendable () async throws -> Void
    ) async throws -> Bool {
      try await function()
      DatabaseTable.count(suite, \.passed[database.index])
      return true
    }
  #endif
}

/// Excludes one test of a suite that runs on all databases.
struct SQLiteOnlyTrait: SuiteTrait, TestTrait {
  let reason: String
  var isRecursive: Bool { true }
}

extension Trait where Self == DatabasesTrait {
  /// The tests run on each database.
  static var databases: Self { DatabasesTrait() }
}

extension Trait where Self == SQLiteOnlyTrait {
  /// The test runs on SQLite only.
  /// - Parameter reason: What only the default store has.
  static func sqliteOnly(_ reason: String) -> Self { SQLiteOnlyTrait(reason: reason) }
}
