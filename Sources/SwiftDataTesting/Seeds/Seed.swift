public import Foundation

/// Models as JSON: the rows of each entity, with links by local identifiers.
///
/// ```json
/// {
///   "Trip": [{"id": "lisbon", "name": "Lisbon", "start": "2026-05-01", "stops": ["belem"]}],
///   "Stop": [{"id": "belem", "place": "Belém"}]
/// }
/// ```
///
/// - A row has the names of properties. A property that is left out gets its default value in the
///   declaration, evaluated for each row, or nil. A required property without a default is needed.
/// - `id` names the row for links, as a text or a whole number. If the model has a property `id`, it
///   is the value of that property too; `$id` is then a name that is not stored.
/// - A to-one relationship is the `id` of a row, or null; a to-many relationship a list of them. One
///   side of a relationship is enough. Entries that link a row to two others, where one is allowed,
///   are refused. Rows of subclasses are listed under their own entity.
/// - Dates are texts such as `"2026-05-01T09:30:00Z"` or `"2026-05-01"` (midnight in UTC), or seconds
///   since 2001-01-01. Data is a text in Base64. Infinite numbers are `"inf"`, `"-inf"` and `"nan"`.
///   Enums are their raw value; other `Codable` values have the form of `JSONEncoder`.
/// - Initialisers of models do not run. `@Transient` properties have their initial values.
///
/// Unknown entities and properties, missing values and values of another type are errors of type
/// ``SeedError``. A seed is stored with one save, so the rules of the models apply. Rows with equal
/// unique values are refused, too.
public struct Seed: Sendable {
  let json: Data

  /// Creates a seed without models.
  public init() { json = Data() }

  /// Creates a seed from JSON.
  public init(json: Data) { self.json = json }

  /// Reads a seed from a JSON file, for example a resource of the tests.
  /// - Throws: An error of Foundation if the file can't be read.
  public init(contentsOf url: URL) throws { json = try Data(contentsOf: url) }

  var isEmpty: Bool { json.isEmpty }
}

extension Seed: ExpressibleByStringLiteral {
  /// Creates a seed from JSON text.
  public init(stringLiteral value: String) { json = Data(value.utf8) }
}

/// Why a seed can't be stored: the entity, the row, the property and the problem.
public struct SeedError: Error, Sendable {
  /// The entity; `nil` if the JSON itself is faulty.
  public let entity: String?

  /// The number of the row, with its `id` if it has one; `nil` if the problem is not that of a row.
  public let row: String?

  /// The property; `nil` if the problem is not that of a property.
  public let property: String?

  /// What is wrong.
  public let problem: String
}

extension SeedError: CustomStringConvertible, LocalizedError {
  /// The entity, the row, the property and the problem.
  public var description: String {
    let place = [entity, row.map { "row \($0)" }, property.map { "property \($0)" }]
      .compactMap(\.self).joined(separator: ", ")
    return place.isEmpty ? "Seed: \(problem)." : "Seed, \(place): \(problem)."
  }

  /// The same as `description`.
  public var errorDescription: String? { description }
}
