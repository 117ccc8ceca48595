/// The description of the model types in a store.
///
/// Making a schema never throws. If it is not valid, making a `ModelContainer` with it throws an
/// error that lists all problems.
public final class Schema: Sendable {
  /// The version of the encoding of schemas.
  public static let schemaEncodingVersion = Schema.Version(1, 0, 0)

  /// The version of this schema's encoding.
  public final let encodingVersion: Schema.Version

  /// The version of the schema.
  public final let version: Schema.Version

  /// The entities, in the given order.
  public final let entities: [Schema.Entity]

  /// The entities by name.
  public final let entitiesByName: [String: Schema.Entity]

  /// The errors in the entities; a store can be made only if there are none.
  package final let problems: [SwiftDataError]

  /// Makes a schema without entities.
  public init() {
    encodingVersion = Self.schemaEncodingVersion
    version = Version(1, 0, 0)
    entities = []
    entitiesByName = [:]
    problems = []
  }

  /// Makes a schema with the given entities.
  public init(_ entities: Schema.Entity..., version: Schema.Version = Version(1, 0, 0)) {
    encodingVersion = Self.schemaEncodingVersion
    self.version = version
    self.entities = entities
    (entitiesByName, problems) = Self.settle(entities)
  }

  /// Makes a schema with the given entities.
  ///
  /// - Parameter problems: Errors that were found while the entities were made.
  package init(
    entities: [Schema.Entity], version: Schema.Version, problems: [SwiftDataError] = []
  ) {
    encodingVersion = Self.schemaEncodingVersion
    self.version = version
    self.entities = entities
    let (entitiesByName, found) = Self.settle(entities)
    self.entitiesByName = entitiesByName
    let known = Set(problems.map(\.description))
    self.problems = problems + found.filter { !known.contains($0.description) }
  }

  /// Decodes a schema that `encode(to:)` has encoded, without model types and key paths.
  ///
  /// - Throws: `DecodingError` if the encoded form is not valid.
  public init(from decoder: any Decoder) throws {
    let encoded = try EncodedSchema(from: decoder)
    encodingVersion = encoded.encodingVersion
    version = encoded.version
    entities = encoded.entitiesInOrder
    (entitiesByName, problems) = Self.settle(entities)
  }

  /// Links hierarchies, infers inverses and validates the entities.
  private static func settle(
    _ entities: [Schema.Entity]
  ) -> (entitiesByName: [String: Schema.Entity], problems: [SwiftDataError]) {
    SchemaInference.settle(entities)
    let entitiesByName = Dictionary(
      entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return (entitiesByName, SchemaValidation.problems(of: entities))
  }

  /// Makes a valid schema with the given entities.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer` with all problems.
  package static func validated(
    entities: [Schema.Entity], version: Schema.Version
  ) throws -> Schema {
    let schema = Schema(entities: entities, version: version)
    try schema.validate()
    return schema
  }

  /// Throws the only problem of the schema, or an error that lists all of them.
  package final func validate() throws {
    guard let first = problems.first else { return }
    guard problems.count > 1 else { throw first }
    let listed = problems.map { "- \($0.placedDetail)" }.joined(separator: "\n")
    throw SwiftDataError.loadIssueModelContainer.with(
      "The schema has \(problems.count) problems:\n\(listed)")
  }
}

extension Schema: Hashable {
  /// Compares versions and entities; ignores the order of the entities.
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

extension Schema {
  /// An entity and its superentities, the nearest first; empty for an unknown name.
  func lineage(of entityName: String) -> [Schema.Entity] {
    entitiesByName[entityName]?.lineage ?? []
  }

  /// A relationship of an entity or a superentity.
  func relationship(_ name: String, of entityName: String) -> Schema.Relationship? {
    lineage(of: entityName).lazy
      .compactMap { $0.property(named: name) as? Schema.Relationship }.first
  }

  /// The unique constraints of an entity and its superentities.
  func uniquenessConstraints(of entityName: String) -> [[String]] {
    lineage(of: entityName).flatMap(\.uniquenessConstraints)
  }
}
