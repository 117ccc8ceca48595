extension Schema {
  /// An entity and its superentities, the nearest first; empty for an unknown name.
  func lineage(of entityName: String) -> [Schema.Entity] {
    entitiesByName[entityName]?.lineage ?? []
  }

  /// A relationship of an entity or a superentity.
  func relationship(_ name: String, of entityName: String) -> Schema.Relationship? {
    lineage(of: entityName).lazy
      .compactMap { $0.property(named: name) as? Schema.Relationship }.first
  }

  /// The unique constraints of an entity and its superentities.
  func uniquenessConstraints(of entityName: String) -> [[String]] {
    lineage(of: entityName).flatMap(\.uniquenessConstraints)
  }
}
