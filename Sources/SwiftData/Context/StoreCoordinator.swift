import Foundation

/// What a context needs from above: the schema, the stores, and somewhere to tell of saves.
protocol StoreCoordinator: AnyObject, Sendable {
  var schema: Schema { get }
  /// The store that keeps an entity.
  func store(forEntity name: String) -> (any DataStore)?
  /// All stores, in the order of the configurations.
  var stores: [any DataStore] { get }
  /// The model class of an entity.
  func modelType(forEntity name: String) -> (any PersistentModel.Type)?
  /// The entity at the root of an entity's inheritance.
  func rootEntity(of name: String) -> String
  /// Any class of the schema, for identifiers that lead nowhere.
  var anyModelType: any PersistentModel.Type { get }
  func hasSubclassesWithRelationships(_ descriptor: _ModelDescriptor) -> Bool
  /// What the schema says of each relationship.
  var links: RelationshipLinks { get }
}

/// A store that can say which part of a request it could not do itself.
package protocol PartialFetching: DataStore {
  /// Rows that contain all matches, and what is left to do in memory.
  func fetchPartially<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> PartialFetchResult
}

package struct PartialFetchResult {
  package var snapshots: [DefaultSnapshot]
  /// The predicate has to be judged in memory; limit and offset are not applied yet.
  package var needsFilter: Bool
  /// The order has to be made in memory; limit and offset are not applied yet.
  package var needsSort: Bool

  package init(snapshots: [DefaultSnapshot], needsFilter: Bool, needsSort: Bool) {
    self.snapshots = snapshots
    self.needsFilter = needsFilter
    self.needsSort = needsSort
  }
}

/// A store that reads single rows and relationships without a predicate.
package protocol RelationshipFetching: DataStore {
  /// The row of one model; `nil` when there is none.
  func snapshot(for identifier: PersistentIdentifier) throws -> DefaultSnapshot?
  /// The members of a to-many relationship, in stable order.
  func members(
    of identifier: PersistentIdentifier, slot: Int, descriptor: _ModelDescriptor
  ) throws -> [DefaultSnapshot]
  /// The identifier of the row that a to-one cell names.
  func destination(
    of descriptor: _ModelDescriptor, slot: Int, key: Int64
  ) -> PersistentIdentifier?
}
