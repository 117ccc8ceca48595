import SwiftData

/// A number that clients increment.
@Model
final class Account {
  @Attribute(.unique) var number: Int
  var value = 0

  init(number: Int) { self.number = number }
}

/// A model that clients insert again and again with the same unique values.
@Model
final class Tag {
  @Attribute(.unique) var name: String
  var uses = 0

  init(name: String) { self.name = name }
}

/// Deleted with its items, while others add items.
@Model
final class Owner {
  var number: Int
  @Relationship(deleteRule: .cascade, inverse: \Item.owner) var items: [Item] = []

  init(number: Int) { self.number = number }
}

@Model
final class Item {
  var number: Int
  var owner: Owner?

  init(number: Int) { self.number = number }
}

/// A list with a limit, which single clients keep.
@Model
final class Box {
  var number: Int
  @Relationship(deleteRule: .nullify, maximumModelCount: 5, inverse: \Marble.box)
  var marbles: [Marble] = []

  init(number: Int) { self.number = number }
}

@Model
final class Marble {
  var box: Box?

  init() {}
}

/// A list of people who are deleted by others.
@Model
final class Club {
  var number: Int
  @Relationship(inverse: \Person.clubs) var people: [Person] = []

  init(number: Int) { self.number = number }
}

@Model
final class Person {
  var number: Int
  var clubs: [Club] = []

  init(number: Int) { self.number = number }
}
