public import Foundation

extension Schema: Codable {
  /// Encodes the versions and the entities, without model types and key paths.
  ///
  /// - Throws: Any error of the encoder.
  public final func encode(to encoder: any Encoder) throws {
    // Subentities are encoded inside their superentities.
    try EncodedSchema(
      encodingVersion: encodingVersion, version: version, order: entities.map(\.name),
      entities: entities.filter { $0.superentity == nil }
    ).encode(to: encoder)
  }

  /// Writes the schema to a JSON file.
  ///
  /// - Throws: Any error of the file system.
  public final func save(to toURL: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    try encoder.encode(self).write(to: toURL, options: .atomic)
  }

  /// Reads a schema from a file that `save(to:)` has written.
  ///
  /// - Throws: Any error of the file system, or `DecodingError` if the file is not a schema.
  public static func load(from fromURL: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: Data(contentsOf: fromURL))
  }
}

/// The encoded form of a schema.
struct EncodedSchema: Codable {
  var encodingVersion: Schema.Version
  var version: Schema.Version
  /// The names of all entities.
  var order: [String]
  /// The root entities.
  var entities: [Schema.Entity]

  /// All entities in the order of the schema.
  var entitiesInOrder: [Schema.Entity] {
    var entitiesByName: [String: Schema.Entity] = [:]
    func collect(_ entity: Schema.Entity) {
      entitiesByName[entity.name] = entity
      entity.subentities.forEach(collect)
    }
    entities.forEach(collect)
    return order.compactMap { entitiesByName[$0] }
  }
}
