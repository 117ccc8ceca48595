import Dispatch
import Foundation
import SwiftData
import SwiftDataStores
import Synchronization
import Testing

/// A process that runs `Tests/DocumentWorker`.
final class Worker: Sendable {
  private let process: Process
  private let output = Pipe()

  init(_ file: URL, _ writer: String, _ count: Int, size: Int = 0) throws {
    process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("OpenSwiftDataDocumentWorker")
    process.arguments = [file.path, writer, "\(count)", "\(size)"]
    process.standardOutput = output
    try process.run()
  }

  /// Waits for the end of the process.
  /// - Returns: The numbers that it has printed.
  func finish(killedAfter delay: TimeInterval? = nil) -> [Int] {
    if let delay {
      Thread.sleep(forTimeInterval: delay)
      kill(process.processIdentifier, SIGKILL)
    }
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
  }

  var succeeded: Bool {
    process.terminationReason == .exit && process.terminationStatus == 0
  }
}

@Suite("Documents that several processes write", .serialized)
struct ProcessTests {
  @Model
  final class Entry {
    var writer: String
    var number: Int
    var counter: Counter?

    init(writer: String, number: Int) {
      self.writer = writer
      self.number = number
    }
  }

  @Model
  final class Counter {
    @Attribute(.unique) var name: String
    var count = 0
    var entries: [Entry] = []

    init(_ name: String) { self.name = name }
  }

  private let schema = Schema([Entry.self, Counter.self])

  @Test func savesOfTwoProcessesAreAllKept() throws {
    let folder = try Folder()
    let workers = try ["a", "b", "c"].map { try Worker(folder.file, $0, 40) }
    for worker in workers {
      #expect(worker.finish().count == 40)
      #expect(worker.succeeded)
    }
    let context = try folder.context(schema)
    let counters = try context.all(Counter.self)
    #expect(Set(counters.map(\.name)) == ["a", "b", "c"])
    for counter in counters {
      #expect(counter.count == 40)
      #expect(Set(counter.entries.map(\.number)) == Set(0..<40))
    }
    #expect(try folder.names == ["library.json"])
  }

  @Test func aKilledProcessLeavesAWholeDocument() throws {
    let folder = try Folder()
    var killed = 0
    for round in 0..<8 {
      let worker = try Worker(folder.file, "w\(round)", 2000, size: 2000)
      let saved = worker.finish(killedAfter: 0.15 + .random(in: 0...0.3))
      if !worker.succeeded { killed += 1 }
      guard FileManager.default.fileExists(atPath: folder.file.path) else { continue }
      let context = try folder.context(schema)
      let name = "w\(round)"
      let numbers = try context.all(Counter.self).first { $0.name == name }?.entries.map(\.number)
      // What was reported as saved is there; the last save may be there without a report.
      #expect(Set(saved).isSubset(of: Set(numbers ?? [])))
      #expect((numbers ?? []).count <= saved.count + 1)
    }
    #expect(killed > 0)
    // The next save removes what a killed process left.
    let context = try folder.context(schema)
    context.insert(Entry(writer: "end", number: 0))
    try context.save()
    #expect(try folder.names == ["library.json"])
  }

  /// A process that has locked the folder, until it is terminated.
  private func lockingProcess(_ folder: Folder) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["flock", "--no-fork", folder.url.path, "sleep", "60"]
    try process.run()
    Thread.sleep(forTimeInterval: 0.5)
    return process
  }

  @Test func theLockOfAnotherProcessIsNamed() throws {
    let folder = try Folder()
    let container = try ModelContainer(
      for: library,
      configurations: [JSONStoreConfiguration(url: folder.file, lockTimeout: .milliseconds(200))])
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let process = try lockingProcess(folder)
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    context.insert(Shelf("A"))
    let error = try #require(
      #expect(throws: DocumentStoreError.self) { try context.save() })
    #expect(error.code == .locked)
    #expect(error.description.contains("(sleep)"))
    // Reading needs no lock.
    #expect(try context.fetch(FetchDescriptor<Book>()).isEmpty)
    #expect(context.hasChanges)
  }

  @Test func fetchesDoNotWaitForASaveThatWaitsForTheLock() throws {
    let folder = try Folder()
    let container = try ModelContainer(
      for: library,
      configurations: [JSONStoreConfiguration(url: folder.file, lockTimeout: .seconds(60))])
    let process = try lockingProcess(folder)
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    let (isSaving, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      let context = ModelContext(container)
      context.autosaveEnabled = false
      context.insert(Shelf("A"))
      isSaving.signal()
      let result = Result { try context.save() }
      outcome.withLock { $0 = result }
      hasEnded.signal()
    }
    isSaving.wait()
    Thread.sleep(forTimeInterval: 0.5)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Shelf>()).isEmpty)
    #expect(outcome.withLock { $0 == nil })
    process.terminate()
    hasEnded.wait()
    try outcome.withLock { try $0?.get() }
    #expect(try ModelContext(container).fetch(FetchDescriptor<Shelf>()).map(\.label) == ["A"])
  }

  /// Each save waits for the limit, not for the limits of the saves before it.
  @Test func savesOfOneStoreWaitTogetherForTheLimit() throws {
    let folder = try Folder()
    let container = try ModelContainer(
      for: library,
      configurations: [JSONStoreConfiguration(url: folder.file, lockTimeout: .seconds(2))])
    let process = try lockingProcess(folder)
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    let count = 8
    let errors = Mutex<[any Error]>([])
    let hasEnded = DispatchSemaphore(value: 0)
    let time = ContinuousClock().measure {
      for number in 0..<count {
        Thread.detachNewThread {
          let context = ModelContext(container)
          context.autosaveEnabled = false
          context.insert(Shelf("\(number)"))
          do {
            try context.save()
          } catch {
            errors.withLock { $0.append(error) }
          }
          hasEnded.signal()
        }
      }
      for _ in 0..<count { hasEnded.wait() }
    }
    let codes = errors.withLock { $0.map { ($0 as? DocumentStoreError)?.code } }
    #expect(codes == Array(repeating: .locked, count: count))
    // The lock of the folder, or an earlier save, is the end of a wait that may have had both.
    let texts = errors.withLock { $0.map { "\($0)".lowercased() } }
    #expect(texts.allSatisfy { $0.contains("earlier saves of this store") }, "\(texts)")
    // One after the other they would wait for 16 seconds.
    #expect(time < .seconds(12))
  }
}

@Suite("Changes by other writers are noticed", .serialized)
struct WatchTests {
  private func wait(
    isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
  ) async throws -> Bool {
    for _ in 0..<100 {
      if try condition() { return true }
      try await Task.sleep(for: .milliseconds(50))
    }
    return false
  }

  @Test func aFetchSeesTheNewestFile() throws {
    let folder = try Folder()
    try folder.write(FormatTests.text)
    let context = try folder.context()
    #expect(try context.book("Beowulf")?.pages == 0)
    // The same number of bytes, at once after the first writing.
    for pages in 1..<10 {
      try folder.write(FormatTests.text.replacing("\"pages\": 0", with: "\"pages\": \(pages)"))
      #expect(
        try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages == pages }))
          .count == 1)
    }
  }

  @Test func aTextOfOtherCharactersIsAChangeAlsoForOtherStores() throws {
    let folder = try Folder()
    let (one, two) = (try folder.open(), try folder.open())
    let (first, second) = (ModelContext(one), ModelContext(two))
    for context in [first, second] { context.autosaveEnabled = false }
    first.insert(Author("Ren\u{e9}", born: 1))
    try first.save()
    // Both texts are equal, and have different bytes.
    try #require(try second.all(Author.self).first).name = "Rene\u{301}"
    try second.save()
    second.insert(Author("Ren\u{e9}", born: 2))
    try second.save()
    for container in [one, two] {
      let found = try ModelContext(container).all(Author.self)
      let bytes = Dictionary(grouping: found, by: \.born).mapValues {
        $0.map { $0.name.utf8.count }
      }
      #expect(bytes == [1: [6], 2: [5]])
    }
    // The first store knows the new value, so that a new row with the old one is the other row.
    let third = ModelContext(one)
    third.insert(Author("Ren\u{e9}", born: 3))
    try third.save()
    let found = try folder.context().all(Author.self)
    #expect(found.compactMap(\.born).sorted() == [1, 3])
  }

  @MainActor @Test func liveResultsFollowAnEditor() async throws {
    let folder = try Folder()
    try folder.write(FormatTests.text)
    let container = try folder.open()
    let context = ModelContext(container)
    let observer = try ResultsObserver<Book, Never>(
      sortBy: [SortDescriptor(\.title)], modelContext: context)
    #expect(observer.results.map(\.title) == ["A Wizard of Earthsea", "Beowulf"])
    let beowulf = observer.results[1]
    let editor = Process()
    editor.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    editor.arguments = [
      "sed", "-i", "-e", "s/\"pages\": 0/\"pages\": 77/", "-e", "s/Wizard/Magician/",
      folder.file.path,
    ]
    try editor.run()
    editor.waitUntilExit()
    #expect(try await wait { observer.results.first?.title == "A Magician of Earthsea" })
    #expect(beowulf.pages == 77)
    let other = try folder.context()
    other.delete(try #require(try other.book("Beowulf")))
    other.insert(Book("Catch-22"))
    try other.save()
    #expect(
      try await wait { observer.results.map(\.title) == ["A Magician of Earthsea", "Catch-22"] })
  }

  @Test func aContainerThatObservesRemoteChangesPostsThem() async throws {
    let folder = try Folder()
    try folder.write(FormatTests.text)
    let container = try folder.open()
    let context = ModelContext(container)
    let book = try #require(try context.book("Beowulf"))
    let stores = Mutex<[String]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: container, queue: nil
    ) { notification in
      let store = notification.userInfo?[ModelContainer.remoteChangeStoreKey] as? String
      stores.withLock { $0.append(store ?? "") }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    container.observesRemoteChanges = true
    try folder.write(FormatTests.text.replacing("\"pages\": 0", with: "\"pages\": 5"))
    #expect(try await wait { stores.withLock { $0 } == ["lib"] })
    // A model that the context has follows.
    context.processPendingChanges()
    #expect(book.pages == 5)
    container.observesRemoteChanges = false
    try folder.write(FormatTests.text)
    try await Task.sleep(for: .milliseconds(700))
    #expect(stores.withLock { $0 }.count == 1)
  }

  @Test func theStreamListsWhatChanged() async throws {
    let folder = try Folder()
    try folder.write(FormatTests.text)
    let container = try folder.open()
    let store = try #require(
      try JSONStore(
        JSONStoreConfiguration(schema: library, url: folder.file), migrationPlan: nil))
    var changes = store.externalChanges.makeAsyncIterator()
    let context = ModelContext(container)
    let shelf = Shelf("New")
    context.insert(shelf)
    let book = try #require(try context.book("Beowulf"))
    book.pages = 9
    let author = try #require(try context.author("Ursula K. Le Guin"))
    let gone = try #require(author.books.first)
    context.delete(gone)
    try context.save()
    let found = try #require(await changes.next())
    #expect(found.inserted == [shelf.persistentModelID])
    #expect(found.deleted == [gone.persistentModelID])
    // The shelf of the deleted book and its author have other lists.
    #expect(
      Set(found.updated.map(\.entityName)) == ["Book", "Author", "Shelf"]
        && found.updated.contains(book.persistentModelID))
    #expect(!found.mayConcernOthers)
  }

  @Test func aDocumentThatWasMissingIsReportedWhenItIsBack() async throws {
    let folder = try Folder()
    try folder.write(FormatTests.text)
    let store = try JSONStore(
      JSONStoreConfiguration(schema: library, url: folder.file), migrationPlan: nil)
    let reports = Mutex<[DataStoreExternalChanges]>([])
    let observation = store.observeExternalChanges { changes in
      reports.withLock { $0.append(changes) }
    }
    let aside = folder.url.appending(path: "aside.json")
    try FileManager.default.moveItem(at: folder.file, to: aside)
    #expect(try await wait { reports.withLock { $0 }.count == 1 })
    // The same bytes: a fetch that has failed would give other results now.
    try FileManager.default.moveItem(at: aside, to: folder.file)
    #expect(try await wait { reports.withLock { $0 }.count == 2 })
    #expect(reports.withLock { $0.last } == DataStoreExternalChanges(mayConcernOthers: true))
    withExtendedLifetime(observation) {}
  }

  @Test func aMistakeOfAnEditorIsReportedOnceAndNothingIsOverwritten() async throws {
    let folder = try Folder()
    try folder.write(FormatTests.text)
    let store = try JSONStore(
      JSONStoreConfiguration(schema: library, url: folder.file), migrationPlan: nil)
    let reports = Mutex<[DataStoreExternalChanges]>([])
    let observation = store.observeExternalChanges { changes in
      reports.withLock { $0.append(changes) }
    }
    let damaged = FormatTests.text.replacing("\"pages\": 0,", with: "\"pages\": 0")
    try folder.write(damaged)
    #expect(try await wait { !reports.withLock { $0 }.isEmpty })
    try await Task.sleep(for: .milliseconds(300))
    #expect(reports.withLock { $0 } == [DataStoreExternalChanges(mayConcernOthers: true)])
    try folder.write(FormatTests.text.replacing("\"pages\": 0", with: "\"pages\": 1"))
    #expect(try await wait { reports.withLock { $0 }.count == 2 })
    #expect(reports.withLock { $0.last?.updated.count } == 1)
    withExtendedLifetime(observation) {}
  }
}
