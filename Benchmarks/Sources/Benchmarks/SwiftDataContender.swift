import Foundation
import SwiftData

@Model
final class Order {
  #Index<Order>([\.city])

  @Attribute(.unique) var number: Int
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

/// SwiftData as an app uses it; every task has a context of its own.
final class SwiftDataContender: Contender {
  static let name = "SwiftData"

  private let container: ModelContainer

  /// Known to an app from earlier fetches, so the look-ups do not pay for it.
  private var identifiers: [PersistentIdentifier] = []

  /// Objects hold their context weakly, so what `fetchAll` answers needs it here.
  private var keptContext: ModelContext?

  init(path: String) throws {
    container = try ModelContainer(
      for: Order.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
  }

  func create(_ values: [OrderValue]) throws {
    let orders = values.map(Order.init)
    precondition(orders.count == values.count)
  }

  func insert(_ values: [OrderValue]) throws {
    let context = ModelContext(container)
    for value in values { context.insert(Order(value)) }
    try context.save()
  }

  func fetchAll() throws -> any Collection {
    let context = ModelContext(container)
    keptContext = context
    return try context.fetch(FetchDescriptor<Order>())
  }

  func readAll() throws -> Checksum {
    keptContext = nil
    let context = ModelContext(container)
    var sum = Checksum()
    for order in try context.fetch(FetchDescriptor<Order>()) { order.add(to: &sum) }
    return sum
  }

  func enumerate() throws -> Checksum {
    var sum = Checksum()
    try ModelContext(container).enumerate(FetchDescriptor<Order>()) { $0.add(to: &sum) }
    return sum
  }

  func prepareLookUp() throws {
    identifiers = try ModelContext(container).fetchIdentifiers(FetchDescriptor<Order>())
  }

  func lookUp(_ count: Int) throws -> Int {
    let context = ModelContext(container)
    return (0..<count).reduce(0) { length, index in
      let order = context.model(for: identifiers[index * 7 % identifiers.count]) as? Order
      return length + (order?.customer.utf8.count ?? 0)
    }
  }

  func findOne(_ count: Int) throws -> Int {
    let context = ModelContext(container)
    return try (0..<count).reduce(0) { length, index in
      let number = index * 7 % Benchmarks.rows
      var descriptor = FetchDescriptor<Order>(predicate: #Predicate { $0.number == number })
      descriptor.fetchLimit = 1
      return try length + (context.fetch(descriptor).first?.customer.utf8.count ?? 0)
    }
  }

  func compile(_ count: Int) throws -> Int? {
    let context = ModelContext(container)
    let (city, amount, limit) = ("Oslo", 3, 9.5)
    let parts: [Predicate<Order>] = [
      #Predicate { $0.city == city }, #Predicate { $0.city != city },
      #Predicate { $0.customer.contains(city) }, #Predicate { $0.note == city },
      #Predicate { $0.quantity == amount }, #Predicate { $0.quantity > amount },
      #Predicate { $0.price < limit }, #Predicate { $0.price >= limit },
      #Predicate { $0.discount == limit }, #Predicate { $0.isPaid },
    ]
    return try (0..<count).reduce(0) { found, index in
      let (a, b, c) = (parts[index % 10], parts[index / 10 % 10], parts[index / 100 % 10])
      let descriptor = FetchDescriptor<Order>(
        predicate: #Predicate { a.evaluate($0) && (b.evaluate($0) || !c.evaluate($0)) })
      return try found + context.fetchCount(descriptor)
    }
  }

  func filter(_ count: Int) throws -> Int {
    let context = ModelContext(container)
    return try (0..<count).reduce(0) { found, index in
      let city = OrderValue.city(index)
      var descriptor = FetchDescriptor<Order>(
        predicate: #Predicate { $0.city == city && $0.quantity >= 20 },
        sortBy: [SortDescriptor(\.price)])
      descriptor.fetchLimit = 50
      return try found + context.fetch(descriptor).count
    }
  }

  func upsert(_ values: [OrderValue]) throws {
    let context = ModelContext(container)
    for value in values { context.insert(Order(value)) }
    try context.save()
  }

  func deleteAll() throws {
    let context = ModelContext(container)
    try context.delete(model: Order.self)
    try context.save()
  }
}
