import OpenSwiftDataSQLiteEngine
import Testing

@Suite struct TracingTests {
  @Test func eachStatementIsTracedOnceWithItsRowsAndWithoutValues() throws {
    let connection = try Connection(path: "", mode: .memory(name: nil))
    try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)")
    var traces: [StatementTrace] = []
    connection.trace { traces.append($0) }
    let statement = try connection.prepare("SELECT x FROM t WHERE x > ?1")
    try statement.bind(Int64(1), at: 1)
    while try statement.step() {}
    statement.reset()
    #expect(traces.map(\.sql) == ["SELECT x FROM t WHERE x > ?1"])
    #expect(traces.map(\.rowCount) == [2])
    connection.trace(nil)
    _ = try connection.integer("SELECT 1")
    #expect(traces.count == 1)
  }

  @Test func aStatementThatFailedHasTheNameOfTheResult() throws {
    let connection = try Connection(path: "", mode: .memory(name: nil))
    try connection.execute("CREATE TABLE t (x UNIQUE); INSERT INTO t VALUES (1), (2)")
    var traces: [StatementTrace] = []
    connection.trace { traces.append($0) }
    let insert = "INSERT INTO t VALUES (1)"
    let statement = try connection.prepare(insert)
    #expect(throws: SQLiteError.self) { try statement.run() }
    #expect(throws: SQLiteError.self) { try statement.step() }
    #expect(throws: SQLiteError.self) { try connection.execute(insert) }
    #expect(throws: SQLiteError.self) { try connection.execute("SELECT x FROM t; " + insert) }
    #expect(traces.map(\.sql) == [insert, insert, insert, "SELECT x FROM t;", insert])
    let code = "SQLITE_CONSTRAINT"
    #expect(traces.map(\.failure) == [code, code, code, nil, code])
  }

  @Test func aStatementThatCannotBePreparedIsTheOneThatFailed() throws {
    let connection = try Connection(path: "", mode: .memory(name: nil))
    var traces: [StatementTrace] = []
    connection.trace { traces.append($0) }
    let texts = ["CREATE TABLE t (x);", "INSERT INTO nowhere VALUES (1)", "SELECT y FROM t"]
    #expect(throws: SQLiteError.self) {
      try connection.execute(texts[0] + "\n  " + texts[1])
    }
    #expect(throws: SQLiteError.self) { try connection.prepare(texts[2]) }
    #expect(traces.map(\.sql) == texts)
    #expect(traces.map(\.failure) == [nil, "SQLITE_ERROR", "SQLITE_ERROR"])
  }

  @Test func textsWithoutAStatementAreNoStatements() throws {
    let connection = try Connection(path: "", mode: .memory(name: nil))
    var traces: [StatementTrace] = []
    connection.trace { traces.append($0) }
    for text in ["", " \n", "-- nothing", ";; /* nothing */ ;"] { try connection.execute(text) }
    try connection.execute("SELECT 1; -- the first\nSELECT 2;\n")
    #expect(traces.map(\.sql) == ["SELECT 1;", "-- the first\nSELECT 2;"])
  }

  /// It is reported by the reset, not by a step.
  @Test func aStatementWhoseRowsAreNotAllReadHasNotFailed() throws {
    let connection = try Connection(path: "", mode: .memory(name: nil))
    try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
    var traces: [StatementTrace] = []
    connection.trace { traces.append($0) }
    #expect(try connection.integer("SELECT x FROM t") == 1)
    #expect(traces.map(\.rowCount) == [1])
    #expect(traces.map(\.failure) == [nil])
  }
}
