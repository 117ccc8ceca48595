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
}
