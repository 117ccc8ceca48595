/// The members of a to-many relationship of several owners, from `StorePort.members(ofAll:)`.
package struct FetchedMembers {
  /// The rows of one owner's members are adjacent. The row of a model that is a member of several
  /// owners occurs several times.
  package let rows: FetchedRows
  /// The positions of each owner's rows, in the order of the requested owners.
  package let ranges: [Range<Int>]
}

/// Related models of several models, for `StorePort.related`.
package enum RelatedModels {
  /// The partners of a to-one relationship.
  case partners([PersistentIdentifier], _ModelDescriptor)
  /// The members of a to-many relationship.
  case members(of: [PersistentIdentifier], slot: Int, _ModelDescriptor)
}
