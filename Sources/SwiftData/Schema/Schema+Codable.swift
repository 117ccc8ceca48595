public import Foundation

extension Schema: Codable {
  private enum CodingKeys: CodingKey {
    case encodingVersion, version, order, entities
  }

  /// Decodes what `encode(to:)` wrote. Model types and key paths are lost.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    var entitiesByName: [String: Schema.Entity] = [:]
    func collect(_ entity: Schema.Entity) {
      entitiesByName[entity.name] = entity
      entity.subentities.forEach(collect)
    }
    try container.decode([Schema.Entity].self, forKey: .entities).forEach(collect)
    self.init(
      entities: try container.decode([String].self, forKey: .order)
        .compactMap { entitiesByName[$0] },
      version: try container.decode(Version.self, forKey: .version),
      encodingVersion: try container.decode(Version.self, forKey: .encodingVersion))
  }

  /// Encodes the versions and the entities.
  public final func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(encodingVersion, forKey: .encodingVersion)
    try container.encode(version, forKey: .version)
    try container.encode(entities.map(\.name), forKey: .order)
    // Subentities are encoded inside of their superentities.
    try container.encode(entities.filter { $0.superentity == nil }, forKey: .entities)
  }

  /// Writes the schema to a file as JSON.
  public final func save(to toURL: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    try encoder.encode(self).write(to: toURL, options: .atomic)
  }

  /// Reads a schema that `save(to:)` wrote.
  public static func load(from fromURL: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: Data(contentsOf: fromURL))
  }
}
