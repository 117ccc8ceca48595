/// What a context reads for a single model, when one of its properties is used.
///
/// Contexts report it to the log of the store (`StatementLog.noteFault`), so that tests and monitors can name
/// the relationship that should have been prefetched.
package enum FaultRead: Hashable, Sendable {
  /// The row of a model.
  ///
  /// `relationship` is the to-one relationship through which the model was reached, with its entity; `nil` if it
  /// is not known, as for a model that was found by its identifier.
  case row(entity: String, relationship: String?)
  /// The row of a model that was fetched with `propertiesToFetch`.
  case missingProperties(entity: String)
  /// The members of a to-many relationship.
  case members(relationship: String)

  /// What was read, how often, and what reads it with fewer statements.
  package func advice(count: Int) -> String {
    switch self {
    case .members(let relationship):
      "\(relationship): \(count) times. \(FaultRead.prefetch(relationship))"
    case .row(let entity, let relationship?):
      "rows of \(entity): \(count) times. \(FaultRead.prefetch(relationship))"
    case .row(let entity, nil):
      "rows of \(entity): \(count) times. Fetch the models with one fetch by their identifiers, or prefetch the "
        + "relationship through which they are reached"
    case .missingProperties(let entity):
      "rows of \(entity) that were partly fetched: \(count) times. Add the properties that are used to "
        + "propertiesToFetch"
    }
  }

  private static func prefetch(_ relationship: String) -> String {
    "Fetch with relationshipKeyPathsForPrefetching = [\\\(relationship)]"
  }
}

extension _ModelDescriptor {
  /// A property with the entity that declares it, as in a key path.
  func declaredName(_ slot: Int) -> String {
    "\(declaring(slot).entityName).\(properties[slot].name)"
  }
}
