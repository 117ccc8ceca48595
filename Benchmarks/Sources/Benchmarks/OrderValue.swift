import Foundation

/// The 13 values of one order, the same for every contender.
struct OrderValue {
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

  static let cities = 200

  static func city(_ index: Int) -> String {
    "City number \(index % cities)"
  }

  init(number: Int) {
    // A multiplicative hash: values look random and are equal in every run.
    let random = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
    self.number = number
    customer = "Customer \(random % 5000), Incorporated"
    city = Self.city(Int(random >> 33) % Self.cities)
    product = "Product \(random % 700)"
    note = number % 3 == 0 ? "Please ring twice, then leave it at door \(number)" : nil
    quantity = Int(random >> 40) % 100
    price = Double(random >> 20 & 0xFFFF) / 100
    discount = number % 4 == 0 ? 0.1 : nil
    placed = Date(timeIntervalSinceReferenceDate: Double(700_000_000 + number * 60))
    shipped =
      number % 2 == 0
      ? Date(timeIntervalSinceReferenceDate: Double(700_086_400 + number * 60)) : nil
    isPaid = number % 5 != 0
    isGift = number % 11 == 0
    let (a, b) = (random, ~random)
    reference = withUnsafeBytes(of: (a, b)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}

/// A sum over every property, so that each must be read.
struct Checksum: Equatable {
  var value = 0.0

  mutating func add(
    number: Int, customer: String, city: String, product: String, note: String?, quantity: Int,
    price: Double, discount: Double?, placed: Date, shipped: Date?, isPaid: Bool, isGift: Bool,
    reference: UUID
  ) {
    var count = number + quantity + customer.utf8.count + city.utf8.count + product.utf8.count
    count += note?.utf8.count ?? 0
    count += (isPaid ? 1 : 0) + (isGift ? 1 : 0) + Int(reference.uuid.0)
    value += Double(count) + price + (discount ?? 0) + placed.timeIntervalSinceReferenceDate
    value += shipped?.timeIntervalSinceReferenceDate ?? 0
  }
}
