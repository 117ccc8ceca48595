import Foundation
import SwiftData
import Testing

/// A module whose declarations are isolated to the main actor by default.
@Suite struct MainActorTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Place.self, Visit.self, Animal.self, Dog.self, Card.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test func modelsAreSavedFetchedAndDeleted() throws {
    let context = container.mainContext
    let porto = Place("Porto", mood: .busy, address: Address(city: "Porto", number: 3))
    porto.visits = [Visit(.now, stars: 5), Visit(.now, stars: 1)]
    context.insert(porto)
    context.insert(Place("Oslo"))
    try context.save()
    let model = PlacesModel(container)
    try model.load(minimum: 4)
    #expect(model.places.map(\.title) == ["Porto"])
    let busy = try ModelContext(container).fetch(FetchDescriptor<Place>()).filter {
      $0.mood == .busy
    }
    #expect(busy.map(\.address) == [Address(city: "Porto", number: 3)])
    context.delete(porto)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Visit>()) == 0)
  }

  /// The conformances of the properties' types are isolated to the main actor.
  @Test func requiredValuesAreStored() throws {
    let card = Card(Address(city: "Porto"), .circle(radius: 2))
    container.mainContext.insert(card)
    card.front.number = 7
    card.marks.append(Address(city: "Oslo"))
    try container.mainContext.save()
    let found = try #require(
      try ModelContext(container).fetch(
        FetchDescriptor<Card>(predicate: #Predicate { $0.address.city == "Porto" })
      ).first)
    #expect(found.address == Address(city: "Porto") && found.shape == .circle(radius: 2))
    #expect(found.front == Address(number: 7) && found.marks == [Address(city: "Oslo")])
  }

  @Test func submodelsAreFetchedAsTheirSuperclass() throws {
    let context = container.mainContext
    context.insert(Dog(title: "Rex", isTrained: true))
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Animal>(predicate: #Predicate { $0.title == "Rex" }))
    #expect(found.map { ($0 as? Dog)?.isTrained } == [true])
  }

  @Test func aModelActorSavesInTheBackground() async throws {
    let identifiers = try await Importer(modelContainer: container).add(["a", "b"])
    let visit: Visit? = container.mainContext.registeredModel(for: identifiers[0])
    #expect(visit == nil)
    #expect(try container.mainContext.fetchCount(FetchDescriptor<Visit>()) == 2)
  }

  @Test func modelsUseIsolatedCode() throws {
    #expect([Visit(.now, stars: 2), Visit(.now, stars: 1)].sorted().map(\.stars) == [1, 2])
    #expect(Visit.sample.isGood() && !Visit(.now, stars: Visit.lowest).isGood())
  }

  @Test func changesAreObserved() throws {
    let place = Place("a")
    container.mainContext.insert(place)
    var isChanged = false
    withObservationTracking {
      _ = place.title
    } onChange: {
      MainActor.assumeIsolated { isChanged = true }
    }
    place.title = "b"
    #expect(isChanged)
  }

  @Test func valuesAreEncoded() throws {
    let data = try JSONEncoder().encode(Export(titles: ["a"]))
    #expect(try JSONDecoder().decode(Export.self, from: data).titles == ["a"])
  }
}
