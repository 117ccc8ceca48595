import Foundation
import SwiftData
import SwiftDataTesting
import Synchronization

/// A store in memory, written against the public protocol: it filters and sorts models without
/// relationships itself, updates rows by their unique values, and has a history.
///
/// A `Defect` makes it break one rule.
final class ReferenceStore<Snapshot: DataStoreSnapshot>: DataStore, DataStoreBatching,
  HistoryProviding
{
  struct Configuration: DataStoreConfiguration, Sendable {
    typealias Store = ReferenceStore<Snapshot>

    let name: String
    var schema: Schema?
    var defect: Defect?
    /// Whether a fetch of a class leaves out the models of its subclasses.
    var answersByClass = false
    var refusesDuplicates = false
    /// Whether snapshots lack the lists whose inverse is a to-one relationship.
    var leavesOutLists = false

    init(name: String) { self.name = name }

    static func == (left: Self, right: Self) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  let configuration: Configuration
  let schema: Schema
  let identifier: String
  let contents: ReferenceRows<Snapshot>

  var defect: Defect? { configuration.defect }

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    identifier = configuration.name
    contents = ReferenceRows.rows(
      named: configuration.defect == .sharesRowsBetweenNames ? "shared" : configuration.name)
    reopen()
  }

  func erase() throws {
    if defect == .ignoresErase { return }
    contents.state.withLock { state in
      (state.rows, state.order) = ([:], [])
    }
  }

  // MARK: Fetching

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, Snapshot> {
    let descriptor = request.descriptor
    var found = rows(of: T.self)
    if defect == .limitsBeforePredicate, descriptor.predicate != nil {
      found = slice(found, descriptor)
    }
    if let predicate = descriptor.predicate, defect != .ignoresPredicate {
      guard isPlain(T.self) else { throw DataStoreError.preferInMemoryFilter }
      found = try found.filter { try predicate.evaluate(model(T.self, $0)) }
    }
    if defect == .limitsBeforeOrder { found = slice(found, descriptor) }
    if !descriptor.sortBy.isEmpty, defect != .ignoresOrder {
      guard isPlain(T.self) else { throw DataStoreError.preferInMemorySort }
      found = sorted(found, T.self, descriptor.sortBy)
    }
    if defect != .limitsBeforeOrder { found = slice(found, descriptor) }
    if defect == .returnsRowsTwice { found += found }
    return DataStoreFetchResult(descriptor: descriptor, fetchedSnapshots: found)
  }

  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try fetch(request).fetchedSnapshots.count + (defect == .countsWrong ? 1 : 0)
  }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] {
    contents.state.withLock { state in
      let rows = defect == .keepsStaleCache ? state.first : state.rows
      if defect == .mixesCachedRows, let other = state.order.last.flatMap({ rows[$0] }) {
        return Dictionary(persistentIdentifiers.map { ($0, other) }) { first, _ in first }
      }
      return rows.filter { persistentIdentifiers.contains($0.key) }
    }
  }

  private func rows<T: PersistentModel>(of type: T.Type) -> [Snapshot] {
    var wanted = family(of: Schema.entityName(for: type))
    if configuration.answersByClass { wanted = [Schema.entityName(for: type)] }
    if defect == .forgetsSubclasses {
      wanted = wanted.filter { schema.entitiesByName[$0]?.superentityName == nil }
    }
    if defect == .returnsOtherEntities { wanted = Set(schema.entitiesByName.keys) }
    return contents.state.withLock { state in
      state.fetches += 1
      let rows = defect == .answersFromBeforeTheSave ? state.before : state.rows
      let found = state.order.compactMap { wanted.contains($0.entityName) ? rows[$0] : nil }
      if defect == .givesOtherClasses { return found.map(asRootClass) }
      return defect == .changesTheOrder && state.fetches % 2 == 0 ? found.reversed() : found
    }
  }

  /// A row under the identifier of a row of its superclass.
  private func asRootClass(_ row: Snapshot) -> Snapshot {
    var entity = schema.entitiesByName[row.persistentIdentifier.entityName]
    while let superentity = entity?.superentity { entity = superentity }
    let identifier = try? PersistentIdentifier.identifier(
      for: identifier, entityName: entity?.name ?? "", primaryKey: "\(row.namedValues.count)")
    guard let identifier else { return row }
    return row.copy(persistentIdentifier: identifier, remappedIdentifiers: [:])
  }

  private func slice<T>(_ rows: [Snapshot], _ descriptor: FetchDescriptor<T>) -> [Snapshot] {
    let limit = descriptor.fetchLimit ?? 0
    let offset = defect == .ignoresOffset ? 0 : max(0, descriptor.fetchOffset ?? 0)
    return Array(
      rows.dropFirst(offset).prefix(limit > 0 && defect != .ignoresLimit ? limit : .max))
  }

  // MARK: Schema

  func family(of name: String) -> Set<String> {
    guard let entity = schema.entitiesByName[name] else { return [] }
    return entity.subentities.reduce([name]) { $0.union(family(of: $1.name)) }
  }

  /// Whether models of a class have nothing to do with others.
  func isPlain<T: PersistentModel>(_ type: T.Type) -> Bool {
    let name = Schema.entityName(for: type)
    guard let entity = schema.entitiesByName[name] else { return false }
    return entity.relationships.isEmpty && family(of: name) == [name]
      && !schema.entities.contains { $0.relationships.contains { $0.destination == name } }
  }

  /// Lists of attributes that identify a row together.
  func uniqueProperties(of name: String) -> [[String]] {
    guard let entity = schema.entitiesByName[name] else { return [] }
    return entity.uniquenessConstraints
      + entity.attributes.filter(\.isUnique).map { [$0.name] }
  }
}

extension ReferenceStore.Configuration: SpecifiableStore {
  init(specification setup: SpecificationSetup) { self.init(name: setup.name) }

  static var levels: Set<StoreSpecification.Level> {
    var levels = Set(StoreSpecification.Level.allCases)
    // A DefaultSnapshot belongs to one version of a class.
    if Snapshot.self == DefaultSnapshot.self { levels.remove(.migration) }
    return levels
  }
}
