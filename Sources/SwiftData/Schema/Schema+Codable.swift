public import Foundation

extension Schema: Codable {
  /// Encodes the versions and the entities.
  ///
  /// - Throws: What the encoder throws.
  public final func encode(to encoder: any Encoder) throws {
    // Subentities are encoded inside of their superentities.
    try EncodedSchema(
      encodingVersion: encodingVersion, version: version, order: entities.map(\.name),
      entities: entities.filter { $0.superentity == nil }
    ).encode(to: encoder)
  }

  /// Writes the schema to a file as JSON.
  ///
  /// - Throws: An error of the file system.
  public final func save(to toURL: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    try encoder.encode(self).write(to: toURL, options: .atomic)
  }

  /// Reads a schema that `save(to:)` wrote.
  ///
  /// - Throws: An error of the file system, or `DecodingError` when the file holds no schema.
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
  /// The entities at the tops of their hierarchies.
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
