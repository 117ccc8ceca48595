import Dispatch
import Foundation
import Observation
import OpenSwiftDataTestModels
import SwiftData
import Synchronization
import Testing

/// Observers of history, and sequences of transactions.
struct HistoryObserverTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Note.self, Tally.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func save(_ model: any PersistentModel, author: String? = nil) throws {
    let context = ModelContext(container)
    context.author = author
    context.insert(model)
    try context.save()
  }

  private func expect(
    _ count: Int, _ observer: HistoryObserver, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    try await eventually("\(count) events", sourceLocation: location) {
      observer.eventCounter >= count
    }
    // There are no more events.
    try await quietly(.milliseconds(20))
    #expect(observer.eventCounter == count, sourceLocation: location)
  }

  @Test func itCountsFromNowOn() async throws {
    try save(Note("before"))
    let observer = try HistoryObserver(modelContainer: container)
    try await expect(0, observer)
    try save(Note("1"))
    try await expect(1, observer)
    try save(Tally(2))
    try await expect(2, observer)
  }

  /// The row of the gap stays as it is, and the position of the observer is its number.
  @Test func eachSaveWithoutHistoryIsAnEvent() async throws {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.keepsHistory = false
    let context = ModelContext(
      try ModelContainer(for: Note.self, configurations: configuration))
    context.insert(Note("before"))
    try context.save()
    let observer = try HistoryObserver(modelContainer: context.container)
    for count in 1...3 {
      context.insert(Note("\(count)"))
      try context.save()
      try await expect(count, observer)
    }
  }

  @Test func modelsAndAuthorsAreChosen() async throws {
    let notes = try HistoryObserver(observedModels: [Note.self], modelContainer: container)
    let app = try HistoryObserver(authors: ["app"], modelContainer: container)
    try save(Tally(1), author: "server")
    try await expect(0, notes)
    try await expect(0, app)
    try save(Note("2"))
    try await expect(1, notes)
    try await expect(0, app)
    try save(Tally(3), author: "app")
    try await expect(1, app)
    try await expect(1, notes)
  }

  @Test func itBeginsAtATokenAndReportsThatTheTokenHasExpired() async throws {
    try save(Note("1"))
    let context = ModelContext(container)
    let first = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).first)
    let tokens: [String: any HistoryToken] = [first.storeIdentifier: first.token]
    let observer = try HistoryObserver(historyTokens: tokens, modelContainer: container)
    try await expect(0, observer)
    try save(Note("2"))
    try await expect(1, observer)
    let late = try HistoryObserver(historyTokens: tokens, modelContainer: container)
    try await expect(1, late)
    try save(Note("3"))
    try await expect(2, late)
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let expired = try HistoryObserver(historyTokens: tokens, modelContainer: container)
    try await expect(1, expired)
  }

  @MainActor @Test func theCounterChangesOnTheActor() async throws {
    let observer = try HistoryObserver(modelContainer: container)
    // Any thread may serve the main actor.
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    let isMain = Mutex<Bool?>(nil)
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      isMain.withLock { $0 = DispatchQueue.getSpecific(key: key) }
    }
    try save(Note("1"))
    try await eventually("an event") { observer.eventCounter > 0 }
    #expect(observer.eventCounter == 1)
    #expect(isMain.withLock { $0 } == true)
  }

  @Test func aModelThatTheContainerLacksIsRefused() throws {
    #expect(throws: SwiftDataError.unknownSchema) {
      try HistoryObserver(observedModels: [Travel.Trip.self], modelContainer: container)
    }
  }

  @Test func nothingRetainsAnObserver() async throws {
    weak var gone: HistoryObserver?
    do {
      let observer = try HistoryObserver(modelContainer: container)
      try save(Note("1"))
      try await expect(1, observer)
      gone = observer
    }
    try await eventually("the observer is released") { gone == nil }
  }

  // MARK: Sequences

  @Test func historyComesOnceAndInOrder() async throws {
    try save(Note("0"))
    let container = container
    let reader = Task {
      var numbers: [Int64] = []
      for try await transactions in ModelContext(container).history(since: nil) {
        numbers += transactions.map(\.transactionIdentifier)
        if numbers.count >= 30 { break }
      }
      return numbers
    }
    for number in 1..<30 { try save(Note("\(number)")) }
    #expect(try await reader.value == Array(1...30))
  }

  @Test func whatASequenceHasNotGivenIsNotPruned() async throws {
    let folder = try TemporaryFolder()
    var configuration = ModelConfiguration(url: folder.store)
    configuration.historyRetention = HistoryRetention(maximumCount: 3)
    let container = try ModelContainer(
      for: Note.self, Tally.self, configurations: configuration)
    let context = ModelContext(container)
    func save(_ count: Int) throws {
      for number in 0..<count {
        context.insert(Note("\(number)"))
        try context.save()
      }
    }
    func count() throws -> Int {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
    }
    try save(1)
    var reader: HistorySequence.AsyncIterator? = context.history(since: nil).makeAsyncIterator()
    #expect(try await reader?.next()?.count == 1)
    try save(20)
    #expect(try await reader?.next()?.map(\.transactionIdentifier) == Array(2...21))
    reader = nil
    // What was due while it was held goes first; then there is another look.
    try save(5)
    #expect(try count() <= 6)
  }

  @Test func aCancelledSequenceEnds() async throws {
    let container = container
    let count = Mutex(0)
    let reader = Task {
      for try await transactions in ModelContext(container).history(since: nil) {
        count.withLock { $0 += transactions.count }
      }
    }
    try save(Note("0"))
    try await eventually("a transaction") { count.withLock { $0 } > 0 }
    reader.cancel()
    try await reader.value
    #expect(count.withLock { $0 } == 1)
  }
}
