import Foundation
import SwiftData
import Synchronization
import Testing

@Suite(.databases) struct AutosaveTests {
  /// Counts the saves of a context, and lets a test wait for the next one.
  @MainActor final class SaveWatch {
    private(set) var count = 0
    private var waiting: CheckedContinuation<Void, Never>?
    private nonisolated(unsafe) var token: (any NSObjectProtocol)?

    init(_ context: ModelContext) {
      token = NotificationCenter.default.addObserver(
        forName: ModelContext.didSave, object: context, queue: nil
      ) { [weak self] _ in MainActor.assumeIsolated { self?.note() } }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }

    private func note() {
      count += 1
      waiting?.resume()
      waiting = nil
    }

    func next() async { await withCheckedContinuation { waiting = $0 } }
  }

  @Test @MainActor func onlyTheMainContextSavesByItself() throws {
    let container = try Library.container()
    #expect(container.mainContext.autosaveEnabled)
    #expect(!ModelContext(container).autosaveEnabled)
  }

  @Test @MainActor func theMainContextSavesSoonAfterAChange() async throws {
    let context = try Library.container().mainContext
    context.autosaveDelay = .milliseconds(1)
    let watch = SaveWatch(context)
    let author = Author(name: "Ann")
    context.insert(author)
    await watch.next()
    #expect(!context.hasChanges)
    #expect(try context.stored(Author.self).map(\.name) == ["Ann"])
    author.name = "Bea"
    await watch.next()
    #expect(try context.stored(Author.self).map(\.name) == ["Bea"])
    context.delete(author)
    await watch.next()
    #expect(try context.count(Author.self) == 0)
    #expect(watch.count == 3)
  }

  @Test func contextsWithoutAnActorAreReportedOnce() async throws {
    let container = try Library.container()
    let lines = try WarningLog.lines {
      for number in 0..<3 {
        let context = ModelContext(container)
        context.autosaveEnabled = true
        let author = Author(name: "\(number)")
        context.insert(author)
        for year in 0..<3 {
          author.name = "\(number) \(year)"
          try context.save()
        }
      }
    }
    #expect(lines.count == 1 && lines[0].hasPrefix("Autosave needs a context of"), "\(lines)")
  }

  @Test @MainActor func manyChangesAreOneSave() async throws {
    let context = try Library.container().mainContext
    let watch = SaveWatch(context)
    for number in 0..<5 { context.insert(Author(name: "\(number)")) }
    try await context.container.settle()
    #expect(watch.count == 1)
    #expect(try context.count(Author.self) == 5)
  }

  @Test @MainActor func noSaveComesInTheMiddleOfCode() async throws {
    let context = try Library.container().mainContext
    context.autosaveDelay = .zero
    let watch = SaveWatch(context)
    context.insert(Author(name: "Ann"))
    func workForAWhile() { Thread.sleep(forTimeInterval: 0.02) }
    workForAWhile()
    context.insert(Author(name: "Bob"))
    #expect(watch.count == 0 && context.insertedModelsArray.count == 2)
    await watch.next()
    #expect(try context.count(Author.self) == 2)
  }

  @Test @MainActor func aContextOfTheMainThreadSavesOnTheMainActor() async throws {
    let context = ModelContext(try Library.container())
    context.insert(Author(name: "Ann"))
    try await context.container.settle()
    #expect(context.hasChanges)
    context.autosaveEnabled = true
    try await context.container.settle()
    #expect(try context.count(Author.self) == 1)
  }

  @Test @MainActor func aContextWithoutAutosaveIsNotSaved() async throws {
    let context = try Library.container().mainContext
    context.autosaveDelay = .zero
    context.insert(Author(name: "Ann"))
    context.autosaveEnabled = false
    try await context.container.settle()
    for _ in 0..<20 { await Task.yield() }
    #expect(context.hasChanges)
    context.autosaveEnabled = true
    try await context.container.settle()
    #expect(!context.hasChanges)
  }

  @Test @MainActor func rolledBackChangesAreNotSaved() async throws {
    let context = try Library.container().mainContext
    let watch = SaveWatch(context)
    context.insert(Author(name: "Ann"))
    context.rollback()
    try await context.container.settle()
    #expect(watch.count == 0)
    context.insert(Author(name: "Bob"))
    try await context.container.settle()
    #expect(try context.stored(Author.self).map(\.name) == ["Bob"])
  }

  @Test @MainActor func changesAfterASaveAreSettled() async throws {
    let context = try Library.container().mainContext
    context.insert(Author(name: "Ann"))
    try context.save()
    context.insert(Author(name: "Bob"))
    try await context.container.settle()
    #expect(try context.count(Author.self) == 2)
  }

  @Test @MainActor func changesByAnObserverOfTheSaveAreSavedToo() async throws {
    let context = try Library.container().mainContext
    nonisolated(unsafe) let author = Author(name: "Ann")
    nonisolated(unsafe) var wasTold = false
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { _ in
      MainActor.assumeIsolated {
        if !wasTold { author.name = "Bea" }
        wasTold = true
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    context.insert(author)
    try await context.container.settle()
    try await context.container.settle()
    #expect(try context.stored(Author.self).map(\.name) == ["Bea"])
  }

  @Test @MainActor func anErrorGoesToTheHandlerAndTheNextChangeTriesAgain() async throws {
    let context = try Library.container().mainContext
    context.autosaveDelay = .zero
    let watch = SaveWatch(context)
    let (ann, bob) = (Author(name: "Ann"), Author(name: "Bob"))
    context.insert(ann)
    context.insert(bob)
    await watch.next()
    bob.name = "Ann"
    let error = await withCheckedContinuation { continuation in
      context.autosaveErrorHandler = { continuation.resume(returning: "\($0)") }
    }
    #expect(error.contains("Author"))
    #expect(context.changedModelsArray.count == 1)
    bob.name = "Bea"
    await watch.next()
    #expect(Set(try context.stored(Author.self).map(\.name)) == ["Ann", "Bea"])
  }

  @Test @MainActor func settlingThrowsAndKeepsTheChanges() async throws {
    let context = try Library.container().mainContext
    let (ann, bob) = (Author(name: "Ann"), Author(name: "Bob"))
    context.insert(ann)
    context.insert(bob)
    try await context.container.settle()
    bob.name = "Ann"
    for _ in 0..<2 {
      await #expect(throws: SwiftDataError.self) { try await context.container.settle() }
      #expect(context.hasChanges)
    }
    bob.name = "Bea"
    try await context.container.settle()
    #expect(!context.hasChanges)
  }

  @Test @MainActor func aContextThatIsGoneSavesNothing() async throws {
    let folder = try TemporaryFolder()
    func open() throws -> ModelContainer {
      try ModelContainer(
        for: Schema(Library.types), configurations: ModelConfiguration(url: folder.store))
    }
    weak var context: ModelContext?
    weak var container: ModelContainer?
    do {
      let opened = try open()
      let made = ModelContext(opened)
      made.autosaveEnabled = true
      made.autosaveDelay = .zero
      made.insert(Author(name: "Ann"))
      container = opened
      context = made
    }
    #expect(context == nil && container == nil)
    for _ in 0..<20 { await Task.yield() }
    #expect(try ModelContext(try open()).fetchCount(FetchDescriptor<Author>()) == 0)
  }

  @Test func aModelActorSavesOnItsExecutor() async throws {
    let container = try Library.container()
    let clerk = Clerk(modelContainer: container)
    let isolated = await clerk.add("Ann")
    try await container.settle()
    #expect(isolated.count == 1)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 1)
    #expect(await clerk.hasChanges == false)
  }

  @Test func aModelActorThatIsReleasedIsSavedAndThenDeallocated() async throws {
    let container = try Library.container()
    weak var gone: DefaultSerialModelExecutor?
    for number in 0..<20 {
      let clerk = Clerk(modelContainer: container)
      await clerk.insert("\(number)")
      gone = clerk.modelExecutor as? DefaultSerialModelExecutor
    }
    try await container.settle()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 20)
    while gone != nil { await Task.yield() }
  }

  @Test func aModelActorThatIsReleasedIsSavedByItsTimer() async throws {
    let container = try Library.container()
    weak var gone: DefaultSerialModelExecutor?
    do {
      let clerk = Clerk(modelContainer: container)
      await clerk.insert("Ann")
      gone = clerk.modelExecutor as? DefaultSerialModelExecutor
    }
    while gone != nil { await Task.yield() }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 1)
  }

  @Test func afterAFailedAutosaveAReleasedModelActorIsDeallocated() async throws {
    let container = try Library.container()
    let (ann, errors) = (ModelContext(container), Counter())
    ann.insert(Author(name: "Ann"))
    try ann.save()
    weak var gone: DefaultSerialModelExecutor?
    do {
      let clerk = Clerk(modelContainer: container)
      await clerk.breakARule(errors)
      gone = clerk.modelExecutor as? DefaultSerialModelExecutor
    }
    while gone != nil { await Task.yield() }
    #expect(errors.count == 1)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 1)
  }

  @Test func aModelActorWithoutAutosaveIsDeallocatedWithItsChanges() async throws {
    let container = try Library.container()
    weak var gone: DefaultSerialModelExecutor?
    do {
      let clerk = Clerk(modelContainer: container)
      await clerk.insert("Ann")
      await clerk.disableAutosave()
      gone = clerk.modelExecutor as? DefaultSerialModelExecutor
    }
    while gone != nil { await Task.yield() }
    try await container.settle()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 0)
  }

  /// Nothing can be run between the pieces of code of a thread.
  @Test func withoutAnActorNothingIsSaved() async throws {
    let container = try Library.container()
    let context = ModelContext(container)
    context.autosaveEnabled = true
    context.insert(Author(name: "Ann"))
    try await container.settle()
    #expect(context.hasChanges)
    try context.save()
    #expect(try context.count(Author.self) == 1)
  }
}

/// An atomic counter that several tasks may hold.
private final class Counter: Sendable {
  private let value = Atomic<Int>(0)

  func increment() { value.add(1, ordering: .relaxed) }
  var count: Int { value.load(ordering: .relaxed) }
}

@ModelActor
private actor Clerk {
  private var token: (any NSObjectProtocol)?

  var hasChanges: Bool { modelContext.hasChanges }

  /// - Returns: A counter of the saves that came on the executor of the actor.
  func add(_ name: String) -> Counter {
    let counter = Counter()
    let executor = modelExecutor as? DefaultSerialModelExecutor
    token = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: modelContext, queue: nil
    ) { [weak executor] _ in
      executor?.checkIsolated()
      counter.increment()
    }
    insert(name)
    return counter
  }

  func insert(_ name: String) {
    modelContext.autosaveEnabled = true
    modelContext.insert(Author(name: name))
  }

  /// Makes the autosave fail, because a stored author has the name.
  func breakARule(_ errors: Counter) {
    modelContext.uniquenessPolicy = .refuse
    modelContext.autosaveErrorHandler = { _ in errors.increment() }
    insert("Ann")
  }

  func disableAutosave() { modelContext.autosaveEnabled = false }
}
