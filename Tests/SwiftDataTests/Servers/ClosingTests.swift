import Foundation
import SwiftData
import Synchronization
import Testing

@Suite struct ClosingTests {
  private typealias Person = Office.Person

  private func files(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  @Test func closingLeavesOneFile() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let context = ModelContext(container)
    context.insert(Person(email: "a"))
    try context.save()
    #expect(try files(folder).count > 1)
    #expect(!container.isClosed)
    try await container.close()
    #expect(container.isClosed)
    #expect(try files(folder) == [folder.store.lastPathComponent])
    #expect(
      try ModelContext(Office.container(folder.store)).fetch(FetchDescriptor<Person>()).count == 1)
  }

  @Test(.enabled(if: MountedVolume.isPermitted, "file systems can't be mounted here"))
  func aLogThatCannotBeWrittenBackIsReported() async throws {
    try await MountedVolume.use(size: "3m") { volume in
      let store = volume.appendingPathComponent("full.store")
      let container = try Office.container(store)
      let context = ModelContext(container)
      var count = 0
      while count < 2000 {
        let person = Person(email: "\(count)")
        person.name = String(repeating: "x", count: 3000)
        context.insert(person)
        do { try context.save() } catch { break }
        count += 1
      }
      #expect((1..<2000).contains(count))
      // The second call finds the same.
      for _ in 0..<2 {
        let error = await #expect(throws: SwiftDataError.storeWriteFailure) {
          try await container.close()
        }
        #expect(error?.reason == .diskFull)
        let text = error?.description ?? ""
        #expect(text.contains("full.store-wal"), "\(text)")
        #expect(text.contains("close the container again"), "\(text)")
        #expect(!text.contains("nothing was written"), "\(text)")
      }
      #expect(container.isClosed)
      try MountedVolume.resize(volume, to: "16m")
      try await container.close()
      #expect(try FileManager.default.contentsOfDirectory(atPath: volume.path) == ["full.store"])
      let stored = ModelContext(try Office.container(store))
      #expect(try stored.fetchCount(FetchDescriptor<Person>()) == count)
    }
  }

  @Test func closingEndsARunningBackup() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let context = ModelContext(container)
    context.insert(Person(email: "a"))
    try context.save()
    let closing = Mutex<Task<Void, any Error>?>(nil)
    await #expect(throws: SwiftDataError.containerClosed) {
      try await container.backup(to: folder.url.appendingPathComponent("copy.store")) { _ in
        closing.withLock { known in
          if known == nil { known = Task { try await container.close() } }
        }
        while !container.isClosed { Thread.sleep(forTimeInterval: 0.001) }
      }
    }
    try await closing.withLock(\.self)?.value
    // The folder for large values stays.
    let names = try files(folder).filter { !$0.hasPrefix(".") }
    #expect(names == [folder.store.lastPathComponent])
  }

  @Test func everyLaterUseThrows() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let context = ModelContext(container)
    let person = Person(email: "a")
    context.insert(person)
    try context.save()
    let identifier = person.persistentModelID
    try await container.close()
    let uses: [(String, () throws -> Void)] = [
      ("fetch", { _ = try context.fetch(FetchDescriptor<Person>()) }),
      ("count", { _ = try context.fetchCount(FetchDescriptor<Person>()) }),
      ("identifiers", { _ = try context.fetchIdentifiers(FetchDescriptor<Person>()) }),
      ("look-up", { _ = try context.existingModel(Person.self, for: identifier) }),
      (
        "save",
        {
          person.name = "b"
          try context.save()
        }
      ),
      ("transaction", { try context.transaction { person.name = "c" } }),
      ("snapshot", { try context.snapshot { _ = try context.fetch(FetchDescriptor<Person>()) } }),
      ("deletion", { try context.delete(model: Person.self) }),
      ("enumeration", { try context.enumerate(FetchDescriptor<Person>()) { _ in } }),
      (
        "history",
        {
          _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        }
      ),
      ("size of the history", { _ = try container.historySize() }),
      ("erasure", { try container.erase() }),
      ("new context", { _ = try ModelContext(container).fetch(FetchDescriptor<Person>()) }),
    ]
    for (name, use) in uses {
      let error = thrownError(use)
      #expect(error == .containerClosed, "\(name): \(String(describing: error))")
      guard case .closed? = error?.reason else {
        Issue.record("\(name): \(String(describing: error?.reason))")
        continue
      }
    }
    context.rollback()
    #expect(person.email == "a")
    // A fault reads as a placeholder, and does not stop the program.
    let fault = ModelContext(container).model(for: identifier)
    _ = (fault as? Person)?.name
    let backup = folder.url.appendingPathComponent("backup.store")
    await #expect(throws: SwiftDataError.containerClosed) { try await container.backup(to: backup) }
  }

  @Test func closingTwiceAndAtOnce() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { try await container.close() } }
      try await group.waitForAll()
    }
    try await container.close()
    #expect(try files(folder) == [folder.store.lastPathComponent])
  }

  @Test func runningWorkEnds() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let outcome = Mutex<String?>(nil)
    let thread = Thread {
      let context = ModelContext(container)
      do {
        try context.transaction {
          context.insert(Person(email: "a"))
          try context.save()
          begun.signal()
          goOn.wait()
          #expect(try context.fetch(FetchDescriptor<Person>()).map(\.email) == ["a"])
          context.insert(Person(email: "b"))
        }
        outcome.withLock { $0 = "saved" }
      } catch {
        outcome.withLock { $0 = "\(error)" }
      }
    }
    thread.start()
    try await onThread { begun.wait() }
    async let closing: Void = container.close()
    try await Task.sleep(for: .milliseconds(50))
    goOn.signal()
    try await closing
    #expect(outcome.withLock { $0 } == "saved")
    let stored = try ModelContext(Office.container(folder.store))
      .fetch(FetchDescriptor<Person>())
    #expect(Set(stored.map(\.email)) == ["a", "b"])
  }

  /// Each acknowledged save is in the file, whenever the container is closed.
  @Test func acknowledgedSavesSurvive() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let acknowledged = Mutex<Set<String>>([])
    let failures = Mutex<[String]>([])
    let group = DispatchGroup()
    for writer in 0..<3 {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        let context = ModelContext(container)
        for number in 0..<10_000 {
          let email = "\(writer)-\(number)"
          context.insert(Person(email: email))
          do {
            try context.save()
            _ = acknowledged.withLock { $0.insert(email) }
          } catch {
            if (error as? SwiftDataError) != .containerClosed {
              failures.withLock { $0.append("\(error)") }
            }
            return context.rollback()
          }
        }
      }
    }
    try await Task.sleep(for: .milliseconds(200))
    try await container.close()
    try await onThread { group.wait() }
    #expect(failures.withLock { $0 }.isEmpty)
    let stored = try ModelContext(Office.container(folder.store)).fetch(FetchDescriptor<Person>())
    #expect(Set(stored.map(\.email)) == acknowledged.withLock { $0 })
  }

  @MainActor @Test func autosavedChangesAreSaved() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    container.mainContext.insert(Person(email: "a"))
    try await container.close()
    #expect(
      try ModelContext(Office.container(folder.store)).fetchCount(FetchDescriptor<Person>()) == 1)
  }

  @MainActor @Test func aFailedAutosaveKeepsItOpen() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let team = Office.Team(name: "a", members: [])
    container.mainContext.insert(team)
    await #expect(throws: SwiftDataError.modelValidationFailure) { try await container.close() }
    #expect(!container.isClosed)
    team.members = [Office.Member(name: "a")]
    try await container.close()
    #expect(container.isClosed)
    #expect(
      try ModelContext(Office.container(folder.store))
        .fetchCount(FetchDescriptor<Office.Team>()) == 1)
  }

  @Test func sequencesEnd() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let following = Task {
      for try await _ in ModelContext(container).history(since: nil) {}
    }
    try await Task.sleep(for: .milliseconds(50))
    try await container.close()
    await #expect(throws: SwiftDataError.containerClosed) { try await following.value }
  }

  @ModelActor actor Follower {
    func follow(differences: Bool) async -> Int {
      var count = 0
      if differences {
        for await _ in modelContext.changes(of: FetchDescriptor<Office.Person>()) { count += 1 }
      } else {
        for await _ in modelContext.results(of: FetchDescriptor<Office.Person>()) { count += 1 }
      }
      return count
    }
  }

  @Test(.timeLimit(.minutes(1)), arguments: [false, true])
  func sequencesOfResultsEnd(differences: Bool) async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let following = Task {
      await Follower(modelContainer: container).follow(differences: differences)
    }
    try await Task.sleep(for: .milliseconds(100))
    try await container.close()
    #expect(await following.value <= 1)
  }

  /// A read that has begun sees its state to the end.
  @Test func runningReadsEnd() async throws {
    let folder = try TemporaryFolder()
    try Office.fill(folder.store, people: 3)
    let container = try Office.container(folder.store)
    let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let reading = Task {
      try await ModelReaders(container).read { context in
        let first = try context.fetchCount(FetchDescriptor<Person>())
        begun.signal()
        goOn.wait()
        return try (first, context.fetch(FetchDescriptor<Person>()).count)
      }
    }
    try await onThread { begun.wait() }
    async let closing: Void = container.close()
    try await Task.sleep(for: .milliseconds(50))
    goOn.signal()
    try await closing
    #expect(try await reading.value == (3, 3))
  }

  @Test func anotherContainerGoesOn() async throws {
    let folder = try TemporaryFolder()
    let (one, two) = (try Office.container(folder.store), try Office.container(folder.store))
    let context = ModelContext(two)
    try await one.close()
    context.insert(Person(email: "a"))
    try context.save()
    try await two.close()
    #expect(try files(folder) == [folder.store.lastPathComponent])
  }
}
