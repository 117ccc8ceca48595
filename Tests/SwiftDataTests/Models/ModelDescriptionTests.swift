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

  /// Collections and optionals show the description of a class that has one.
  @Test func anOwnDescriptionIsShownInCollections() {
    let tag: Tag? = Tag("swift")
    #expect("\([tag!])" == "[#swift]")
    #expect(String(describing: tag) == "Optional(#swift)")
    #expect("\(["k": tag!])" == #"["k": #swift]"#)
    #expect(String(reflecting: tag!) == "#swift")
    #expect("\([Special("x") as Tag])" == "[special x]")
  }

  /// Models that describe each other, or themselves by other texts.
  @Test func descriptionsThatNeedEachOtherEnd() {
    let first = Member("a")
    let second = Member("b")
    first.next = second
    second.next = first
    #expect("\(first)".hasPrefix("a then Optional(b then Optional(a then Optional(Member("))
    #expect("\([Reflecting()])" == "[own Reflecting(without context, a: 1)]")
  }

  @Model class Tag: CustomStringConvertible {
    var name: String
    init(_ name: String) { self.name = name }
    var description: String { "#" + name }
  }

  @Model final class Special: Tag {
    override init(_ name: String) { super.init(name) }
    override var description: String { "special " + name }
  }

  @Model final class Member: CustomStringConvertible {
    var name: String
    var next: Member?
    init(_ name: String) { self.name = name }
    var description: String { "\(name) then \(String(describing: next))" }
  }

  @Model final class Reflecting: CustomStringConvertible {
    var a = 1
    init() {}
    var description: String { "own " + debugDescription }
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
