/// Values that a migration deletes, because the new models have no property for them.
///
/// ``MigrationPreview/Stage/losses`` lists them before the migration; a line on standard error
/// reports them afterwards. Not in Apple's framework.
public struct MigrationLoss: Codable, Hashable, Sendable {
  /// The name of the entity in the store.
  public let entity: String

  /// The removed property; `nil` if whole rows are deleted.
  public let property: String?

  /// The type of the property; `a model` for whole rows.
  public let type: String

  /// The number of deleted values, links or rows.
  public let valueCount: Int
}

extension MigrationLoss: CustomStringConvertible {
  /// The loss as a clause: `3 values of Trip.price (Double)`.
  public var description: String {
    guard let property else {
      return "\(valueCount) \(valueCount == 1 ? "row" : "rows") of \(entity)"
    }
    return
      "\(valueCount) \(valueCount == 1 ? "value" : "values") of \(entity).\(property) (\(type))"
  }
}

extension MigrationLoss {
  /// The error for a loss where no loss is allowed.
  var problem: MigrationProblem {
    MigrationProblem(
      entity: entity, property: property, from: type, to: "not in the models",
      reason: "would be deleted", rowCount: valueCount, examples: [],
      advice: "Add the version that wrote the store to the schemas of the plan.",
      remedy: .declaration, storedEntity: entity)
  }
}
