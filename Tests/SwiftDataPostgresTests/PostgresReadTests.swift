import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

/// What reads cost, and what they do when connections are lost.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct PostgresReadTests {
  private func container(_ url: String, places count: Int) throws -> ModelContainer {
    let container = try ModelContainer(
      for: Place.self, City.self, configurations: PostgresConfiguration(url: url))
    let context = ModelContext(container)
    let city = City("Porto")
    for number in 0..<count { context.insert(Place("p", visits: number, city: city)) }
    try context.save()
    return container
  }

  @Test func aReadOfOneFetchIsOneRoundTrip() async throws {
    let container = try container(PostgresServer.shared.addressOfNewSchema(), places: 3)
    let readers = ModelReaders(container, count: 1)
    // The first rounds prepare the statement, on each connection.
    var counts: [Int] = []
    for _ in 0..<10 {
      let trips = ExchangeCount()
      let visits = try await ExchangeCount.$current.withValue(trips) {
        try await readers.read { context in
          try context.fetch(FetchDescriptor<Place>(predicate: #Predicate { $0.visits > 0 }))
            .map(\.visits)
        }
      }
      #expect(visits.sorted() == [1, 2])
      counts.append(trips.value)
    }
    #expect(counts.min() == 1)
  }

  /// The first one fixes the state that the models in memory show.
  @Test func aSnapshotOfOneFetchIsTwoRoundTrips() throws {
    let container = try container(PostgresServer.shared.addressOfNewSchema(), places: 3)
    let context = ModelContext(container)
    var counts: [Int] = []
    for _ in 0..<10 {
      let trips = ExchangeCount()
      let count = try ExchangeCount.$current.withValue(trips) {
        try context.snapshot { try context.fetch(FetchDescriptor<Place>()).count }
      }
      #expect(count == 3)
      counts.append(trips.value)
    }
    #expect(counts.min() == 2)
  }

  @Model
  final class Article {
    var title: String
    var author: Writer?
    var editor: Writer?
    @Relationship(inverse: \Label.articles) var labels: [Label] = []

    init(_ title: String) { self.title = title }
  }

  @Model
  final class Writer {
    var name: String
    @Relationship(inverse: \Article.author) var written: [Article] = []
    @Relationship(inverse: \Article.editor) var edited: [Article] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Label {
    var name: String
    var articles: [Article] = []

    init(_ name: String) { self.name = name }
  }

  @Test func prefetchedRelationshipsAreReadInOneRoundTrip() throws {
    let container = try ModelContainer(
      for: Article.self, Writer.self, Label.self,
      configurations: PostgresConfiguration(url: PostgresServer.shared.addressOfNewSchema()))
    let context = ModelContext(container)
    let (writers, labels) = (["A", "B"].map(Writer.init), ["x", "y", "z"].map(Label.init))
    for number in 0..<12 {
      let article = Article("\(number)")
      context.insert(article)
      if number % 3 > 0 { article.author = writers[number % 2] }
      if number % 4 == 0 { article.editor = writers[0] }
      article.labels = Array(labels.prefix(number % 4))
    }
    try context.save()
    func description(_ context: ModelContext, prefetches: Bool) throws -> [String] {
      var descriptor = FetchDescriptor<Article>(sortBy: [SortDescriptor(\.title)])
      if prefetches {
        descriptor.relationshipKeyPathsForPrefetching = [\.author, \.editor, \.labels]
      }
      return try context.fetch(descriptor).map { article in
        let names = article.labels.map(\.name).sorted().joined()
        let writers = [article.author, article.editor].map { $0?.name ?? "-" }
        return "\(article.title) \(writers[0]) \(writers[1]) \(names)"
      }
    }
    let expected = try description(ModelContext(container), prefetches: false)
    #expect(expected.count == 12 && expected.contains("7 B - xyz"))
    var counts: [Int] = []
    for _ in 0..<10 {
      let trips = ExchangeCount()
      let found = try ExchangeCount.$current.withValue(trips) {
        try description(ModelContext(container), prefetches: true)
      }
      #expect(found == expected)
      counts.append(trips.value)
    }
    #expect(counts.min() == 2)
  }

  /// The city was read as the partner of a relationship. Another container stands for another server.
  @Test func aReadAfterOthersSeesWhatOtherServersSavedInOneRoundTrip() async throws {
    let url = try PostgresServer.shared.addressOfNewSchema()
    let readers = try ModelReaders(container(url, places: 3), count: 1)
    let writer = try ModelContext(
      ModelContainer(for: Place.self, City.self, configurations: PostgresConfiguration(url: url)))
    let place = try #require(try writer.fetch(FetchDescriptor<Place>()).first)
    let city = try #require(place.city)
    var counts: [Int] = []
    for number in 1...20 {
      place.visits = 100 + number
      city.name = "\(place.visits)"
      try writer.save()
      let trips = ExchangeCount()
      let seen = try await ExchangeCount.$current.withValue(trips) {
        try await readers.read { context in
          let places = try context.fetch(
            FetchDescriptor<Place>(predicate: #Predicate { $0.visits > 100 }))
          // The city is read later, with a round trip of its own.
          let count = trips.value
          return (places.map(\.visits), places.map(\.city?.name), count)
        }
      }
      #expect(seen.0 == [place.visits] && seen.1 == [city.name])
      counts.append(seen.2)
    }
    #expect(counts.min() == 1)
  }

  private final class Progress: Sendable {
    let fetches = Atomic(0)
    let hasEnded = Atomic(false)
  }

  /// As a restart of the server or a failover does, again and again.
  @Test func aFetchWhoseConnectionIsLostIsRepeated() throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let container = try container(server.addressOfNewSchema(), places: 1_000)
    let progress = Progress()
    Thread.detachNewThread {
      defer { progress.hasEnded.store(true, ordering: .releasing) }
      for kill in 0..<20 {
        // At most one attempt of a fetch is disturbed, however slow the attempts are.
        let seen = progress.fetches.load(ordering: .relaxed)
        while progress.fetches.load(ordering: .relaxed) < seen + 2 {
          Thread.sleep(forTimeInterval: 0.001)
        }
        Thread.sleep(forTimeInterval: Double(kill) * 0.001)
        #expect(throws: Never.self) {
          try server.endConnections()
        }
      }
    }
    let context = ModelContext(container)
    while !progress.hasEnded.load(ordering: .acquiring) {
      // A failure must not leave the other thread waiting.
      defer { progress.fetches.add(1, ordering: .relaxed) }
      #expect(throws: Never.self) {
        let count = try context.fetch(FetchDescriptor<Place>()).count
        #expect(count == 1_000)
      }
    }
  }
}
