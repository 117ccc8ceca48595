import SwiftData

/// Many-to-many relationships of all kinds: of an entity with itself, with a subclass, and two between the
/// same entities.
enum Pairs {
  @Model class Person {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Person.followers) var following: [Person] = []
    var followers: [Person] = []
    @Relationship(inverse: \Student.mentors) var pupils: [Student] = []
    @Relationship(inverse: \Club.members) var clubs: [Club] = []
    @Relationship(inverse: \Club.guests) var visits: [Club] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Student: Person {
    var mentors: [Person] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Club {
    var name: String
    var members: [Person] = []
    var guests: [Person] = []

    init(_ name: String) { self.name = name }
  }

  static let types: [any PersistentModel.Type] = [Person.self, Student.self, Club.self]
}
