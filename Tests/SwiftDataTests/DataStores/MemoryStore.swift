import Foundation
import SwiftData
import Synchronization

/// A store that keeps snapshots in a dictionary, as somebody would write it against the public
/// protocol: it neither filters nor sorts, and leaves both to the context.
final class MemoryStore<Snapshot: DataStoreSnapshot>: DataStore, DataStoreBatching {
  struct Configuration: DataStoreConfiguration, Sendable {
    typealias Store = MemoryStore<Snapshot>

    let name: String
    var schema: Schema?
    let behaviour: MemoryStoreBehaviour<Snapshot>

    init(_ name: String = "memory", behaviour: MemoryStoreBehaviour<Snapshot> = .init()) {
      self.name = name
      self.behaviour = behaviour
    }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  private struct State {
    var rows: [PersistentIdentifier: Snapshot] = [:]
    var order: [PersistentIdentifier] = []
    var nextKey = 1
  }

  let identifier = UUID().uuidString
  let schema: Schema
  let configuration: Configuration
  private let state = Mutex(State())
  private var behaviour: MemoryStoreBehaviour<Snapshot> { configuration.behaviour }

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    if let migrationPlan {
      behaviour.log.withLock { $0.append("plan \(migrationPlan)") }
    }
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, Snapshot> {
    behaviour.log.withLock { $0.append("fetch") }
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let name = Schema.entityName(for: T.self)
    behaviour.requested.withLock { $0.append(name) }
    let wanted = behaviour.answersByClass ? [name] : entities(below: name)
    let found = state.withLock { state in
      state.order.compactMap {
        wanted.contains($0.entityName) && !behaviour.hides($0) ? state.rows[$0] : nil
      }
    }
    let slice = found.dropFirst(request.descriptor.fetchOffset ?? 0)
      .prefix(request.descriptor.fetchLimit ?? .max)
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: Array(slice),
      relatedSnapshots: state.withLock { behaviour.related($0.rows) })
  }

  private func entities(below name: String) -> Set<String> {
    guard let entity = schema.entitiesByName[name] else { return [] }
    return entity.subentities.reduce([name]) { $0.union(entities(below: $1.name)) }
  }

  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot> {
    try behaviour.willSave?()
    return try state.withLock { state in
      var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
      for snapshot in request.inserted {
        remapped[snapshot.persistentIdentifier] = try .identifier(
          for: identifier, entityName: snapshot.persistentIdentifier.entityName,
          primaryKey: "row-\(state.nextKey)")
        state.nextKey += 1
      }
      var reregistered: [PersistentIdentifier: Snapshot] = [:]
      for snapshot in request.inserted + request.updated {
        let permanent = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
        var row = snapshot.copy(persistentIdentifier: permanent, remappedIdentifiers: remapped)
        if let changed = behaviour.rewrite(row) {
          row = changed
          reregistered[permanent] = changed
        }
        if state.rows.updateValue(row, forKey: permanent) == nil { state.order.append(permanent) }
      }
      for snapshot in request.deleted { state.rows[snapshot.persistentIdentifier] = nil }
      state.order.removeAll { state.rows[$0] == nil }
      return DataStoreSaveChangesResult(
        for: identifier, remappedIdentifiers: remapped, snapshotsToReregister: reregistered)
    }
  }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] {
    guard behaviour.hasCache else { return [:] }
    behaviour.log.withLock { $0.append("cached") }
    return state.withLock { state in
      state.rows.filter { persistentIdentifiers.contains($0.key) }
    }
  }

  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    behaviour.log.withLock { $0.append("delete") }
    let name = Schema.entityName(for: T.self)
    // The store does not know the delete rules.
    if schema.entitiesByName[name]?.relationships.isEmpty == false {
      throw DataStoreError.unsupportedFeature
    }
    if request.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    let wanted = entities(below: name)
    state.withLock { state in
      state.rows = state.rows.filter { !wanted.contains($0.key.entityName) }
      state.order.removeAll { state.rows[$0] == nil }
    }
  }

  func initializeState(for editingState: EditingState) {
    behaviour.log.withLock { $0.append("begin") }
  }

  func invalidateState(for editingState: EditingState) {
    behaviour.log.withLock { $0.append("end") }
  }
}

/// What a memory store does beside keeping snapshots.
final class MemoryStoreBehaviour<Snapshot: DataStoreSnapshot>: Sendable {
  let log = Mutex<[String]>([])
  /// The entities that were asked for.
  let requested = Mutex<[String]>([])
  let hasCache: Bool
  /// Whether a fetch gives the rows of the very class only.
  let answersByClass: Bool
  /// The snapshots to send along with each fetch.
  let related: @Sendable ([PersistentIdentifier: Snapshot]) -> [PersistentIdentifier: Snapshot]
  /// What to store in place of a saved snapshot.
  let rewrite: @Sendable (Snapshot) -> Snapshot?
  let willSave: (@Sendable () throws -> Void)?
  /// Rows that no fetch gives.
  let hides: @Sendable (PersistentIdentifier) -> Bool

  init(
    hasCache: Bool = false, answersByClass: Bool = false,
    related:
      @escaping @Sendable ([PersistentIdentifier: Snapshot]) -> [PersistentIdentifier: Snapshot] =
      { _ in [:] },
    rewrite: @escaping @Sendable (Snapshot) -> Snapshot? = { _ in nil },
    willSave: (@Sendable () throws -> Void)? = nil,
    hides: @escaping @Sendable (PersistentIdentifier) -> Bool = { _ in false }
  ) {
    self.hasCache = hasCache
    self.answersByClass = answersByClass
    self.related = related
    self.rewrite = rewrite
    self.willSave = willSave
    self.hides = hides
  }

  func count(_ event: String) -> Int { log.withLock { $0.count { $0 == event } } }
}
