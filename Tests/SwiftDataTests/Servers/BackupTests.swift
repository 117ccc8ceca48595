import Foundation
import SwiftData
import Synchronization
import Testing

@Suite struct BackupTests {
  private typealias Person = Office.Person

  private func people(_ url: URL) throws -> [Person] {
    try ModelContext(Office.container(url)).fetch(FetchDescriptor<Person>())
  }

  private func place(_ folder: TemporaryFolder) -> URL {
    folder.url.appendingPathComponent("backup.store")
  }

  @Test func aBackupIsAStore() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let context = ModelContext(container)
    for number in 0..<2000 { context.insert(Person(email: "\(number)")) }
    let first = Person(email: "first")
    context.insert(first)
    try context.save()
    let steps = Mutex<[BackupProgress]>([])
    let backup = place(folder)
    let summary = try await container.backup(to: backup) { step in
      steps.withLock { $0.append(step) }
    }
    #expect(summary.rowCounts["ZPERSON"] == 2001)
    #expect(summary.url == backup && summary.byteCount > 0)
    let last = try #require(steps.withLock { $0.last })
    #expect(last.copiedBytes == last.totalBytes && last.totalBytes == summary.byteCount)
    let copy = try Office.container(backup)
    #expect(try ModelContext(copy).fetchCount(FetchDescriptor<Person>()) == 2001)
    // The same identifiers, also as texts in URLs.
    let text = try first.persistentModelID.urlText
    #expect(try ModelContext(copy).model(Person.self, urlText: text).email == "first")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        .allSatisfy { !$0.hasSuffix("partial") })
  }

  @Test func largeValuesAreCopied() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let context = ModelContext(container)
    for number in 0..<3 {
      let person = Person(email: "\(number)")
      person.portrait = Data(repeating: UInt8(number), count: 300_000)
      context.insert(person)
    }
    try context.save()
    let summary = try await container.backup(to: place(folder))
    #expect(summary.externalValueCount == 3 && summary.missingValueCount == 0)
    // What is deleted afterwards stays in the backup.
    try context.delete(model: Person.self)
    try context.save()
    let copies = try people(place(folder)).sorted { $0.email < $1.email }
    #expect(copies.map(\.portrait) == (0..<3).map { Data(repeating: $0, count: 300_000) })
  }

  /// One state: each transaction is in the copy completely or not at all, with its files.
  @Test func aBackupWhileOthersWrite() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let isDone = Mutex(false)
    let failures = Mutex<[String]>([])
    let group = DispatchGroup()
    for writer in 0..<2 {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        let context = ModelContext(container)
        var number = 0
        while !isDone.withLock({ $0 }) {
          do {
            try context.transaction {
              // Two models, always together, and a replaced pair.
              if number > 2 {
                let old = "\(writer)-\(number - 3)-"
                try context.delete(
                  model: Person.self, where: #Predicate { $0.email.starts(with: old) })
              }
              for part in ["a", "b"] {
                let person = Person(email: "\(writer)-\(number)-\(part)")
                person.portrait = Data(repeating: UInt8(number % 251), count: 140_000)
                context.insert(person)
              }
            }
          } catch {
            return failures.withLock { $0.append("\(error)") }
          }
          number += 1
        }
      }
    }
    for number in 0..<5 {
      let backup = folder.url.appendingPathComponent("backup\(number).store")
      let summary = try await container.backup(to: backup)
      #expect(summary.missingValueCount == 0)
      let found = try people(backup)
      let pairs = Dictionary(grouping: found) { $0.email.dropLast(1) }
      #expect(pairs.values.allSatisfy { $0.count == 2 })
      #expect(found.allSatisfy { $0.portrait?.count == 140_000 })
    }
    isDone.withLock { $0 = true }
    try await onThread { group.wait() }
    #expect(failures.withLock { $0 }.isEmpty)
  }

  /// Where another store may keep its values, those of a backup would be removed with them, and the other way round. The
  /// error names a place that is free.
  @Test(arguments: ["test.bak", "test.store.bak"])
  func aNameWhoseValuesWouldBeMixedIsRefused(_ name: String) async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let context = ModelContext(container)
    let person = try Office.portrayed(1, in: context)
    // Left by a killed backup.
    let place = folder.url.appending(path: name)
    try Data().write(to: place.appendingPathExtension("partial"))
    let error = await #expect(throws: SwiftDataError.self) {
      try await container.backup(to: place)
    }
    #expect(try people(folder.store).map(\.portrait) == [External.bytes(1)])
    let text = try #require(error?.description)
    let advised = try #require(text.firstMatch(of: /such as (\S+\.store)/)?.output.1, "\(text)")
    let backup = folder.url.appending(path: String(advised))
    _ = try await container.backup(to: backup)
    person.portrait = External.bytes(2)
    try context.save()
    #expect(try people(backup).map(\.portrait) == [External.bytes(1)])
    try context.delete(model: Person.self)
    try context.save()
    #expect(try people(backup).map(\.portrait) == [External.bytes(1)])
  }

  @Test func nothingIsReplaced() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let backup = place(folder)
    try Data("mine".utf8).write(to: backup)
    await #expect(throws: SwiftDataError.storeReadFailure) {
      try await container.backup(to: backup)
    }
    #expect(try String(contentsOf: backup, encoding: .utf8) == "mine")
    await #expect(throws: SwiftDataError.storeReadFailure) {
      try await container.backup(to: folder.store)
    }
    await #expect(throws: SwiftDataError.storeReadFailure) {
      try await container.backup(to: folder.url.appendingPathComponent("no/folder.store"))
    }
    await #expect(throws: SwiftDataError.storeReadFailure) {
      try await Office.container().backup(to: folder.url.appendingPathComponent("memory.store"))
    }
  }

  @Test func whatAKilledBackupLeftIsRemoved() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let backup = place(folder)
    try Data(repeating: 1, count: 100_000).write(to: backup.appendingPathExtension("partial"))
    try await container.backup(to: backup)
    #expect(try people(backup).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: backup.path + ".partial"))
  }

  @Test func linksOfAKilledBackupAreRemovedAfterADay() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let context = ModelContext(container)
    let person = Person(email: "a")
    person.portrait = Data(repeating: 1, count: 300_000)
    context.insert(person)
    try context.save()
    let support = folder.url.appendingPathComponent(".test_SUPPORT", isDirectory: true)
    let (old, new) = (
      support.appendingPathComponent("backup-old"), support.appendingPathComponent("backup-new")
    )
    for place in [old, new] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }
    try FileManager.default.setAttributes(
      [.modificationDate: Date.now.addingTimeInterval(-100_000)], ofItemAtPath: old.path)
    try await container.backup(to: place(folder))
    #expect(!FileManager.default.fileExists(atPath: old.path))
    #expect(FileManager.default.fileExists(atPath: new.path))
    let left = try FileManager.default.contentsOfDirectory(atPath: support.path)
      .filter { $0.hasPrefix("backup-") }
    #expect(left == ["backup-new"])
  }

  @Test func aCancelledBackupLeavesNothing() async throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store)
    let context = ModelContext(container)
    for number in 0..<200 {
      let person = Person(email: "\(number)")
      person.portrait = Data(repeating: 7, count: 100_000)
      context.insert(person)
    }
    try context.save()
    let backup = place(folder)
    let task = Mutex<Task<BackupSummary, any Error>?>(nil)
    let steps = Mutex(0)
    let running = Task {
      try await Task.sleep(for: .milliseconds(20))
      return try await container.backup(to: backup) { _ in
        steps.withLock { $0 += 1 }
        task.withLock { $0?.cancel() }
      }
    }
    task.withLock { $0 = running }
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(steps.withLock { $0 } == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.hasPrefix("backup") || $0.hasPrefix(".backup") }, "\(names)")
  }

  @Test func theStoreOfSeveralIsNamed() async throws {
    let folder = try TemporaryFolder()
    let people = ModelConfiguration(
      "people", schema: Schema([Office.Member.self]),
      url: folder.url.appendingPathComponent("people.store"))
    let others = ModelConfiguration(
      "others", schema: Schema([Office.Other.self]),
      url: folder.url.appendingPathComponent("others.store"))
    let container = try ModelContainer(
      for: Schema([Office.Member.self, Office.Other.self]), configurations: people, others)
    await #expect(throws: SwiftDataError.storeReadFailure) {
      try await container.backup(to: place(folder))
    }
    let summary = try await container.backup(to: place(folder), configuration: "others")
    #expect(Array(summary.rowCounts.keys) == ["ZOTHER"])
    await #expect(throws: SwiftDataError.storeReadFailure) {
      try await container.backup(to: place(folder), configuration: "nobody")
    }
  }
}
