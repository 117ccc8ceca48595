/// What a statement reads for a single model, when one of its properties is used.
package enum FaultRead: Hashable, Sendable {
  /// The row of a model: reached through a to-one relationship, or by identifier.
  case row(entity: String)
  /// The members of a to-many relationship.
  case members(entity: String, property: String)
}

/// Recognises the statements of single models, so that tests can name the relationship that should
/// have been prefetched.
extension RelationalStore {
  /// The statements that read for a single model, by their text.
  package var faultReads: [String: FaultRead] {
    var reads: [String: FaultRead] = [:]
    // Subclasses inherit relationships, whose statement names the class that declares them.
    for entity in mapping.entities.sorted(by: { $0.descriptor.depth < $1.descriptor.depth }) {
      let text = plans.selection(of: entity).byKey
      if reads[text] == nil { reads[text] = .row(entity: entity.name) }
      for slot in entity.descriptor.relationshipSlots {
        guard let text = membersStatement(slot, entity.descriptor), reads[text] == nil else {
          continue
        }
        let property = entity.descriptor.properties[slot].name
        reads[text] = .members(entity: entity.name, property: property)
      }
    }
    return reads
  }
}

extension _ModelDescriptor {
  fileprivate var depth: Int { lineage.reduce(0) { count, _ in count + 1 } }
}
