import Foundation
import OpenSwiftDataSQLiteEngine
import Testing

struct FunctionTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: "", mode: .memory(name: nil))
  }

  @Test func aFunctionSeesItsArgumentsAndAnswers() throws {
    try connection.register(function: "describe", argumentCount: -1, deterministic: true) {
      arguments in
      .text(
        (0..<arguments.count).map { index in
          switch arguments.storageClass(index) {
          case .integer: "integer \(arguments.int64(index))"
          case .real: "real \(arguments.double(index))"
          case .text: "text \(arguments.string(index))"
          case .blob: "blob \(arguments.data(index).count)"
          case .null: "null"
          }
        }.joined(separator: ", "))
    }
    #expect(
      try connection.text("SELECT describe(1, 2.5, 'ä', x'0001', NULL)")
        == "integer 1, real 2.5, text ä, blob 2, null")
  }

  @Test func aFileCannotHaveAFunctionRun() throws {
    try connection.register(function: "mark", argumentCount: 0, deterministic: false) { _ in
      .integer(1)
    }
    try connection.execute("CREATE VIEW marks AS SELECT mark() AS mark")
    #expect(throws: SQLiteError.self) { try connection.integer("SELECT mark FROM marks") }
    #expect(try connection.integer("SELECT mark()") == 1)
  }

  @Test func everyKindOfResultArrives() throws {
    let results: [FunctionResult] = [
      .null, .integer(-1), .real(0.5), .text(""), .text("a\0b"), .blob(Data()), .blob(Data([1])),
    ]
    try connection.register(function: "pick", argumentCount: 1, deterministic: false) {
      results[Int($0.int64(0))]
    }
    let statement = try connection.prepare(
      "SELECT typeof(pick(0)), pick(1), pick(2), pick(3), pick(4), pick(5), pick(6)")
    #expect(try statement.step())
    #expect(statement.string(0) == "null")
    #expect(statement.int64(1) == -1)
    #expect(statement.double(2) == 0.5)
    #expect(statement.storageClass(3) == .text)
    #expect(statement.string(4) == "a\0b")
    #expect(statement.storageClass(5) == .blob)
    #expect(statement.data(6) == Data([1]))
  }

  @Test func aFailureBecomesTheStatementsError() throws {
    try connection.register(function: "refuse", argumentCount: 0, deterministic: true) { _ in
      .failure("not today")
    }
    let error = #expect(throws: SQLiteError.self) { try connection.integer("SELECT refuse()") }
    #expect(error?.message == "not today")
  }

  @Test func aFunctionLivesUntilItIsReplaced() throws {
    final class Token {}
    var token: Token? = Token()
    weak let observed = token
    try connection.register(function: "f", argumentCount: 0, deterministic: true) { [token] _ in
      .integer(token == nil ? 0 : 1)
    }
    token = nil
    #expect(observed != nil)
    #expect(try connection.integer("SELECT f()") == 1)
    try connection.register(function: "f", argumentCount: 0, deterministic: true) { _ in .null }
    #expect(observed == nil)
  }

  @Test func aCollationOrdersTexts() throws {
    try connection.register(collation: "byLength") { left, right in
      left.count < right.count
        ? .orderedAscending : left.count > right.count ? .orderedDescending : .orderedSame
    }
    try connection.execute("CREATE TABLE a (x); INSERT INTO a VALUES ('ccc'), ('ä'), ('bb')")
    #expect(
      try connection.text(
        "SELECT group_concat(x) FROM (SELECT x FROM a ORDER BY x COLLATE byLength DESC)")
        == "ccc,bb,ä")
  }
}
