/// A store that reads single rows and relationships without a predicate.
package protocol RelationshipFetching: DataStore {
  /// The row of one model; `nil` when there is none.
  func snapshot(for identifier: PersistentIdentifier) throws -> DefaultSnapshot?
  /// The members of a to-many relationship, in stable order.
  func members(
    of identifier: PersistentIdentifier, slot: Int, descriptor: _ModelDescriptor
  ) throws -> [DefaultSnapshot]
  /// The members of a to-many relationship of many owners, by the owners' keys.
  func members(
    ofAll owners: [Int64], slot: Int, descriptor: _ModelDescriptor
  ) throws -> [Int64: [DefaultSnapshot]]
  /// The identifier of the row that a to-one cell names.
  func destination(
    of descriptor: _ModelDescriptor, slot: Int, key: Int64
  ) -> PersistentIdentifier?
}
