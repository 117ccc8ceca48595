import Foundation
import SwiftData

/// Models of a server: each rule that a request can break is in one of them.
enum Office {
  @Model
  final class Person {
    #Unique<Person>([\.email])
    var email: String
    var name = ""
    var born: Date?
    @Attribute(.externalStorage) var portrait: Data?
    @Relationship(deleteRule: .deny, inverse: \Desk.owner) var desks: [Desk] = []

    init(email: String) { self.email = email }
  }

  @Model
  final class Desk {
    #Unique<Desk>([\.room, \.number])
    var room: String
    var number: Int
    var owner: Person?

    init(room: String, number: Int) {
      self.room = room
      self.number = number
    }
  }

  @Model
  final class Team {
    var name: String
    @Relationship(minimumModelCount: 1, maximumModelCount: 2) var members: [Member] = []

    init(name: String, members: [Member]) {
      self.name = name
      self.members = members
    }
  }

  @Model
  final class Member {
    var name: String

    init(name: String) { self.name = name }
  }

  @Model
  final class Invoice {
    var due: Date
    @Relationship var customer: Customer

    init(due: Date, customer: Customer) {
      self.due = due
      self.customer = customer
    }
  }

  @Model
  final class Customer {
    var name: String
    @Relationship(inverse: \Invoice.customer) var invoices: [Invoice] = []

    init(name: String) { self.name = name }
  }

  static let types: [any PersistentModel.Type] = [
    Person.self, Desk.self, Team.self, Member.self, Invoice.self, Customer.self,
  ]

  /// A saved person with a large value.
  static func portrayed(_ byte: UInt8, in context: ModelContext) throws -> Person {
    let person = Person(email: "a")
    person.portrait = External.bytes(byte)
    context.insert(person)
    try context.save()
    return person
  }

  static func container(
    _ url: URL? = nil, _ change: (inout ModelConfiguration) -> Void = { _ in }
  ) throws -> ModelContainer {
    var configuration =
      url.map { ModelConfiguration(url: $0) } ?? ModelConfiguration(isStoredInMemoryOnly: true)
    change(&configuration)
    return try ModelContainer(for: Schema(types), configurations: configuration)
  }

  /// A file with some people, closed.
  static func fill(_ url: URL, people count: Int) throws {
    let context = ModelContext(try container(url))
    for number in 0..<count { context.insert(Person(email: "p\(number)@office.example")) }
    try context.save()
  }
}

/// The error that `body` throws.
func thrownError(_ body: () throws -> Void) -> SwiftDataError? {
  do {
    try body()
    return nil
  } catch {
    return error as? SwiftDataError
  }
}
