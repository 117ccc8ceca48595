/// The description of a set of model types, from which stores are made.
///
/// Making a schema never fails; what is wrong with the models stands in `problems`, and making a
/// `ModelContainer` of such a schema throws.
public final class Schema: Sendable {
  /// The version of the form in which schemas are encoded.
  public static let schemaEncodingVersion = Schema.Version(1, 0, 0)

  /// The version of the form in which this schema is encoded.
  public final let encodingVersion: Schema.Version

  /// The version of the schema.
  public final let version: Schema.Version

  /// The entities in the order in which they were given.
  public final let entities: [Schema.Entity]

  /// The entities by their names.
  public final let entitiesByName: [String: Schema.Entity]

  /// What is wrong with the entities; a store cannot be made while there is any.
  package final let problems: [SwiftDataError]

  /// Makes a schema without entities.
  public init() {
    encodingVersion = Self.schemaEncodingVersion
    version = Version(1, 0, 0)
    entities = []
    entitiesByName = [:]
    problems = []
  }

  /// Makes a schema of entities.
  public init(_ entities: Schema.Entity..., version: Schema.Version = Version(1, 0, 0)) {
    encodingVersion = Self.schemaEncodingVersion
    self.version = version
    self.entities = entities
    (entitiesByName, problems) = Self.settle(entities)
  }

  /// Makes a schema of entities.
  ///
  /// - Parameter problems: Faults that were found while the entities were made.
  package init(
    entities: [Schema.Entity], version: Schema.Version, problems: [SwiftDataError] = []
  ) {
    encodingVersion = Self.schemaEncodingVersion
    self.version = version
    self.entities = entities
    let (entitiesByName, found) = Self.settle(entities)
    self.entitiesByName = entitiesByName
    self.problems = problems + found
  }

  /// Decodes what `encode(to:)` wrote. Model types and key paths are lost.
  ///
  /// - Throws: `DecodingError` when the encoded form is another one.
  public init(from decoder: any Decoder) throws {
    let encoded = try EncodedSchema(from: decoder)
    encodingVersion = encoded.encodingVersion
    version = encoded.version
    entities = encoded.entitiesInOrder
    (entitiesByName, problems) = Self.settle(entities)
  }

  /// Links hierarchies, infers inverses and looks for faults.
  private static func settle(
    _ entities: [Schema.Entity]
  ) -> (entitiesByName: [String: Schema.Entity], problems: [SwiftDataError]) {
    SchemaInference.settle(entities)
    let entitiesByName = Dictionary(
      entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return (entitiesByName, SchemaValidation.problems(of: entities))
  }

  /// Makes a schema of entities without fault.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer`, telling all faults.
  package static func validated(
    entities: [Schema.Entity], version: Schema.Version
  ) throws -> Schema {
    let schema = Schema(entities: entities, version: version)
    try schema.validate()
    return schema
  }

  /// Throws the only problem of the schema, or one that tells all of them.
  package final func validate() throws {
    guard let first = problems.first else { return }
    guard problems.count > 1 else { throw first }
    let listed = problems.map { "- \($0.placedDetail)" }.joined(separator: "\n")
    throw SwiftDataError.loadIssueModelContainer.with(
      "The schema has \(problems.count) faults:\n\(listed)")
  }
}

extension Schema: Hashable {
  /// Compares versions and entities; the order of the entities does not count.
  public static func == (lhs: Schema, rhs: Schema) -> Bool {
    lhs === rhs
      || lhs.version == rhs.version && lhs.encodingVersion == rhs.encodingVersion
        && lhs.entities.count == rhs.entities.count && lhs.entitiesByName == rhs.entitiesByName
  }

  /// Hashes the version and the names of the entities.
  public final func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(Set(entitiesByName.keys))
  }
}

extension Schema: CustomDebugStringConvertible {
  /// The version and all entities with their properties.
  public final var debugDescription: String {
    (["Schema \(version)"] + entities.map(\.debugDescription)).joined(separator: "\n")
  }
}
