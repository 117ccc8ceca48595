import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// `#Unique` and `#Index` over parts of composites.
private enum Places {
  struct Point: Codable, Equatable { var latitude = 0.0, longitude = 0.0 }

  struct Address: Codable, Equatable {
    var street = ""
    var city: String
    var point = Point()
    var label: String { street + city }
  }

  @Model final class Shop {
    #Unique<Shop>([\.name, \.address.city], [\.address.point])
    #Index<Shop>([\.address.street, \.name], [\.second?.city])
    var name: String
    var address: Address
    var second: Address?
    var visits = 0

    init(_ name: String, _ city: String, street: String = "", at latitude: Double) {
      self.name = name
      address = Address(
        street: street, city: city, point: Point(latitude: latitude, longitude: 1))
    }
  }

  /// Has one constraint, so that a row is written in one statement.
  @Model final class Kiosk {
    #Unique<Kiosk>([\.place?.city, \.name])
    var place: Address?
    var name: String
    var visits = 0
    init(_ name: String, city: String?) {
      self.name = name
      place = city.map { Address(city: $0) }
    }
  }

  @Model final class Station {
    #Index<Station>(.rtree([\.place.latitude, \.place.longitude]))
    var name: String
    var place: Point
    init(_ name: String, _ place: Point) {
      self.name = name
      self.place = place
    }
  }

  @Model final class Owner {
    var name: String
    @Relationship(inverse: \Pet.owner) var pets: [Pet] = []
    init(name: String) { self.name = name }
  }

  @Model final class Pet {
    #Unique<Pet>([\.owner?.name])
    var name: String
    var owner: Owner?
    init(name: String) { self.name = name }
  }

  @Model final class Computed {
    #Unique<Computed>([\.address.label])
    var address: Address
    init(address: Address) { self.address = address }
  }

  @Model final class Deep {
    #Index<Deep>([\.name.count])
    var name: String
    init(name: String) { self.name = name }
  }

  @Model final class Crowd {
    #Unique<Crowd>([\.owners])
    var owners: [Station] = []
    init() {}
  }

  @Model final class Hidden {
    #Index<Hidden>([\.note])
    @Attribute(.ephemeral) var note: String = ""
    init() {}
  }

  @Model class Base {
    #Unique<Base>([\.address.city])
    var address: Address
    init(address: Address) { self.address = address }
  }

  @Model final class Derived: Base {
    var extra = 1
    override init(address: Address) { super.init(address: address) }
  }

  @Model class Plain {
    var address: Address
    init(address: Address) { self.address = address }
  }

  @Model final class Narrow: Plain {
    #Unique<Narrow>([\.address.city])
    override init(address: Address) { super.init(address: address) }
  }
}

@Suite struct ConstraintPathTests {
  private typealias Shop = Places.Shop

  private func refusal(_ types: any PersistentModel.Type...) -> SwiftDataError? {
    do {
      _ = try ModelContainer(
        for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      return nil
    } catch {
      return error as? SwiftDataError
    }
  }

  @Test func theSchemaAndTheTableHaveThePaths() throws {
    let bench = try PlanBench(Shop.self)
    let entity = try #require(bench.container.schema.entitiesByName["Shop"])
    #expect(entity.uniquenessConstraints == [["name", "address.city"], ["address.point"]])
    #expect(entity.indices == [["address.street", "name"], ["second.city"]])
    let indexes = try bench.store.pool.read { connection in
      let statement = try connection.prepare(
        "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
      var texts: [String] = []
      while try statement.step() { texts.append(statement.string(0)) }
      return texts.joined(separator: "\n")
    }
    #expect(indexes.contains("UNIQUE INDEX"))
    #expect(indexes.contains("ZNAME") && indexes.contains("ZCITY"))
    #expect(indexes.contains("ZLATITUDE") && indexes.contains("ZLONGITUDE"))
  }

  @Test func equalNamesInOtherCitiesAreTwoShops() throws {
    let context = try PlanBench(Shop.self).context
    context.insert(Shop("Bakery", "Oslo", at: 1))
    context.insert(Shop("Bakery", "Rome", at: 2))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Shop>()) == 2)
    let again = Shop("Bakery", "Rome", at: 3)
    again.visits = 9
    context.insert(again)
    try context.save()
    let stored = try ModelContext(context.container).fetch(
      FetchDescriptor<Shop>(sortBy: [SortDescriptor(\.address.city)]))
    #expect(stored.map(\.address.city) == ["Oslo", "Rome"])
    #expect(stored.map(\.visits) == [0, 9])
    #expect(stored.map(\.address.point.latitude) == [1, 3])
  }

  @Test func aModelWithOneConstraintBecomesTheRowInOneStatement() throws {
    let bench = try PlanBench(Places.Kiosk.self)
    let context = bench.context
    for (city, visits) in [("Oslo", 1), ("Rome", 2), ("Oslo", 3), (nil, 4), (nil, 5)] {
      let kiosk = Places.Kiosk("k", city: city)
      kiosk.visits = visits
      context.insert(kiosk)
      try context.save()
    }
    let stored = try ModelContext(context.container).fetch(
      FetchDescriptor<Places.Kiosk>(sortBy: [SortDescriptor(\.visits)]))
    // A missing value equals nothing.
    #expect(stored.map(\.visits) == [2, 3, 4, 5])
    #expect(stored.map(\.place?.city) == ["Rome", "Oslo", nil, nil])
    let again = Places.Kiosk("k", city: "Rome")
    context.insert(again)
    let texts = try bench.statements { try context.save() }
    #expect(texts.contains { $0.contains("ON CONFLICT") })
    #expect(try context.fetchCount(FetchDescriptor<Places.Kiosk>()) == 4)
  }

  @Test func aWholeCompositeIsUnique() throws {
    let context = try PlanBench(Shop.self).context
    context.insert(Shop("a", "Oslo", at: 1))
    try context.save()
    context.insert(Shop("b", "Rome", at: 1))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Shop>()).map(\.name) == ["b"])
  }

  @Test func changedModelsWithEqualValuesAreRefusedByName() throws {
    let context = try PlanBench(Shop.self).context
    let (first, second) = (Shop("a", "Oslo", at: 1), Shop("a", "Rome", at: 2))
    context.insert(first)
    context.insert(second)
    try context.save()
    first.address.city = "Bern"
    second.address.city = "Bern"
    var error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.property == "name, address.city")
    first.address.city = "Rome"
    second.address.city = "Oslo"
    try context.save()
    second.address.city = "Rome"
    error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.property == "name, address.city")
    #expect(second.address.city == "Rome" && context.hasChanges)
  }

  @Test func indexesAnswerConditionsOnTheirPaths() throws {
    let bench = try PlanBench(Shop.self)
    let byCity = try bench.plan(#Predicate<Shop> { $0.name == "a" && $0.address.city == "Oslo" })
    #expect(byCity.description.contains("Z_Shop_UNIQUE_name_address.city"))
    let byStreet = try bench.plan(#Predicate<Shop> { $0.address.street == "Main" })
    #expect(byStreet.description.contains("SwiftDataIndexOnBinaryaddress.streetname"))
    let bySecond = try bench.plan(#Predicate<Shop> { $0.second?.city == "Oslo" })
    #expect(bySecond.description.contains("second.city"))
  }

  @Test func aTreeOverAComposite() throws {
    let bench = try PlanBench(Places.Station.self)
    for number in 0..<50 {
      bench.context.insert(
        Places.Station("\(number)", .init(latitude: Double(number), longitude: Double(number))))
    }
    try bench.context.save()
    let (south, north, west) = (10.0, 13.0, 11.0)
    let predicate = #Predicate<Places.Station> {
      $0.place.latitude > south && $0.place.latitude < north && $0.place.longitude > west
    }
    #expect(try bench.plan(predicate).description.contains("Z_RT_Station"))
    let found = try bench.context.fetch(FetchDescriptor(predicate: predicate))
    #expect(found.map(\.name) == ["12"])
  }

  @Test func aSubclassHasTheConstraintOfItsSuperclass() throws {
    let context = try PlanBench(Places.Base.self, Places.Derived.self).context
    context.insert(Places.Derived(address: .init(city: "Oslo")))
    context.insert(Places.Derived(address: .init(city: "Rome")))
    try context.save()
    context.insert(Places.Derived(address: .init(street: "new", city: "Oslo")))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Places.Derived>()) == 2)
  }

  @Test(
    arguments: [
      (Places.Pet.self, "owner", "cannot follow a relationship"),
      (Places.Computed.self, "address", "has no column"),
      (Places.Deep.self, "name", "stored as one value"),
      (Places.Crowd.self, "owners", "to-many"),
      (Places.Hidden.self, "note", "no column"),
    ] as [(any PersistentModel.Type, String, String)])
  func whatCannotBeComparedIsRefused(
    _ type: any PersistentModel.Type, _ property: String, _ text: String
  ) {
    let error = refusal(type)
    #expect(error?.property == property)
    #expect(error?.description.contains(text) == true, "\(String(describing: error))")
  }

  @Test func aConstraintOfInheritedPropertiesOnlyIsRefused() {
    let error = refusal(Places.Narrow.self)
    #expect(error?.entity == "Narrow" && error?.property == "address.city")
    #expect(error?.description.contains("Declare it in Plain") == true)
  }

  @Test func aConstraintOfAnotherClassIsRefused() {
    let error = refusal(Misplaced.self)
    #expect(error?.entity == "Misplaced")
    #expect(error?.description.contains("#Unique<Owner> has no effect inside Misplaced") == true)
  }

  @Test func anOldFileGetsTheIndexWhereItsRowsAllowIt() throws {
    let folder = try TemporaryFolder()
    func open() throws -> ModelContext {
      ModelContext(
        try ModelContainer(for: Shop.self, configurations: ModelConfiguration(url: folder.store)))
    }
    do {
      let context = try open()
      context.insert(Shop("a", "Oslo", at: 1))
      try context.save()
    }
    let name = "Z_Shop_UNIQUE_name_address.city"
    let count = "SELECT count(*) FROM sqlite_schema WHERE name = '\(name)'"
    try SQLiteFile.execute("DROP INDEX \"\(name)\"", in: folder.store)
    _ = try open()
    #expect(try SQLiteFile.integer(count, in: folder.store) == 1)
    try SQLiteFile.execute(
      """
      DROP INDEX "\(name)";
      INSERT INTO ZSHOP (Z_PK, Z_ENT, Z_OPT, ZNAME, ZCITY, ZVISITS)
      SELECT Z_PK + 1, Z_ENT, Z_OPT, ZNAME, ZCITY, ZVISITS FROM ZSHOP
      """, in: folder.store)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { _ = try open() }
    #expect(error?.entity == "Shop" && error?.description.contains("have equal values") == true)
  }
}

/// A hand-written class with a constraint of another one.
private final class Misplaced: PersistentModel {
  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(
        name: "", keypath: \Schema.encodingVersion,
        metadata: Schema.Unique<Places.Owner>([\.name]))
    ]
  }
  var persistentBackingData: any BackingData<Misplaced>

  init(backingData: any BackingData<Misplaced>) { persistentBackingData = backingData }
}
