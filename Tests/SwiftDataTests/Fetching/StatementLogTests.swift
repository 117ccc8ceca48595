import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

@Suite struct StatementLogTests {
  @Test func aConfigurationLogsEachStatement() throws {
    let recorder = StatementRecorder()
    let context = ModelContext(try recorder.container(Library.types))
    context.insert(Author(name: "Secret"))
    try context.save()
    let name = "Secret"
    let statements = try recorder.during {
      _ = try context.fetchCount(FetchDescriptor<Author>(predicate: #Predicate { $0.name == name }))
    }
    #expect(
      statements.map(\.sql) == [#"SELECT count(*) FROM "ZAUTHOR" AS "t0" WHERE "t0"."ZNAME" = ?1"#])
    #expect(statements.map(\.rowCount) == [1])
    #expect(statements.allSatisfy { $0.duration >= .zero && $0.sqlWithValues == nil })
  }

  @Test func valuesAreLoggedOnRequest() throws {
    let recorder = StatementRecorder()
    let context = ModelContext(try recorder.container(Library.types, includesValues: true))
    let statements = try recorder.during {
      let name = "it's"
      _ = try context.fetchCount(FetchDescriptor<Author>(predicate: #Predicate { $0.name == name }))
    }
    #expect(statements.first?.sqlWithValues?.hasSuffix(#"WHERE "t0"."ZNAME" = 'it''s'"#) == true)
    #expect(statements.first?.sql.hasSuffix("= ?1") == true)
  }

  @Test func workInMemoryIsLoggedWithItsReason() throws {
    let recorder = StatementRecorder()
    let context = ModelContext(try recorder.container(Library.types))
    let descriptor = FetchDescriptor<Author>(
      predicate: #Predicate { $0.name > "a" && $0.length == 1 })
    let work = try recorder.leftToMemory { _ = try context.fetch(descriptor) }
    #expect(work.map(\.entityName) == ["Author"])
    let reason = try #require(work.first?.reasons.first)
    #expect(work.first?.reasons.count == 1)
    #expect(reason == "$0.<computed>: a key path that does not name a stored property")
    #expect(try recorder.leftToMemory { _ = try context.fetchCount(descriptor) }.count == 1)
    let order = try recorder.leftToMemory {
      _ = try context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.length)]))
    }
    #expect(order.map(\.reasons) == [["the order"]])
    let whole = try recorder.leftToMemory { _ = try context.fetch(FetchDescriptor<Author>()) }
    #expect(whole.isEmpty)
  }

  @Test func timesHaveMicroseconds() throws {
    let recorder = StatementRecorder()
    let context = ModelContext(try recorder.container(Library.types))
    let statements = try recorder.during {
      for _ in 0..<20 { _ = try context.fetchCount(FetchDescriptor<Author>()) }
    }
    #expect(statements.count == 20)
    #expect(statements.allSatisfy { $0.duration > .zero })
    let microseconds = statements.map { Int($0.duration / .microseconds(1)) }
    #expect(microseconds.contains { $0 % 1000 != 0 })
  }

  @Test func aStatementThatFailedHasACode() throws {
    let folder = try TemporaryFolder()
    let recorder = StatementRecorder()
    var configuration = ModelConfiguration(url: folder.store)
    configuration.sqlite.busyTimeout = .milliseconds(50)
    configuration.statementLog = recorder.log()
    let context = ModelContext(
      try ModelContainer(for: Schema(Library.types), configurations: configuration))
    context.insert(Author(name: "Secret"))
    let blocker = try Connection(path: folder.store.path)
    try blocker.begin(.immediate)
    let refused = recorder.during { #expect(throws: SwiftDataError.self) { try context.save() } }
    blocker.rollback()
    let failed = refused.filter { $0.failure != nil }
    #expect(failed.map(\.failure) == ["SQLITE_BUSY"])
    let begin = try #require(failed.first)
    #expect(begin.sql.hasPrefix("BEGIN IMMEDIATE") && begin.duration >= .milliseconds(40))
    #expect("\(StatementLog.Event.statement(begin))".contains(" ms, failed (SQLITE_BUSY): BEGIN"))
    let saved = try recorder.during { try context.save() }
    #expect(!saved.isEmpty && saved.allSatisfy { $0.failure == nil })
  }

  @Test func anEventIsALine() throws {
    let recorder = StatementRecorder()
    let context = ModelContext(try recorder.container(Library.types))
    let statement = try #require(
      try recorder.during { _ = try context.fetchCount(FetchDescriptor<Shelf>()) }.first)
    let line = "\(StatementLog.Event.statement(statement))"
    #expect(line.hasPrefix("SQL "))
    #expect(line.hasSuffix(#" ms, 1 rows: SELECT count(*) FROM "ZSHELF" AS "t0""#))
  }
}

extension Author {
  /// Not stored, so a predicate that asks for it is judged in memory.
  fileprivate var length: Int { name.count }
}
