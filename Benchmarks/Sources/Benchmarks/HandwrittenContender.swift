import BenchmarkSQLite
import Foundation

/// What one writes who needs speed and nothing else: the C API, plain structs, no layers.
final class HandwrittenContender: Contender, ConnectedContender {
  static let name = "C API"

  private static let columns = """
    number, customer, city, product, note, quantity, price, discount, placed, shipped, isPaid, \
    isGift, reference
    """

  private(set) var database: OpaquePointer?

  init(path: String) throws {
    try check(sqlite3_open(path, &database))
    try run(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -8000;
      CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, number INTEGER, customer VARCHAR,
        city VARCHAR, product VARCHAR, note VARCHAR, quantity INTEGER, price FLOAT, discount FLOAT,
        placed TIMESTAMP, shipped TIMESTAMP, isPaid INTEGER, isGift INTEGER, reference BLOB);
      CREATE UNIQUE INDEX IF NOT EXISTS orders_number ON orders (number);
      CREATE INDEX IF NOT EXISTS orders_city ON orders (city);
      """)
  }

  deinit {
    sqlite3_close_v2(database)
  }

  func create(_ values: [OrderValue]) throws {
    let copies = values.map { OrderValue(copying: $0) }
    precondition(copies.count == values.count)
  }

  func insert(_ values: [OrderValue]) throws {
    try write(values, "INSERT INTO orders (\(Self.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)")
  }

  func fetchAll() throws -> any Collection {
    try values("SELECT \(Self.columns) FROM orders")
  }

  func readAll() throws -> Checksum {
    var sum = Checksum()
    for value in try values("SELECT \(Self.columns) FROM orders") { value.add(to: &sum) }
    return sum
  }

  func enumerate() throws -> Checksum {
    let statement = try prepare("SELECT \(Self.columns) FROM orders")
    defer { sqlite3_finalize(statement) }
    var sum = Checksum()
    while sqlite3_step(statement) == SQLITE_ROW { OrderValue(row: statement).add(to: &sum) }
    return sum
  }

  func lookUp(_ count: Int) throws -> Int {
    let statement = try prepare("SELECT \(Self.columns) FROM orders WHERE id = ?")
    defer { sqlite3_finalize(statement) }
    var length = 0
    for index in 0..<count {
      sqlite3_bind_int64(statement, 1, Int64(index * 7 + 1))
      guard sqlite3_step(statement) == SQLITE_ROW else { continue }
      length += OrderValue(row: statement).customer.utf8.count
      sqlite3_reset(statement)
    }
    return length
  }

  func findOne(_ count: Int) throws -> Int {
    let statement = try prepare("SELECT \(Self.columns) FROM orders WHERE number = ? LIMIT 1")
    defer { sqlite3_finalize(statement) }
    var length = 0
    for index in 0..<count {
      sqlite3_bind_int64(statement, 1, Int64(index * 7 % Benchmarks.rows))
      guard sqlite3_step(statement) == SQLITE_ROW else { continue }
      length += OrderValue(row: statement).customer.utf8.count
      sqlite3_reset(statement)
    }
    return length
  }

  func filter(_ count: Int) throws -> Int {
    let statement = try prepare(
      "SELECT \(Self.columns) FROM orders WHERE city = ? AND quantity >= ? ORDER BY price LIMIT 50")
    defer { sqlite3_finalize(statement) }
    var found = 0
    for index in 0..<count {
      var city = OrderValue.city(index)
      city.bind(to: statement, at: 1)
      sqlite3_bind_int64(statement, 2, 20)
      var values: [OrderValue] = []
      while sqlite3_step(statement) == SQLITE_ROW { values.append(OrderValue(row: statement)) }
      sqlite3_reset(statement)
      found += values.count
    }
    return found
  }

  func upsert(_ values: [OrderValue]) throws {
    let update = Self.columns.split(separator: ", ").dropFirst()
      .map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    try write(
      values,
      "INSERT INTO orders (\(Self.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?) "
        + "ON CONFLICT (number) DO UPDATE SET \(update)")
  }

  func deleteAll() throws {
    try run("DELETE FROM orders")
  }

  private func values(_ sql: String) throws -> [OrderValue] {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement) }
    var values: [OrderValue] = []
    while sqlite3_step(statement) == SQLITE_ROW { values.append(OrderValue(row: statement)) }
    return values
  }

  private func write(_ values: [OrderValue], _ sql: String) throws {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement) }
    try run("BEGIN IMMEDIATE")
    for value in values {
      value.bind(to: statement)
      guard sqlite3_step(statement) == SQLITE_DONE else { throw failure }
      sqlite3_reset(statement)
    }
    try run("COMMIT")
  }
}

struct SQLiteFailure: Error {
  let message: String
}
