import OpenSwiftDataStoreFormat

/// One property of a model class.
struct ClassProperty {
  let name: String
  /// The type, including `?`.
  let typeName: String
  /// The type that the class declares for the property.
  let type: ValueType?
  /// The attribute of the declaration, and its arguments.
  private let attribute: String
  private let options: [String]
  private let initialValue: String?
  private let comment: String?

  /// Whether the value is the stored bytes of a transformed value.
  let isStoredBytes: Bool

  /// - Returns: `nil` for properties without a column: transient attributes, fetched properties.
  /// - Parameter taken: Names that a declared type must not have.
  init?(
    _ property: PropertyDescription, of entity: EntityDescription, in source: SourceModel,
    taken: Set<String>
  ) {
    switch property {
    case .attribute(let attribute):
      if attribute.isTransient { return nil }
      self.init(
        attribute, in: source, taken: taken,
        storage: source.external[.init(entity: entity.name, property: attribute.name, part: .value)]
      )
    case .relationship(let relationship):
      // A file may contain only some of the app's entities.
      if relationship.isTransient || source.model[relationship.destination] == nil { return nil }
      self.init(relationship, of: entity, in: source)
    case .fetched: return nil
    }
  }

  private init(
    _ attribute: AttributeDescription, in source: SourceModel, taken: Set<String>,
    storage: ExternalColumn?
  ) {
    name = attribute.name
    let hasBytes = attribute.type == .binary || attribute.type == .transformable
    // The metadata also name texts.
    let storage = hasBytes || storage == .certain ? storage : nil
    let value = ValueShape(attribute, in: source, taken: taken)
    typeName = value.name + (attribute.isOptional ? "?" : "")
    type = value.declaration
    isStoredBytes = value.isStoredBytes
    var options: [String] = []
    if attribute.preservesValueOnDeletion { options.append(".preserveValueOnDeletion") }
    if storage == .certain { options.append(".externalStorage") }
    if isStoredBytes { options.append(".transformable(by: \(ModelClass.transformer).self)") }
    if let before = attribute.renamingIdentifier, before != attribute.name {
      options.append("originalName: \(before.swiftLiteral)")
    }
    self.attribute = "@\(source.name("Attribute", of: "SwiftData"))("
    self.options = options
    initialValue = attribute.defaultValue.flatMap { ClassProperty.literal($0, attribute.type) }
    comment =
      attribute.isDerived
      ? "Computed by Apple's framework; setting it has no effect there."
      : value.comment
        ?? (storage == .possible
          ? "Every value begins with the byte 1: the attribute may have .externalStorage." : nil)
  }

  private init(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    in source: SourceModel
  ) {
    name = relationship.name
    type = nil
    isStoredBytes = false
    let destination = relationship.destination.swiftName
    typeName =
      (relationship.isToMany ? "[\(destination)]" : destination)
      + (relationship.isOptional ? "?" : "")
    initialValue = relationship.isToMany && !relationship.isOptional ? "[]" : nil
    comment = relationship.isOrdered ? "Ordered in the file; the order is not read." : nil
    var options: [String] = []
    if relationship.deleteRule != .nullify {
      options.append("deleteRule: .\(relationship.deleteRule)")
    }
    if relationship.isToMany, relationship.minimumCount > 0 {
      options.append("minimumModelCount: \(relationship.minimumCount)")
    }
    if relationship.isToMany, relationship.maximumCount > 1 {
      options.append("maximumModelCount: \(relationship.maximumCount)")
    }
    if let before = relationship.renamingIdentifier, before != relationship.name {
      options.append("originalName: \(before.swiftLiteral)")
    }
    if let inverse = ClassProperty.inverse(of: relationship, entity, source.model) {
      options.append("inverse: \\\(inverse)")
    }
    attribute = "@\(source.name("Relationship", of: "SwiftData"))("
    self.options = options
  }

  /// Only one side names its inverse: the first one in the order of entity and property names.
  private static func inverse(
    of relationship: RelationshipDescription, _ entity: EntityDescription,
    _ model: ModelDescription
  ) -> String? {
    guard let inverse = relationship.inverse,
      let (other, _) = model.property(inverse, of: relationship.destination)
    else { return nil }
    let (own, theirs) = ("\(entity.name).\(relationship.name)", "\(other.name).\(inverse)")
    return own.precedes(theirs) ? "\(other.name.swiftName).\(inverse.swiftName)" : nil
  }

  /// Whether the initialiser needs a parameter for it.
  var isParameter: Bool { initialValue == nil && !typeName.hasSuffix("?") }

  func write(to writer: inout SourceWriter) {
    if let comment { writer.line("/// \(comment.singleLine)") }
    if !options.isEmpty { writer.list(attribute, options, ")") }
    writer.line("var \(name.swiftName): \(typeName)" + (initialValue.map { " = \($0)" } ?? ""))
  }

  private static func literal(_ value: ModelValue, _ type: AttributeType) -> String? {
    switch (type, value) {
    case (.boolean, .bool(let value)): "\(value)"
    case (.boolean, .integer(let value)): "\(value != 0)"
    case (.integer16, .integer(let value)): Int16(exactly: value).map(\.description)
    case (.integer32, .integer(let value)): Int32(exactly: value).map(\.description)
    case (.integer64, .integer(let value)), (.double, .integer(let value)),
      (.float, .integer(let value)):
      "\(value)"
    case (.double, .real(let value)), (.float, .real(let value)):
      value.isFinite ? "\(value)" : nil
    case (.string, .string(let text)): text.swiftLiteral
    default: nil
    }
  }
}
