import Foundation
import SwiftData
import Testing

/// What `fetchHistory` tells of saves, as client code reads it.
@Suite(.databases) struct HistoryFetchTests {
  @Model class Vehicle {
    @Attribute(.preserveValueOnDeletion) var plate: String
    var wheels: Int

    init(plate: String, wheels: Int) {
      self.plate = plate
      self.wheels = wheels
    }
  }

  @available(macOS 26, iOS 26, *)
  @Model final class Truck: Vehicle {
    var load: Double
    var depot: Depot?

    init(plate: String, load: Double) {
      self.load = load
      super.init(plate: plate, wheels: 6)
    }
  }

  struct Place: Codable, Equatable {
    var city: String
    var zip: Int?
  }

  enum Size: String, Codable { case small, large }

  @Model final class Depot {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Attribute(.preserveValueOnDeletion) var place: Place?
    @Attribute(.preserveValueOnDeletion) var size: Size
    @Attribute(.preserveValueOnDeletion) var tags: [String]
    @Attribute(.preserveValueOnDeletion) var opened: Date?
    @Attribute(.preserveValueOnDeletion) var code: UUID
    var note: String?
    @Relationship(deleteRule: .nullify, inverse: \Truck.depot) var trucks: [Truck] = []

    init(name: String, place: Place? = nil, size: Size = .small) {
      self.name = name
      self.place = place
      self.size = size
      tags = ["a", "b"]
      code = UUID()
    }
  }

  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Truck.self, Depot.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  private func history() throws -> [DefaultHistoryTransaction] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }

  @Test
  func eachSaveIsATransactionWithItsAuthor() throws {
    #expect(try history().isEmpty)
    let began = Date()
    context.author = "import"
    context.insert(Depot(name: "North"))
    try context.save()
    context.author = nil
    context.insert(Depot(name: "South"))
    try context.save()
    try context.save()
    let transactions = try history()
    #expect(transactions.map(\.author) == ["import", nil])
    #expect(transactions.map(\.transactionIdentifier) == [1, 2])
    #expect(transactions.map(\.id) == [1, 2])
    #expect(transactions.allSatisfy { $0.timestamp >= began && $0.timestamp <= Date() })
    #expect(transactions.allSatisfy { $0.processIdentifier == ProcessInfo.processInfo.processName })
    #expect(transactions.allSatisfy { !$0.bundleIdentifier.isEmpty })
    let store = try #require(context.container.stores.first)
    #expect(transactions.allSatisfy { $0.storeIdentifier == store.identifier })
    #expect(transactions[0].token < transactions[1].token)
    #expect(transactions[0].token.storeIdentifier == store.identifier)
    #expect(transactions[0].token.tokenValue == [store.identifier: 1])
  }

  @Test
  func changesAreOfTheConcreteClassWithItsKeyPaths() throws {
    let (truck, depot) = (Truck(plate: "A 1", load: 2), Depot(name: "North"))
    context.insert(truck)
    context.insert(depot)
    try context.save()
    truck.plate = "A 2"
    truck.load = 3
    truck.depot = depot
    try context.save()
    let transactions = try history()
    #expect(transactions[0].changes.count == 2)
    for change in transactions[0].changes {
      switch change {
      case .insert(let change as DefaultHistoryInsert<Truck>):
        #expect(change.changedPersistentIdentifier == truck.persistentModelID)
      case .insert(let change as DefaultHistoryInsert<Depot>):
        #expect(change.changedPersistentIdentifier == depot.persistentModelID)
      default: Issue.record("\(change)")
      }
    }
    var seen = 0
    for change in transactions[1].changes {
      switch change {
      case .update(let change as DefaultHistoryUpdate<Truck>):
        seen += 1
        #expect(change.transactionIdentifier == 2)
        #expect(change.updatedAttributes.count == 3)
        #expect(change.updatedAttributes.contains { $0 == \.plate })
        #expect(change.updatedAttributes.contains { $0 == \Truck.load })
        #expect(change.updatedAttributes.contains { $0 == \.depot })
        #expect(!change.updatedAttributes.contains { $0 == \.wheels })
        let plate = try #require(change.updatedAttributes.first { $0 == \.plate })
        #expect(plate.hashValue == (\Truck.plate).hashValue)
        #expect(truck[keyPath: plate as PartialKeyPath<Truck>] as? String == "A 2")
      case .update(let change as DefaultHistoryUpdate<Depot>):
        seen += 1
        #expect(change.updatedAttributes.map { $0 as PartialKeyPath<Depot> } == [\Depot.trucks])
      default: Issue.record("\(change)")
      }
    }
    #expect(seen == 2)
  }

  @Test func whatIsPreservedOutlivesAModel() throws {
    let depot = Depot(name: "North", place: Place(city: "Kiel", zip: 24103), size: .large)
    depot.note = "gone"
    depot.opened = Date(timeIntervalSinceReferenceDate: 77)
    let bare = Depot(name: "Bare")
    let truck = Truck(plate: "A 1", load: 2)
    for model in [depot, bare] { context.insert(model) }
    context.insert(truck)
    try context.save()
    let (identifier, code) = (depot.persistentModelID, depot.code)
    for model in [depot, bare] { context.delete(model) }
    context.delete(truck)
    try context.save()
    let deletions = try #require(try history().last).changes
    #expect(deletions.count == 3)
    for change in deletions {
      switch change {
      case .delete(let change as DefaultHistoryDelete<Depot>)
      where change.changedPersistentIdentifier == identifier:
        let tombstone = change.tombstone
        #expect(tombstone[\.name] as? String == "North")
        #expect(tombstone[\.place] as? Place == Place(city: "Kiel", zip: 24103))
        #expect(tombstone[\.size] as? Size == .large)
        #expect(tombstone[\.tags] as? [String] == ["a", "b"])
        #expect(tombstone[\.opened] as? Date == Date(timeIntervalSinceReferenceDate: 77))
        #expect(tombstone[\.code] as? UUID == code)
        #expect(tombstone[\.note] == nil)
        #expect(Array(tombstone).count == 6)
      case .delete(let change as DefaultHistoryDelete<Depot>):
        #expect(change.tombstone[\.name] as? String == "Bare")
        #expect(change.tombstone[\.place] == nil)
        #expect(change.tombstone[\.opened] == nil)
      case .delete(let change as DefaultHistoryDelete<Truck>):
        #expect(change.tombstone[\.plate] as? String == "A 1")
        #expect(change.tombstone[\.load] == nil)
      default: Issue.record("\(change)")
      }
    }
  }

  @Test func limitsAndOrders() throws {
    for number in 1...5 {
      context.insert(Depot(name: "\(number)"))
      try context.save()
    }
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.fetchLimit = 2
    #expect(try context.fetchHistory(descriptor).map(\.id) == [1, 2])
    descriptor.sortBy = [SortDescriptor(\.transactionIdentifier, order: .reverse)]
    #expect(try context.fetchHistory(descriptor).map(\.id) == [5, 4])
    descriptor.fetchLimit = 0
    descriptor.sortBy = [SortDescriptor(\.timestamp, order: .reverse)]
    #expect(try context.fetchHistory(descriptor).map(\.id) == [5, 4, 3, 2, 1])
  }

  @Test
  func theLastTransactionHasTheTokenOfTheSave() throws {
    let store = try #require(context.container.stores.first)
    context.insert(Depot(name: "1"))
    try context.save()
    let last = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    #expect(last.token.tokenValue == [store.identifier: 1])
  }
}
