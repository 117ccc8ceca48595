import BenchmarkPostgres
import Foundation

func integer(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> Int {
  let start = UnsafeRawPointer(PQgetvalue(result, row, column))
  return start.map { Int(Int64(bigEndian: $0.loadUnaligned(as: Int64.self))) } ?? 0
}

func text(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> String? {
  if PQgetisnull(result, row, column) != 0 { return nil }
  let bytes = UnsafeRawBufferPointer(
    start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
  return String(decoding: bytes, as: UTF8.self)
}

func real(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> Double? {
  if PQgetisnull(result, row, column) != 0 { return nil }
  return Double(bitPattern: UInt64(bitPattern: Int64(integer(result, row, column))))
}

extension OrderValue {
  init(row: Int32, of result: OpaquePointer, from first: Int32 = 0) {
    number = integer(result, row, first)
    customer = text(result, row, first + 1) ?? ""
    city = text(result, row, first + 2) ?? ""
    product = text(result, row, first + 3) ?? ""
    note = text(result, row, first + 4)
    quantity = integer(result, row, first + 5)
    price = real(result, row, first + 6) ?? 0
    discount = real(result, row, first + 7)
    placed = Date(timeIntervalSinceReferenceDate: real(result, row, first + 8) ?? 0)
    shipped = real(result, row, first + 9).map { Date(timeIntervalSinceReferenceDate: $0) }
    isPaid = PQgetvalue(result, row, first + 10)?[0] == 1
    isGift = PQgetvalue(result, row, first + 11)?[0] == 1
    let bytes = UnsafeRawPointer(PQgetvalue(result, row, first + 12))
    reference = bytes.map { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) } ?? UUID()
  }

  /// Appends a row of COPY.
  func append(to bytes: inout [UInt8]) {
    bytes.append(number: 13 as Int16)
    bytes.append(field: Int64(number))
    bytes.append(field: customer)
    bytes.append(field: city)
    bytes.append(field: product)
    bytes.append(field: note)
    bytes.append(field: Int64(quantity))
    bytes.append(field: price)
    bytes.append(field: discount)
    bytes.append(field: placed.timeIntervalSinceReferenceDate)
    bytes.append(field: shipped?.timeIntervalSinceReferenceDate)
    bytes.append(field: isPaid ? 1 : 0 as UInt8)
    bytes.append(field: isGift ? 1 : 0 as UInt8)
    withUnsafeBytes(of: reference.uuid) {
      bytes.append(number: 16 as Int32)
      bytes.append(contentsOf: $0)
    }
  }

  /// The same values as parameters.
  var parameters: Values {
    var row: [UInt8] = []
    append(to: &row)
    var values = Values()
    var start = 2
    while start < row.count {
      let length = row[start..<start + 4].reduce(0 as Int32) { $0 << 8 | Int32($1) }
      start += 4
      let end = start + max(0, Int(length))
      if length < 0 { values.addNull() } else { values.add { $0 += row[start..<end] } }
      start = end
    }
    return values
  }
}
