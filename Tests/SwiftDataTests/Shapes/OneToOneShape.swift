import SwiftData

/// One-to-one relationships with each delete rule, and one of a class with itself.
enum OneToOneShape {
  @Model final class Person {
    var number: Int
    var value = 0
    @Relationship(inverse: \Desk.user) var desk: Desk?
    @Relationship(deleteRule: .cascade, inverse: \Badge.holder) var badge: Badge?
    @Relationship(inverse: \Person.previous) var next: Person?
    var previous: Person?
    @Relationship(deleteRule: .deny, inverse: \Desk.guardian) var guarded: Desk?

    init(_ number: Int) { self.number = number }
  }

  @Model final class Desk {
    var number: Int
    var value = 0
    var user: Person?
    var guardian: Person?

    init(_ number: Int) { self.number = number }
  }

  @Model final class Badge {
    var number: Int
    var value = 0
    var holder: Person?

    init(_ number: Int) { self.number = number }
  }

  static var shape: Shape {
    Shape(
      "one-to-ones",
      kinds: [
        .root(Person.self) { Person($0) }, .root(Desk.self) { Desk($0) },
        .root(Badge.self) { Badge($0) },
      ],
      bonds: [
        [.toOne("desk", \Person.desk), .toOne("user", \Desk.user)],
        [.toOne("badge", \Person.badge, .cascade), .toOne("holder", \Badge.holder)],
        [.toOne("next", \Person.next), .toOne("previous", \Person.previous)],
        [.toOne("guarded", \Person.guarded, .deny), .toOne("guardian", \Desk.guardian)],
      ],
      questions: [
        .init("desk of value", { value in #Predicate<Person> { $0.desk?.value == value } }) {
          reference, number, value in
          reference.related(number, "desk").contains { reference.value($0) == value }
        },
        .init(
          "last, or after one of value",
          { value in #Predicate<Person> { $0.next == nil || $0.previous?.value == value } }
        ) { reference, number, value in
          reference.related(number, "next").isEmpty
            || reference.related(number, "previous").contains { reference.value($0) == value }
        },
        .init(
          "desk of one without a badge",
          { value in #Predicate<Desk> { $0.user?.badge == nil && $0.value != value } }
        ) { reference, number, value in
          reference.related(number, "user").allSatisfy { reference.related($0, "badge").isEmpty }
            && reference.value(number) != value
        },
      ])
  }
}

extension OneToOneShape.Person: ShapeModel {}
extension OneToOneShape.Desk: ShapeModel {}
extension OneToOneShape.Badge: ShapeModel {}
