import ArgumentParser
import Foundation
import Hummingbird
import TripModels

/// A server for trips. Its page shows every change, including changes that other processes save.
@main
struct Trips: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serves the trips of a store, with a page that shows every change.",
    discussion:
      "Without --store, the environment variable TRIPS_DATABASE may have the address of a database."
  )

  @Option(help: "The store file. Without it, Trips.store in the temporary directory.")
  var store: String?

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The port to listen on; 0 selects a free port.")
  var port = 8080

  func run() async throws {
    let store = try TripStore(file: store)
    let container = store.container
    let feed = TripFeed(modelContainer: container)
    let host = host
    let server = Application(
      router: try routes(desk: TripDesk(modelContainer: container), feed: feed),
      configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
      services: [feed],
      onServerRunning: { [name = store.name] channel in
        print("The trips of \(name) are at http://\(host):\(channel.localAddress?.port ?? 0)")
        fflush(nil)
      })
    try await server.runService()
  }
}
