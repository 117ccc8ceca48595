import SwiftData

/// Relationships without an inverse, with each delete rule.
enum OneWayShape {
  @Model final class Order {
    var number: Int
    var value = 0
    var item: Item?
    var items: [Item] = []
    var earlier: Order?
    @Relationship(deleteRule: .cascade) var parts: [Part] = []
    @Relationship(deleteRule: .cascade) var mainPart: Part?
    @Relationship(deleteRule: .deny) var reserved: Item?

    init(_ number: Int) { self.number = number }
  }

  @Model final class Item {
    var number: Int
    var value = 0

    init(_ number: Int) { self.number = number }
  }

  @Model final class Part {
    var number: Int
    var value = 0
    var item: Item?

    init(_ number: Int) { self.number = number }
  }

  static var shape: Shape {
    Shape(
      "relationships without an inverse",
      kinds: [
        .root(Order.self) { Order($0) }, .root(Item.self) { Item($0) },
        .root(Part.self) { Part($0) },
      ],
      bonds: [
        [.toOne("item", \Order.item)], [.toMany("items", \Order.items)],
        [.toOne("earlier", \Order.earlier)], [.toMany("parts", \Order.parts, .cascade)],
        [.toOne("mainPart", \Order.mainPart, .cascade)],
        [.toOne("reserved", \Order.reserved, .deny)], [.toOne("item", \Part.item)],
      ],
      questions: [
        .init("item of value", { value in #Predicate<Order> { $0.item?.value == value } }) {
          reference, number, value in
          reference.related(number, "item").contains { reference.value($0) == value }
        },
        .init(
          "first order", { value in #Predicate<Order> { $0.earlier == nil && $0.value != value } }
        ) { $0.related($1, "earlier").isEmpty && $0.value($1) != $2 },
      ])
  }
}

extension OneWayShape.Order: ShapeModel {}
extension OneWayShape.Item: ShapeModel {}
extension OneWayShape.Part: ShapeModel {}
