import Foundation

/// Makes a model description from an archived model.
struct ModelCacheReader {
  private typealias Object = KeyedArchive.Object

  private let archive: KeyedArchive
  /// Elements of composites can be shared, so a few bytes may expand without limit.
  private var remaining = 1 << 20

  init(_ archive: KeyedArchive) {
    self.archive = archive
  }

  mutating func model() throws(FormatError) -> ModelDescription {
    guard case .object(let root) = archive.root,
      archive.className(of: root) == "NSManagedObjectModel",
      let entries = archive.entries(of: archive[root, "NSEntities"])
    else { throw FormatError("The archive has no model.") }
    var entities: [EntityDescription] = []
    for entry in entries {
      guard case .object(let entity) = entry.value else { throw Self.incomplete }
      entities.append(try description(of: entity))
    }
    let versions = archive.elements(of: archive[root, "NSVersionIdentifiers"]) ?? []
    return ModelDescription(
      entities: entities,
      versionIdentifiers: versions.compactMap(archive.string).inCodePointOrder)
  }

  private static var incomplete: FormatError {
    FormatError("The archived model lacks a name or a type.")
  }

  private mutating func description(of entity: Object) throws(FormatError) -> EntityDescription {
    guard let name = text(entity, "NSEntityName") else { throw Self.incomplete }
    var superName: String?
    var inherited: Set<String> = []
    if case .object(let parent) = archive[entity, "NSSuperentity"] {
      superName = text(parent, "NSEntityName")
      inherited = Set(
        archive.entries(of: archive[parent, "NSProperties"])?.compactMap {
          archive.string($0.key)
        } ?? [])
    }
    var properties: [PropertyDescription] = []
    for entry in archive.entries(of: archive[entity, "NSProperties"]) ?? [] {
      guard case .object(let property) = entry.value else { throw Self.incomplete }
      let description = try self.description(ofProperty: property)
      if !inherited.contains(description.name) { properties.append(description) }
    }
    return EntityDescription(
      name: name, className: text(entity, "NSClassNameForEntity"),
      isAbstract: flag(entity, "NSIsAbstract"), superName: superName, properties: properties,
      uniqueConstraints: (archive.elements(of: archive[entity, "NSUniqueTuples"]) ?? []).map {
        (archive.elements(of: $0) ?? []).compactMap(archive.string)
      },
      indexes: try indexes(of: entity), renamingIdentifier: text(entity, "NSRenamingIdentifier"),
      versionHashModifier: text(entity, "NSVersionHashModifier"))
  }

  private mutating func description(
    ofProperty property: Object
  ) throws(FormatError) -> PropertyDescription {
    guard let name = text(property, "NSPropertyName") else { throw Self.incomplete }
    switch archive.className(of: property) {
    case "NSRelationshipDescription":
      return .relationship(try relationship(property, name: name))
    case "NSFetchedPropertyDescription": return .fetched(name: name)
    default: return .attribute(try attribute(property, depth: 0))
    }
  }

  private func relationship(
    _ property: Object, name: String
  ) throws(FormatError) -> RelationshipDescription {
    var destination = text(property, "_NSDestinationEntityName")
    if destination == nil, case .object(let entity) = archive[property, "NSDestinationEntity"] {
      destination = text(entity, "NSEntityName")
    }
    guard let destination else { throw Self.incomplete }
    let rule = number(property, "NSDeleteRule").flatMap(
      RelationshipDescription.DeleteRule.init(rawValue:))
    var description = RelationshipDescription(
      name: name, destination: destination, inverse: text(property, "_NSInverseRelationshipName"),
      isOptional: flag(property, "NSIsOptional"),
      minimumCount: number(property, "NSMinCount") ?? 0,
      maximumCount: number(property, "NSMaxCount") ?? 0, deleteRule: rule ?? .nullify)
    description.isTransient = flag(property, "NSIsTransient")
    description.renamingIdentifier = text(property, "NSRenamingIdentifier")
    description.versionHashModifier = text(property, "NSVersionHashModifier")
    return description
  }

  private mutating func attribute(
    _ property: Object, depth: Int
  ) throws(FormatError) -> AttributeDescription {
    remaining -= 1
    guard depth < 64, remaining > 0, let name = text(property, "NSPropertyName"),
      let type = number(property, "NSAttributeType").flatMap(AttributeType.init(rawValue:))
    else { throw Self.incomplete }
    var description = AttributeDescription(
      name: name, type: type, isOptional: flag(property, "NSIsOptional"))
    description.isTransient = flag(property, "NSIsTransient")
    description.isDerived = archive.className(of: property) == "NSDerivedAttributeDescription"
    description.isIndexed = flag(property, "NSIsIndexed")
    let flags = Int64(number(property, "NSFlagsKey") ?? 0)
    description.preservesValueOnDeletion = flags & AttributeFlags.preservesValueOnDeletion != 0
    description.valueClassName = text(property, "NSAttributeValueClassName")
    description.transformerName = text(property, "NSValueTransformerName")
    description.defaultValue = archive.modelValue(archive[property, "NSDefaultValue"])
    description.renamingIdentifier = text(property, "NSRenamingIdentifier")
    description.versionHashModifier = text(property, "NSVersionHashModifier")
    for element in archive.elements(of: archive[property, "NSCompositeElements"]) ?? [] {
      guard case .object(let element) = element else { throw Self.incomplete }
      description.elements.append(try attribute(element, depth: depth + 1))
    }
    for entry in archive.entries(of: archive[property, "NSUserInfo"]) ?? [] {
      switch archive.string(entry.key) {
      case "EnumType": description.isEnumeration = entry.value == .plain(.bool(true))
      case "enum":
        description.enumerationCases = (archive.elements(of: entry.value) ?? []).compactMap(
          archive.string)
      default: break
      }
    }
    return description
  }

  private func indexes(of entity: Object) throws(FormatError) -> [IndexDescription] {
    var indexes: [IndexDescription] = []
    for value in archive.elements(of: archive[entity, "NSFetchIndexDescriptions"]) ?? [] {
      guard case .object(let index) = value, let name = text(index, "NSIndexName") else {
        throw Self.incomplete
      }
      var elements: [IndexDescription.Element] = []
      var isSpatial = false
      for value in archive.elements(of: archive[index, "NSIndexElements"]) ?? [] {
        guard case .object(let element) = value, let property = text(element, "NSPropertyName")
        else { throw Self.incomplete }
        elements.append(.init(property, isAscending: flag(element, "NSAscending")))
        isSpatial = isSpatial || number(element, "NSFetchIndexElementType") == 1
      }
      indexes.append(IndexDescription(name: name, elements: elements, isSpatial: isSpatial))
    }
    return indexes
  }

  private func text(_ object: Object, _ key: String) -> String? {
    archive.string(archive[object, key])
  }

  private func flag(_ object: Object, _ key: String) -> Bool {
    switch archive[object, key] {
    case .plain(.bool(let flag)): flag
    case .plain(.integer(let number)): number != 0
    default: false
    }
  }

  /// Some models that were built in code have limits that are not integers.
  private func number(_ object: Object, _ key: String) -> Int? {
    switch archive[object, key] {
    case .plain(.integer(let number)): Int(exactly: number)
    case .plain(.real(let number)): Int(exactly: number.rounded())
    default: nil
    }
  }
}
