import Foundation
import SwiftData

/// One class per shape of relationship.
enum Graph {
  @Model final class Parent {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Child.parent) var children: [Child] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Child {
    var name: String
    var parent: Parent?
    @Relationship(deleteRule: .cascade, inverse: \Toy.owner) var toys: [Toy]? = []

    init(_ name: String, parent: Parent? = nil) {
      self.name = name
      self.parent = parent
    }
  }

  @Model final class Toy {
    var name: String
    var owner: Child

    init(_ name: String, owner: Child) {
      self.name = name
      self.owner = owner
    }
  }

  @Model final class Person {
    var name: String
    @Relationship(inverse: \Passport.holder) var passport: Passport?

    init(_ name: String) { self.name = name }
  }

  @Model final class Passport {
    @Attribute(.unique) var number: Int
    var holder: Person?

    init(_ number: Int) { self.number = number }
  }

  @Model final class Student {
    var name: String
    @Relationship(inverse: \Course.students) var courses: [Course] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Course {
    var title: String
    var students: [Student] = []

    init(_ title: String) { self.title = title }
  }

  /// Knows stops that don't know it.
  @Model final class Route {
    var name: String
    var start: Stop?
    @Relationship var stops: [Stop] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Stop {
    var name: String

    init(_ name: String) { self.name = name }
  }

  @Model final class Node {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Node.parent) var children: [Node] = []
    var parent: Node?

    init(_ name: String, parent: Node? = nil) {
      self.name = name
      self.parent = parent
    }
  }

  @Model final class Ring {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Ring.previous) var next: Ring?
    var previous: Ring?

    init(_ name: String) { self.name = name }
  }

  @Model final class Project {
    var name: String
    @Relationship(deleteRule: .deny, inverse: \Ticket.project) var tickets: [Ticket] = []
    @Relationship(deleteRule: .cascade, inverse: \Memo.project) var memos: [Memo] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Ticket {
    var title: String
    var project: Project?

    init(_ title: String) { self.title = title }
  }

  @Model final class Memo {
    var text: String
    var project: Project?

    init(_ text: String) { self.text = text }
  }

  @Model final class Depot {
    var name: String
    @Relationship(deleteRule: .noAction, inverse: \Crate.depot) var crates: [Crate] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Crate {
    var label: String
    var depot: Depot?

    init(_ label: String) { self.label = label }
  }

  /// A part needs an engine, and no rule deletes it with its engine. Not among the `types`.
  @Model final class Engine {
    var name: String
    @Relationship(inverse: \Part.engine) var parts: [Part] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Part {
    var name: String
    var engine: Engine

    init(_ name: String, of engine: Engine) {
      self.name = name
      self.engine = engine
    }
  }

  static let types: [any PersistentModel.Type] = [
    Parent.self, Child.self, Toy.self, Person.self, Passport.self, Student.self, Course.self,
    Route.self, Stop.self, Node.self, Ring.self, Project.self, Ticket.self, Memo.self, Depot.self,
    Crate.self,
  ]

  static func container() throws -> ModelContainer {
    try ModelContainer(
      for: Schema(types), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
  }

  static func context() throws -> ModelContext { ModelContext(try container()) }

  /// A context of a container of its own over a file.
  static func context(at url: URL) throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: url)))
  }
}

extension ModelContext {
  /// All models of a class as another context reads them.
  func stored<T: PersistentModel>(_ type: T.Type) throws -> [T] {
    try ModelContext(container).fetch(FetchDescriptor<T>())
  }

  func count<T: PersistentModel>(_ type: T.Type) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<T>())
  }
}
