import ArgumentParser
import CoreMetrics
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import SwiftData
import SwiftDataObservability

@main
struct BlogServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Blog",
    abstract: "A JSON API over SwiftData. DATABASE_URL selects a PostgreSQL database.",
    subcommands: [Serve.self, Migrate.self, Backup.self, Seed.self], defaultSubcommand: Serve.self)
}

struct StoreOptions: ParsableArguments {
  @Option(help: "The store file. Without it, Blog.store in the temporary directory.")
  var store: String?

  func stores(_ monitor: StoreMonitor? = nil) -> Stores {
    let file =
      store.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("Blog.store")
    return Stores(file: file, monitor: monitor)
  }
}

struct Migrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes the store, or migrates an older one; prints what changes.")

  @OptionGroup var options: StoreOptions
  @Flag(help: "Lets a migration in PostgreSQL drop values. The error without it says which.")
  var allowLosses = false

  func run() throws {
    try options.stores().migrate(allowsLosses: allowLosses)
    print("\(options.stores().place) has the current models.")
  }
}

struct Backup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copies the store with its images, also while servers use it.")

  @OptionGroup var options: StoreOptions

  @Argument(help: "The file of the copy, which must not exist.")
  var file: String

  func run() async throws {
    let container = try options.stores().open()
    let summary = try await container.backup(to: URL(fileURLWithPath: file))
    try await container.close()
    print("\(file) has \(summary.byteCount) bytes.")
    if summary.missingValueCount > 0 {
      throw Advice(
        "The store has lost the files of \(summary.missingValueCount) images. Look for them in older backups."
      )
    }
  }
}

struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Serves the blog until SIGTERM.")

  @OptionGroup var options: StoreOptions

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The port to listen on; 0 selects a free port.")
  var port = 8080

  @Option(
    help: "How many clients may be connected at the same time; below the limit of descriptors.")
  var connections = 500

  @Option(help: "The number of contexts that read. Without it, one for each connection.")
  var readers: Int?

  @Option(help: "The lowest level of messages: trace, debug, info, warning, error.")
  var logLevel = "info"

  @Flag(help: "Without metrics, traces and reports about statements, to measure what they cost.")
  var unobserved = false

  func run() async throws {
    var logger = Logger(label: "blog")
    logger.logLevel = Logger.Level(rawValue: logLevel) ?? .info
    let registry = MetricsRegistry()
    if !unobserved { MetricsSystem.bootstrap(registry) }
    let monitor = unobserved ? nil : StoreMonitor(logger: logger)
    let stores = options.stores(monitor)
    let container = try stores.open()
    let feed = Feed(modelContainer: container)
    let blog = Blog(container, readers: readers)
    let host = host
    let server = Application(
      router: try router(blog: blog, feed: feed, monitor: monitor, registry: registry),
      // Connections without a request end after a while, so that they do not use up the limit.
      server: .http1(configuration: .init(idleTimeout: .seconds(60))),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        availableConnectionsDelegate: .maximum(connections, logger: logger)),
      onServerRunning: { channel in
        print("\(stores.place) is at http://\(host):\(channel.localAddress?.port ?? 0)")
        fflush(nil)
      }, logger: logger)
    let watch = StoreWatch(blog: blog, logger: logger)
    // They end in the reverse order: the feed ends its pages before the server waits for all requests. Those that have
    // begun get their answers, and those that take longer than the limit end. `docker stop` kills after 10 seconds.
    var settings = ServiceGroupConfiguration(
      services: [
        ServiceGroupConfiguration.ServiceConfiguration(service: server),
        ServiceGroupConfiguration.ServiceConfiguration(service: feed),
        ServiceGroupConfiguration.ServiceConfiguration(
          service: watch, failureTerminationBehavior: .gracefullyShutdownGroup),
      ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    settings.maximumGracefulShutdownDuration = .seconds(7)
    var failure: (any Error)?
    do {
      try await ServiceGroup(configuration: settings).run()
    } catch {
      failure = error
    }
    // All requests have ended. Closing writes the log back to the file.
    try await container.close()
    // The exit status tells the supervisor to start the server again.
    if let failure { throw failure }
  }

  private func router(
    blog: Blog, feed: Feed, monitor: StoreMonitor?, registry: MetricsRegistry
  ) throws -> Router<BlogContext> {
    let router = Router(context: BlogContext.self, options: .autoGenerateHeadEndpoints)
    Operations(blog: blog, registry: registry).add(to: router)
    if monitor != nil { router.add(middleware: MetricsMiddleware()) }
    router.add(middleware: ErrorAnswers())
    if let monitor { router.add(middleware: Watching(monitor: monitor)) }
    try Pages.add(to: router)
    router.get("events") { request, context in feed.response(to: request, context) }
    let routes = Routes(blog: blog)
    routes.add(to: router)
    routes.addImages(to: router)
    return router
  }
}
