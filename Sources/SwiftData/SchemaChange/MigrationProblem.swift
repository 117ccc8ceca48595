/// What stands in the way of a migration: rows whose values the new models cannot have.
///
/// Not in Apple's framework.
public struct MigrationProblem: Codable, Hashable, Sendable {
  /// The entity, as the new models name it.
  public let entity: String
  /// The property, or several with commas; `nil` for what concerns whole rows.
  public let property: String?
  /// What the store has: a type, or a condition.
  public let from: String
  /// What the models ask for.
  public let to: String
  /// What is wrong with the rows, as a clause: `have no value`.
  public let reason: String
  /// How many rows stand in the way.
  public let rowCount: Int
  /// The primary keys of up to three of them, as identifiers have them: `p12`.
  public let examples: [String]
  /// What to do about it.
  public let advice: String

  /// Which code of a stage helps.
  enum Remedy: String, Codable {
    /// None is needed: the models have to say more.
    case declaration
    /// Code on the rows as they are: `willMigrate`.
    case before
    /// Code that sets the new property from the old row: a transformation.
    case transformation
  }

  let remedy: Remedy
  /// The entity, as the store names it.
  let storedEntity: String
}

extension MigrationProblem: CustomStringConvertible {
  /// One sentence on what is wrong and where, and what to do.
  public var description: String {
    let place = property.map { "\(entity).\($0)" } ?? entity
    let rows = rowCount == 1 ? "1 row" : "\(rowCount) rows"
    let keys = examples.isEmpty ? "" : " (\(examples.joined(separator: ", ")))"
    return "\(place) is \(to) and \(from) in the store: \(rows)\(keys) \(reason). \(advice)"
  }
}
