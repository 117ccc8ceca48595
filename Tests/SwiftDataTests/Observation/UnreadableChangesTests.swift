import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// Observers whose context can't read what others have saved: they get the error, although the changes do not
/// concern their requests.
@Suite(.databases) struct UnreadableChangesTests {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Part.self] }

    @Model final class Item {
      var code: String
      var n = 0

      init(_ code: String) { self.code = code }
    }

    @Model final class Part {
      var name: String

      init(_ name: String) { self.name = name }
    }
  }

  /// A migration to it writes the default of the new property into each row.
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Part.self] }

    @Model final class Item {
      var code: String
      var n = 0
      var double = -1

      init(_ code: String) { self.code = code }
    }

    @Model final class Part {
      var name: String

      init() { name = "" }
    }
  }

  @MainActor private final class Screen {
    @Query(sort: \V1.Item.code) private var items: [V1.Item]
    var codes: [String] { items.map(\.code) }
    var error: (any Error)? { _items.fetchError }
  }

  /// Reads an observer whenever it changes, as a view does.
  @MainActor private final class Reader<Model: PersistentModel, Value> {
    private let observer: ResultsObserver<Model, Never>
    private let value: (Model) -> Value
    private(set) var count = 0

    init(_ observer: ResultsObserver<Model, Never>, _ value: @escaping (Model) -> Value) {
      self.observer = observer
      self.value = value
    }

    func read() {
      withObservationTracking {
        _ = (observer.results.map(value), observer.fetchError == nil)
      } onChange: { [weak self] in
        Task { @MainActor in self?.read() }
      }
      count += 1
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ version: any VersionedSchema.Type) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), configurations: ModelConfiguration(url: folder.store))
  }

  @MainActor @Test func allObserversGetTheErrorOfAMigrationThatChangesRows() async throws {
    do {
      let context = ModelContext(try open(V1.self))
      for code in ["a", "b"] { context.insert(V1.Item(code)) }
      try context.save()
    }
    let container = try open(V1.self)
    let context = container.mainContext
    let order = [SortDescriptor(\V1.Item.code)]
    let observer = try ResultsObserver<V1.Item, Never>(sortBy: order, modelContext: context)
    let reader = Reader(observer, \.n)
    reader.read()
    let sections = try ResultsObserver(
      sortBy: order, sectionBy: \V1.Item.code, modelContext: context)
    let screen = withModelContainer(container) { Screen() }
    #expect(screen.codes == ["a", "b"] && sections.sections?.count == 2)
    let other = ModelContext(container)
    let others = try ResultsObserver<V1.Item, Never>(sortBy: order, modelContext: other)
    let history = try HistoryObserver(modelContainer: container)
    let following = Task {
      for try await _ in other.history(since: nil) {}
    }
    let before = history.eventCounter

    let newer = ModelContext(try open(V2.self))
    let item = try #require(
      try newer.fetch(FetchDescriptor<V2.Item>(sortBy: [SortDescriptor(\.code)])).first)
    for n in 1...3 {
      item.n = n
      try newer.save()
    }
    try await eventually("an event") { history.eventCounter != before }
    try await eventually("errors") {
      [observer.fetchError, sections.fetchError, screen.error, others.fetchError].allSatisfy {
        ($0 as? SwiftDataError)?.reason == .schemaMismatch
      }
    }
    await #expect(throws: SwiftDataError.storeReadFailure) { try await following.value }
    #expect(observer.results.map(\.code) == ["a", "b"])
    // What it reads does not notify it again.
    let count = reader.count
    try await quietly(.milliseconds(300))
    #expect(reader.count <= count + 2 && count < 12, "\(count), then \(reader.count)")
  }

  private func contexts(
    _ failing: FailingStatements
  ) throws -> (mine: ModelContext, theirs: ModelContext) {
    let container = try ModelContainer(
      for: Schema(versionedSchema: V1.self),
      configurations: failing.configuration(ModelConfiguration(url: folder.store)))
    return (ModelContext(container), ModelContext(container))
  }

  @MainActor @Test(.sqliteOnly("makes statements of the file fail"))
  func observersCanReadAgainAfterAFailure() async throws {
    let failing = FailingStatements()
    let (mine, theirs) = try contexts(failing)
    mine.insert(V1.Item("a"))
    try mine.save()
    let observer = try ResultsObserver<V1.Item, Never>(
      sortBy: [SortDescriptor(\.code)], modelContext: mine)
    #expect(observer.results.map(\.n) == [0])
    let item = try #require(try theirs.fetch(FetchDescriptor<V1.Item>()).first)
    item.n = 1
    failing.set { $0.hasPrefix("SELECT") && $0.contains("ZCODE") }
    try theirs.save()
    try await eventually("an error") { observer.fetchError != nil }
    #expect(observer.results.map(\.n) == [0])
    failing.set(nil)
    #expect(observer.fetchError == nil)
    #expect(observer.results.map(\.n) == [1])
  }

  /// Each reads whenever it changes, which tries the failing rows again.
  @MainActor @Test(.sqliteOnly("makes statements of the file fail"))
  func observersAreNotNotifiedAgainWhileAnotherEntityFails() async throws {
    let failing = FailingStatements()
    let container = try contexts(failing).mine.container
    let (mine, theirs) = (container.mainContext, ModelContext(container))
    let (item, part) = (V1.Item("a"), V1.Part("p"))
    mine.insert(item)
    mine.insert(part)
    try mine.save()
    let readers = try (0..<4).map { _ in
      Reader(try ResultsObserver<V1.Item, Never>(modelContext: mine), \.n)
    }
    for reader in readers { reader.read() }
    let theirItem = try #require(try theirs.fetch(FetchDescriptor<V1.Item>()).first)
    try #require(try theirs.fetch(FetchDescriptor<V1.Part>()).first).name = "q"
    failing.set { $0.hasPrefix("SELECT") && $0.contains("ZPART") }
    try theirs.save()
    try await quietly(.milliseconds(100))
    theirItem.n = 1
    try theirs.save()
    try await eventually("the new value") { item.n == 1 }
    try await quietly(.milliseconds(300))
    var reads: Int { readers.map(\.count).reduce(0, +) }
    let (count, failures) = (reads, failing.count)
    #expect(count <= 24)
    try await quietly(.milliseconds(300))
    #expect(reads == count && failing.count == failures && part.name == "p")
    failing.set(nil)
    mine.processPendingChanges()
    #expect(part.name == "q")
  }

  @MainActor @Test(.sqliteOnly("makes statements of the file fail"))
  func aFailureOfOneEntityDoesNotHideChangesOfAnother() async throws {
    let failing = FailingStatements()
    let (mine, theirs) = try contexts(failing)
    let part = V1.Part("p")
    mine.insert(part)
    mine.insert(V1.Item("a"))
    try mine.save()
    let observer = try ResultsObserver<V1.Item, Never>(
      sortBy: [SortDescriptor(\.code)], modelContext: mine)
    let their = try #require(try theirs.fetch(FetchDescriptor<V1.Part>()).first)
    failing.set { $0.hasPrefix("SELECT") && $0.contains("ZPART") }
    for code in ["b", "c"] {
      their.name += code
      theirs.insert(V1.Item(code))
      try theirs.save()
      try await eventually("the new item") { observer.results.last?.code == code }
    }
    #expect(observer.fetchError == nil && part.name == "p")
    failing.set(nil)
    mine.processPendingChanges()
    #expect(part.name == "pbc" && observer.results.map(\.code) == ["a", "b", "c"])
  }
}
