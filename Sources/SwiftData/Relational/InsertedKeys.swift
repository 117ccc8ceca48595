/// The keys of the models that a save inserts, by temporary identifier.
package final class InsertedKeys {
  private var known: [ObjectIdentifier: (key: Int64, entity: Int)] = [:]
  private let mapping: SchemaMapping

  init(mapping: SchemaMapping) {
    self.mapping = mapping
  }

  func assign(_ key: Int64, entity: Int, to identifier: PersistentIdentifier) {
    known[ObjectIdentifier(identifier.id.scope)] = (key, entity)
  }

  func isNew(_ identifier: PersistentIdentifier) -> Bool {
    known[ObjectIdentifier(identifier.id.scope)] != nil
  }

  func key(of identifier: PersistentIdentifier) -> Int64? {
    identifier.rowKey ?? known[ObjectIdentifier(identifier.id.scope)]?.key
      ?? identifier.resolved.rowKey
  }

  func destination(of identifier: PersistentIdentifier) -> (key: Int64, entity: Int)? {
    if let new = known[ObjectIdentifier(identifier.id.scope)] { return new }
    let permanent = identifier.resolved
    guard let key = permanent.rowKey, let entity = mapping.entity(named: permanent.entityName)
    else { return nil }
    return (key, entity.number)
  }
}
