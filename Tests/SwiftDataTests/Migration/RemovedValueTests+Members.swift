import Foundation
import SwiftData
import Testing

/// Members that structs no longer have.
extension RemovedValueTests {
  enum Streets: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Place.self] }

    struct Address: Codable, Equatable { var street: String; var city: String }

    @Model final class Place {
      var name: String
      var address: Address
      var other: Address?

      init(_ name: String, _ street: String) {
        (self.name, address) = (name, Address(street: street, city: "Rome"))
      }
    }
  }

  enum Roads: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Place.self] }

    struct Address: Codable, Equatable { var road: String?; var city: String }

    @Model final class Place {
      var name: String
      var address: Address
      var other: Address?

      init(_ name: String) { (self.name, address) = (name, Address(road: nil, city: "")) }
    }
  }

  private func makePlaces() throws {
    try store.make(Streets.models) { context in
      context.insert(Streets.Place("a", "Via Appia"))
      let place = Streets.Place("b", "Corso")
      place.other = Streets.Address(street: "Via Po", city: "Turin")
      context.insert(place)
    }
  }

  @Test func aMemberUnderAnotherNameIsRefusedWithBothWaysOut() throws {
    try makePlaces()
    let text = try store.refusal(Roads.models)
    #expect(text.contains("Place.address is without street"), "\(text)")
    #expect(text.contains("2 rows (p") && text.contains("Place.other is without"), "\(text)")
    #expect(text.contains("the new member could hold (road)"), "\(text)")
    #expect(text.contains("MigrationStage.transform"), "\(text)")
    #expect(
      text.contains(
        "static let removedProperties: Set<String> = [\"address.street\"] in the class Place"),
      "\(text)")
    #expect(try backups() == [])
  }

  enum RoadsPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Streets.self, Roads.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: Streets.self, toVersion: Roads.self,
        transformation: { transformation in
          try transformation.forEach(Streets.Place.self, Roads.Place.self) { old, new, _ in
            new?.address.road = old.address.street
            new?.other?.road = old.other?.street
          }
        })
    ]
  }

  @Test func aTransformationKeepsTheValuesOfAMember() throws {
    try makePlaces()
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: Roads.self), migrationPlan: RoadsPlan.self,
        configurations: [ModelConfiguration(url: store.url)]))
    let places = try context.fetch(FetchDescriptor<Roads.Place>(sortBy: [SortDescriptor(\.name)]))
    #expect(places.map(\.address.road) == ["Via Appia", "Corso"])
    #expect(places.map(\.address.city) == ["Rome", "Rome"])
    #expect(places.map(\.other) == [nil, Roads.Address(road: "Via Po", city: "Turin")])
  }

  enum DeclaredRoads {
    @Model final class Place {
      static let removedProperties: Set<String> = ["address.street", "other.street"]

      var name: String
      var address: Roads.Address
      var other: Roads.Address?

      init(_ name: String) { (self.name, address) = (name, Roads.Address(road: nil, city: "")) }
    }
  }

  @Test func aDeclaredRemovalOfAMemberDeletesItsValues() throws {
    try makePlaces()
    #expect(
      try preview([DeclaredRoads.Place.self]).losses.map(\.description) == [
        "2 values of Place.address.street (String)", "1 value of Place.other.street (String?)",
      ])
    let lines = try WarningLog.lines {
      let context = try store.open([DeclaredRoads.Place.self])
      let places = try context.fetch(
        FetchDescriptor<DeclaredRoads.Place>(sortBy: [SortDescriptor(\.name)]))
      #expect(
        places.map(\.address) == Array(repeating: Roads.Address(road: nil, city: "Rome"), count: 2))
      #expect(places.map(\.other?.city) == [nil, "Turin"])
    }
    #expect(lines.count == 2 && lines[0].contains("2 values of Place.address.street"), "\(lines)")
    #expect(lines.last?.contains("1 value of Place.other.street") == true)
    #expect(try backups().count == 1)
  }

  enum Cities {
    struct Address: Codable, Equatable { var city: String }

    @Model final class Place {
      var name: String
      var address: Address
      var other: Address?

      init(_ name: String) { (self.name, address) = (name, Address(city: "")) }
    }
  }

  @Test func aPlainRemovalOfAMemberIsLogged() throws {
    try makePlaces()
    let preview = try preview([Cities.Place.self])
    #expect(preview.problems == [])
    #expect(preview.losses.map(\.property) == ["address.street", "other.street"])
    let lines = try WarningLog.lines {
      let context = try store.open([Cities.Place.self])
      #expect(
        try context.fetch(FetchDescriptor<Cities.Place>()).map(\.address.city) == ["Rome", "Rome"])
    }
    #expect(lines.count == 2 && lines[1].contains("1 value of Place.other.street"), "\(lines)")
    #expect(try backups().count == 1)
  }
}
