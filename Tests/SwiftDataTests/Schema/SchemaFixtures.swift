import SwiftData

/// Stands in for a model type in hand-made relationships; only the shape of the type counts.
typealias Other = Int

func attribute(_ name: String, _ type: any Any.Type, _ options: Schema.Attribute.Option...)
  -> Schema.Attribute
{
  Schema.Attribute(name: name, options: options, valueType: type)
}

func relationship(
  _ name: String, _ type: any Any.Type, to destination: String, inverse: String? = nil
) -> Schema.Relationship {
  let relationship = Schema.Relationship()
  relationship.name = name
  relationship.valueType = type
  relationship.destination = destination
  relationship.inverseName = inverse
  return relationship
}

func entity(_ name: String, _ properties: any SchemaProperty...) -> Schema.Entity {
  let entity = Schema.Entity(name)
  entity.storedProperties = properties
  return entity
}

/// The inverses of a schema as lines of text.
func inverses(_ entities: Schema.Entity...) -> [String] {
  let schema = Schema(entities: entities, version: .init(1, 0, 0))
  return schema.entities.flatMap { entity in
    entity.storedProperties.compactMap { $0 as? Schema.Relationship }.map {
      "\(entity.name).\($0.name) <-> \($0.inverseName ?? "-")"
    }
  }
}

/// What is wrong with entities, each with its place.
func problems(_ entities: Schema.Entity...) -> [String] {
  Schema(entities: entities, version: .init(1, 0, 0)).problems.map(\.description)
}
