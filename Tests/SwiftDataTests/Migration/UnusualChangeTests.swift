import Foundation
import SwiftData
import Testing

/// Changes that few apps make: names that are exchanged or differ in case only, models that relate to themselves,
/// properties that come back.
@Suite struct UnusualChangeTests {
  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  private func sorted<T: PersistentModel>(
    _ context: ModelContext, _ path: any KeyPath<T, String> & Sendable
  ) throws -> [T] {
    try context.fetch(FetchDescriptor<T>(sortBy: [SortDescriptor(path)]))
  }

  // MARK: Names

  enum Pair {
    @Model final class Cat {
      var name: String
      var friend: Dog?

      init(_ name: String) { self.name = name }
    }
    @Model final class Dog {
      var name: String
      var weight: Int
      @Relationship(inverse: \Cat.friend) var cats: [Cat] = []

      init(_ name: String) { (self.name, weight) = (name, 7) }
    }
  }

  enum Exchanged {
    @Model(originalName: "Dog") final class Cat {
      var name: String
      var weight: Int
      @Relationship(inverse: \Dog.friend) var cats: [Dog] = []

      init(_ name: String) { (self.name, weight) = (name, 7) }
    }
    @Model(originalName: "Cat") final class Dog {
      var name: String
      var friend: Cat?

      init(_ name: String) { self.name = name }
    }
  }

  @Test(arguments: RelationshipMigrationTests.sizes)
  func twoModelsExchangeTheirNames(_ size: Int64) throws {
    try store.make([Pair.Cat.self, Pair.Dog.self]) { context in
      for (number, name) in ["Tom", "Kit"].enumerated() {
        let cat = Pair.Cat(name)
        context.insert(cat)
        if number == 0 { cat.friend = Pair.Dog("Rex") }
      }
    }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([Exchanged.Cat.self, Exchanged.Dog.self])
      let dogs: [Exchanged.Dog] = try sorted(context, \.name)
      #expect(dogs.map(\.name) == ["Kit", "Tom"] && dogs.map(\.friend?.name) == [nil, "Rex"])
      let cats: [Exchanged.Cat] = try sorted(context, \.name)
      #expect(cats.map(\.weight) == [7] && cats.first?.cats.map(\.name) == ["Tom"])
    }
  }

  enum Lower {
    @Model final class Trip {
      var name: String
      var days: Int

      init(_ name: String) { (self.name, days) = (name, 3) }
    }
  }

  enum Upper {
    @Model(originalName: "Trip") final class TRIP {
      @Attribute(originalName: "name") var Name: String
      @Attribute(originalName: "days") var DAYS: Double

      init(_ name: String) { (Name, DAYS) = (name, 3) }
    }
  }

  enum UpperUnsaid {
    @Model final class TRIP {
      var name: String
      var days: Int

      init(_ name: String) { (self.name, days) = (name, 3) }
    }
  }

  enum UnsaidProperty {
    @Model final class Trip {
      var Name: String?
      var days: Int

      init(_ name: String) { (Name, days) = (name, 3) }
    }
  }

  enum UpperProperty {
    @Model final class Trip {
      static let removedProperties: Set<String> = ["name"]

      var Name: String?
      var days: Int

      init(_ name: String) { (Name, days) = (name, 3) }
    }
  }

  @Test(arguments: RelationshipMigrationTests.sizes)
  func namesThatDifferInCaseOnlyAreNames(_ size: Int64) throws {
    try store.make([Lower.Trip.self]) { $0.insert(Lower.Trip("Rome")) }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([Upper.TRIP.self])
      let trips = try context.fetch(FetchDescriptor<Upper.TRIP>())
      #expect(trips.map(\.Name) == ["Rome"] && trips.map(\.DAYS) == [3])
      context.insert(Upper.TRIP("Oslo"))
      try context.save()
    }
    #expect(try SQLiteFile.integer("SELECT count(*) FROM ZTRIP", in: store.url) == 2)
  }

  /// Another name is another property; its column has the same name, and must not take over the values.
  @Test(arguments: RelationshipMigrationTests.sizes)
  func withoutAnOriginalNameAPropertyIsANewOne(_ size: Int64) throws {
    try store.make([Lower.Trip.self]) { $0.insert(Lower.Trip("Rome")) }
    let text = try store.refusal([UnsaidProperty.Trip.self])
    #expect(text.contains("@Attribute(originalName: \"name\")"), "\(text)")
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([UpperProperty.Trip.self])
      #expect(try context.fetch(FetchDescriptor<UpperProperty.Trip>()).map(\.Name) == [nil])
    }
  }

  /// Both models would share a table, and the old one has rows.
  @Test func withoutAnOriginalNameAModelIsNotEmptied() throws {
    try store.make([Lower.Trip.self]) { $0.insert(Lower.Trip("Rome")) }
    let text = try store.refusal([UpperUnsaid.TRIP.self])
    #expect(text.contains("TRIP") && text.contains("Trip"), "\(text)")
    let context = try store.open([Lower.Trip.self])
    #expect(try context.fetch(FetchDescriptor<Lower.Trip>()).map(\.name) == ["Rome"])
  }

  enum Journeyed {
    @Model final class Journey {
      var name: String
      var days: Int

      init(_ name: String) { (self.name, days) = (name, 1) }
    }
    @Model final class Other {
      var name: String

      init(_ name: String) { self.name = name }
    }
  }

  enum WithOther {
    typealias Trip = Lower.Trip
    typealias Other = Journeyed.Other
  }

  @Test func aModelRenamedWithoutSayingSoKeepsItsRowsInTheFile() throws {
    try store.make([WithOther.Trip.self, WithOther.Other.self]) { context in
      context.insert(WithOther.Trip("Rome"))
      context.insert(WithOther.Other("x"))
    }
    let models: [any PersistentModel.Type] = [Journeyed.Journey.self, Journeyed.Other.self]
    let preview = try #require(
      try ModelContainer.migrationPreview(
        for: Schema(models), migrationPlan: nil,
        configurations: [ModelConfiguration(url: store.url)]
      ).first)
    #expect(preview.description.contains("Journey is new"), "\(preview)")
    #expect(preview.description.contains("Trip"), "\(preview)")
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Schema(models), configurations: ModelConfiguration(url: store.url)))
      #expect(try context.fetchCount(FetchDescriptor<Journeyed.Journey>()) == 0)
      context.insert(Journeyed.Journey("Oslo"))
      try context.save()
    }
    #expect(try SQLiteFile.texts("SELECT ZNAME FROM ZTRIP", in: store.url) == ["Rome"])
    // The mistake can be mended: the old class sees its rows.
    let back = ModelContext(
      try ModelContainer(
        for: Schema([WithOther.Trip.self, WithOther.Other.self]),
        configurations: ModelConfiguration(url: store.url)))
    #expect(try back.fetch(FetchDescriptor<WithOther.Trip>()).map(\.name) == ["Rome"])
    #expect(try SQLiteFile.texts("SELECT ZNAME FROM ZJOURNEY", in: store.url) == ["Oslo"])
  }

  // MARK: Models that relate to themselves

  enum Tree {
    @Model final class Node {
      var name: String
      var parent: Node?
      @Relationship(deleteRule: .cascade, inverse: \Node.parent) var children: [Node] = []
      var best: Node?

      init(_ name: String, _ parent: Node? = nil) { (self.name, self.parent) = (name, parent) }
    }
  }

  enum Renamed {
    @Model(originalName: "Node") final class Twig {
      var name: String
      @Relationship(originalName: "parent") var stem: Twig?
      @Relationship(deleteRule: .cascade, originalName: "children", inverse: \Twig.stem)
      var twigs: [Twig] = []
      @Relationship(originalName: "best", inverse: \Twig.fans) var favourites: [Twig] = []
      var fans: [Twig] = []

      init(_ name: String) { self.name = name }
    }
  }

  @Test(arguments: RelationshipMigrationTests.sizes)
  func treesKeepTheirFormUnderOtherNames(_ size: Int64) throws {
    try store.make([Tree.Node.self]) { context in
      let root = Tree.Node("a")
      context.insert(root)
      let (b, c) = (Tree.Node("b", root), Tree.Node("c", root))
      let d = Tree.Node("d", c)
      (root.best, b.best, d.best) = (d, d, d)
    }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([Renamed.Twig.self])
      let twigs: [Renamed.Twig] = try sorted(context, \.name)
      #expect(twigs.map(\.stem?.name) == [nil, "a", "a", "c"])
      #expect(twigs.map { Set($0.twigs.map(\.name)) } == [["b", "c"], [], ["d"], []])
      #expect(twigs.map { $0.favourites.map(\.name) } == [["d"], ["d"], [], ["d"]])
      #expect(twigs.map { Set($0.fans.map(\.name)) } == [[], [], [], ["a", "b", "d"]])
      context.delete(twigs[2])
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Renamed.Twig>()) == 2)
    }
  }

  // MARK: Values

  enum Level: Int, Codable { case low = 3, high = 8 }

  enum WithEnum {
    @Model final class Place {
      var name: String
      var level: Level
      var rank: Int

      init(_ name: String, _ level: Level) { (self.name, self.level, rank) = (name, level, 8) }
    }
  }

  enum WithNumber {
    @Model final class Place {
      var name: String
      var level: Int
      var rank: Level

      init(_ name: String) { (self.name, level, rank) = (name, 1, .low) }
    }
  }

  @Test(arguments: RelationshipMigrationTests.sizes)
  func rawValuesAndNumbersReplaceEachOther(_ size: Int64) throws {
    try store.make([WithEnum.Place.self]) { context in
      context.insert(WithEnum.Place("a", .low))
      context.insert(WithEnum.Place("b", .high))
    }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([WithNumber.Place.self])
      let places: [WithNumber.Place] = try sorted(context, \.name)
      #expect(places.map(\.level) == [3, 8] && places.map(\.rank) == [.high, .high])
    }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([WithEnum.Place.self])
      let places: [WithEnum.Place] = try sorted(context, \.name)
      #expect(places.map(\.level) == [.low, .high] && places.map(\.rank) == [8, 8])
      places[0].rank = 5
      try context.save()
    }
    let text = try store.refusal([WithNumber.Place.self])
    #expect(text.contains("Place.rank") && text.contains("(p1)"), "\(text)")
  }

  enum NotStored {
    @Model final class Trip {
      var name: String
      @Transient var days: Int = 5

      init(_ name: String) { self.name = name }
    }
  }

  enum StoredAgain {
    @Model final class Trip {
      var name: String
      var days: Int = 9

      init(_ name: String) { self.name = name }
    }
  }

  @Test(arguments: RelationshipMigrationTests.sizes)
  func aPropertyIsNotStoredForAVersion(_ size: Int64) throws {
    try store.make([Lower.Trip.self]) { $0.insert(Lower.Trip("Rome")) }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([NotStored.Trip.self])
      #expect(try context.fetch(FetchDescriptor<NotStored.Trip>()).map(\.days) == [5])
    }
    // Without a default nobody knows the values.
    let text = try store.refusal([Lower.Trip.self])
    #expect(text.contains("Trip.days"), "\(text)")
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([StoredAgain.Trip.self])
      #expect(try context.fetch(FetchDescriptor<StoredAgain.Trip>()).map(\.days) == [9])
    }
  }
}
