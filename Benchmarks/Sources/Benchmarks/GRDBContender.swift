import Foundation
import GRDB

/// GRDB as its documentation shows it: Codable records.
final class GRDBContender: Contender {
  static let name = "GRDB"

  private let pool: DatabasePool

  init(path: String) throws {
    pool = try DatabasePool(path: path)
    try pool.write { database in
      try database.create(table: "orderRecord", ifNotExists: true) { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("number", .integer).notNull().unique()
        table.column("customer", .text).notNull()
        table.column("city", .text).notNull().indexed()
        table.column("product", .text).notNull()
        table.column("note", .text)
        table.column("quantity", .integer).notNull()
        table.column("price", .double).notNull()
        table.column("discount", .double)
        table.column("placed", .double).notNull()
        table.column("shipped", .double)
        table.column("isPaid", .boolean).notNull()
        table.column("isGift", .boolean).notNull()
        table.column("reference", .blob).notNull()
      }
    }
  }

  func create(_ values: [OrderValue]) throws {
    let records = values.map(OrderRecord.init)
    precondition(records.count == values.count)
  }

  func insert(_ values: [OrderValue]) throws {
    try pool.write { database in
      for value in values { try OrderRecord(value).insert(database) }
    }
  }

  func fetchAll() throws -> any Collection {
    try pool.read { try OrderRecord.fetchAll($0) }
  }

  func readAll() throws -> Checksum {
    var sum = Checksum()
    for record in try pool.read({ try OrderRecord.fetchAll($0) }) { record.add(to: &sum) }
    return sum
  }

  func enumerate() throws -> Checksum {
    var sum = Checksum()
    try pool.read { database in
      let cursor = try OrderRecord.fetchCursor(database)
      while let record = try cursor.next() { record.add(to: &sum) }
    }
    return sum
  }

  func lookUp(_ count: Int) throws -> Int {
    try pool.read { database in
      try (0..<count).reduce(0) { length, index in
        let record = try OrderRecord.fetchOne(database, key: Int64(index * 7 + 1))
        return length + (record?.customer.utf8.count ?? 0)
      }
    }
  }

  func findOne(_ count: Int) throws -> Int {
    try pool.read { database in
      try (0..<count).reduce(0) { length, index in
        let record = try OrderRecord.filter(Column("number") == index * 7 % Benchmarks.rows)
          .fetchOne(database)
        return length + (record?.customer.utf8.count ?? 0)
      }
    }
  }

  func filter(_ count: Int) throws -> Int {
    try pool.read { database in
      try (0..<count).reduce(0) { found, index in
        let records =
          try OrderRecord
          .filter(Column("city") == OrderValue.city(index) && Column("quantity") >= 20)
          .order(Column("price"))
          .limit(50)
          .fetchAll(database)
        return found + records.count
      }
    }
  }

  func upsert(_ values: [OrderValue]) throws {
    try pool.write { database in
      for value in values { try OrderRecord(value).upsert(database) }
    }
  }

  func deleteAll() throws {
    _ = try pool.write { try OrderRecord.deleteAll($0) }
  }
}

private struct OrderRecord: Codable, FetchableRecord, PersistableRecord {
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .timeIntervalSinceReferenceDate
  }

  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .timeIntervalSinceReferenceDate
  }

  var id: Int64?
  var number: Int
  var customer: String
  var city: String
  var product: String
  var note: String?
  var quantity: Int
  var price: Double
  var discount: Double?
  var placed: Date
  var shipped: Date?
  var isPaid: Bool
  var isGift: Bool
  var reference: UUID

  init(_ value: OrderValue) {
    number = value.number
    customer = value.customer
    city = value.city
    product = value.product
    note = value.note
    quantity = value.quantity
    price = value.price
    discount = value.discount
    placed = value.placed
    shipped = value.shipped
    isPaid = value.isPaid
    isGift = value.isGift
    reference = value.reference
  }

  func add(to sum: inout Checksum) {
    sum.add(
      number: number, customer: customer, city: city, product: product, note: note,
      quantity: quantity, price: price, discount: discount, placed: placed, shipped: shipped,
      isPaid: isPaid, isGift: isGift, reference: reference)
  }
}
