/// Values that a migration deletes, because the models have no property for them.
///
/// ``MigrationPreview/Stage/losses`` lists them before, and a line on standard error afterwards. Not in Apple's
/// framework.
public struct MigrationLoss: Codable, Hashable, Sendable {
  /// The entity, as the store names it.
  public let entity: String

  /// The property that is removed; `nil` for whole rows.
  public let property: String?

  /// The type of the property; `a model` for rows.
  public let type: String

  /// How many values, links or rows there are.
  public let valueCount: Int
}

extension MigrationLoss: CustomStringConvertible {
  /// One clause: `3 values of Trip.price (Double)`.
  public var description: String {
    guard let property else {
      return "\(valueCount) \(valueCount == 1 ? "row" : "rows") of \(entity)"
    }
    return
      "\(valueCount) \(valueCount == 1 ? "value" : "values") of \(entity).\(property) (\(type))"
  }
}

extension MigrationLoss {
  /// The same where nothing may be deleted.
  var problem: MigrationProblem {
    MigrationProblem(
      entity: entity, property: property, from: type, to: "not in the models",
      reason: "would be deleted", rowCount: valueCount, examples: [],
      advice: "Add the version that wrote the store to the schemas of the plan.",
      remedy: .declaration, storedEntity: entity)
  }
}
