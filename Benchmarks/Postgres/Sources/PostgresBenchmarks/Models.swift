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

@Model
final class Team {
  var name: String
  @Relationship(inverse: \Person.team) var members: [Person] = []

  init(_ index: Int) { name = "Team \(index)" }
}

@Model
final class Person {
  var name: String
  var team: Team?

  init(_ index: Int) { name = "Person \(index)" }
}
