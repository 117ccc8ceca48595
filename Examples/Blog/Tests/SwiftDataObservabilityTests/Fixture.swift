import CoreMetrics
import Foundation
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import SwiftData
import SwiftDataObservability
import Testing
import Tracing

@Model
final class Writer {
  var name: String
  @Relationship(inverse: \Note.writer) var notes: [Note] = []

  init(name: String) { self.name = name }
}

@Model
final class Note {
  var text: String
  var writer: Writer?

  init(text: String, writer: Writer) {
    self.text = text
    self.writer = writer
  }
}

@Model
final class Shelf {
  var room: String
  @Relationship(inverse: \Volume.shelf) var volumes: [Volume] = []

  init(room: String) { self.room = room }
}

@Model
final class Volume {
  var shelf: Shelf?

  init(shelf: Shelf) { self.shelf = shelf }
}

/// The backends of the process; each package allows one bootstrap.
enum Backends {
  static let metrics: TestMetrics = {
    let metrics = TestMetrics()
    MetricsSystem.bootstrap(metrics)
    return metrics
  }()

  static let tracer: InMemoryTracer = {
    let tracer = InMemoryTracer()
    InstrumentationSystem.bootstrap(tracer)
    return tracer
  }()
}

/// A container with a monitor, and what the monitor logs. The name of the store separates the metrics of
/// tests that run at the same time.
final class Fixture {
  let store = "store-\(UUID().uuidString.prefix(8))"
  let folder: URL
  let log = InMemoryLogHandler()
  let monitor: StoreMonitor
  let container: ModelContainer

  init(options: StoreMonitor.Options = StoreMonitor.Options(), inMemory: Bool = true) throws {
    _ = Backends.metrics
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(store)
    let log = log
    var logger = Logger(label: "test") { _ in log }
    logger.logLevel = .trace
    monitor = StoreMonitor(logger: logger, options: options)
    var configuration =
      inMemory
      ? ModelConfiguration(store, isStoredInMemoryOnly: true)
      : ModelConfiguration(store, url: folder.appendingPathComponent("notes.store"))
    configuration.statementLog = monitor.log(of: store)
    container = try ModelContainer(for: Writer.self, configurations: configuration)
    monitor.attach(to: container)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A container with another store, which the same monitor watches.
  func otherContainer(for model: any PersistentModel.Type) throws -> ModelContainer {
    let name = "\(store)-other"
    var configuration = ModelConfiguration(name, isStoredInMemoryOnly: true)
    configuration.statementLog = monitor.log(of: name)
    let other = try ModelContainer(for: model, configurations: configuration)
    monitor.attach(to: other)
    return other
  }

  func seed(_ count: Int, in other: ModelContainer? = nil) throws {
    let context = ModelContext(other ?? container)
    for number in 0..<count {
      context.insert(Note(text: "\(number)", writer: Writer(name: "\(number)")))
    }
    try context.save()
  }

  func messages(_ level: Logger.Level, _ text: String) -> [InMemoryLogHandler.Entry] {
    log.entries.filter { $0.level == level && "\($0.message)" == text }
  }
}
