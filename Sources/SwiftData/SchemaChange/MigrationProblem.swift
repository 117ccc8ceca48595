/// A reason why a store cannot be migrated: rows with values that the new models do not allow.
///
/// Not in Apple's framework.
public struct MigrationProblem: Codable, Hashable, Sendable {
  /// The name of the entity in the new models.
  public let entity: String
  /// The property, or several separated by commas; `nil` if whole rows are affected.
  public let property: String?
  /// The type or condition in the store.
  public let from: String
  /// The type or condition in the new models.
  public let to: String
  /// The problem of the rows, as a clause: `have no value`.
  public let reason: String
  /// The number of affected rows.
  public let rowCount: Int
  /// The primary keys of up to three of these rows, as in identifiers: `p12`.
  public let examples: [String]
  /// How to solve the problem.
  public let advice: String

  /// The code of a migration stage that solves the problem.
  enum Remedy: String, Codable {
    /// None: the models need another declaration.
    case declaration
    /// Code that changes the old rows: `willMigrate`.
    case before
    /// Code that sets the new property from the old row: a transformation.
    case transformation
  }

  let remedy: Remedy
  /// The name of the entity in the store.
  let storedEntity: String
}

extension MigrationProblem: CustomStringConvertible {
  /// The problem, the rows and the advice, as a sentence.
  public var description: String {
    let place = property.map { "\(entity).\($0)" } ?? entity
    let rows = rowCount == 1 ? "1 row" : "\(rowCount) rows"
    let keys = examples.isEmpty ? "" : " (\(examples.joined(separator: ", ")))"
    return "\(place) is \(to), but \(from) in the store: \(rows)\(keys) \(reason). \(advice)"
  }
}
