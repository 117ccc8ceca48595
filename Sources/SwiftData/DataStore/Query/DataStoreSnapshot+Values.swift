import OpenSwiftDataRowStorage

extension DataStoreSnapshot {
  /// The values of the properties by name, as plain data.
  ///
  /// A to-one relationship has an identifier or `null`, a to-many relationship a list of identifiers.
  /// A relationship that the snapshot does not know has no entry, for example a list whose other
  /// side the store keeps.
  ///
  /// ```swift
  /// for snapshot in request.inserted {
  ///   let values = try snapshot.values()
  ///   try send(values, to: snapshot.persistentIdentifier.entityName)
  /// }
  /// ```
  ///
  /// Not in Apple's framework.
  /// - Returns: A value for each property that the snapshot knows.
  /// - Throws: Errors of the snapshot's `encode(to:)`, or of a value's.
  public func values() throws -> [String: DataStoreValue] {
    let node = EncodedValue.Node()
    try encode(to: SnapshotEncoder(node: node))
    var values = try (node.keyed ?? [:]).mapValues { try DataStoreValue.form(of: $0) }
    values[DataStoreSnapshotCodingKey.persistentIdentifier.stringValue] = nil
    if let snapshot = self as? DefaultSnapshot {
      for name in snapshot.emptyReferences { values[name] = .null }
      for name in snapshot.numbersWithoutValue { values[name] = .double(.nan) }
      // A store keeps no ephemeral property.
      for property in snapshot.descriptor.properties where property.isEphemeral {
        values[property.name] = nil
      }
    }
    return values
  }
}

extension DefaultSnapshot {
  /// The to-one relationships without a related model, which are not encoded.
  fileprivate var emptyReferences: [String] {
    descriptor.relationshipSlots.compactMap { slot in
      let property = descriptor.properties[slot]
      guard property.isToOne, case .null = value(slot) else { return nil }
      return property.name
    }
  }

  /// The required floating-point numbers that are null: SQLite stores a NaN as null.
  fileprivate var numbersWithoutValue: [String] {
    descriptor.properties.enumerated().compactMap { slot, property in
      guard case .attribute(.scalar(let type)) = property.form, !property.isOptional,
        type == .double || type == .float, case .null = value(slot)
      else { return nil }
      return property.name
    }
  }

  /// Creates a snapshot from plain values, as ``DataStoreSnapshot/values()`` returns them.
  ///
  /// ```swift
  /// let snapshot = try DefaultSnapshot(
  ///   persistentIdentifier: identifier, values: values, schema: schema)
  /// ```
  ///
  /// A missing attribute has its declared default value, else `nil`. A missing relationship is left
  /// to its other side. Not in Apple's framework.
  /// - Parameters:
  ///   - persistentIdentifier: The identifier of the row.
  ///   - values: The values by the names of the properties.
  ///   - schema: The schema of the store, which has the entity of the identifier.
  /// - Throws: `SwiftDataError.storeReadFailure`, with the entity and the property, for a value that
  ///   does not fit its property, for a name that the entity does not have, and for a required
  ///   attribute without a value. `SwiftDataError.unknownSchema` if the schema has no class for the
  ///   entity.
  public init(
    persistentIdentifier: PersistentIdentifier, values: [String: DataStoreValue], schema: Schema
  ) throws {
    let entity = persistentIdentifier.entityName
    guard let descriptor = schema.descriptor(named: entity) else {
      throw SwiftDataError.unknownSchema.with(
        "The schema has no class for the entity of the identifier. Use the schema of the store.",
        entity: entity)
    }
    let names = Set(descriptor.properties.map(\.name))
    if let unknown = values.keys.sorted().first(where: { !names.contains($0) }) {
      throw Self.unfit(
        "The entity has no property of this name. Leave out what is not in the schema.", entity,
        unknown)
    }
    let reading = try PlainValueReading(descriptor, values)
    reading.storage.identify(as: persistentIdentifier)
    let attributes = DefaultSnapshot(lenient: reading.storage)
    var cells =
      attributes.cells ?? ContiguousArray(repeating: .unset, count: descriptor.layout.kinds.count)
    for (slot, value) in reading.fixed { cells[slot] = value }
    self.init(
      persistentIdentifier: persistentIdentifier, descriptor: descriptor, page: nil, row: nil,
      cells: cells, toManys: reading.toManys, changedSlots: .all)
  }

  fileprivate static func unfit(
    _ detail: String, _ entity: String, _ property: String, _ cause: (any Error)? = nil
  ) -> SwiftDataError {
    .storeReadFailure.with(
      detail, doing: "reading plain values", entity: entity, property: property, underlying: cause)
  }
}

/// The plain values of a row, as the parts of a snapshot.
private struct PlainValueReading {
  let storage: _ModelStorage
  private(set) var fixed: [Int: _SlotValue] = [:]
  private(set) var toManys: [ToManySnapshot] = []

  init(_ descriptor: _ModelDescriptor, _ values: [String: DataStoreValue]) throws {
    storage = _ModelStorage(descriptor)
    for (slot, property) in descriptor.properties.enumerated() where !property.isEphemeral {
      do {
        try read(values[property.name], property, slot)
      } catch let error as Unfit {
        throw DefaultSnapshot.unfit(
          error.detail, descriptor.entityName, property.name, error.cause)
      }
    }
  }

  private struct Unfit: Error {
    let detail: String
    var cause: (any Error)?
  }

  private mutating func read(
    _ value: DataStoreValue?, _ property: ModelProperty, _ slot: Int
  ) throws {
    switch property.form {
    case .toOne:
      switch value {
      case .identifier(let identifier): fixed[slot] = .identifier(identifier)
      case .null: fixed[slot] = .null
      case nil: return
      default: throw Unfit(detail: "A to-one relationship is an identifier or null.")
      }
    case .toMany:
      guard let value else { return }
      let members = try members(value)
      toManys.append(ToManySnapshot(slot: slot, members: members, added: [], removed: []))
    case .transformable:
      switch value {
      case .data(let bytes): fixed[slot] = .blob(bytes)
      case .null, nil: fixed[slot] = .null
      default: throw Unfit(detail: "A transformed value is the data that its transformer makes.")
      }
    case .attribute: try readAttribute(value, property, slot)
    }
  }

  private func members(_ value: DataStoreValue) throws -> [PersistentIdentifier] {
    if value.isNull { return [] }
    let unfit = Unfit(detail: "A to-many relationship is a list of identifiers.")
    guard case .list(let elements) = value else { throw unfit }
    return try elements.map { element in
      guard case .identifier(let identifier) = element else { throw unfit }
      return identifier
    }
  }

  private func readAttribute(
    _ value: DataStoreValue?, _ property: ModelProperty, _ slot: Int
  ) throws {
    var value = value
    if value == nil, let declared = property.defaultValue {
      value = try DataStoreValue.form(ofAny: declared)
    }
    guard let value, !value.isNull else {
      guard property.isOptional else {
        throw Unfit(detail: "A required attribute has no value. Give it one, or make it optional.")
      }
      return storage.overlay(.null, at: slot)
    }
    guard let type = property.valueType as? any Decodable.Type else { return }
    do {
      storage.overlay(.attribute(try value.decoded(as: type)), at: slot)
    } catch {
      throw Unfit(detail: "The value does not have the type \(property.valueType).", cause: error)
    }
  }
}
