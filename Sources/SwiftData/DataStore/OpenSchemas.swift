import Synchronization

/// The schemas of the stores that are open in this process. Decoding needs them for values that
/// name the store and the entity of a model, but not its class.
///
/// An entity name alone does not identify a class: two versions of a class may be open at the same
/// time, each in its own store.
enum OpenSchemas {
  private static let known = Mutex<[ObjectIdentifier: Entry]>([:])

  private struct Entry: Sendable {
    let schema: Schema
    let stores: Set<String>
  }

  /// Keeps a schema registered while its stores are open. The container's coordinator owns it.
  final class Registration: Sendable {
    init(_ schema: Schema, stores: [String]) {
      let entry = Entry(schema: schema, stores: Set(stores))
      OpenSchemas.known.withLock { $0[ObjectIdentifier(self)] = entry }
    }

    deinit {
      OpenSchemas.known.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) }
    }
  }

  /// The possible classes for an identifier: those of the open containers with its store, or, for a
  /// temporary identifier, of all open containers with its entity.
  static func descriptors(for identifier: PersistentIdentifier) -> [_ModelDescriptor] {
    let entries = known.withLock { Array($0.values) }
    var found: [_ModelDescriptor] = []
    for entry in entries {
      if let store = identifier.storeIdentifier, !entry.stores.contains(store) { continue }
      guard let descriptor = entry.schema.descriptor(named: identifier.entityName),
        !found.contains(where: { $0.type == descriptor.type })
      else { continue }
      found.append(descriptor)
    }
    return found
  }
}
