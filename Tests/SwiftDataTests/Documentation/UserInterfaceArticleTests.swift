import Foundation
import Observation
import SwiftData
import Testing

// The protocols of a toolkit, which are its own.

protocol ViewProperty {
  func update()
}

extension Query: ViewProperty {}

@MainActor protocol PlainView {
  var body: String { get }
}

@MainActor
final class Screen {
  let container: ModelContainer
  let view: any PlainView
  private(set) var text = ""

  init(_ view: any PlainView, in container: ModelContainer) {
    self.view = view
    self.container = container
  }

  func render() {
    withModelContainer(container) {
      for property in Mirror(reflecting: view).children {
        (property.value as? any ViewProperty)?.update()
      }
      text = withObservationTracking {
        view.body
      } onChange: {
        Task { @MainActor in self.render() }
      }
    }
  }
}

extension Travel {
  @MainActor
  final class TripsModel {
    @Query(sort: \.start) var trips: [Trip]
    @Query(filter: #Predicate<Stop> { $0.trip == nil }) private var looseStops: [Stop]
    @Query(sort: \.name, sectionBy: \.name) var byName: SectionedResults<Trip, String>
  }

  @MainActor
  final class UpcomingTrips {
    @Query(filter: #Predicate<Trip> { $0.name != "" }, sort: \Trip.start) var trips: [Trip]
  }

  @MainActor
  final class LaterTrips {
    @Query private var trips: [Trip]

    init(after date: Date) {
      _trips = Query(filter: #Predicate { $0.start > date }, sort: \.start)
    }

    var names: [String] { trips.map(\.name) }
  }

  @MainActor
  struct TripsView: PlainView {
    @Query private var trips: [Trip]

    init(after date: Date) {
      _trips = Query(filter: #Predicate { $0.start > date }, sort: \.start)
    }

    var body: String { trips.map(\.name).joined(separator: ", ") }
  }

  @MainActor
  final class AnimatedTrips {
    @Query(sort: \Trip.start, animation: .default) var trips: [Trip]
  }

  /// The samples of the article *User interfaces* and of queries.
  @MainActor @Suite struct UserInterfaceArticleTests {
    private let container: ModelContainer

    init() throws {
      container = try Travel.context().context.container
    }

    @Test func aModelOfTheScreenHasQueries() {
      let model = withModelContainer(container) { TripsModel() }
      #expect(model.trips.map(\.name) == ["Lisbon"])
      #expect(model.byName.sectionTitles == ["Lisbon"])
      #expect(model.looseStopCount == 0)
    }

    @Test func aRequestDependsOnValues() {
      let all = withModelContainer(container) { LaterTrips(after: .distantPast) }
      #expect(all.names == ["Lisbon"])
      let none = withModelContainer(container) { LaterTrips(after: .distantFuture) }
      #expect(none.names.isEmpty)
    }

    @Test func aProcessHasAContainer() {
      let before = ModelContainer.installed
      defer { ModelContainer.installed = before }
      ModelContainer.installed = container
      #expect(UpcomingTrips().trips.count == 1)
      #expect(AnimatedTrips().trips.count == 1)
    }

    @Test func aDisplayGetsDifferences() async throws {
      let (context, trip) = try Travel.context()
      var messages: [String] = []
      var task: Task<Void, any Error>?
      func print(_ message: String) {
        messages.append(message)
        if messages.count == 2 { task?.cancel() }
      }
      task = Task { @MainActor in
        for await change in context.changes(of: FetchDescriptor<Trip>()) {
          let message = try JSONEncoder().encode(change.difference)
          print(String(decoding: message, as: UTF8.self))
        }
      }
      try await eventually("the first message") { messages.count == 1 }
      trip.start = .now
      try await task?.value
      let last = try JSONDecoder().decode(
        ResultsDifference.self, from: Data(try #require(messages.last).utf8))
      #expect(last.updated.map(\.identifier) == [trip.persistentModelID])
    }

    @Test func aToolkitFollowsQueries() async throws {
      let screen = Screen(TripsView(after: .distantPast), in: container)
      screen.render()
      #expect(screen.text == "Lisbon")
      container.mainContext.insert(Trip(name: "Faro", start: .distantFuture))
      try await eventually("the second trip") { screen.text == "Lisbon, Faro" }
    }
  }
}

extension Travel.TripsModel {
  var looseStopCount: Int { looseStops.count }
}
