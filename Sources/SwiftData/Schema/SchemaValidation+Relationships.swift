extension SchemaValidation {
  static func relationshipProblems(
    _ relationship: Schema.Relationship, _ entity: Schema.Entity,
    _ entitiesByName: [String: Schema.Entity]
  ) -> [SwiftDataError] {
    guard let destination = entitiesByName[relationship.destination] else {
      return [
        problem(
          "The relationship refers to \(relationship.destination), which is not in the schema. "
            + "Add \(relationship.destination) to the schema.", entity, relationship.name)
      ]
    }
    return countProblems(relationship, entity)
      + inverseProblems(relationship, entity, destination, entitiesByName)
  }

  private static func countProblems(
    _ relationship: Schema.Relationship, _ entity: Schema.Entity
  ) -> [SwiftDataError] {
    let minimum = relationship.minimumModelCount ?? 0
    let maximum = relationship.maximumModelCount ?? 0
    guard minimum < 0 || maximum < 0 || (maximum > 0 && minimum > maximum) else { return [] }
    return [
      problem(
        "The minimum count \(minimum) and the maximum count \(maximum) contradict each other. "
          + "Make the maximum at least as large, or 0 for no limit.", entity, relationship.name)
    ]
  }

  private static func inverseProblems(
    _ relationship: Schema.Relationship, _ entity: Schema.Entity,
    _ destination: Schema.Entity, _ entitiesByName: [String: Schema.Entity]
  ) -> [SwiftDataError] {
    func found(_ detail: String) -> [SwiftDataError] {
      [problem(detail, entity, relationship.name)]
    }
    guard let name = relationship.inverseName else {
      guard let keyPath = relationship.inverseKeyPath else { return [] }
      return found(
        "The inverse \(keyPath) is not a relationship of \(destination.name). Name a property of "
          + "\(destination.name) that refers to \(entity.name).")
    }
    guard let inverse = destination.property(named: name) as? Schema.Relationship else {
      return found(
        "The inverse '\(name)' is not a relationship of \(destination.name). Name a property of "
          + "\(destination.name) that refers to \(entity.name).")
    }
    guard let end = entitiesByName[inverse.destination], entity.isKind(of: end) else {
      return found(
        "The inverse \(destination.name).\(name) refers to \(inverse.destination), not to "
          + "\(entity.name). Name a property that refers to \(entity.name).")
    }
    guard inverse.inverseName == relationship.name else {
      let other = inverse.inverseName.map { "'\($0)'" } ?? "another one"
      return found(
        "The inverse \(destination.name).\(name) is already the inverse of \(other). Give each "
          + "relationship a different inverse.")
    }
    return []
  }
}
