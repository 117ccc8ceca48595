import OpenSwiftDataStoreFormat

/// One `@Model` class.
struct ModelClass {
  private let entity: EntityDescription
  private let model: ModelDescription
  private let properties: [ClassProperty]
  private let inherited: [ClassProperty]
  private let hasSubclasses: Bool

  /// The class that leaves transformed values as the bytes that are stored.
  static let transformer = "StoredBytesTransformer"

  init(_ entity: EntityDescription, in model: ModelDescription) {
    self.entity = entity
    self.model = model
    hasSubclasses = !model.children(of: entity.name).isEmpty
    properties = ModelClass.properties(of: entity, in: model)
    inherited = model.lineage(of: entity.name).dropFirst().reversed().flatMap {
      ModelClass.properties(of: $0, in: model)
    }
  }

  private static func properties(
    of entity: EntityDescription, in model: ModelDescription
  ) -> [ClassProperty] {
    entity.properties.compactMap { ClassProperty($0, of: entity, in: model) }
  }

  var needsTransformer: Bool { properties.contains(where: \.isStoredBytes) }

  func write(to writer: inout SourceWriter) {
    if entity.isAbstract {
      writer.line("/// Abstract in the file: it has rows of subclasses only.")
    }
    writer.line("@Model")
    let superclass = entity.superName.map { ": \($0.swiftName)" } ?? ""
    writer.open("\(hasSubclasses ? "" : "final ")class \(entity.name.swiftName)\(superclass) {")
    let indexes = entity.indexes.filter { !$0.isSpatial }.map { $0.elements.map(\.property) }
    write("#Unique", entity.uniqueConstraints, to: &writer)
    write("#Index", indexes, to: &writer)
    if !(entity.uniqueConstraints + indexes).isEmpty { writer.line() }
    for property in properties { property.write(to: &writer) }
    writeInitializer(to: &writer)
    for type in properties.compactMap(\.type) {
      writer.line()
      type.write(to: &writer)
    }
    writer.close()
  }

  private func write(_ macro: String, _ groups: [[String]], to writer: inout SourceWriter) {
    if groups.isEmpty { return }
    let lists = groups.map { names in
      "[" + names.map { "\\.\($0.swiftName)" }.joined(separator: ", ") + "]"
    }
    writer.list("\(macro)<\(entity.name.swiftName)>(", lists, ")")
  }

  private func writeInitializer(to writer: inout SourceWriter) {
    let (own, above) = (properties.filter(\.isParameter), inherited.filter(\.isParameter))
    let parameters = (above + own).map { "\($0.name.swiftName): \($0.typeName)" }
    if !properties.isEmpty { writer.line() }
    // Without parameters of its own the initialiser is that of the superclass.
    let isOverride = entity.superName != nil && own.isEmpty
    writer.list(
      "\(isOverride ? "override " : "")init(", parameters, ") {", opensBlock: true)
    for property in own {
      writer.line("self.\(property.name) = \(property.name.swiftName)")
    }
    if entity.superName != nil {
      let arguments = above.map { "\($0.name): \($0.name.swiftName)" }
      writer.list("super.init(", arguments, ")")
    }
    writer.close()
  }

  static func writeTransformer(to writer: inout SourceWriter) {
    writer.line("/// Leaves transformed values as the bytes that are stored.")
    writer.open("final class \(transformer): ValueTransformer {")
    writer.line("override func transformedValue(_ value: Any?) -> Any? { value }")
    writer.line()
    writer.line("override func reverseTransformedValue(_ value: Any?) -> Any? { value }")
    writer.close()
  }
}
