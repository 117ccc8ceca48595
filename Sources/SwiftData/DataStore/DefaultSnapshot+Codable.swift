import Foundation
import OpenSwiftDataRowStorage
import Synchronization

extension DefaultSnapshot {
  /// Reads a snapshot that `encode(to:)` wrote; the entity's class must have been used before.
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: A `DecodingError` when the entity is unknown or a value doesn't fit its property.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let identifier = try container.decode(
      PersistentIdentifier.self, forKey: .persistentIdentifier)
    guard let descriptor = KnownEntities.descriptor(named: identifier.entityName) else {
      throw DecodingError.dataCorruptedError(
        forKey: .persistentIdentifier, in: container,
        debugDescription: "No open container has the entity \(identifier.entityName).")
    }
    let storage = _ModelStorage(descriptor)
    var references: [Int: _SlotValue] = [:]
    var toManys: [ToManySnapshot] = []
    for (slot, property) in descriptor.properties.enumerated() {
      let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
      guard container.contains(key) else { continue }
      switch property.form {
      case .toOne:
        let other = try container.decodeIfPresent(PersistentIdentifier.self, forKey: key)
        references[slot] = other.map { .identifier($0) } ?? .null
      case .toMany:
        let others = try container.decodeIfPresent([PersistentIdentifier].self, forKey: key) ?? []
        toManys.append(
          ToManySnapshot(slot: slot, members: others, added: others, removed: []))
      case .attribute, .transformable:
        if try container.decodeNil(forKey: key) {
          storage.overlay(.null, at: slot)
        } else if let type = property.valueType as? any Decodable.Type {
          storage.overlay(
            storage.slotValue(try container.decode(type, forKey: key)), at: slot)
        }
      }
    }
    storage.knownIdentifier = identifier
    let attributes = DefaultSnapshot(lenient: storage)
    var cells = attributes.cells
    for (slot, value) in references { cells?[slot] = value }
    self.init(
      persistentIdentifier: identifier, descriptor: descriptor, page: nil, row: nil, cells: cells,
      toManys: toManys, changedSlots: .all)
  }

  /// Writes the identifier and each property under its name; related models by identifier.
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: Whatever the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    for (slot, property) in descriptor.properties.enumerated() {
      let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
      switch property.form {
      case .toOne:
        if case .identifier(let identifier) = value(slot) {
          try container.encode(identifier, forKey: key)
        }
      case .toMany:
        if let members = toMany(slot)?.members { try container.encode(members, forKey: key) }
      case .attribute, .transformable:
        if let value = attributeValue(slot) {
          try container.encode(value, forKey: key)
        } else {
          try container.encodeNil(forKey: key)
        }
      }
    }
  }

  /// The value of an attribute as its declared type; nil for null.
  private func attributeValue(_ slot: Int) -> (any Encodable)? {
    let property = descriptor.properties[slot]
    guard let type = property.valueType as? any Decodable.Type else { return nil }
    switch property.form {
    case .attribute(.composite(let leaves)):
      let values = property.leafCells.map { value($0).stored }
      if values.allSatisfy(\.isNull) { return nil }
      return ValueDecoding.composite(type, leaves: leaves, values: values) as? any Encodable
    case .attribute(.encoded), .transformable:
      guard case .blob(let data) = value(slot) else { return nil }
      return ValueDecoding.encoded(type, bytes: data) as? any Encodable
    case .attribute(.rawValue(let scalar)):
      return ValueDecoding.scalar(scalar.swiftType, value(slot).stored)
        as? any Encodable
    case .attribute(.scalar):
      return ValueDecoding.scalar(type, value(slot).stored) as? any Encodable
    case .toOne, .toMany: return nil
    }
  }

  /// A composite or encoded value as a slot of a model keeps it.
  func decodedValue(_ slot: Int) -> _SlotValue? {
    switch descriptor.properties[slot].form {
    case .toMany, .toOne: return nil
    case .transformable: return nil
    case .attribute:
      guard let value = attributeValue(slot) else { return .null }
      func box<V: Encodable>(_ value: V) -> _SlotValue { _ModelStorage.boxed(value) }
      return box(value)
    }
  }
}

/// The classes of all open containers by entity name, for decoding snapshots.
enum KnownEntities {
  private static let descriptors = Mutex<[String: _ModelDescriptor]>([:])

  static func add(_ schema: Schema) {
    descriptors.withLock { $0.merge(schema.descriptors) { _, new in new } }
  }

  static func descriptor(named name: String) -> _ModelDescriptor? {
    descriptors.withLock { $0[name] }
  }
}
