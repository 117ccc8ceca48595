import Foundation
import OpenSwiftDataSQLiteEngine
import Testing

struct StatementTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: "", mode: .memory(name: nil))
  }

  @Test func valuesComeBackAsTheyWereBound() throws {
    let statement = try connection.prepare("SELECT ?, ?, ?, ?, ?, ?")
    #expect(statement.parameterCount == 6)
    try statement.bind(Int64.min, at: 1)
    try statement.bind(-0.1, at: 2)
    try statement.bind("Grüße 👋", at: 3)
    try statement.bind(Data([0, 1, 255]), at: 4)
    try statement.bindNull(at: 5)
    try [UInt8]([9, 8]).withUnsafeBytes { try statement.bind(bytes: $0, at: 6) }
    #expect(try statement.step())
    #expect(statement.columnCount == 6)
    #expect(statement.int64(0) == Int64.min)
    #expect(statement.double(1) == -0.1)
    #expect(statement.string(2) == "Grüße 👋")
    #expect(statement.data(3) == Data([0, 1, 255]))
    #expect(statement.isNull(4))
    #expect(statement.withBytes(5) { Array($0) } == [9, 8])
    #expect(
      (0..<6).map { statement.storageClass($0) } == [.integer, .real, .text, .blob, .null, .blob])
    #expect(try !statement.step())
  }

  @Test(arguments: ["", "\0", "a\0b", "x" + String(repeating: "é", count: 10_000), "\0\0tail"])
  func textKeepsItsFullLength(_ text: String) throws {
    let statement = try connection.prepare("SELECT ?")
    try statement.bind(text, at: 1)
    #expect(try statement.step())
    #expect(statement.storageClass(0) == .text)
    #expect(statement.string(0) == text)
  }

  @Test func anEmptyBlobIsNotNull() throws {
    let statement = try connection.prepare("SELECT ?")
    try statement.bind(Data(), at: 1)
    #expect(try statement.step())
    #expect(statement.storageClass(0) == .blob)
    #expect(statement.data(0) == Data())
  }

  @Test func aStatementRunsManyTimes() throws {
    try connection.execute("CREATE TABLE a (x)")
    let insert = try connection.prepare("INSERT INTO a VALUES (?)")
    for value in 1...100 {
      try insert.bind(Int64(value), at: 1)
      try insert.run()
    }
    #expect(try connection.integer("SELECT sum(x) FROM a") == 5050)
  }

  @Test func aDroppedStatementIsUsedAgainWithoutItsBindings() throws {
    let sql = "SELECT ?"
    var first: Statement? = try connection.prepare(sql)
    let handle = first?.handle
    try first?.bind(Int64(1), at: 1)
    _ = try first?.step()
    first = nil
    #expect(connection.idleStatementCount == 1)
    let second = try connection.prepare(sql)
    #expect(second.handle == handle)
    #expect(try second.step())
    #expect(second.isNull(0))
  }

  @Test func statementsAreFoundInAnyOrderWhileOthersAreEvicted() throws {
    let small = try Connection(path: "", mode: .memory(name: nil), cachedStatements: 3)
    for round in 0..<40 {
      for number in [1, 2, 3, 1, 3, 2, 4, 1, 2, 5, round] {
        #expect(try small.integer("SELECT \(number)") == Int64(number))
      }
    }
    #expect(small.idleStatementCount == 3)
  }

  @Test func aStatementInUseIsNotHandedOutTwice() throws {
    let sql = "SELECT 1 UNION SELECT 2"
    let first = try connection.prepare(sql)
    let second = try connection.prepare(sql)
    #expect(first.handle != second.handle)
    #expect(try first.step())
    #expect(try second.step())
    #expect(try first.step())
    #expect(first.int64(0) == 2)
    #expect(second.int64(0) == 1)
  }

  @Test func theCacheForgetsWhatWasUsedLongestAgo() throws {
    let small = try Connection(path: "", mode: .memory(name: nil), cachedStatements: 2)
    for number in 1...3 { _ = try small.prepare("SELECT \(number)") }
    #expect(small.idleStatementCount == 2)
    let none = try Connection(path: "", mode: .memory(name: nil), cachedStatements: 0)
    _ = try none.prepare("SELECT 1")
    #expect(none.idleStatementCount == 0)
  }

  @Test func aStatementMayOutliveItsConnection() throws {
    var owner: Connection? = try Connection(path: "", mode: .memory(name: nil))
    let statement = try owner?.prepare("SELECT 42")
    owner = nil
    #expect(try statement?.step() == true)
    #expect(statement?.int64(0) == 42)
  }

  @Test func aStatementFollowsAChangeOfTheSchema() throws {
    try connection.execute("CREATE TABLE a (x); INSERT INTO a VALUES (1)")
    let statement = try connection.prepare("SELECT * FROM a")
    #expect(try statement.step())
    statement.reset()
    try connection.execute("ALTER TABLE a ADD COLUMN y")
    #expect(try statement.step())
    #expect(statement.columnCount == 2)
  }
}
