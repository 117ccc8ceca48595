import Foundation
import SwiftData
import Testing

extension Travel {
  /// The samples about servers, of the article *Errors* and of the documentation comments.
  @Suite struct ServerArticleTests {
    struct Answer: Equatable {
      var status: Int
      var body: [String: String]
    }

    func answer(to error: any Error) -> Answer {
      guard let error = error as? SwiftDataError else {
        let status = error is CancellationError ? 499 : 500
        return Answer(status: status, body: ["error": "The request failed."])
      }
      let status =
        switch error.reason {
        case .invalidIdentifier(.unsaved): 500
        case .notFound, .invalidIdentifier: 404
        case .uniqueValueTaken, .conflict, .deletionDenied: 409
        case .historyExpired: 410
        case .requiredValueMissing, .tooFewMembers, .tooManyMembers, .invalidValue: 422
        case .busy, .timedOut, .cancelled, .unavailable, .closed, .readOnly: 503
        case .diskFull: 507
        default: 500
        }
      return Answer(status: status, body: ["error": error.publicMessage])
    }

    @Test func errorsHaveAnswers() throws {
      let (context, trip) = try Travel.context()
      context.uniquenessPolicy = .refuse
      context.insert(Trip(name: "Lisbon", start: .now))
      do {
        try context.save()
        Issue.record("nothing was thrown")
      } catch {
        #expect(
          answer(to: error)
            == Answer(status: 409, body: ["error": "Another Trip already has this name."]))
      }
      context.rollback()
      let text = try trip.persistentModelID.urlText
      context.delete(trip)
      try context.save()
      do {
        _ = try context.model(Trip.self, urlText: text)
        Issue.record("nothing was thrown")
      } catch {
        #expect(answer(to: error).status == 404)
      }
    }

    func status(of error: SwiftDataError) -> Int {
      switch error.reason {
      case .invalidIdentifier(.unsaved): 500
      case .notFound, .invalidIdentifier: 404
      case .uniqueValueTaken, .conflict, .deletionDenied: 409
      case let reason: reason.isTransient ? 503 : 500
      }
    }

    @Test func messagesArePublic() throws {
      let error = SwiftDataError.uniquenessViolation.with(
        "secret", entity: "Trip", property: "name")
      #expect(status(of: error) == 409)

      // "Another Trip already has this name."
      let body = ["error": error.publicMessage]

      #expect(body == ["error": "Another Trip already has this name."])
    }

    @Test func identifiersAreInURLs() throws {
      let (context, trip) = try Travel.context()
      let (container, text) = (context.container, try trip.persistentModelID.urlText)

      let path = "/trips/\(try trip.persistentModelID.urlText)"

      #expect(path == "/trips/" + text)
      do {
        // GET /trips/AQxw0v3kfPIBp2k5wQ
        let trip = try context.model(Trip.self, urlText: text)

        #expect(trip.name == "Lisbon")
      }
      let identifier = try PersistentIdentifier(urlText: text, in: container)

      do {
        let trip = try context.existingModel(Trip.self, for: identifier)

        #expect(trip.name == "Lisbon")
      }
    }

    @Test func aServerClosesItsContainer() async throws {
      let folder = try TemporaryFolder()
      let url = folder.store
      var configuration = ModelConfiguration(url: url)
      configuration.sqlite.readers = 8
      configuration.sqlite.durability = .full

      let container = try ModelContainer(
        for: Trip.self, Stop.self, configurations: configuration)
      try await use(container, folder.url)
      // At the end of a server, after its last request:
      try await container.close()

      #expect(container.isClosed)
    }

    private func rename(_ container: ModelContainer) async throws {
      let writer = ModelWriter(container, waitingAtMost: .seconds(5))
      let name = try await writer.write { context in
        let trip = try context.fetch(FetchDescriptor<Trip>()).first
        trip?.name += " once more"
        return trip?.name
      }
      #expect(name == nil)
    }

    private func use(_ container: ModelContainer, _ folder: URL) async throws {
      let readers = ModelReaders(container, waitingAtMost: .seconds(5))
      let names = try await readers.read { context in
        try context.fetch(FetchDescriptor<Trip>()).map(\.name)
      }

      #expect(names.isEmpty)
      try await rename(container)
      let name = Date.now.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
      let summary = try await container.backup(to: folder.appending(path: "trips-\(name).store"))
      print(summary.byteCount, summary.rowCounts)

      #expect(summary.rowCounts["ZTRIP"] == 0)
      for size in try container.historySize() {
        print(size.transactionCount, "transactions,", size.byteCount, "bytes")
      }
    }
  }
}
