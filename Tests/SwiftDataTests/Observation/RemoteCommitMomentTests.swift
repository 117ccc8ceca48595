import Foundation
import Observation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// Another container commits at moments that are easy to miss: while an observer begins, and while a
/// save of the observed context fails.
@MainActor
struct RemoteCommitMomentTests {
  /// Reads the results of an observer as a view does: at first, and when it is notified.
  @MainActor private final class Labels {
    private let observer: ResultsObserver<Shelf, Never>
    private(set) var shown: [String] = []

    init(_ context: ModelContext) throws {
      observer = try ResultsObserver(sortBy: [SortDescriptor(\.label)], modelContext: context)
      read()
    }

    private func read() {
      withObservationTracking {
        shown = observer.results.map(\.label)
      } onChange: { [weak self] in
        Task { @MainActor in self?.read() }
      }
    }
  }

  // MARK: While an observer begins

  /// The other container commits after each statement of the beginning in turn.
  @Test func aCommitWhileTheObserverBeginsCounts() async throws {
    var number = 1
    while try await begin(interruptedAfter: number) { number += 1 }
    #expect(number > 3)
  }

  /// - Returns: Whether so many statements have run.
  private func begin(interruptedAfter number: Int) async throws -> Bool {
    let folder = try TemporaryFolder()
    nonisolated(unsafe) let theirs = ModelContext(try StoreFolder.container(folder.store))
    nonisolated(unsafe) let shelf = Shelf(label: "a")
    nonisolated(unsafe) let author = Author(name: "Ann")
    theirs.insert(shelf)
    theirs.insert(author)
    try theirs.save()
    let interruption = Interruption(afterStatement: number) {
      author.name = "Bea"
      shelf.label = "c"
      theirs.insert(Shelf(label: "b"))
      try theirs.save()
    }
    var configuration = ModelConfiguration(url: folder.store)
    configuration.statementLog = interruption.log
    let mine = ModelContext(
      try ModelContainer(for: Schema(Library.types), configurations: configuration))
    // The observer does not fetch authors.
    let known = try #require(try mine.fetch(FetchDescriptor<Author>()).first)
    let labels = try interruption.during { try Labels(mine) }
    guard interruption.hasRun else { return false }
    try await eventually("both shelves and the author, after statement \(number)") {
      labels.shown == ["b", "c"] && known.name == "Bea"
    }
    return true
  }

  // MARK: While a save fails

  /// A context with an observer, and a context of another container on the same file.
  @MainActor private struct Observed {
    let folder: TemporaryFolder
    let mine: ModelContext
    let theirs: ModelContext
    let labels: Labels

    init() throws {
      folder = try TemporaryFolder()
      mine = ModelContext(try StoreFolder.container(folder.store))
      for name in ["Ann", "Bea"] { mine.insert(Author(name: name)) }
      try mine.save()
      theirs = ModelContext(try StoreFolder.container(folder.store))
      labels = try Labels(mine)
    }

    /// Saves. When the save has begun and has no lock yet, the other container commits a shelf, and the
    /// save waits until its own container knows that.
    func save(beside label: String) throws {
      nonisolated(unsafe) let theirs = theirs
      let isKnown = DispatchSemaphore(value: 0)
      let observer = NotificationCenter.default.addObserver(
        forName: ModelContainer.remoteChange, object: mine.container, queue: nil
      ) { _ in isKnown.signal() }
      defer { NotificationCenter.default.removeObserver(observer) }
      let reached: @Sendable (SaveStep) -> Void = { step in
        guard step == .begun else { return }
        SaveStep.$reached.withValue(nil) {
          // Failures are for the save only.
          FailureInjector(failingAt: nil).run {
            theirs.insert(Shelf(label: label))
            #expect(throws: Never.self) { try theirs.save() }
          }
        }
        #expect(isKnown.wait(timeout: .now() + 60) == .success)
      }
      try SaveStep.$reached.withValue(reached) { try mine.save() }
    }
  }

  /// Each operation of the save fails in turn.
  @Test(.enabled(if: FailureInjector.isAvailable))
  func aRemoteCommitDuringAFailedSaveWakesQueries() async throws {
    var failures = 0
    for number in 1... {
      let observed = try Observed()
      observed.mine.insert(Shelf(label: "mine"))
      let injector = FailureInjector(failingAt: number)
      let saved = Result { try injector.run { try observed.save(beside: "first") } }
      if injector.operations.count < number { break }
      if case .failure = saved {
        failures += 1
        #expect(observed.mine.hasChanges)
      }
      try await eventually("the first commit, beside failure \(number)") {
        observed.labels.shown == ["first", "mine"]
      }
      observed.mine.insert(Author(name: "Cem"))
      try observed.save(beside: "second")
      try await eventually("the second commit, after failure \(number)") {
        observed.labels.shown == ["first", "mine", "second"]
      }
    }
    #expect(failures > 3)
  }

  @Test(.enabled(if: FailureInjector.isAvailable))
  func aRemoteCommitDuringARefusedSaveWakesQueries() async throws {
    let observed = try Observed()
    let authors = try observed.mine.fetch(
      FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
    authors[1].name = "Ann"
    #expect(throws: SwiftDataError.self) { try observed.save(beside: "first") }
    #expect(observed.mine.hasChanges)
    try await eventually("the first commit") { observed.labels.shown == ["first"] }
    authors[1].name = "Cem"
    try observed.save(beside: "second")
    try await eventually("the second commit") { observed.labels.shown == ["first", "second"] }
  }
}
