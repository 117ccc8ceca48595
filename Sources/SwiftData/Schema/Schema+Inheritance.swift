extension Schema {
  /// A relationship of an entity or of one it inherits from.
  func relationship(_ name: String, of entityName: String) -> Schema.Relationship? {
    var current = entitiesByName[entityName]
    while let entity = current {
      if let found = entity.relationshipsByName[name] { return found }
      current = entity.superentityName.flatMap { entitiesByName[$0] }
    }
    return nil
  }
}
