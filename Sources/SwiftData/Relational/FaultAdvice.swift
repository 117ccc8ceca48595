/// What to prefetch in place of reads for single models.
package struct FaultAdvice {
  private let read: FaultRead
  private let count: Int
  private let schema: Schema

  package init(read: FaultRead, count: Int, schema: Schema) {
    self.read = read
    self.count = count
    self.schema = schema
  }

  /// The relationship or entity, how often it was read, and the key path to prefetch.
  package var text: String {
    switch read {
    case .members(let entity, let property):
      return "\(entity).\(property): \(count) times. Fetch with "
        + "relationshipKeyPathsForPrefetching = [\\\(entity).\(property)]"
    case .row(let entity):
      let paths = relationships(to: entity)
      let rows = "rows of \(entity): \(count) times."
      if paths.isEmpty { return "\(rows) Fetch the models with one fetch" }
      let list = paths.map { "\\\($0)" }
      return paths.count == 1
        ? "\(rows) Fetch with relationshipKeyPathsForPrefetching = [\(list[0])]"
        : "\(rows) Fetch with relationshipKeyPathsForPrefetching and one of "
          + list.joined(separator: ", ")
    }
  }

  /// The to-one relationships that lead to models of an entity.
  private func relationships(to entity: String) -> [String] {
    let destinations = Set(schema.entitiesByName[entity]?.lineage.map(\.name) ?? [entity])
    return schema.entities.flatMap { owner in
      owner.storedProperties.compactMap { property in
        guard let relationship = property as? Schema.Relationship,
          relationship.isToOneRelationship, destinations.contains(relationship.destination)
        else { return nil }
        return "\(owner.name).\(relationship.name)"
      }
    }.sorted()
  }
}
