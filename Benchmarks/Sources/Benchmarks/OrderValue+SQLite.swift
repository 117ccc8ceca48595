import BenchmarkSQLite
import Foundation

private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension OrderValue {
  init(copying other: OrderValue) {
    self = other
  }

  @inline(__always)
  init(row: OpaquePointer?) {
    self.init(
      number: Int(sqlite3_column_int64(row, 0)),
      customer: Self.text(row, 1), city: Self.text(row, 2), product: Self.text(row, 3),
      note: Self.isNull(row, 4) ? nil : Self.text(row, 4),
      quantity: Int(sqlite3_column_int64(row, 5)),
      price: sqlite3_column_double(row, 6),
      discount: Self.isNull(row, 7) ? nil : sqlite3_column_double(row, 7),
      placed: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(row, 8)),
      shipped: Self.isNull(row, 9)
        ? nil : Date(timeIntervalSinceReferenceDate: sqlite3_column_double(row, 9)),
      isPaid: sqlite3_column_int64(row, 10) != 0, isGift: sqlite3_column_int64(row, 11) != 0,
      reference: Self.uuid(row, 12))
  }

  init(
    number: Int, customer: String, city: String, product: String, note: String?, quantity: Int,
    price: Double, discount: Double?, placed: Date, shipped: Date?, isPaid: Bool, isGift: Bool,
    reference: UUID
  ) {
    self.number = number
    self.customer = customer
    self.city = city
    self.product = product
    self.note = note
    self.quantity = quantity
    self.price = price
    self.discount = discount
    self.placed = placed
    self.shipped = shipped
    self.isPaid = isPaid
    self.isGift = isGift
    self.reference = reference
  }

  func bind(to statement: OpaquePointer?) {
    var (customer, city, product) = (customer, city, product)
    sqlite3_bind_int64(statement, 1, Int64(number))
    customer.bind(to: statement, at: 2)
    city.bind(to: statement, at: 3)
    product.bind(to: statement, at: 4)
    if var note { note.bind(to: statement, at: 5) } else { sqlite3_bind_null(statement, 5) }
    sqlite3_bind_int64(statement, 6, Int64(quantity))
    sqlite3_bind_double(statement, 7, price)
    if let discount {
      sqlite3_bind_double(statement, 8, discount)
    } else {
      sqlite3_bind_null(statement, 8)
    }
    sqlite3_bind_double(statement, 9, placed.timeIntervalSinceReferenceDate)
    if let shipped {
      sqlite3_bind_double(statement, 10, shipped.timeIntervalSinceReferenceDate)
    } else {
      sqlite3_bind_null(statement, 10)
    }
    sqlite3_bind_int64(statement, 11, isPaid ? 1 : 0)
    sqlite3_bind_int64(statement, 12, isGift ? 1 : 0)
    _ = withUnsafeBytes(of: reference.uuid) {
      sqlite3_bind_blob(statement, 13, $0.baseAddress, 16, transient)
    }
  }

  @inline(__always)
  private static func isNull(_ row: OpaquePointer?, _ index: Int32) -> Bool {
    sqlite3_column_type(row, index) == SQLITE_NULL
  }

  @inline(__always)
  private static func text(_ row: OpaquePointer?, _ index: Int32) -> String {
    let start = sqlite3_column_text(row, index)
    let count = Int(sqlite3_column_bytes(row, index))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  @inline(__always)
  private static func uuid(_ row: OpaquePointer?, _ index: Int32) -> UUID {
    guard let bytes = sqlite3_column_blob(row, index) else { return UUID() }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }
}

extension String {
  mutating func bind(to statement: OpaquePointer?, at index: Int32) {
    _ = withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text(statement, index, $0.baseAddress, Int32($0.count), transient)
      }
    }
  }
}
