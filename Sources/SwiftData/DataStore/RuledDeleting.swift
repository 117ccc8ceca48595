/// A store that applies the delete rules itself, so that nobody has to load what it deletes.
package protocol RuledDeleting: DataStoreBatching {
  /// The entities whose rows, or whose lists of members, the deletion of an entity's rows may change.
  ///
  /// `nil` when the rules need the models.
  func entitiesConcerned(byDeletionOf descriptor: _ModelDescriptor) -> Set<String>?
}
