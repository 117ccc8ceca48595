import Foundation
import Observation
import SwiftData
import Testing

private typealias Trip = Travel.Trip
private typealias Stop = Travel.Stop

@Model private final class Secret {
  var name: String
  init(_ name: String) { self.name = name }
}

/// `@Query` in the forms that client code has.
@MainActor
@Suite(.databases) struct QueryPropertyTests {
  private let container: ModelContainer

  /// Trips c, a, b, from the first to the last.
  init() throws {
    container = try Travel.container()
    let context = ModelContext(container)
    for (day, name) in ["c", "a", "b"].enumerated() {
      let trip = Trip(name: name, start: Date(timeIntervalSinceReferenceDate: Double(day)))
      context.insert(trip)
      let stop = Stop(place: name == "a" ? "x" : "y")
      context.insert(stop)
      stop.trip = trip
    }
    try context.save()
  }

  @MainActor
  private final class Lists {
    @Query var all: [Trip]
    @Query() var allWithParentheses: [Trip]
    @Query(sort: \Trip.name) var byName: [Trip]
    @Query(sort: \.name, order: .reverse) private var backwards: Array<Trip>
    @Query(sort: \Stop.trip?.name) var byOptional: [Stop]
    @Query(sort: \.trip?.name, order: .reverse) var byUnnamedOptional: [Stop]
    @Query(sort: [SortDescriptor(\Stop.place), SortDescriptor(\Stop.trip?.name, order: .reverse)])
    var byTwo: [Stop]
    @Query(sort: [SortDescriptor(\.place), SortDescriptor(\.trip?.name)]) var byUnnamedTwo: [Stop]
    @Query(filter: #Predicate<Trip> { $0.name != "a" }) var filtered: [Trip]
    @Query(filter: #Predicate<Trip> { trip in trip.name != "a" }, sort: \.start, order: .reverse)
    private var filteredAndSorted: [Trip]
    @Query(filter: #Predicate { $0.name != "a" }, sort: \Trip.name) var typedByOrder: [Trip]
    @Query(filter: #Predicate { $0.name > "a" }, sort: [SortDescriptor(\Trip.start)])
    var typedByOrders: [Trip]
    @Query(Lists.firstTwo) var described: [Trip]
    @Query(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])) var writtenOut: [Trip]
    var names: [String] { backwards.map(\.name) + filteredAndSorted.map(\.name) }

    static var firstTwo: FetchDescriptor<Trip> {
      var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
      descriptor.fetchLimit = 2
      return descriptor
    }
  }

  @Test func lists() {
    let lists = withModelContainer(container) { Lists() }
    #expect(Set(lists.all.map(\.name)) == ["a", "b", "c"])
    #expect(lists.allWithParentheses.count == 3)
    #expect(lists.byName.map(\.name) == ["a", "b", "c"])
    #expect(lists.typedByOrder.map(\.name) == ["b", "c"])
    #expect(lists.typedByOrders.map(\.name) == ["c", "b"])
    #expect(lists.names == ["c", "b", "a", "b", "c"])
    #expect(lists.byOptional.map(\.trip?.name) == ["a", "b", "c"])
    #expect(lists.byUnnamedOptional.map(\.trip?.name) == ["c", "b", "a"])
    #expect(lists.byTwo.map(\.trip?.name) == ["a", "c", "b"])
    #expect(lists.byUnnamedTwo.map(\.trip?.name) == ["a", "b", "c"])
    #expect(Set(lists.filtered.map(\.name)) == ["b", "c"])
    #expect(lists.described.map(\.name) == ["a", "b"])
    #expect(lists.writtenOut.map(\.name) == ["a", "b", "c"])
  }

  @MainActor
  private final class Animated {
    @Query(animation: .default) var all: [Trip]
    @Query(transaction: .init(animation: .bouncy)) var inTransaction: [Trip]
    @Query(sort: \Trip.name, animation: .easeInOut(duration: 0.2)) var byName: [Trip]
    @Query(sort: \.name, order: .reverse, animation: .spring().delay(1)) var backwards: [Trip]
    @Query(filter: #Predicate<Trip> { $0.name == "a" }, animation: .smooth) var filtered: [Trip]
    @Query(sort: [SortDescriptor(\.name)], animation: .snappy) var several: [Trip]
    @Query(FetchDescriptor<Trip>(), animation: .linear) var described: [Trip]
  }

  @Test func animationsChangeNothing() {
    let animated = withModelContainer(container) { Animated() }
    #expect(animated.all.count == 3)
    #expect(animated.inTransaction.count == 3)
    #expect(animated.byName.map(\.name) == ["a", "b", "c"])
    #expect(animated.backwards.map(\.name) == ["c", "b", "a"])
    #expect(animated.filtered.map(\.name) == ["a"])
    #expect(animated.several.map(\.name) == ["a", "b", "c"])
    #expect(animated.described.count == 3)
  }

  private typealias Places = SectionedResults<Stop, String>

  @MainActor
  private final class Sections {
    @Query(sectionBy: \Stop.place) var plain: SectionedResults<Stop, String>
    @Query(sectionBy: \.place) var unnamed: Places
    @Query(sort: \Stop.trip?.name, order: .reverse, sectionBy: \.place) var sorted: Places
    @Query(sort: \.trip?.name, sectionBy: \.place) var unnamedSorted: Places
    @Query(sort: [SortDescriptor(\.trip?.name)], animation: .default, sectionBy: \.place)
    var several: Places
    @Query(filter: #Predicate<Stop> { $0.place == "x" }, sectionBy: \.place) var filtered: Places
    @Query(FetchDescriptor<Stop>(), sectionBy: \.place) var described: Places
    @Query(sort: \.trip?.name, sectionBy: \.place) var list: [Stop]
    @Query var unsectioned: [Stop]

    var listSections: SectionedResults<Stop, String> { _list.sections }
    var noSections: SectionedResults<Stop, String> { _unsectioned.sections }
  }

  @Test func sections() {
    let sections = withModelContainer(container) { Sections() }
    for made in [sections.plain, sections.unnamed, sections.sorted, sections.described] {
      #expect(made.sectionTitles == ["x", "y"])
      #expect(made.map(\.count) == [1, 2])
    }
    #expect(sections.sorted[1].map(\.trip?.name) == ["c", "b"])
    #expect(sections.unnamedSorted[1].map(\.trip?.name) == ["b", "c"])
    #expect(sections.several[1].map(\.trip?.name) == ["b", "c"])
    #expect(sections.filtered.sectionTitles == ["x"])
    #expect(sections.list.map(\.trip?.name) == ["a", "b", "c"])
    #expect(sections.listSections == sections.unnamedSorted)
    #expect(sections.unsectioned.count == 3)
    #expect(sections.noSections.isEmpty)
    sections.list[0].place = "y"
    #expect(sections.listSections.sectionTitles == ["y"])
    #expect(sections.plain[sectionTitle: "y"]?.count == 3)
  }

  @MainActor
  private struct Named {
    @Query(sort: \.name) private var trips: [Trip]
    let title: String

    var text: String { title + trips.map(\.name).joined() }
  }

  @MainActor @Observable
  fileprivate final class Observed {
    var title = "Trips: "
    @Query(sort: \.name) @ObservationIgnored var trips: [Trip]

    var text: String { title + trips.map(\.name).joined() }
  }

  @Test func structuresKeepTheirMemberwiseInitializer() {
    let named = withModelContainer(container) { Named(title: "Trips: ") }
    #expect(named.text == "Trips: abc")
  }

  @MainActor final class Secrets {
    @Query(sort: \.name) private var secrets: [Secret]
    @Query fileprivate var shared: [Secret]

    var names: [String] { secrets.map(\.name) }
  }

  @MainActor private struct SecretScreen {
    let title: String
    @Query(sort: \.name) fileprivate var secrets: [Secret]
    @Query private var others: [Secret]
  }

  /// More visible than its model.
  @MainActor struct VisibleScreen {
    @Query(sort: \.name) fileprivate var secrets: [Secret]

    init() {}
  }

  @Test func privateModelsHaveQueries() throws {
    let container = try ModelContainer(
      for: Secret.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    for name in ["b", "a"] { container.mainContext.insert(Secret(name)) }
    try container.mainContext.save()
    let secrets = withModelContainer(container) { Secrets() }
    #expect(secrets.names == ["a", "b"] && secrets.shared.count == 2)
    let screen = withModelContainer(container) { SecretScreen(title: "Secrets") }
    #expect(screen.title == "Secrets" && screen.secrets.map(\.name) == ["a", "b"])
    let visible = withModelContainer(container) { VisibleScreen() }
    #expect(visible.secrets.map(\.name) == ["a", "b"])
  }

  @Test func observableClassesHaveQueries() {
    let observed = withModelContainer(container) { Observed() }
    nonisolated(unsafe) var calls = 0
    func track() {
      withObservationTracking {
        _ = observed.text
      } onChange: {
        calls += 1
      }
    }
    track()
    observed.title = ""
    #expect(calls == 1)
    track()
    container.mainContext.insert(Trip(name: "d", start: .now))
    #expect(observed.text == "abcd")
    #expect(calls == 2)
  }
}
