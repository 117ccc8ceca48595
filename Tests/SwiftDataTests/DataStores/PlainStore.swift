import Foundation
import SwiftData
import SwiftDataStores
import Synchronization

/// A store that keeps plain values as JSON, and evaluates descriptions of requests: what a store over
/// a network or over documents does.
final class PlainStore: DataStore, DataStoreBatching {
  struct Configuration: DataStoreConfiguration, Sendable {
    typealias Store = PlainStore

    var name = "plain"
    var schema: Schema?
    /// The requests that were answered without the context.
    let log = PlainStoreLog()

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  typealias Snapshot = DefaultSnapshot

  let identifier = UUID().uuidString
  let schema: Schema
  let configuration: Configuration
  private let rows = Mutex<[PersistentIdentifier: Data]>([:])

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  private var values: [PersistentIdentifier: [String: DataStoreValue]] {
    get throws {
      try rows.withLock { $0 }.mapValues {
        try JSONDecoder().decode([String: DataStoreValue].self, from: $0)
      }
    }
  }

  private func found(_ query: DataStoreQuery) throws -> [PersistentIdentifier] {
    let sent = try JSONDecoder().decode(
      DataStoreQuery.self, from: try JSONEncoder().encode(query))
    let found = try QueryEvaluator(schema: schema, rows: values).identifiers(of: sent)
    configuration.log.queries.withLock { $0.append(sent) }
    return found
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let values = try values
    let snapshots = try found(request.query()).map { identifier in
      try DefaultSnapshot(
        persistentIdentifier: identifier, values: values[identifier] ?? [:], schema: schema)
    }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots)
  }

  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    // The store does not know the delete rules.
    guard schema.entitiesByName[Schema.entityName(for: T.self)]?.relationships.isEmpty == true
    else {
      throw DataStoreError.unsupportedFeature
    }
    let found = try found(request.query())
    rows.withLock { rows in
      for identifier in found { rows[identifier] = nil }
    }
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      permanent[snapshot.persistentIdentifier] = try .identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: UUID().uuidString)
    }
    let saved = try (request.inserted + request.updated).map { snapshot in
      let key = permanent[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      let row = snapshot.copy(persistentIdentifier: key, remappedIdentifiers: permanent)
      return (key: key, data: try JSONEncoder().encode(row.values()))
    }
    rows.withLock { rows in
      for row in saved { rows[row.key] = row.data }
      for snapshot in request.deleted { rows[snapshot.persistentIdentifier] = nil }
    }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: permanent)
  }
}

/// The requests that a plain store has answered.
final class PlainStoreLog: Sendable {
  let queries = Mutex<[DataStoreQuery]>([])
}
