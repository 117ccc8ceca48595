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

  /// As many reads as the readers have contexts hold their connections, and the writer gets one.
  @Test func thereAreReadersForAllConnectionsButTwo() async throws {
    let url = try PostgresServer.shared.addressOfNewSchema()
    var configuration = try PostgresConfiguration(url: url)
    configuration.connections = 6
    let container = try ModelContainer(
      for: Place.self, City.self, configurations: configuration)
    let readers = ModelReaders(container)
    #expect(readers.count == 4)
    let progress = Progress()
    let goOn = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await readers.read { context in
            _ = try context.fetchCount(FetchDescriptor<Place>())
            progress.fetches.wrappingAdd(1, ordering: .relaxed)
            #expect(goOn.wait(timeout: .now() + 120) == .success)
          }
        }
      }
      try await eventually("all read") { progress.fetches.load(ordering: .relaxed) == 4 }
      let writer = ModelContext(container)
      writer.insert(Place("beside"))
      try writer.save()
      for _ in 0..<4 { goOn.signal() }
      try await group.waitForAll()
    }
    configuration.connections = 2
    let least = try ModelContainer(for: Place.self, City.self, configurations: configuration)
    #expect(ModelReaders(least).count == 1)
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
    @Attribute(.unique) var number: Int
    @Attribute(.unique) var code: String
    @Attribute(.unique) var rank: Int?
    var title: String
    var author: Writer?
    var editor: Writer?
    @Relationship(inverse: \Label.articles) var labels: [Label] = []

    init(_ number: Int) {
      self.number = number
      code = "é\(10 + number)"
      title = "\(number)"
    }
  }

  @Model
  class Writer {
    var name: String
    @Relationship(inverse: \Article.author) var written: [Article] = []
    @Relationship(inverse: \Article.editor) var edited: [Article] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Reporter: Writer {
    var place: String?

    override init(_ name: String) {
      place = "Rome"
      super.init(name)
    }
  }

  @Model
  final class Label {
    var name: String
    var articles: [Article] = []

    init(_ name: String) { self.name = name }
  }

  private func articles() throws -> ModelContainer {
    let container = try ModelContainer(
      for: Article.self, Writer.self, Reporter.self, Label.self,
      configurations: PostgresConfiguration(url: PostgresServer.shared.addressOfNewSchema()))
    let context = ModelContext(container)
    let writers = [Writer("A"), Reporter("B")]
    let labels = ["x", "y", "z"].map(Label.init)
    for number in 0..<12 {
      let article = Article(number)
      context.insert(article)
      if number % 3 > 0 { article.author = writers[number % 2] }
      if number % 4 == 0 { article.editor = writers[0] }
      article.labels = Array(labels.prefix(number % 4))
    }
    try context.save()
    return container
  }

  private func description(
    of descriptor: FetchDescriptor<Article>, _ context: ModelContext,
    prefetching keyPaths: [PartialKeyPath<Article>] = []
  ) throws -> [String] {
    var descriptor = descriptor
    descriptor.relationshipKeyPathsForPrefetching = keyPaths
    return try context.fetch(descriptor).map { article in
      let names = article.labels.map(\.name).sorted().joined()
      let writers = [article.author, article.editor].map { $0?.name ?? "-" }
      return "\(article.title) \(writers[0]) \(writers[1]) \(names)"
    }
  }

  private static var all: [PartialKeyPath<Article>] { [\.author, \.editor, \.labels] }

  /// The smallest number of round trips of a fetch with its prefetched relationships, which must have the
  /// models of one without.
  private func trips(
    of descriptor: FetchDescriptor<Article>, _ container: ModelContainer, count: Int
  ) throws -> Int? {
    let expected = try description(of: descriptor, ModelContext(container))
    #expect(expected.count == count)
    var counts: [Int] = []
    for _ in 0..<10 {
      let trips = ExchangeCount()
      let found = try ExchangeCount.$current.withValue(trips) {
        try description(of: descriptor, ModelContext(container), prefetching: PostgresReadTests.all)
      }
      #expect(found == expected)
      counts.append(trips.value)
    }
    return counts.min()
  }

  @Test func prefetchedRelationshipsAreReadInOneRoundTrip() throws {
    let container = try articles()
    let byTitle = FetchDescriptor<Article>(sortBy: [SortDescriptor(\.title)])
    #expect(try trips(of: byTitle, container, count: 12) == 2)
    let labelled = FetchDescriptor<Article>(
      predicate: #Predicate { $0.labels.contains { $0.name == "y" } })
    #expect(try trips(of: labelled, container, count: 6) == 2)
  }

  /// The server finds the rows again at once.
  @Test func rowsThatAnIndexFindsAreReadWithTheirRelationships() throws {
    let container = try articles()
    for number in 0..<12 {
      let one = FetchDescriptor<Article>(predicate: #Predicate { $0.number == number })
      #expect(try trips(of: one, container, count: 1) == 1)
    }
    let none = FetchDescriptor<Article>(predicate: #Predicate { $0.number == 12 })
    #expect(try trips(of: none, container, count: 0) == 1)
    let identifiers = try ModelContext(container).fetchIdentifiers(FetchDescriptor<Article>())
    let identifier = try #require(identifiers.first)
    let same = FetchDescriptor<Article>(
      predicate: #Predicate { $0.persistentModelID == identifier && $0.title != "no" })
    #expect(try trips(of: same, container, count: 1) == 1)
    var page = FetchDescriptor<Article>(
      predicate: #Predicate { $0.number < 9 }, sortBy: [SortDescriptor(\.number, order: .reverse)])
    page.fetchLimit = 5
    #expect(try trips(of: page, container, count: 5) == 1)
    page.predicate = nil
    #expect(try trips(of: page, container, count: 5) == 1)
    page.sortBy = []
    #expect(try trips(of: page, container, count: 5) == 1)
    page.sortBy = [SortDescriptor(\.code)]
    page.predicate = #Predicate { $0.code > "z" }
    #expect(try trips(of: page, container, count: 5) == 1)
    let few = FetchDescriptor<Article>(predicate: #Predicate { [2, 4].contains($0.number) })
    #expect(try trips(of: few, container, count: 2) == 1)
    // These may be found among many rows.
    page.predicate = nil
    page.sortBy = [SortDescriptor(\.rank), SortDescriptor(\.title)]
    #expect(try trips(of: page, container, count: 5) == 2)
    page.sortBy = [SortDescriptor(\.title)]
    #expect(try trips(of: page, container, count: 5) == 2)
    page.sortBy = [SortDescriptor(\.number)]
    page.fetchOffset = 2
    #expect(try trips(of: page, container, count: 5) == 2)
    page.fetchOffset = nil
    page.predicate = #Predicate { $0.number > 1 && $0.title > "5" }
    #expect(try trips(of: page, container, count: 4) == 2)
    // The first four limits are known to the server.
    page.predicate = #Predicate { $0.number >= 0 }
    for (limit, expected) in [(5, 1), (257, 2), (256, 1), (6, 1), (7, 2)] {
      page.fetchLimit = limit
      #expect(try trips(of: page, container, count: min(limit, 12)) == expected)
    }
  }

  @Test func modelsInMemoryAreReadWithTheirRelationships() throws {
    let container = try articles()
    let context = ModelContext(container)
    let all = try context.fetch(FetchDescriptor<Article>())
    var one = FetchDescriptor<Article>(predicate: #Predicate { $0.number == 7 })
    one.relationshipKeyPathsForPrefetching = PostgresReadTests.all
    var counts: [Int] = []
    for _ in 0..<10 {
      let trips = ExchangeCount()
      let found = try ExchangeCount.$current.withValue(trips) { try context.fetch(one) }
      #expect(found.first === all.first { $0.number == 7 })
      counts.append(trips.value)
    }
    #expect(counts.min() == 1)
  }

  @Test func prefetchedRelationshipsAreThoseThatAreRead() throws {
    let container = try articles()
    let predicates: [Predicate<Article>?] = [
      nil, #Predicate { $0.number == 7 }, #Predicate { $0.number > 3 },
      #Predicate { $0.number > 2 && $0.number < 9 }, #Predicate { $0.author?.name == "B" },
      #Predicate { $0.title.contains("1") },
    ]
    let orders: [[SortDescriptor<Article>]] = [
      [], [SortDescriptor(\.number)], [SortDescriptor(\.number, order: .reverse)],
      [SortDescriptor(\.title)],
    ]
    /// A context with nothing, or with unsaved changes.
    func context(isEdited: Bool) throws -> ModelContext {
      let context = ModelContext(container)
      context.autosaveEnabled = false
      if isEdited {
        let seventh = #Predicate<Article> { $0.number == 7 }
        let article = try #require(context.fetch(FetchDescriptor(predicate: seventh)).first)
        article.author = nil
        article.labels.removeLast()
        let label = try #require(context.fetch(FetchDescriptor<Label>()).first)
        label.articles.append(article)
        let new = Article(20)
        context.insert(new)
        new.labels = [label]
      }
      return context
    }
    let paths = PostgresReadTests.all + [\.author?.edited, \.labels]
    for predicate in predicates {
      for order in orders {
        for (limit, offset) in [(nil, nil), (5, nil), (5, 2), (nil, 2)] as [(Int?, Int?)] {
          var descriptor = FetchDescriptor(predicate: predicate, sortBy: order)
          (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, offset)
          for isEdited in [false, true] {
            descriptor.includePendingChanges = isEdited && limit == nil
            for properties in [[], [\.title], [\.title, \.author]] as [[PartialKeyPath<Article>]] {
              descriptor.propertiesToFetch = properties
              var expected = try description(of: descriptor, context(isEdited: isEdited))
              var found = try description(
                of: descriptor, context(isEdited: isEdited), prefetching: paths)
              if order.isEmpty { (expected, found) = (expected.sorted(), found.sorted()) }
              #expect(found == expected, "\(descriptor)")
            }
          }
        }
      }
    }
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

  /// The connection is lost before the first message of a read, or before a later one.
  @Test(arguments: 0...3) func readsOfSeveralStatementsAreRepeated(_ passed: Int) throws {
    let server = try PostgresServer.shared
    let proxy = try PostgresProxy(to: server.socketFolder)
    let address = proxy.address(like: try server.addressOfNewSchema())
    let container = try container(address, places: 5)
    let context = ModelContext(container)
    context.insert(Place("new", visits: 9))
    func losing<R>(_ read: () throws -> R) rethrows -> R {
      proxy.set(.loseMessage(after: passed))
      defer { proxy.set(.forward) }
      return try read()
    }

    var prefetching = FetchDescriptor<City>()
    prefetching.relationshipKeyPathsForPrefetching = [\.places]
    let cities = try losing { try context.fetch(prefetching) }
    #expect(cities.map(\.places.count) == [5])
    // The changed model may match, so its row and the others are read.
    #expect(try losing { try context.fetchCount(FetchDescriptor<Place>()) } == 6)
    let pending = FetchDescriptor<Place>(
      predicate: #Predicate { $0.city?.name == "Porto" || $0.visits == 9 })
    #expect(try losing { try context.fetch(pending).count } == 6)
    let transactions = try losing {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    #expect(transactions.map(\.changes.count) == [6])
    #expect(try losing { try container.historySize().map(\.transactionCount) } == [1])
  }

  /// The app's code runs once, so it is not repeated after it has begun.
  @Test(arguments: 0...2) func theCodeOfASnapshotRunsOnce(_ passed: Int) throws {
    let server = try PostgresServer.shared
    let proxy = try PostgresProxy(to: server.socketFolder)
    let address = proxy.address(like: try server.addressOfNewSchema())
    let context = ModelContext(try container(address, places: 5))
    let kept = try context.fetch(FetchDescriptor<Place>())
    var runs = 0
    proxy.set(.loseMessage(after: passed))
    let count = try? context.snapshot {
      runs += 1
      return try context.fetchCount(FetchDescriptor<Place>())
    }
    proxy.set(.forward)
    #expect(runs == 1 && kept.count == 5)
    if passed == 0 { #expect(count == 5) }
    #expect(try context.snapshot { try context.fetchCount(FetchDescriptor<Place>()) } == 5)
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
