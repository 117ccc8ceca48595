import Foundation
import SwiftData
import SwiftDataTesting
import Testing

@Suite struct FaultInjectionTests {
  @Test(
    arguments: TemporaryContainer.Storage.both, [InjectedFailure.diskFull, .busy, .inputOutput])
  func aSaveFailsAndCanBeRepeated(
    _ storage: TemporaryContainer.Storage, _ failure: InjectedFailure
  ) throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: storage)
    let context = temporary.makeContext()
    context.insert(Trip(name: "Lisbon"))
    try temporary.failing(.save(2), with: failure) {
      try context.save()
      context.insert(Trip(name: "Porto"))
      let error = #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
      let text = "\(error as Any)"
      switch failure {
      case .diskFull: #expect(text.contains("SQLITE_FULL"), "\(text)")
      case .busy: #expect(text.contains("SQLITE_BUSY"), "\(text)")
      case .inputOutput: #expect(text.contains("SQLITE_IOERR"), "\(text)")
      }
      #expect(context.hasChanges)
      #expect(try temporary.makeContext().fetchCount(FetchDescriptor<Trip>()) == 1)
    }

    try context.save()
    #expect(try temporary.makeContext().fetchCount(FetchDescriptor<Trip>()) == 2)
  }

  @Test(arguments: TemporaryContainer.Storage.both)
  func everyStatementOfASaveMayFail(_ storage: TemporaryContainer.Storage) throws {
    var number = 1
    while true {
      let temporary = try TemporaryContainer(
        for: Trip.self, Stop.self, storage: storage, seed: Journeys.three)
      let context = temporary.makeContext()
      let trip = try temporary.model(Trip.self, "lisbon", in: context)
      trip.name = "Lisboa"
      trip.stops.append(Stop(place: "Chiado"))
      context.delete(try temporary.model(Trip.self, "porto", in: context))
      let before = try temporary.contents()
      var error: (any Error)?
      do {
        try temporary.failing(.statement(number, of: .all), with: .diskFull) {
          do {
            try context.save()
          } catch let failure {
            error = failure
          }
        }
      } catch let failure as ExpectationFailure {
        // The save has fewer statements than this.
        #expect(failure.outcome.hasPrefix("the body ran only \(number - 1) statement"))
        #expect(error == nil)
        break
      }
      #expect(error as? SwiftDataError == .storeWriteFailure, "statement \(number)")
      #expect(try temporary.contents() == before)
      try context.save()
      #expect(try temporary.contents() != before)
      number += 1
    }
    #expect(number > 8)
  }

  /// So that a number in a list of statements names the same statement for `failing`.
  @Test(arguments: TemporaryContainer.Storage.both)
  func statementsAreNumberedAsTheyAreListed(_ storage: TemporaryContainer.Storage) throws {
    func change(_ temporary: TemporaryContainer) throws {
      let context = temporary.makeContext()
      for number in 0..<40 { context.insert(Trip(name: "\(number)")) }
      try temporary.model(Trip.self, "lisbon", in: context).stops.append(Stop(place: "Chiado"))
      context.delete(try temporary.model(Trip.self, "porto", in: context))
      try context.save()
    }
    func container() throws -> TemporaryContainer {
      try TemporaryContainer(for: Trip.self, Stop.self, storage: storage, seed: Journeys.three)
    }
    for kinds in [StatementKinds.reads, .writes, .rows] {
      let listed = try container()
      let all = #expect(throws: ExpectationFailure.self) {
        try expectStatements(0, of: kinds, in: listed) { try change(listed) }
      }
      let count = try #require(all?.details.count)
      let counted = try container()
      let none = #expect(throws: ExpectationFailure.self) {
        try counted.failing(.statement(1000, of: kinds), with: .busy) { try change(counted) }
      }
      #expect(none?.outcome.hasPrefix("the body ran only \(count) ") == true, "\(none as Any)")
      #expect(count > 1)
    }
  }

  // MARK: Units of a writer

  @Test(
    arguments: TemporaryContainer.Storage.both,
    [FaultPoint.save(1), .statement(1), .statement(1, of: .writes), .statement(2, of: .all)])
  func aUnitOfAWriterFails(
    _ storage: TemporaryContainer.Storage, _ point: FaultPoint
  ) async throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: storage)
    let writer = ModelWriter(temporary.container)
    for failure in [InjectedFailure.diskFull, .inputOutput, .busy] {
      try await temporary.failing(point, with: failure) {
        await #expect(throws: SwiftDataError.storeWriteFailure, "\(point) \(failure)") {
          try await writer.write { $0.insert(Trip(name: "Lisbon")) }
        }
      }
    }
    try await writer.write { $0.insert(Trip(name: "Porto")) }
    let names = try temporary.makeContext().fetch(FetchDescriptor<Trip>()).map(\.name)
    #expect(names == ["Porto"])
  }

  /// The second unit fails with the transaction, runs again alone, and fails again if that is injected too.
  @Test(arguments: TemporaryContainer.Storage.both, [1, 2])
  func aUnitThatSharesATransactionRunsAgain(
    _ storage: TemporaryContainer.Storage, _ failures: Int
  ) async throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: storage)
    let writer = ModelWriter(temporary.container)
    let container = temporary.container
    // Units that wait for the lock together share a transaction.
    @Sendable func write() async -> Int {
      let (began, hold) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
      Thread.detachNewThread {
        try? ModelContext(container).transaction {
          began.continuation.finish()
          hold.wait()
        }
      }
      for await _ in began.stream {}
      let tasks = ["Lisbon", "Porto"].map { name in
        Task { try await writer.write { $0.insert(Trip(name: name)) } }
      }
      try? await Task.sleep(for: .milliseconds(100))
      hold.signal()
      var stored = 0
      for task in tasks where (try? await task.value) != nil { stored += 1 }
      return stored
    }
    let stored = try await temporary.failing(.save(2), with: .diskFull) {
      if failures == 1 { return await write() }
      return try await temporary.failing(.save(4), with: .diskFull) { await write() }
    }
    #expect(stored == (failures == 1 ? 2 : 1))
    #expect(try temporary.makeContext().fetchCount(FetchDescriptor<Trip>()) == stored)
  }

  @Test func aReadFails() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, seed: Journeys.three)
    let context = temporary.makeContext()
    try temporary.failing(.statement(2, of: .reads), with: .inputOutput) {
      _ = try context.fetchCount(FetchDescriptor<Trip>())
      #expect(throws: SwiftDataError.storeReadFailure) {
        try context.fetchCount(FetchDescriptor<Trip>())
      }
      _ = try context.fetchCount(FetchDescriptor<Trip>())
    }
  }

  @Test func theErrorMayLeaveTheBody() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self)
    let context = temporary.makeContext()
    context.insert(Trip(name: "Lisbon"))
    #expect(throws: SwiftDataError.storeWriteFailure) {
      try temporary.failing(.save(1), with: .diskFull) { try context.save() }
    }
    try context.save()
  }

  @Test func aFailureThatNeverHappensIsReported() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self)
    let context = temporary.makeContext()
    let line = #line + 2
    let failure = failure {
      try temporary.failing(.save(2), with: .diskFull) {
        context.insert(Trip(name: "Lisbon"))
        try context.save()
        try context.save()
      }
    }
    let text = try #require(failure?.description)
    #expect(
      text == "SwiftDataTestingTests/FaultInjectionTests.swift:\(line):28: expected a full disk at "
        + "save 2, but the body ran only 1 save, so nothing failed.", "\(text)")
    let none = #expect(throws: ExpectationFailure.self) {
      try temporary.failing(.statement(1), with: .busy) {}
    }
    #expect(none?.outcome == "the body ran only 0 statements, so nothing failed")
    #expect(throws: ExpectationFailure.self) {
      try temporary.failing(.save(0), with: .busy) { try context.save() }
    }
  }

  @Test func onlyTheContainerOfTheBodyFails() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
    let other = ModelContext(try temporary.openAnotherContainer())
    let context = temporary.makeContext()
    try temporary.failing(.save(1), with: .diskFull) {
      other.insert(Trip(name: "Lisbon"))
      try other.save()
      context.insert(Trip(name: "Porto"))
      #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
    }
  }

  @Test func asynchronousBodiesFail() async throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self)
    let writer = Writer(modelContainer: temporary.container)
    try await temporary.failing(.save(1), with: .diskFull) {
      await #expect(throws: SwiftDataError.storeWriteFailure) { try await writer.add("Faro") }
    }
    #expect(try temporary.makeContext().fetchCount(FetchDescriptor<Trip>()) == 0)
  }

  @Test func aTransactionOfSeveralSavesIsUndone() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
    let context = temporary.makeContext()
    try temporary.failing(.save(2), with: .diskFull) {
      #expect(throws: SwiftDataError.storeWriteFailure) {
        try context.transaction {
          context.insert(Trip(name: "Lisbon"))
          try context.save()
          context.insert(Trip(name: "Porto"))
          try context.save()
        }
      }
    }
    #expect(try temporary.contents() == "{}")
  }
}

@Suite struct CrashTests {
  @Test func aCrashBeforeTheCommitLosesTheSave() throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: .file, seed: Journeys.three)
    let before = try temporary.contents()
    let file = temporary.url
    let context = temporary.makeContext()
    let trip = try temporary.model(Trip.self, "lisbon", in: context)
    trip.name = "Lisboa"

    try temporary.crashing(at: .save(1)) { try context.save() }

    #expect(temporary.url != file)
    #expect(try temporary.contents() == before)
    let next = temporary.makeContext()
    let found = try temporary.model(Trip.self, "lisbon", in: next)
    #expect(found.name == "Lisbon")
    found.name = "Lisboa"
    try next.save()
    try temporary.reopen()
    #expect(try temporary.contents().contains("Lisboa"))
  }

  @Test func whatWasSavedBeforeTheCrashStays() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
    try temporary.crashing(at: .save(2)) {
      let context = temporary.makeContext()
      for name in ["Lisbon", "Porto"] {
        context.insert(Trip(name: name))
        try context.save()
      }
    }
    #expect(try temporary.makeContext().fetch(FetchDescriptor<Trip>()).map(\.name) == ["Lisbon"])
  }

  /// SQLite writes pages of an open transaction into the log when its cache is full.
  @Test func whatWasWrittenWithoutACommitIsLost() throws {
    let temporary = try TemporaryContainer(
      for: Trip.self, Stop.self, storage: .file, seed: Journeys.three)
    let before = try temporary.contents()
    let context = temporary.makeContext()
    for _ in 0..<2000 { context.insert(Stop(place: String(repeating: "a", count: 4000))) }
    try temporary.crashing(at: .save(1)) { try context.save() }
    let log = URL(fileURLWithPath: try #require(temporary.url).path + "-wal")
    #expect(try temporary.contents() == before)
    #expect(try #require(log.resourceValues(forKeys: [.fileSizeKey]).fileSize) > 1_000_000)
  }

  @Test func valuesBesideTheStoreAreThoseOfTheLastCommit() throws {
    let (old, new) = (Data(repeating: 1, count: 300_000), Data(repeating: 2, count: 400_000))
    let temporary = try TemporaryContainer(for: Attachment.self, storage: .file)
    let context = temporary.makeContext()
    let attachment = Attachment(bytes: old)
    context.insert(attachment)
    try context.save()
    attachment.bytes = new
    try temporary.crashing(at: .save(1)) { try context.save() }
    let next = temporary.makeContext()
    let found = try next.fetch(FetchDescriptor<Attachment>())
    #expect(found.map(\.bytes) == [old])
    found.first?.bytes = new
    try next.save()
    try temporary.reopen()
    #expect(try temporary.makeContext().fetch(FetchDescriptor<Attachment>()).map(\.bytes) == [new])
  }

  @Test func asynchronousBodiesCrash() async throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
    let writer = Writer(modelContainer: temporary.container)
    try await temporary.crashing(at: .save(2)) {
      try await writer.add("Faro")
      try await writer.add("Porto")
    }
    #expect(try temporary.makeContext().fetch(FetchDescriptor<Trip>()).map(\.name) == ["Faro"])
  }

  @Test func theOldContainerStaysDead() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
    let context = temporary.makeContext()
    try temporary.crashing(at: .save(1)) {
      context.insert(Trip(name: "Lisbon"))
      #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
      #expect(throws: SwiftDataError.storeReadFailure) {
        try context.fetchCount(FetchDescriptor<Trip>())
      }
    }
    let error = #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
    #expect("\(error as Any)".contains("the process has crashed"))
  }

  @Test func aCrashThatDoesNotHappenIsReported() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
    let failure = #expect(throws: ExpectationFailure.self) {
      try temporary.crashing(at: .save(1)) {}
    }
    #expect(failure?.expected == "a crash at save 1")
    #expect(failure?.outcome == "the body ran only 0 saves, so nothing failed")
  }

  @Test(arguments: [true, false])
  func filesThatCanNotBeCopiedAreReported(_ handlesError: Bool) throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self, storage: .file)
    let folder = try #require(temporary.url).deletingLastPathComponent()
      .deletingLastPathComponent()
    // Files in the way of the folder of the copy.
    for number in 2...5 {
      try Data().write(to: folder.appendingPathComponent("\(number)"))
    }
    let context = temporary.makeContext()
    context.insert(Trip(name: "Lisbon"))
    #expect(throws: CocoaError.self) {
      try temporary.crashing(at: .save(1)) {
        if handlesError {
          #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
        } else {
          try context.save()
        }
      }
    }
  }

  @Test func aStoreInMemoryCanNotCrash() throws {
    let temporary = try TemporaryContainer(for: Trip.self, Stop.self)
    let failure = #expect(throws: ExpectationFailure.self) {
      try temporary.crashing(at: .save(1)) {}
    }
    #expect(failure?.outcome.hasPrefix("the store is in memory") == true)
  }
}

@Model
private final class Attachment {
  @Attribute(.externalStorage) var bytes: Data

  init(bytes: Data) { self.bytes = bytes }
}

@ModelActor
private actor Writer {
  func add(_ name: String) throws {
    modelContext.insert(Trip(name: name))
    try modelContext.save()
  }
}
