import Foundation
import Hummingbird
import Observation
import ServiceLifecycle
import SwiftData
import TripModels

/// Sends changes to all pages. One observer sees the changes of this process and of other processes.
@ModelActor
actor TripFeed: Service {
  /// The trips that the pages show, with the identifiers of their models.
  private var shown: [Shown] = []
  private var pages: [UUID: AsyncStream<ByteBuffer>.Continuation] = [:]

  private struct Shown {
    let identifier: PersistentIdentifier
    let trip: TripView
  }

  /// Follows the trips until the server shuts down.
  func run() async throws {
    try await cancelWhenGracefulShutdown { try await self.follow() }
  }

  private func follow() async throws {
    let observer = try ResultsObserver(fetchDescriptor: Trip.all, modelContext: modelContext)
    while !Task.isCancelled {
      let (changes, change) = AsyncStream.makeStream(of: Void.self)
      // Reads the list and each shown property, so the closure runs after a change of any of them.
      let (trips, error) = withObservationTracking {
        let trips = observer.results.map {
          Shown(identifier: $0.persistentModelID, trip: TripView($0))
        }
        return (trips, observer.fetchError)
      } onChange: {
        change.finish()
      }
      if let error {
        FileHandle.standardError.write(Data("Fetching the trips failed: \(error)\n".utf8))
      }
      publish(trips)
      for await _ in changes {}
    }
  }

  private func publish(_ trips: [Shown]) {
    let before = Dictionary(uniqueKeysWithValues: shown.map { ($0.identifier, $0.trip) })
    let edited = trips.filter { before[$0.identifier] != $0.trip }
    let difference = ResultsDifference(
      from: shown.map(\.identifier), to: trips.map(\.identifier),
      updated: Set(edited.map(\.identifier)))
    shown = trips
    guard !difference.isEmpty else { return }
    guard let message = try? event("changes", TripChanges(difference, to: trips.map(\.trip)))
    else { return }
    for page in pages.values {
      // A page that reads too slowly is disconnected; it connects again and gets the whole list.
      if case .dropped = page.yield(message) { page.finish() }
    }
  }

  /// The whole list, then its changes, until `leave`.
  func join(_ page: UUID) throws -> AsyncStream<ByteBuffer> {
    let (messages, continuation) = AsyncStream.makeStream(
      of: ByteBuffer.self, bufferingPolicy: .bufferingOldest(100))
    continuation.yield(try event("trips", shown.map(\.trip)))
    pages[page] = continuation
    return messages
  }

  func leave(_ page: UUID) { pages[page] = nil }
}
