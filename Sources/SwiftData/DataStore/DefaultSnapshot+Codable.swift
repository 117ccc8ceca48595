import Foundation
import OpenSwiftDataRowStorage

extension CodingUserInfoKey {
  /// The key of the `Schema` whose classes decoded snapshots belong to. Not in Apple's framework.
  ///
  /// A snapshot names its store and its entity, but not its class. While a container has the store
  /// open, the class is found without this key.
  ///
  /// ```swift
  /// let decoder = JSONDecoder()
  /// decoder.userInfo[.swiftDataSchema] = Schema(versionedSchema: TripsV2.self)
  /// let snapshot = try decoder.decode(DefaultSnapshot.self, from: data)
  /// ```
  public static let swiftDataSchema = CodingUserInfoKey(rawValue: "org.swiftdata.schema")!
}

extension DefaultSnapshot {
  /// Decodes a snapshot that `encode(to:)` wrote.
  ///
  /// The class of the model comes from the schema in the decoder's `userInfo`
  /// (`CodingUserInfoKey.swiftDataSchema`). Without a schema, it comes from the container that has
  /// the snapshot's store open. A temporary identifier names no store: then all open containers
  /// must have the same class for the entity.
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: A `DecodingError` if the class is unknown or a value doesn't fit its property.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let identifier = try container.decode(
      PersistentIdentifier.self, forKey: .persistentIdentifier)
    let descriptor = try DefaultSnapshot.descriptor(for: identifier, container, decoder.userInfo)
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
      case .transformable:
        let bytes = try container.decodeIfPresent(Data.self, forKey: key)
        references[slot] = bytes.map { .blob($0) } ?? .null
      case .attribute:
        if try container.decodeNil(forKey: key) {
          storage.overlay(.null, at: slot)
        } else if case .attribute(.rawValue(let scalar)) = property.form,
          let raw = try? container.decode(scalar.swiftType, forKey: key),
          let value = Self.value(of: property.valueType, rawValue: raw)
        {
          // As it was encoded, without the type's own coding.
          storage.overlay(.attribute(value), at: slot)
        } else if let type = property.valueType as? any Decodable.Type {
          storage.overlay(
            .attribute(try container.decode(type, forKey: key)), at: slot)
        }
      }
    }
    storage.identify(as: identifier)
    let attributes = DefaultSnapshot(lenient: storage)
    var cells =
      attributes.cells ?? ContiguousArray(repeating: .unset, count: descriptor.layout.kinds.count)
    for (slot, value) in references { cells[slot] = value }
    self.init(
      persistentIdentifier: identifier, descriptor: descriptor, page: nil, row: nil, cells: cells,
      toManys: toManys, changedSlots: .all)
  }

  private static func value(of type: any Any.Type, rawValue: Any) -> Any? {
    func make<T: RawRepresentable>(_ type: T.Type) -> Any? {
      (rawValue as? T.RawValue).flatMap { T(rawValue: $0) }
    }
    return (type as? any RawRepresentable.Type).flatMap { make($0) }
  }

  private static func descriptor(
    for identifier: PersistentIdentifier,
    _ container: KeyedDecodingContainer<DataStoreSnapshotCodingKey>,
    _ userInfo: [CodingUserInfoKey: Any]
  ) throws -> _ModelDescriptor {
    func failure(_ text: String) -> DecodingError {
      .dataCorruptedError(
        forKey: .persistentIdentifier, in: container, debugDescription: text)
    }
    let (entity, key) = (identifier.entityName, "CodingUserInfoKey.swiftDataSchema")
    if let schema = userInfo[.swiftDataSchema] {
      if let found = (schema as? Schema)?.descriptor(named: entity) { return found }
      throw failure(
        "The schema in the decoder's userInfo has no class for the entity \(entity). Set a Schema "
          + "of model classes for the key \(key).")
    }
    let found = OpenSchemas.descriptors(for: identifier)
    if let descriptor = found.first, found.count == 1 { return descriptor }
    let origin = identifier.storeIdentifier.map { "the store \($0)" } ?? "a new model"
    throw failure(
      found.isEmpty
        ? "No open container has the entity \(entity) of \(origin). Open the container first, or "
          + "set its Schema in the decoder's userInfo for the key \(key)."
        : "Open containers have \(found.count) classes for the entity \(entity) of \(origin). Select "
          + "one with a Schema in the decoder's userInfo for the key \(key).")
  }

  /// Encodes the identifier and each property under its name; related models as identifiers.
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: Errors of the encoder. `SwiftDataError.storeReadFailure`, with the entity and the
  ///   property, for a stored value that the type of its property does not accept, and for one
  ///   whose file is missing.
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
      case .transformable:
        // Its type need not be Codable, so the stored bytes are encoded.
        if case .blob(let bytes) = value(slot) {
          try container.encode(bytes, forKey: key)
        } else {
          try requireNull(slot)
          try container.encodeNil(forKey: key)
        }
      case .attribute:
        if let value = attributeValue(slot) {
          try container.encode(value, forKey: key)
        } else {
          try requireNull(slot)
          try container.encodeNil(forKey: key)
        }
      }
    }
  }

  /// An encoded null would replace a stored value that can't be decoded.
  private func requireNull(_ slot: Int) throws {
    let property = descriptor.properties[slot]
    var cells = [slot]
    if case .attribute(.composite) = property.form { cells = Array(property.leafCells) }
    let isFileMissing = changedValue(slot) == nil && rowCells.reader?.isExternal(slot) == true
    if !isFileMissing, cells.allSatisfy({ value($0).stored.isNull }) { return }
    throw SwiftDataError.storeReadFailure.with(
      isFileMissing
        ? "The file that has the value is missing or can't be read. Restore it, or set the property "
          + "and save."
        : "The stored value does not have the type \(property.valueType). Set the property to a "
          + "valid value and save, or correct the value in the store.",
      doing: "encoding a snapshot", entity: descriptor.entityName, property: property.name)
  }

  /// The value of an attribute as its declared type; nil for null.
  private func attributeValue(_ slot: Int) -> (any Encodable)? {
    let property = descriptor.properties[slot]
    guard let type = property.valueType as? any Decodable.Type else { return nil }
    switch property.form {
    case .attribute(.composite(let leaves)):
      let values = property.leafCells.map { value($0).stored }
      if property.isOptional, values.allSatisfy(\.isNull) { return nil }
      return ValueDecoding.completedComposite(type, leaves: leaves, values: values)
        as? any Encodable
    case .attribute(.encoded):
      guard case .blob(let data) = value(slot) else { return nil }
      return ValueDecoding.encoded(type, bytes: data) as? any Encodable
    case .attribute(.rawValue(let scalar)):
      return ValueDecoding.scalar(scalar.swiftType, value(slot).stored)
        as? any Encodable
    case .attribute(.scalar):
      return ValueDecoding.scalar(type, value(slot).stored) as? any Encodable
    case .toOne, .toMany, .transformable: return nil
    }
  }

  /// A composite or encoded value, as it is kept in a slot of a model.
  func decodedValue(_ slot: Int) -> _SlotValue? {
    switch descriptor.properties[slot].form {
    case .toMany, .toOne: return nil
    case .transformable: return transformedValue(slot)
    case .attribute:
      guard let value = attributeValue(slot) else { return .null }
      func box<V: Encodable>(_ value: V) -> _SlotValue { _SlotValue.boxing(value) }
      return box(value)
    }
  }
}

extension DefaultSnapshot {
  /// A transformed value, as it is kept in a slot of a model; `.null` if its transformer rejects
  /// it.
  private func transformedValue(_ slot: Int) -> _SlotValue? {
    guard case .blob(let bytes) = value(slot) else { return .null }
    let property = descriptor.properties[slot]
    func read<V>(_ type: V.Type) -> _SlotValue? {
      ValueDecoding.transformed(type, property: property, bytes: bytes)
        .map { _SlotValue.boxing($0) }
    }
    return _openExistential(property.valueType, do: read) ?? .null
  }
}
