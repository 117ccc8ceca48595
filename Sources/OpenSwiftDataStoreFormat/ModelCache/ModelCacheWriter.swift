import Foundation

/// Archives a description with the classes and fields that Apple's framework uses for SwiftData
/// models. Each entity has separate objects for its inherited properties.
struct ModelCacheWriter {
  private typealias Reference = KeyedArchiveWriter.Reference
  private typealias Fields = [String: PropertyList]

  private let model: ModelDescription
  private var writer = KeyedArchiveWriter()
  private let root: Reference
  private var entities: [String: Reference] = [:]
  /// By the names of entity and property: `Trip.name`.
  private var properties: [String: Reference] = [:]

  private static let mutableArray = ["NSMutableArray", "NSArray"]

  init(_ model: ModelDescription) {
    self.model = model
    root = writer.reserve()
  }

  mutating func archive() throws(FormatError) -> Data {
    for entity in model.entities {
      entities[entity.name] = writer.reserve()
      for property in model.properties(of: entity.name) {
        properties["\(entity.name).\(property.name)"] = writer.reserve()
      }
    }
    let userInfo = writer.dictionary([])
    for entity in model.entities { describe(entity, userInfo: userInfo) }
    let all = model.entities.compactMap { entities[$0.name] }
    let versions = strings(model.versionIdentifiers)
    let configuration = writer.collection(all, ["NSSet"])
    let configurations = writer.dictionary(
      [(key: writer.string("default"), value: configuration)], isMutable: true)
    writer.describe(
      root, as: ["NSManagedObjectModel"],
      [
        "NSEntities": knownKeys(all).field, "NSFetchRequestTemplates": Reference.null.field,
        "NSVersionIdentifiers": writer.collection(versions, ["NSSet"]).field,
        "NSConfigurations": configurations.field,
      ])
    return try writer.data(root: root)
  }

  /// A dictionary from entity names to `values`.
  private mutating func knownKeys(_ values: [Reference]) -> Reference {
    let keys = writer.collection(strings(model.entities.map(\.name)))
    let mapping = writer.object(
      ["NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy"],
      [
        "length": .integer(Int64(values.count)), "keys": keys.field, "version": .integer(1),
      ])
    let values = writer.collection(values)
    return writer.object(
      [
        "NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary",
      ],
      [
        "values": values.field, "searchMapping": mapping.field, "version": .integer(1),
        "emptyToken": writer.string("__empty_slot_token_4c24_98dc_ac1e_b773__").field,
      ])
  }

  private mutating func strings(_ texts: [String]) -> [Reference] {
    var references: [Reference] = []
    for text in texts { references.append(writer.string(text)) }
    return references
  }

  // MARK: Entities

  private mutating func describe(_ entity: EntityDescription, userInfo: Reference) {
    guard let reference = entities[entity.name] else { return }
    var fields: Fields = [
      "NSEntityName": writer.string(entity.name).field,
      "NSClassNameForEntity": writer.string(entity.className).field,
      "NSManagedObjectModel": root.field,
      "NSRenamingIdentifier": writer.string(entity.renamingIdentifier ?? entity.name).field,
      "NSVersionHashModifier": writer.string(entity.versionHashModifier).field,
      "NSUserInfo": userInfo.field,
      "NSSuperentity": (entity.superName.flatMap { entities[$0] } ?? .null).field,
      "NSSubentities": named(model.children(of: entity.name).map(\.name)).field,
    ]
    var objects: [(key: Reference, value: Reference)] = []
    for property in model.properties(of: entity.name) {
      guard let object = properties["\(entity.name).\(property.name)"] else { continue }
      describe(property, at: object, of: reference)
      objects.append((key: writer.string(property.name), value: object))
    }
    fields["NSProperties"] = writer.dictionary(objects, isMutable: true).field
    if entity.isAbstract { fields["NSIsAbstract"] = .bool(true) }
    if !entity.uniqueConstraints.isEmpty {
      var tuples: [Reference] = []
      for names in entity.uniqueConstraints {
        tuples.append(writer.collection(strings(names), Self.mutableArray))
      }
      fields["NSUniqueTuples"] = writer.collection(tuples, Self.mutableArray).field
    }
    if !entity.indexes.isEmpty {
      var indexes: [Reference] = []
      for index in entity.indexes { indexes.append(self.index(index, of: reference)) }
      fields["NSFetchIndexDescriptions"] = writer.collection(indexes, Self.mutableArray).field
      fields["NSCompoundIndexes"] = writer.collection([], Self.mutableArray).field
    }
    writer.describe(reference, as: ["NSEntityDescription"], fields)
  }

  private mutating func named(_ names: [String]) -> Reference {
    var entries: [(key: Reference, value: Reference)] = []
    for name in names {
      guard let entity = entities[name] else { continue }
      entries.append((key: writer.string(name), value: entity))
    }
    return writer.dictionary(entries, isMutable: true)
  }

  private mutating func index(
    _ index: IndexDescription, of entity: Reference
  ) -> Reference {
    let reference = writer.reserve()
    var elements: [Reference] = []
    for element in index.elements {
      elements.append(
        writer.object(
          ["NSFetchIndexElementDescription"],
          [
            "NSPropertyName": writer.string(element.property).field,
            "NSFetchIndexElementType": .integer(index.isSpatial ? 1 : 0),
            "NSFetchIndexDescription": reference.field,
            "NSAscending": .bool(element.isAscending),
          ]))
    }
    writer.describe(
      reference, as: ["NSFetchIndexDescription"],
      [
        "NSIndexName": writer.string(index.name).field,
        "NSPartialIndexPredicate": Reference.null.field,
        "NSIndexElements": writer.collection(elements).field, "NSEntity": entity.field,
      ])
    return reference
  }

  // MARK: Properties

  private mutating func describe(
    _ property: PropertyDescription, at reference: Reference, of entity: Reference
  ) {
    switch property {
    case .attribute(let attribute): describe(attribute, at: reference, of: entity)
    case .relationship(let relationship): describe(relationship, at: reference, of: entity)
    case .fetched(let name):
      writer.describe(
        reference, as: ["NSFetchedPropertyDescription", "NSPropertyDescription"],
        self.fields(
          name: name, entity: entity, renamed: nil, isOptional: true, isReadOnly: true,
          isTransient: true))
    }
  }

  private mutating func fields(
    name: String, entity: Reference, renamed: String?, modifier: String? = nil,
    isOptional: Bool, isReadOnly: Bool = false, isTransient: Bool, hasUserInfo: Bool = false
  ) -> Fields {
    var flags = PropertyFlags.plain
    var fields: Fields = [
      "NSPropertyName": writer.string(name).field, "NSEntity": entity.field,
      "NSRenamingIdentifier": writer.string(renamed ?? name).field,
    ]
    if let modifier { fields["NSVersionHashModifier"] = writer.string(modifier).field }
    if isOptional {
      fields["NSIsOptional"] = .bool(true)
      flags |= PropertyFlags.optional
    }
    if isReadOnly {
      fields["NSIsReadOnly"] = .bool(true)
      flags |= PropertyFlags.readOnly
    }
    if isTransient {
      fields["NSIsTransient"] = .bool(true)
      flags |= PropertyFlags.transient
    }
    if hasUserInfo { flags &= ~PropertyFlags.noUserInfo }
    fields["_P"] = .integer(flags)
    return fields
  }

  private mutating func describe(
    _ relationship: RelationshipDescription, at reference: Reference, of entity: Reference
  ) {
    var fields = fields(
      name: relationship.name, entity: entity, renamed: relationship.renamingIdentifier,
      modifier: relationship.versionHashModifier, isOptional: relationship.isOptional,
      isTransient: relationship.isTransient)
    let inverse = relationship.inverse.flatMap {
      properties["\(relationship.destination).\($0)"]
    }
    fields["NSDestinationEntity"] = (entities[relationship.destination] ?? .null).field
    fields["_NSDestinationEntityName"] = writer.string(relationship.destination).field
    fields["NSInverseRelationship"] = (inverse ?? .null).field
    fields["_NSInverseRelationshipName"] = writer.string(relationship.inverse).field
    fields["NSDeleteRule"] = .integer(Int64(relationship.deleteRule.rawValue))
    fields["NSMinCount"] = .integer(Int64(relationship.minimumCount))
    fields["NSMaxCount"] = .integer(Int64(relationship.maximumCount))
    writer.describe(
      reference, as: ["NSRelationshipDescription", "NSPropertyDescription"], fields)
  }

  private mutating func describe(
    _ attribute: AttributeDescription, at reference: Reference, of entity: Reference
  ) {
    let userInfo = self.userInfo(of: attribute)
    var fields = fields(
      name: attribute.name, entity: entity, renamed: attribute.renamingIdentifier,
      modifier: attribute.versionHashModifier, isOptional: attribute.isOptional,
      isReadOnly: attribute.isDerived, isTransient: attribute.isTransient,
      hasUserInfo: userInfo != nil)
    if let userInfo { fields["NSUserInfo"] = userInfo.field }
    if attribute.isIndexed { fields["NSIsIndexed"] = .bool(true) }
    fields["NSAttributeType"] = .integer(Int64(attribute.type.rawValue))
    let className = attribute.valueClassName ?? attribute.type.valueClassName
    fields["NSAttributeValueClassName"] = writer.string(className).field
    fields["NSValueTransformerName"] = writer.string(attribute.transformerName).field
    fields["NSDefaultValue"] = (attribute.defaultValue.map { writer.value($0) } ?? .null).field
    fields["NSFlagsKey"] = .integer(
      attribute.preservesValueOnDeletion ? AttributeFlags.preservesValueOnDeletion : 0)
    var classNames = ["NSAttributeDescription", "NSPropertyDescription"]
    if attribute.isDerived { classNames.insert("NSDerivedAttributeDescription", at: 0) }
    if attribute.type == .composite {
      classNames.insert("NSCompositeAttributeDescription", at: 0)
      var elements: [Reference] = []
      for element in attribute.elements {
        let part = writer.reserve()
        describe(element, at: part, of: entity)
        elements.append(part)
      }
      fields["NSCompositeElements"] = writer.collection(elements, Self.mutableArray).field
    }
    writer.describe(reference, as: classNames, fields)
  }

  private mutating func userInfo(of attribute: AttributeDescription) -> Reference? {
    guard attribute.isEnumeration else { return nil }
    var entries: [(key: Reference, value: Reference)] = []
    if let cases = attribute.enumerationCases {
      entries.append((key: writer.string("enum"), value: writer.collection(strings(cases))))
    }
    entries.append((key: writer.string("EnumType"), value: writer.plain(.bool(true))))
    return writer.dictionary(entries)
  }
}
