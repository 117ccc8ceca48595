extension Schema {
  /// An entity and those it inherits from, the nearest first; empty for a name that is unknown.
  func lineage(of entityName: String) -> [Schema.Entity] {
    entitiesByName[entityName]?.lineage ?? []
  }

  /// A relationship of an entity or of one it inherits from.
  func relationship(_ name: String, of entityName: String) -> Schema.Relationship? {
    lineage(of: entityName).lazy
      .compactMap { $0.property(named: name) as? Schema.Relationship }.first
  }

  /// The uniqueness constraints of an entity and of those it inherits from.
  func uniquenessConstraints(of entityName: String) -> [[String]] {
    lineage(of: entityName).flatMap(\.uniquenessConstraints)
  }
}
