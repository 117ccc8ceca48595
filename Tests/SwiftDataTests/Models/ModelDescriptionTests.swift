import Foundation
import SwiftData
import Testing

/// What `print` and `dump` show of a model.
@Suite struct ModelDescriptionTests {
  enum Kind: String, Codable { case short, long }

  struct Size: Codable, Equatable { var width = 1, height = 2 }

  @Model final class Trip {
    var name: String
    var days: Int?
    var kind = Kind.short
    var size = Size()
    @Relationship(inverse: \Stop.trip) var stops: [Stop] = []
    var guide: Guide?
    @Transient var note = "n"

    init(name: String) { self.name = name }
  }

  @Model final class Stop {
    var place: String
    var trip: Trip?

    init(place: String) { self.place = place }
  }

  @Model class Guide {
    var name: String

    init(name: String) { self.name = name }
  }

  @Model final class Ranger: Guide {
    var park: String

    init(name: String, park: String) {
      self.park = park
      super.init(name: name)
    }
  }

  private let folder = try! TemporaryFolder()

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Trip.self, Ranger.self, Guide.self,
      configurations: ModelConfiguration(url: folder.url.appending(path: "trips.store")))
  }

  @Test func aNewModelShowsItsValues() throws {
    let trip = Trip(name: "Lisbon \"1\"")
    #expect(
      "\(trip)" == #"Trip(without context, name: "Lisbon \"1\"", days: (nil), kind: short, "#
        + #"size: Size(width: 1, height: 2), stops: [], guide: (nil))"#)
    let context = ModelContext(try container())
    context.reportsUnsavedChanges = false
    context.insert(trip)
    trip.days = 3
    #expect("\(trip)".contains("inserted, "))
    #expect("\(trip)".contains("days: 3"))
  }

  @Test func theStateAndTheIdentifierAreShown() throws {
    let context = ModelContext(try container())
    let trip = Trip(name: "Faro")
    context.insert(trip)
    try context.save()
    #expect("\(trip)".hasPrefix(#"Trip(p1, stored, name: "Faro""#), "\(trip)")
    trip.name = "Porto"
    #expect("\(trip)".hasPrefix(#"Trip(p1, changed, name: "Porto""#), "\(trip)")
    context.delete(trip)
    #expect("\(trip)".hasPrefix(#"Trip(p1, to be deleted"#), "\(trip)")
    try context.save()
    #expect("\(trip)".hasPrefix(#"Trip(p1, deleted"#), "\(trip)")
  }

  @Test func nothingIsReadToBeShown() throws {
    do {
      let context = ModelContext(try container())
      let trip = Trip(name: "Faro")
      context.insert(trip)
      trip.stops = [Stop(place: "a"), Stop(place: "b")]
      trip.guide = Ranger(name: "r", park: "p")
      try context.save()
    }
    let recorder = StatementRecorder()
    var configuration = ModelConfiguration(url: folder.url.appending(path: "trips.store"))
    configuration.statementLog = recorder.log()
    let context = ModelContext(
      try ModelContainer(
        for: Trip.self, Ranger.self, Guide.self, configurations: configuration))
    let trip = try #require(context.fetch(FetchDescriptor<Trip>()).first)
    var text = ""
    let statements = recorder.during {
      #expect("\(trip)".contains("stops: (not read), guide: Guide/p"), "\(trip)")
      dump(trip, to: &text)
    }
    #expect(statements.isEmpty)
    #expect(text.contains("state: \"stored\""), "\(text)")
    #expect(text.contains("name: \"Faro\""))
    #expect(!text.contains("_SwiftDataNoType"))
    _ = trip.stops
    #expect("\(trip)".contains("stops: [Stop/p"), "\(trip)")
  }

  @Test func aModelThatIsNotReadSaysSo() throws {
    let context = ModelContext(try container())
    context.insert(Trip(name: "Faro"))
    try context.save()
    let id = try #require(context.fetchIdentifiers(FetchDescriptor<Trip>()).first)
    let other = ModelContext(context.container)
    let fault = try #require(other.model(for: id) as? Trip)
    #expect("\(fault)".hasPrefix("Trip(p1, "))
    let labels = Mirror(reflecting: fault).children.compactMap(\.label)
    #expect(labels.prefix(2) == ["persistentModelID", "state"])
  }

  @Test func aSubclassShowsInheritedValues() {
    #expect(
      "\(Ranger(name: "r", park: "p"))"
        == #"Ranger(without context, name: "r", park: "p")"#)
  }

  /// A description that the app gives a model is kept.
  @Test func anOwnDescriptionWins() {
    #expect("\(Described())" == "own")
    #expect(String(reflecting: Described()) == "own debugging")
  }

  @Model final class Described: CustomStringConvertible {
    var a = 1
    init() {}
    var description: String { "own" }
  }
}

extension ModelDescriptionTests.Described: CustomDebugStringConvertible {
  var debugDescription: String { "own debugging" }
}
