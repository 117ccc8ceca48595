import Foundation
import SwiftData
import SwiftDataStores
import Synchronization

struct RemoteStoreConfiguration: DataStoreConfiguration {
  typealias Store = RemoteStore

  let name = "notes"
  var schema: Schema?
  let url: URL
}

/// A store whose rows are on a server.
///
/// 1. A fetch sends the query of the request as JSON. What the library can't describe is left to the
///    context, which asks again without it.
/// 2. Rows that were fetched or saved are cached. Look-ups of rows by identifier use the cache. A row
///    that a fetch should have found was deleted or changed by another client, and leaves the cache.
/// 3. While the server can't be reached, fetches are answered from the cache, which may lack rows,
///    and saves throw.
final class RemoteStore: DataStore {
  typealias Configuration = RemoteStoreConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: RemoteStoreConfiguration
  let schema: Schema
  let identifier = Messages.storeIdentifier
  private let api: RemoteAPI
  private let cache = Mutex<[PersistentIdentifier: [String: DataStoreValue]]>([:])

  init(_ configuration: RemoteStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    api = RemoteAPI(configuration.url)
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let query = try request.query()
    let snapshots = try rows(of: query).map(snapshot)
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots)
  }

  private func rows(of query: DataStoreQuery) throws -> [Messages.Row] {
    let known = cache.withLock { $0 }
    let matching = try QueryEvaluator(schema: schema, rows: known).identifiers(of: query)
    do {
      let rows: [Messages.Row] = try api.post(query, to: "query")
      // Of a part of the results, it is not known which rows are missing.
      let isWhole = query.offset == 0 && rows.count < query.limit ?? .max
      let outdated = isWhole ? Set(matching).subtracting(rows.map(\.identifier)) : []
      cache.withLock { cache in
        for identifier in outdated { cache[identifier] = nil }
        for row in rows { cache[row.identifier] = row.values }
      }
      return rows
    } catch RemoteStoreError.offline {
      return matching.map { Messages.Row(identifier: $0, values: known[$0] ?? [:]) }
    }
  }

  private func snapshot(_ row: Messages.Row) throws -> DefaultSnapshot {
    try DefaultSnapshot(persistentIdentifier: row.identifier, values: row.values, schema: schema)
  }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    let known = cache.withLock { cache in
      persistentIdentifiers.compactMap { identifier in
        cache[identifier].map { Messages.Row(identifier: identifier, values: $0) }
      }
    }
    return Dictionary(
      uniqueKeysWithValues: try known.map { ($0.identifier, try snapshot($0)) })
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let changes = Messages.Changes(
      inserted: try request.inserted.map {
        Messages.Row(identifier: $0.persistentIdentifier, values: try $0.values())
      },
      updated: try request.updated.map { snapshot in
        // Other clients may have changed the other properties.
        let changed = snapshot.changedProperties
        return Messages.Row(
          identifier: snapshot.persistentIdentifier,
          values: try snapshot.values().filter { changed.contains($0.key) })
      },
      deleted: request.deleted.map(\.persistentIdentifier))
    let receipt: Messages.Receipt = try api.post(changes, to: "changes")
    cache.withLock { cache in
      for (row, identifier) in zip(changes.inserted, receipt.inserted) {
        cache[identifier] = row.values
      }
      for row in changes.updated { cache[row.identifier]?.merge(row.values) { _, new in new } }
      for identifier in changes.deleted + receipt.missing { cache[identifier] = nil }
    }
    if !receipt.missing.isEmpty { throw DeletedRows(receipt.missing) }
    let temporary = request.inserted.map(\.persistentIdentifier)
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: Dictionary(uniqueKeysWithValues: zip(temporary, receipt.inserted)))
  }
}

// Safe: the cache is guarded by its lock, everything else is constant.
extension RemoteStore: @unchecked Sendable {}
