import Foundation
import SwiftData
import Testing

enum FAQArticle {
  @Model
  final class Trip {
    var name: String
    var start: Date

    init(name: String, start: Date) {
      self.name = name
      self.start = start
    }
  }
}

/// The samples of the article *Frequently asked questions*.
@Suite struct FAQArticleTests {
  typealias Trip = FAQArticle.Trip

  private let container: ModelContainer
  private let context: ModelContext
  private let trip: Trip

  init() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    let context = ModelContext(container)
    let trip = Trip(name: "Lisbon", start: .now)
    context.insert(trip)
    try context.save()

    (self.container, self.context, self.trip) = (container, context, trip)
  }

  @Test func aContainerKnowsItsFiles() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(url: folder.store))
    var lines: [String] = []
    func print(_ line: String) { lines.append(line) }

    for configuration in container.configurations { print(configuration.url.path) }

    #expect(lines == [folder.store.path])
  }

  @Test func aClosedStoreIsOneFile() throws {
    let folder = try TemporaryFolder()
    do {
      let context = ModelContext(
        try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: folder.store)))
      context.insert(Trip(name: "Lisbon", start: .now))
      try context.save()
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names == ["test.store"])
  }

  @Test func everythingIsDeleted() throws {
    context.insert(Trip(name: "Porto", start: .now))
    try context.save()

    try context.delete(model: Trip.self)
    try container.erase()

    #expect(try context.count(Trip.self) == 0)
  }

  @Test func anIdentifierTravels() async throws {
    let container = container

    let identifier = trip.persistentModelID
    let name = await Task.detached {
      let context = ModelContext(container)
      return (context.model(for: identifier) as? Trip)?.name
    }.value

    #expect(name == "Lisbon")
  }

  @Test func aParameterHasItsType() throws {
    context.insert(Trip(name: "Lagos", start: .distantFuture))
    context.insert(Trip(name: "Lis", start: .distantFuture))
    try context.save()

    let now = Date.now
    let later = #Predicate<Trip> { (trip: Trip) in
      trip.start > now && trip.name.hasPrefix("L") && trip.name.count > 3
    }

    #expect(try context.fetch(FetchDescriptor(predicate: later)).map(\.name) == ["Lagos"])
  }

  @Test func nothingIsReadToBePrinted() throws {
    let recorder = StatementRecorder()
    let other = try recorder.container([Trip.self])
    let writer = ModelContext(other)
    writer.insert(Trip(name: "Lisbon", start: .now))
    try writer.save()
    let reader = ModelContext(other)
    let identifier = try #require(try reader.fetchIdentifiers(FetchDescriptor<Trip>()).first)
    let model = reader.model(for: identifier)
    let reads = recorder.during { _ = String(reflecting: model) }
    #expect(reads.isEmpty)
  }
}
