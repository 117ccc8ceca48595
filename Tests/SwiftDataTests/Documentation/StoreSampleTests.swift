import Foundation
import SwiftData
import SwiftDataStores
import Testing

extension Travel {
  enum TripsV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static let models: [any PersistentModel.Type] = [Trip.self, Stop.self]
  }

  /// The samples about snapshots and about what a database reports.
  @Suite struct StoreSampleTests {
    @Test func aSnapshotIsDecodedWithASchema() throws {
      let trip = try Travel.context().trip
      var related: [PersistentIdentifier: any BackingData] = [:]
      let data = try JSONEncoder().encode(
        DefaultSnapshot(from: trip.persistentBackingData, relatedBackingDatas: &related))

      let decoder = JSONDecoder()
      decoder.userInfo[.swiftDataSchema] = Schema(versionedSchema: TripsV2.self)
      let snapshot = try decoder.decode(DefaultSnapshot.self, from: data)

      #expect(snapshot.persistentIdentifier == trip.persistentModelID)
    }

    @Test func aValueHasAPlainForm() throws {
      let value = try DataStoreValue(encoding: ["Rome", "Oslo"])
      let cities = try value.decoded(as: [String].self)

      #expect(cities == ["Rome", "Oslo"])
      #expect(value == .list([.string("Rome"), .string("Oslo")]))
    }

    /// Compiled only: nothing is sent here.
    private func sendValues(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws {
      for snapshot in request.inserted {
        let values = try snapshot.values()
        try send(values, to: snapshot.persistentIdentifier.entityName)
      }
    }

    private func send(_ values: [String: DataStoreValue], to entity: String) throws {}

    /// Compiled only: the article on custom stores runs the same.
    private func evaluate(
      _ request: DataStoreFetchRequest<Trip>, _ schema: Schema,
      _ rows: [PersistentIdentifier: [String: DataStoreValue]]
    ) throws -> [PersistentIdentifier] {
      let query = try request.query()
      let identifiers = try QueryEvaluator(schema: schema, rows: rows).identifiers(of: query)

      return identifiers
    }

    /// Compiled only.
    private func describe(_ request: DataStoreFetchRequest<Trip>) throws -> DataStoreQuery {
      let query = try request.query()

      return query
    }

    /// Compiled only: no disk is full here.
    private func saveWhereTheDiskMayBeFull(_ context: ModelContext) throws {
      do {
        try context.save()
      } catch let error as SwiftDataError where error.database?.name == "SQLITE_FULL" {
        askToFreeSpace()
      }
    }

    private func askToFreeSpace() {}

    @Test func anErrorHasItsParts() throws {
      let (context, trip) = try Travel.context()
      context.insert(Trip(name: "Porto", start: .now))
      try context.save()
      trip.name = "Porto"
      var lines: [String] = []
      func log(_ items: Any...) { lines.append(items.map { "\($0)" }.joined(separator: " ")) }

      do {
        try context.save()
      } catch let error as SwiftDataError {
        log(error.code, error.operation, error.entity ?? "", error.property ?? "")
        if let failure = error.database { log(failure.name, failure.sql ?? "") }
      }

      #expect(lines.first?.hasPrefix("modelValidationFailure") == true)
      #expect(lines.first?.hasSuffix("Trip name") == true)
    }
  }
}
