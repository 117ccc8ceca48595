/// Values that a migration deletes, because the new models have no property for them, or what others
/// have added to a table that it creates again.
///
/// ``MigrationPreview/Stage/losses`` lists them before the migration; a line on standard error
/// reports them afterwards. Not in Apple's framework.
public struct MigrationLoss: Codable, Hashable, Sendable {
  /// The name of the entity in the store.
  public let entity: String

  /// The removed property, or member of a struct: `address.street`; `nil` for whole rows and objects.
  public let property: String?

  /// The type of the property or column; `a model` for whole rows; the kind of another object.
  public let type: String

  /// The number of deleted values, links or rows; 0 for an object that is no column.
  public let valueCount: Int

  /// What another program has added to the table; `nil` for values of properties and for rows.
  ///
  /// For example `column NOTE of ZTRIP`, `trigger audit on ZTRIP`.
  public let object: String?
}

extension MigrationLoss: CustomStringConvertible {
  /// The loss as a clause: `3 values of Trip.price (Double)`, `trigger audit on ZTRIP`.
  public var description: String {
    let values = "\(valueCount) \(valueCount == 1 ? "value" : "values") of"
    if let object { return valueCount == 0 ? object : "\(values) the \(object) (\(type))" }
    guard let property else {
      return "\(valueCount) \(valueCount == 1 ? "row" : "rows") of \(entity)"
    }
    return "\(values) \(entity).\(property) (\(type))"
  }
}

extension MigrationLoss {
  /// The error for a loss where no loss is allowed.
  var problem: MigrationProblem {
    MigrationProblem(
      entity: entity, property: property, from: object.map { "the \($0)" } ?? type,
      to: "not in the models", reason: "would be deleted", rowCount: valueCount, examples: [],
      advice: "Add the version that wrote the store to the schemas of the plan.",
      remedy: .declaration, storedEntity: entity)
  }
}
