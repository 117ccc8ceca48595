/// What a stored row was linked to before a save made a new model that row.
package struct EarlierRowLinks: Sendable {
  /// The related rows, by the name of the relationship.
  private let related: [String: Set<PersistentIdentifier>]
  /// The rows whose relationships without an inverse led to the row, by the name of the relationship.
  private let owners: [String: Set<PersistentIdentifier>]

  package init(
    related: [String: Set<PersistentIdentifier>], owners: [String: Set<PersistentIdentifier>]
  ) {
    self.related = related
    self.owners = owners
  }

  /// The related row of a to-one relationship.
  func destination(of relationship: String) -> PersistentIdentifier? {
    related[relationship]?.first
  }

  func has(_ member: PersistentIdentifier, in list: String) -> Bool {
    related[list]?.contains(member) ?? false
  }

  func isMember(of owner: PersistentIdentifier, in list: String) -> Bool {
    owners[list]?.contains(owner) ?? false
  }
}
