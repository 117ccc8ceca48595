import Foundation
package import OpenSwiftDataStoreFormat

/// Makes the description of a schema of model classes for a store file.
extension ModelDescription {
  /// - Parameters:
  ///   - schema: The validated schema.
  ///   - descriptors: The descriptors of its classes by entity name.
  package init(_ schema: Schema, descriptors: [String: _ModelDescriptor]) {
    let entities = schema.entities.compactMap { entity in
      descriptors[entity.name].map { EntityDescription(entity, $0, in: schema) }
    }
    self.init(entities: entities, versionIdentifiers: ["\(schema.version)"])
  }
}

extension EntityDescription {
  fileprivate init(_ entity: Schema.Entity, _ descriptor: _ModelDescriptor, in schema: Schema) {
    let superName = entity.superentityName.flatMap { schema.entitiesByName[$0]?.name }
    let parent = superName.flatMap { schema.entitiesByName[$0]?.modelType?._$descriptor }
    let own = descriptor.properties.dropFirst(parent?.properties.count ?? 0)
    let plain = entity.indices.map { names in
      IndexDescription(
        name: "SwiftDataIndexOnBinary\(names.joined())", elements: names.map { .init($0) })
    }
    let spatial = descriptor.spatialIndices
      .filter { !(parent?.spatialIndices.contains($0) ?? false) }
      .map { names in
        IndexDescription(
          name: "SwiftDataIndexOnRTree\(names.joined())", elements: names.map { .init($0) },
          isSpatial: true)
      }
    let indexed = Set((plain + spatial).flatMap(\.elements).map(\.property))
    let properties = own.map { property in
      PropertyDescription(property, entity, isIndexed: indexed.contains(property.name))
    }
    self.init(
      name: entity.name, superName: superName, properties: properties,
      uniqueConstraints: entity.uniquenessConstraints, indexes: plain + spatial,
      renamingIdentifier: descriptor.originalName ?? entity.name)
  }
}

extension PropertyDescription {
  fileprivate init(_ property: ModelProperty, _ entity: Schema.Entity, isIndexed: Bool) {
    if property.destination != nil,
      let relationship = entity.property(named: property.name) as? Schema.Relationship
    {
      self = .relationship(RelationshipDescription(property, relationship))
    } else {
      self = .attribute(
        AttributeDescription(
          property, entity.property(named: property.name) as? Schema.Attribute,
          isIndexed: isIndexed))
    }
  }
}

extension RelationshipDescription {
  fileprivate init(_ property: ModelProperty, _ relationship: Schema.Relationship) {
    self.init(
      name: property.name, destination: relationship.destination,
      inverse: relationship.inverseName, isOptional: relationship.isOptional,
      minimumCount: relationship.minimumModelCount ?? 0,
      maximumCount: property.isToOne ? 1 : relationship.maximumModelCount ?? 0,
      deleteRule: DeleteRule(relationship.deleteRule))
    // An array of at most one member is to-many, but the format uses a maximum of 1 for to-one
    // relationships.
    if property.isToMany, maximumCount == 1 { maximumCount = 0 }
    renamingIdentifier = relationship.originalName
    versionHashModifier = relationship.hashModifier
  }
}

extension RelationshipDescription.DeleteRule {
  fileprivate init(_ rule: Schema.Relationship.DeleteRule) {
    switch rule {
    case .noAction: self = .noAction
    case .nullify: self = .nullify
    case .cascade: self = .cascade
    case .deny: self = .deny
    }
  }
}

extension AttributeDescription {
  fileprivate init(
    _ property: ModelProperty, _ attribute: Schema.Attribute?, isIndexed: Bool
  ) {
    switch property.form {
    case .attribute(.composite(let leaves)):
      self.init(name: property.name, type: .composite, isOptional: property.isOptional)
      elements = AttributeDescription.elements(
        leaves.map { ($0.path[...], $0) }, isOptional: property.isOptional)
      describe(property.valueType)
    case .attribute(.rawValue(let type)):
      self.init(name: property.name, type: .composite, isOptional: property.isOptional)
      // The leaf of an enum is always optional.
      var leaf = AttributeDescription(
        name: property.name, type: AttributeType(type), isOptional: true)
      leaf.complete()
      elements = [leaf]
      isEnumeration = TypeReflection.kind(of: property.valueType) == .enumeration
    case .attribute(.scalar(let type)):
      self.init(
        name: property.name, type: AttributeType(type), isOptional: property.isOptional)
    case .attribute(.encoded), .transformable, .toOne, .toMany:
      self.init(name: property.name, type: .transformable, isOptional: property.isOptional)
      valueClassName = "\(property.valueType)"
      transformerName = attribute?.transformerName ?? "NSSecureUnarchiveFromData"
    }
    complete()
    self.isIndexed = isIndexed
    isTransient = property.isEphemeral
    preservesValueOnDeletion = attribute?.options.contains(.preserveValueOnDeletion) ?? false
    renamingIdentifier = attribute?.originalName ?? property.name
    versionHashModifier = attribute?.hashModifier
    defaultValue = archivedDefault(of: property)
  }

  /// The default value in the form that Apple's framework uses: a composite as values by the names
  /// of its leaves, an array as an array.
  private func archivedDefault(of property: ModelProperty) -> ModelValue? {
    guard let value = property.defaultValue else { return nil }
    switch property.form {
    case .attribute(.composite(let parts)):
      guard let value = value as? any Encodable,
        let values = try? CompositeCoding.flatten(value, leaves: parts, isOptional: true)
      else { return nil }
      return archivedParts(Array(zip(parts.map { $0.path[...] }, values)), elements)
    case .attribute(.rawValue):
      guard let value = value as? any RawRepresentable,
        let stored = (value.rawValue as? any ScalarCoding)?.storedValue
      else { return nil }
      return archivedParts([([name], stored)], elements)
    case .attribute(.encoded), .transformable, .toOne, .toMany:
      if let texts = value as? [String] { return .array(texts.map { .string($0) }) }
      if let data = value as? [Data] { return .array(data.map { .data($0) }) }
      return nil
    case .attribute(.scalar): return ModelValue(value, type)
    }
  }

  /// - Returns: `nil` if no leaf has a value.
  private func archivedParts(
    _ parts: [(path: ArraySlice<String>, value: _StoredValue)], _ elements: [AttributeDescription]
  ) -> ModelValue? {
    var found: [String: ModelValue] = [:]
    for element in elements {
      let own = parts.filter { $0.path.first == element.name }
      if element.type == .composite {
        found[element.name] = archivedParts(
          own.map { ($0.path.dropFirst(), $0.value) }, element.elements)
      } else if let value = own.first?.value {
        found[element.name] = ModelValue(stored: value, element.type)
      }
    }
    return found.isEmpty ? nil : .dictionary(found)
  }

  private mutating func complete() {
    renamingIdentifier = name
    valueClassName = valueClassName ?? type.valueClassName
  }

  /// Adds what the columns of a composite do not show: which parts are enums, and which are
  /// optional.
  private mutating func describe(_ valueType: any Any.Type) {
    guard type == .composite else { return }
    if let cases = TypeReflection.cases(of: valueType) {
      isEnumeration = true
      enumerationCases = cases.filter(\.payload.isEmpty).map(\.name)
      for index in elements.indices {
        guard let found = cases.first(where: { $0.name == elements[index].name }) else { continue }
        elements[index].isOptional = true
        // In the order of the associated values.
        for (part, payload) in zip(elements[index].elements.indices, found.payload) {
          elements[index].elements[part].describe(unwrappedType(of: payload) ?? payload)
        }
      }
    } else {
      let fields = TypeReflection.fields(of: valueType)
      for index in elements.indices where elements[index].type == .composite {
        // The storage of a property wrapper has an underscore before its name.
        let names = [elements[index].name, "_" + elements[index].name]
        guard let field = fields.first(where: { names.contains($0.name) }) else { continue }
        let wrapped = unwrappedType(of: field.type)
        elements[index].isOptional = wrapped != nil
        elements[index].describe(wrapped ?? field.type)
      }
    }
  }

  /// The parts of a composite, in the order of their leaves.
  private static func elements(
    _ leaves: [(path: ArraySlice<String>, leaf: CompositeLeaf)], isOptional: Bool
  ) -> [AttributeDescription] {
    var names: [String] = []
    var groups: [String: [(path: ArraySlice<String>, leaf: CompositeLeaf)]] = [:]
    for (path, leaf) in leaves {
      guard let name = path.first else { continue }
      if groups[name] == nil { names.append(name) }
      groups[name, default: []].append((path.dropFirst(), leaf))
    }
    return names.map { name in
      let group = groups[name] ?? []
      if group.count == 1, let only = group.first, only.path.isEmpty {
        return element(name, only.leaf, isOptional: isOptional)
      }
      let isOptional = isOptional || group.allSatisfy(\.leaf.isOptional)
      var composite = AttributeDescription(name: name, type: .composite, isOptional: isOptional)
      composite.complete()
      composite.elements = elements(group, isOptional: isOptional)
      return composite
    }
  }

  private static func element(
    _ name: String, _ leaf: CompositeLeaf, isOptional: Bool
  ) -> AttributeDescription {
    let type: AttributeType =
      switch leaf.form {
      case .scalar(let type), .rawValue(let type): AttributeType(type)
      case .enumCase: .string
      case .encoded: .binary
      }
    var element = AttributeDescription(
      name: name, type: type, isOptional: isOptional || leaf.isOptional || leaf.form == .enumCase)
    element.complete()
    return element
  }
}

extension AttributeType {
  /// The smallest attribute type that holds all values of the Swift type; unsigned 64-bit integers
  /// are stored as bit patterns.
  init(_ type: ScalarType) {
    switch type {
    case .int8, .int16, .uint8: self = .integer16
    case .int32, .uint16: self = .integer32
    case .int, .int64, .uint, .uint32, .uint64: self = .integer64
    case .bool: self = .boolean
    case .double: self = .double
    case .float: self = .float
    case .string: self = .string
    case .date: self = .date
    case .uuid: self = .uuid
    case .data: self = .binary
    case .url: self = .uri
    case .decimal: self = .decimal
    }
  }
}

extension ModelValue {
  /// The default value of a declaration; `nil` if a file cannot store it.
  fileprivate init?(_ value: Any?, _ type: AttributeType) {
    guard let value = value as? any ScalarCoding else { return nil }
    if type == .decimal {
      self = .decimal("\(value)")
    } else if type == .uuid, let uuid = value as? UUID {
      self = .uuid(uuid)
    } else {
      self.init(stored: value.storedValue, type)
    }
  }

  /// Converts the value of a column.
  fileprivate init?(stored: _StoredValue, _ type: AttributeType) {
    switch (type, stored) {
    case (.boolean, .integer(let number)): self = .bool(number != 0)
    case (.integer16, .integer(let number)), (.integer32, .integer(let number)),
      (.integer64, .integer(let number)):
      self = .integer(number)
    case (.double, .real(let number)), (.float, .real(let number)): self = .real(number)
    case (.date, .real(let seconds)): self = .date(seconds)
    case (.string, .text(let text)): self = .string(text)
    case (.uri, .text(let text)): self = .url(text)
    case (.decimal, .integer(let number)): self = .decimal(String(number))
    case (.decimal, .real(let number)): self = .decimal("\(number)")
    case (.decimal, .text(let text)): self = .decimal(text)
    case (.binary, .blob(let data)): self = .data(data)
    case (.uuid, .blob(let bytes)) where bytes.count == 16:
      self = .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    default: return nil
    }
  }
}
