import CoreMetrics
import Foundation
import InMemoryTracing
import MetricsTestKit
import ServiceContextModule
import SwiftData
import SwiftDataObservability
import Testing
import Tracing

@Suite struct StoreMonitorTests {
  @Test func statementsAreCountedAndTimedByKind() throws {
    let fixture = try Fixture()
    try fixture.seed(3)
    let rows = "swiftdata_rows_total"
    let store = [("store", fixture.store)]
    let before = Backends.metrics.counterTotal(label: rows, dimensions: store)
    let context = ModelContext(fixture.container)
    #expect(try context.fetch(FetchDescriptor<Note>()).count == 3)
    #expect(Backends.metrics.counterTotal(label: rows, dimensions: store) == before + 3)
    for kind in ["select", "insert", "transaction"] {
      let timer = try Backends.metrics.expectTimer(
        "swiftdata_statement_duration", store + [("kind", kind)])
      #expect(!timer.values.isEmpty)
      #expect(timer.values.allSatisfy { $0 > 0 && $0 < 60_000_000_000 })
    }
  }

  @Test func valuesOfStatementsAreNotLogged() throws {
    let fixture = try Fixture()
    let context = ModelContext(fixture.container)
    context.insert(Writer(name: "a secret"))
    try context.save()
    let text = fixture.log.entries.map { "\($0.message) \($0.metadata)" }.joined()
    #expect(text.contains("INSERT"))
    #expect(!text.contains("a secret"))
  }

  @Test func aSlowStatementIsLoggedOnceWithItsPlan() async throws {
    var options = StoreMonitor.Options()
    options.slowStatements = .zero
    let fixture = try Fixture(options: options, inMemory: false)
    try fixture.seed(3)
    let context = ModelContext(fixture.container)
    let text = "2"
    let descriptor = FetchDescriptor<Note>(predicate: #Predicate { $0.text == text })
    for _ in 0..<5 { #expect(try context.fetch(descriptor).count == 1) }
    let deadline = ContinuousClock.now + .seconds(10)
    var found: [String] = []
    while found.isEmpty, .now < deadline {
      try await Task.sleep(for: .milliseconds(10))
      found = fixture.messages(.warning, "A statement was slow.")
        .filter { "\($0.metadata["sql"] ?? "")".contains("\"ZTEXT\" = ?") }
        .map { "\($0.metadata["plan"] ?? "no plan")" }
    }
    #expect(found.count == 1)
    #expect(found.first?.contains("SCAN") == true)
    let slow = Backends.metrics.counterTotal(
      label: "swiftdata_slow_statements_total", dimensions: [("store", fixture.store)])
    #expect(slow >= 5)
    // The reading of plans is no statement of the program.
    #expect(!fixture.log.entries.contains { "\($0.metadata["sql"] ?? "")".contains("EXPLAIN") })
  }

  @Test func repeatedReadsOfAUnitGiveOneWarning() async throws {
    var options = StoreMonitor.Options()
    options.repeatedReads = 5
    let fixture = try Fixture(options: options)
    try fixture.seed(20)
    let (container, monitor) = (fixture.container, fixture.monitor)
    await monitor.unitOfWork("GET /notes") {
      let context = ModelContext(container)
      let notes = (try? context.fetch(FetchDescriptor<Note>())) ?? []
      #expect(Set(notes.compactMap(\.writer?.name)).count == 20)
    }
    let warnings = fixture.messages(.warning, "Single models were read repeatedly.")
    #expect(warnings.count == 1)
    #expect(warnings.first?.metadata["unit"] == "GET /notes")
    let advice = warnings.first?.metadata["advice"]?.description ?? ""
    #expect(advice.contains(#"[\Note.writer]"#))
  }

  @Test func prefetchedAndFewReadsGiveNoWarning() async throws {
    var options = StoreMonitor.Options()
    options.repeatedReads = 5
    let fixture = try Fixture(options: options)
    try fixture.seed(20)
    let (container, monitor) = (fixture.container, fixture.monitor)
    await monitor.unitOfWork("prefetched") {
      var descriptor = FetchDescriptor<Note>()
      descriptor.relationshipKeyPathsForPrefetching = [\.writer]
      let context = ModelContext(container)
      let notes = (try? context.fetch(descriptor)) ?? []
      #expect(Set(notes.compactMap(\.writer?.name)).count == 20)
    }
    // Five units that each read five models are not one that reads 25.
    for number in 0..<5 {
      await monitor.unitOfWork("few") {
        var descriptor = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)])
        descriptor.fetchLimit = 5
        descriptor.fetchOffset = number
        let context = ModelContext(container)
        let notes = (try? context.fetch(descriptor)) ?? []
        #expect(notes.compactMap(\.writer?.name).count == 5)
      }
    }
    #expect(fixture.messages(.warning, "Single models were read repeatedly.").isEmpty)
  }

  @Test func readsOfTwoStoresAreCountedApart() async throws {
    var options = StoreMonitor.Options()
    options.repeatedReads = 5
    let fixture = try Fixture(options: options)
    let other = try fixture.otherContainer(for: Writer.self)
    try fixture.seed(20)
    try fixture.seed(20, in: other)
    let containers = [fixture.container, other]
    for count in [4, 20] {
      await fixture.monitor.unitOfWork("\(count) models") {
        for container in containers {
          var descriptor = FetchDescriptor<Note>()
          descriptor.fetchLimit = count
          let context = ModelContext(container)
          let notes = (try? context.fetch(descriptor)) ?? []
          #expect(notes.compactMap(\.writer?.name).count == count)
        }
      }
    }
    let warnings = fixture.messages(.warning, "Single models were read repeatedly.")
    #expect(warnings.map { $0.metadata["unit"] } == ["20 models", "20 models"])
    #expect(
      warnings.map { "\($0.metadata["store"] ?? "none")" }
        == [fixture.store, "\(fixture.store)-other"])
  }

  /// The name in messages may differ from that of the configuration.
  @Test func plansAndRepeatedReadsAreFoundByTheLog() async throws {
    var options = StoreMonitor.Options()
    options.repeatedReads = 5
    options.slowStatements = .zero
    let fixture = try Fixture(options: options)
    let monitor = fixture.monitor
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.statementLog = monitor.log(of: "notes")
    let container = try ModelContainer(for: Writer.self, configurations: configuration)
    monitor.attach(to: container)
    try fixture.seed(20, in: container)
    await monitor.unitOfWork("GET /notes") {
      let notes = (try? ModelContext(container).fetch(FetchDescriptor<Note>())) ?? []
      #expect(Set(notes.compactMap(\.writer?.name)).count == 20)
    }
    func ofNotes(_ text: String) -> [[String: String]] {
      fixture.messages(.warning, text).map { $0.metadata.mapValues { "\($0)" } }
        .filter { $0["store"] == "notes" }
    }
    let advice = ofNotes("Single models were read repeatedly.").compactMap { $0["advice"] }
    #expect(advice.count == 1 && advice[0].contains(#"[\Note.writer]"#), "\(advice)")
    let deadline = ContinuousClock.now + .seconds(10)
    var plans: [String] = []
    while plans.isEmpty, .now < deadline {
      try await Task.sleep(for: .milliseconds(10))
      plans = ofNotes("A statement was slow.").compactMap { $0["plan"] }
    }
    #expect(!plans.isEmpty)
    let messages = fixture.log.entries.map { "\($0.message)" }
    #expect(!messages.contains { $0.hasPrefix("No store of the container") })
  }

  @Test func aContainerWithoutALogOfTheMonitorGivesAWarning() throws {
    let fixture = try Fixture()
    let container = try ModelContainer(
      for: Writer.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    fixture.monitor.attach(to: container)
    let warnings = fixture.log.entries.filter { $0.level == .warning }
    #expect(warnings.count == 1 && warnings.allSatisfy { "\($0.message)".contains("log(of:)") })
  }

  /// `waitingAtMost` ends a wait.
  @Test func waitsForOtherReadsAreCounted() async throws {
    let fixture = try Fixture()
    let readers = ModelReaders(fixture.container, count: 1, waitingAtMost: .milliseconds(100))
    let (began, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let first = Task {
      try await readers.read { _ in
        began.signal()
        ended.wait()
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        began.wait()
        continuation.resume()
      }
    }
    await fixture.monitor.unitOfWork("GET /slow") {
      _ = await #expect(throws: SwiftDataError.self) { try await readers.read { _ in 1 } }
    }
    ended.signal()
    try await first.value
    let store = ("store", fixture.store)
    let timeouts = "swiftdata_wait_timeouts_total"
    #expect(Backends.metrics.counterTotal(label: timeouts, dimensions: [store]) == 1)
    let timer = try Backends.metrics.expectTimer(
      "swiftdata_wait_duration", [store, ("reason", "reader")])
    #expect(timer.values.count == 1 && timer.values.allSatisfy { $0 >= 100_000_000 })
    #expect(fixture.messages(.warning, "A wait has reached its time limit.").count == 1)
  }

  @Test func theAdviceNamesRelationshipsOfTheContainerOfTheStore() async throws {
    let fixture = try Fixture()
    let other = try fixture.otherContainer(for: Shelf.self)
    let seeding = ModelContext(other)
    for number in 0..<20 { seeding.insert(Volume(shelf: Shelf(room: "\(number)"))) }
    try seeding.save()
    await fixture.monitor.unitOfWork("GET /volumes") {
      let context = ModelContext(other)
      let volumes = (try? context.fetch(FetchDescriptor<Volume>())) ?? []
      #expect(Set(volumes.compactMap(\.shelf?.room)).count == 20)
    }
    let advice = fixture.messages(.warning, "Single models were read repeatedly.")
      .map { "\($0.metadata["advice"] ?? "none")" }
    #expect(advice.contains { $0.contains(#"[\Volume.shelf]"#) }, "\(advice)")
  }

  @Test func statementsAreSpansOfTheRunningTrace() throws {
    let tracer = Backends.tracer
    let fixture = try Fixture()
    try fixture.seed(2)
    let context = ModelContext(fixture.container)
    let parent = tracer.startSpan("request", context: .topLevel)
    let notes = try ServiceContext.withValue(parent.context) {
      try context.fetch(FetchDescriptor<Note>())
    }
    #expect(notes.count == 2)
    parent.end()
    // Outside of a trace there is no span.
    #expect(try context.fetch(FetchDescriptor<Writer>()).count == 2)
    let spans = tracer.finishedSpans.filter {
      $0.attributes.get("db.namespace") == .string(fixture.store)
    }
    #expect(spans.count == 1)
    let span = try #require(spans.first)
    #expect(span.operationName == "SELECT")
    #expect(span.parentSpanID == parent.context.inMemorySpanContext?.spanID)
    #expect(span.attributes.get("db.response.returned_rows") == .int64(2))
    #expect(
      span.startInstant.nanosecondsSinceEpoch < span.endInstant.nanosecondsSinceEpoch)
  }

  @Test func statementsThatFailedAreLoggedCountedAndErrorsOfTheTrace() throws {
    let tracer = Backends.tracer
    let fixture = try Fixture(inMemory: false)
    let url = fixture.folder.appendingPathComponent("notes.store")
    let name = "\(fixture.store)-impatient"
    var configuration = ModelConfiguration(name, url: url)
    configuration.sqlite.busyTimeout = .milliseconds(10)
    configuration.statementLog = fixture.monitor.log(of: name)
    let impatient = try ModelContainer(for: Writer.self, configurations: configuration)
    let ended = holdWriter(of: fixture.container)
    let context = ModelContext(impatient)
    context.insert(Writer(name: "a"))
    let parent = tracer.startSpan("request", context: .topLevel)
    ServiceContext.withValue(parent.context) {
      #expect(throws: SwiftDataError.self) { try context.save() }
    }
    parent.end()
    ended.wait()
    try context.save()
    let failed = fixture.messages(.debug, "A statement has failed.")
    #expect(failed.map { $0.metadata["failure"] } == ["SQLITE_BUSY"])
    let count = Backends.metrics.counterTotal(
      label: "swiftdata_failed_statements_total", dimensions: [("store", name)])
    #expect(count == 1)
    let spans = tracer.finishedSpans.filter { $0.attributes.get("db.namespace") == .string(name) }
    let errors = spans.filter { $0.status?.code == .error }
    #expect(errors.map { $0.attributes.get("error.type") } == [.string("SQLITE_BUSY")])
    #expect(errors.count == 1)
  }

  @Test func waitsForTheWriterAreTimed() throws {
    let fixture = try Fixture(inMemory: false)
    let ended = holdWriter(of: fixture.container)
    try fixture.seed(1)
    ended.wait()
    let timer = try Backends.metrics.expectTimer(
      "swiftdata_wait_duration", [("store", fixture.store), ("reason", "writer")])
    #expect(timer.values.contains { $0 > 1_000_000 })
  }

  @Test func waitsForLocksOfOtherContainersAreTimed() throws {
    let fixture = try Fixture(inMemory: false)
    let url = fixture.folder.appendingPathComponent("notes.store")
    let other = try ModelContainer(for: Writer.self, configurations: ModelConfiguration(url: url))
    let ended = holdWriter(of: other)
    try fixture.seed(1)
    ended.wait()
    let timer = try Backends.metrics.expectTimer(
      "swiftdata_wait_duration", [("store", fixture.store), ("reason", "lock")])
    #expect(timer.values.count >= 2)
    #expect(timer.values.reduce(0, +) > 20_000_000)
  }

  /// Holds the write lock for a fifth of a second, on a thread, so that no other test delays it. Returns
  /// when it is held.
  private func holdWriter(of container: ModelContainer) -> DispatchSemaphore {
    let (began, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      try? ModelContext(container).transaction {
        began.signal()
        Thread.sleep(forTimeInterval: 0.2)
      }
      ended.signal()
    }
    began.wait()
    return ended
  }

  @Test func checkpointsAreTimedAndTheLogStaysSmall() throws {
    let fixture = try Fixture(inMemory: false)
    // About 300 pages in each save.
    let context = ModelContext(fixture.container)
    let text = String(repeating: "x", count: 4000)
    for _ in 0..<8 {
      for _ in 0..<300 { context.insert(Writer(name: text)) }
      try context.save()
    }
    let timer = try Backends.metrics.expectTimer(
      "swiftdata_checkpoint_duration", [("store", fixture.store)])
    #expect(!timer.values.isEmpty)
    // SQLite's limit is 1,000 pages of 4 KiB, to which one save may add some.
    let log = fixture.folder.appendingPathComponent("notes.store-wal").path
    let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
    #expect(try #require(size) < 8 << 20)
  }
}
