import OpenSwiftDataStoreFormat

struct ModelClass {
  private let entity: EntityDescription
  private let source: SourceModel
  private let properties: [ClassProperty]
  private let inherited: [ClassProperty]
  private let hasSubclasses: Bool

  /// A transformer that keeps transformed values as the stored bytes.
  static let transformer = "StoredBytesTransformer"

  init(_ entity: EntityDescription, in source: SourceModel) {
    self.entity = entity
    self.source = source
    let model = source.model
    hasSubclasses = !model.children(of: entity.name).isEmpty
    properties = ModelClass.properties(of: entity, in: source)
    inherited = model.lineage(of: entity.name).dropFirst().reversed().flatMap {
      ModelClass.properties(of: $0, in: source)
    }
  }

  private static func properties(
    of entity: EntityDescription, in source: SourceModel
  ) -> [ClassProperty] {
    // The types that one class declares need different names.
    var taken = source.names
    return entity.properties.compactMap { property in
      let made = ClassProperty(property, of: entity, in: source, taken: taken)
      if let type = made?.type { taken.insert(type.name) }
      return made
    }
  }

  var needsTransformer: Bool { properties.contains(where: \.isStoredBytes) }

  func write(to writer: inout SourceWriter) {
    if entity.isAbstract {
      writer.line("/// Abstract in the file: it has rows of subclasses only.")
    }
    writer.line("@\(source.name("Model", of: "SwiftData"))")
    let superclass = entity.superName.map { ": \($0.swiftName)" } ?? ""
    writer.open("\(hasSubclasses ? "" : "final ")class \(entity.name.swiftName)\(superclass) {")
    // Core Data also supports indexes on expressions.
    let indexes = entity.indexes.filter { !$0.isSpatial }.map { $0.elements.map(\.property) }
      .filter { $0.allSatisfy { source.isProperty($0, of: entity.name) } }
    let unique = entity.uniqueConstraints.filter { !isRefused($0) }
    for names in entity.uniqueConstraints where isRefused(names) {
      writer.line(
        "// Unique among these models in the file: \(names.joined(separator: ", ")). #Unique of a subclass needs one "
          + "of its own properties.")
    }
    write("#Unique", unique, to: &writer)
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

  /// Whether a unique constraint names inherited properties only, and no superclass has it.
  private func isRefused(_ constraint: [String]) -> Bool {
    let ancestors = source.model.lineage(of: entity.name).dropFirst()
    return constraint.allSatisfy { path in
      let name = String(path.prefix { $0 != "." })
      return ancestors.contains { $0[name] != nil }
    } && !ancestors.contains { $0.uniqueConstraints.contains(constraint) }
  }

  private func write(_ macro: String, _ groups: [[String]], to writer: inout SourceWriter) {
    if groups.isEmpty { return }
    let lists = groups.map { names in
      "[" + names.map { "\\.\($0.swiftPath)" }.joined(separator: ", ") + "]"
    }
    writer.list("\(macro)<\(entity.name.swiftName)>(", lists, ")")
  }

  private func writeInitializer(to writer: inout SourceWriter) {
    let (own, above) = (properties.filter(\.isParameter), inherited.filter(\.isParameter))
    let parameters = (above + own).map { "\($0.name.swiftName): \($0.typeName)" }
    if !properties.isEmpty { writer.line() }
    // Without additional parameters the initialiser overrides the superclass' initialiser.
    let isOverride = entity.superName != nil && own.isEmpty
    writer.list(
      "\(isOverride ? "override " : "")init(", parameters, ") {", opensBlock: true)
    for property in own {
      writer.line("self.\(property.name.swiftName) = \(property.name.swiftName)")
    }
    if entity.superName != nil {
      let arguments = above.map { "\($0.name.swiftLabel): \($0.name.swiftName)" }
      writer.list("super.init(", arguments, ")")
    }
    writer.close()
  }

  static func writeTransformer(to writer: inout SourceWriter) {
    writer.line("/// Keeps transformed values as their stored bytes.")
    writer.open("final class \(transformer): ValueTransformer {")
    writer.line("override func transformedValue(_ value: Any?) -> Any? { value }")
    writer.line()
    writer.line("override func reverseTransformedValue(_ value: Any?) -> Any? { value }")
    writer.close()
  }
}
