import Foundation
import SwiftData
import SwiftDataPostgres

/// SwiftData as an app uses it; every task has a context of its own.
final class ModelContender: Contender {
  static let name = "SwiftData"

  private let container: ModelContainer
  private var identifiers: [PersistentIdentifier] = []
  /// Objects hold their context weakly, so what `fetchAll` returns needs it here.
  private var keptContext: ModelContext?

  init(_ address: String, isEmpty: Bool) throws {
    container = try ModelContainer(
      for: Order.self, Team.self, Person.self,
      configurations: PostgresConfiguration(url: address))
    if isEmpty { try createTeams() }
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

  func filter(_ count: Int) throws -> Int {
    let context = ModelContext(container)
    return try (0..<count).reduce(0) { found, index in
      let city = Workload.city(index)
      return try found
        + context.fetch(FetchDescriptor<Order>(predicate: #Predicate { $0.city == city })).count
    }
  }

  func update(_ count: Int) throws {
    let context = ModelContext(container)
    let step = Workload.rows / count
    let orders = try context.fetch(
      FetchDescriptor<Order>(predicate: #Predicate { $0.number % step == 0 }))
    guard orders.count == count else { throw Failure("not all rows were found") }
    for order in orders { order.price += 1 }
    try context.save()
  }

  func saveOne(_ values: [OrderValue]) throws {
    let context = ModelContext(container)
    for value in values {
      context.insert(Order(value))
      try context.save()
    }
  }

  private func createTeams() throws {
    let context = ModelContext(container)
    for index in 0..<1000 {
      let team = Team(index)
      context.insert(team)
      for member in 0..<20 {
        let person = Person(index * 20 + member)
        context.insert(person)
        person.team = team
      }
    }
    try context.save()
  }

  func prefetch() throws -> Int {
    var descriptor = FetchDescriptor<Team>()
    descriptor.relationshipKeyPathsForPrefetching = [\.members]
    // Models hold their context weakly.
    let context = ModelContext(container)
    return try withExtendedLifetime(context) {
      try context.fetch(descriptor).reduce(0) { sum, team in
        team.members.reduce(sum) { $0 + $1.name.utf8.count }
      }
    }
  }

  func deleteAll() throws {
    let context = ModelContext(container)
    try context.delete(model: Order.self)
    try context.save()
  }
}
