import Synchronization

/// The schemas of the stores that this process has open, for decoding values that name the store and
/// the entity of a model but not its class.
///
/// Nothing is known by the name of an entity alone: two versions of a class may be open at once, each
/// in a store of its own.
enum OpenSchemas {
  private static let known = Mutex<[ObjectIdentifier: Entry]>([:])

  private struct Entry: Sendable {
    let schema: Schema
    let stores: Set<String>
  }

  /// Keeps a schema known while its stores are open. The container's coordinator holds it.
  final class Registration: Sendable {
    init(_ schema: Schema, stores: [String]) {
      let entry = Entry(schema: schema, stores: Set(stores))
      OpenSchemas.known.withLock { $0[ObjectIdentifier(self)] = entry }
    }

    deinit {
      OpenSchemas.known.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) }
    }
  }

  /// The classes that the models of an identifier may have: those of the open containers that keep
  /// its store, or, for a temporary identifier, of all that have its entity.
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
