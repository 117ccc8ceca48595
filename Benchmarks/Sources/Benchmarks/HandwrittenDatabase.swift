import BenchmarkSQLite

/// A file that comparisons read and write with SQL of their own.
final class HandwrittenDatabase {
  let handle: OpaquePointer?

  init(path: String) throws {
    var opened: OpaquePointer?
    guard sqlite3_open(path, &opened) == SQLITE_OK else {
      throw SQLiteFailure(message: "\(path) cannot be opened")
    }
    handle = opened
  }

  deinit { sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw SQLiteFailure(message: String(cString: sqlite3_errmsg(handle)))
    }
  }

  func prepare(_ sql: String) throws -> HandwrittenStatement {
    try HandwrittenStatement(self, sql)
  }
}

/// A prepared statement, which may run again and again.
final class HandwrittenStatement {
  private let database: HandwrittenDatabase
  private var statement: OpaquePointer?

  fileprivate init(_ database: HandwrittenDatabase, _ sql: String) throws {
    self.database = database
    guard sqlite3_prepare_v2(database.handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw SQLiteFailure(message: String(cString: sqlite3_errmsg(database.handle)))
    }
  }

  deinit { sqlite3_finalize(statement) }

  func bind(_ values: [Int64]) {
    sqlite3_reset(statement)
    for (index, value) in values.enumerated() {
      sqlite3_bind_int64(statement, Int32(index + 1), value)
    }
  }

  func step() -> Bool { sqlite3_step(statement) == SQLITE_ROW }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func text(_ column: Int32) -> String {
    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
  }
}

/// A contender with a connection of its own, whose statements it prepares and steps itself.
protocol ConnectedContender {
  var database: OpaquePointer? { get }
}

extension ConnectedContender {
  func prepare(_ sql: String) throws -> OpaquePointer? {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
    return statement
  }

  func run(_ sql: String) throws {
    try check(sqlite3_exec(database, sql, nil, nil, nil))
  }

  func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw failure }
  }

  var failure: SQLiteFailure {
    SQLiteFailure(message: String(cString: sqlite3_errmsg(database)))
  }
}
