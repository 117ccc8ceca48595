import Foundation
import SwiftData
import Testing

/// Two-way mapping between stored models and plain values, by identifiers kept outside.
enum SyncApp {
  protocol Mappable: PersistentModel {
    associatedtype Value: Sendable
    var remoteID: String { get set }
    var value: Value { get }
    init(_ value: Value)
    func update(_ value: Value)
    static func predicate(_ remoteID: String) -> Predicate<Self>
  }

  struct Place: Sendable, Equatable {
    var id: String
    var city: String
    var kind: PlaceRecord.Kind
  }

  @Model final class PlaceRecord: Mappable {
    @Attribute(.unique) var remoteID: String
    var city: String
    var kind: Kind
    var history: [Visit]?

    enum Kind: String, Codable, Sendable { case home, work, other }
    struct Visit: Codable, Equatable {
      var date: Date
      var note: String?
    }

    init(_ value: Place) {
      remoteID = value.id
      city = value.city
      kind = value.kind
    }

    var value: Place { Place(id: remoteID, city: city, kind: kind) }

    func update(_ value: Place) {
      city = value.city
      kind = value.kind
    }

    static func predicate(_ remoteID: String) -> Predicate<PlaceRecord> {
      #Predicate { $0.remoteID == remoteID }
    }
  }

  @ModelActor
  actor Database {
    func upsert<M: Mappable>(_ values: [(String, M.Value)], as type: M.Type) throws
      -> [PersistentIdentifier]
    {
      var touched: [M] = []
      for (id, value) in values {
        var descriptor = FetchDescriptor<M>(predicate: M.predicate(id))
        descriptor.fetchLimit = 1
        if let known = try modelContext.fetch(descriptor).first {
          known.update(value)
          touched.append(known)
        } else {
          let new = M(value)
          modelContext.insert(new)
          touched.append(new)
        }
      }
      try modelContext.save()
      return touched.map(\.persistentModelID)
    }

    func values<M: Mappable>(of type: M.Type) throws -> [M.Value] {
      try modelContext.fetch(FetchDescriptor<M>()).map(\.value)
    }
  }
}

@Suite(.databases) struct SyncAppTests {
  @Test func aProtocolOverModelsIsSyncedInAnActor() async throws {
    let container = try ModelContainer(
      for: SyncApp.PlaceRecord.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let database = SyncApp.Database(modelContainer: container)
    let first = SyncApp.Place(id: "1", city: "Rome", kind: .home)
    let ids = try await database.upsert([("1", first)], as: SyncApp.PlaceRecord.self)
    var moved = first
    moved.city = "Oslo"
    let second = SyncApp.Place(id: "2", city: "Bern", kind: .work)
    let again = try await database.upsert(
      [("1", moved), ("2", second)], as: SyncApp.PlaceRecord.self)
    #expect(again.first == ids.first)
    #expect(again.allSatisfy { $0.storeIdentifier != nil })
    let values = try await database.values(of: SyncApp.PlaceRecord.self)
    #expect(values.sorted { $0.id < $1.id } == [moved, second])
    let data = try JSONEncoder().encode(again)
    let decoded = try JSONDecoder().decode([PersistentIdentifier].self, from: data)
    let context = ModelContext(container)
    let record = try #require(context.model(for: decoded[1]) as? SyncApp.PlaceRecord)
    #expect(record.city == "Bern")
    record.history = [.init(date: .distantPast, note: "n")]
    try context.save()
    #expect(
      try ModelContext(container).fetch(
        FetchDescriptor<SyncApp.PlaceRecord>(
          predicate: SyncApp.PlaceRecord.predicate("2"))
      ).first?.history?.first?.note == "n")
  }
}
