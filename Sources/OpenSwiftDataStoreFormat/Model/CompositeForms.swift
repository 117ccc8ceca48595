/// How a model stores its composites, as far as version hashes leave it out: the hash of a composite
/// contains its leaves, but not the names that lead to them, and not whether the composite may be nil.
///
/// The name of a column is the last one of these names. The second column of a name in a table gets a
/// number (`ZX`, `ZX1`). So the order in which properties and members are declared decides which column
/// has which part. The columns of enums, and all columns of an optional value, are optional in a
/// description, so they do not tell whether a part may be nil.
package struct CompositeForms: Sendable {
  /// A text for each composite, by entity and attribute:
  /// `["Map.area": "min.x=ZX min.y=ZY max.x=ZX1 max.y=ZY1", "Map.kind": "kind=ZKIND ?"]`. A column of a
  /// part that may itself be nil has a question mark.
  package let texts: [String: String]
  private let model: ModelDescription
  private let optionalParts: Set<String>

  private init(_ model: ModelDescription, _ optionalParts: Set<String>, texts: [String: String]) {
    self.model = model
    self.optionalParts = optionalParts
    self.texts = texts
  }

  /// - Parameters:
  ///   - model: The model.
  ///   - optionalParts: The parts with one column that may themselves be nil: `Map.area.max`.
  package init(_ model: ModelDescription, optionalParts: Set<String> = []) {
    let composites = model.entities.flatMap { entity in
      entity.properties.compactMap(\.storedComposite).map { (entity.name, $0) }
    }
    var texts: [String: String] = [:]
    if !composites.isEmpty {
      let layout = CompositeForms.layout(of: model)
      for (entity, attribute) in composites {
        texts["\(entity).\(attribute.name)"] = attribute.form(entity, layout, optionalParts)
      }
    }
    self.init(model, optionalParts, texts: texts)
  }

  /// The forms of some entities; `nil` for all.
  package func of(_ names: Set<String>?) -> CompositeForms {
    guard let names else { return self }
    return CompositeForms(
      ModelDescription(
        entities: model.entities.filter { names.contains($0.name) },
        versionIdentifiers: model.versionIdentifiers), optionalParts,
      texts: texts.filter { names.contains(String($0.key.prefix { $0 != "." })) })
  }

  /// The composites that a file with equal version hashes stores otherwise: parts of them are in other
  /// columns, or may be nil in only one of the models.
  /// - Parameters:
  ///   - stored: The texts that the file records; `nil` if it does not record them.
  ///   - storedModel: The model in the file; used only if the texts differ.
  package func changes(
    from stored: [String: String]?, in storedModel: @autoclosure () -> ModelDescription?
  ) -> [ModelDifference] {
    if texts.isEmpty { return [] }
    if let stored, texts.allSatisfy({ stored[$0.key] == $0.value }) { return [] }
    guard let storedModel = storedModel() else { return [] }
    let counterparts = ModelCounterparts(from: storedModel, to: model)
    let comparison = Comparison(
      old: CompositeForms.layout(of: storedModel), new: CompositeForms.layout(of: model),
      recorded: stored.map { CompositeForms.valid($0, for: storedModel) } ?? [:],
      newParts: optionalParts)
    return model.entities.flatMap { entity in
      entity.properties.compactMap { property -> ModelDifference? in
        guard let attribute = property.storedComposite,
          let known = counterparts.property(attribute.name, of: entity.name),
          let earlier = known.property.storedComposite,
          comparison.differ((known.entity.name, earlier), (entity.name, attribute))
        else { return nil }
        return .changedProperty(entity: entity.name, stored: known.property, current: property)
      }
    }
  }

  /// The numbers of entities are not part of the names of these columns.
  private static func layout(of model: ModelDescription) -> StoreLayout {
    StoreLayout(model, numbers: [:])
  }

  /// Compares the composites of two models with equal version hashes.
  private struct Comparison {
    let old: StoreLayout
    let new: StoreLayout
    /// The texts that the file records.
    let recorded: [String: String]
    let oldParts: Set<String>
    let newParts: Set<String>

    init(
      old: StoreLayout, new: StoreLayout, recorded: [String: String], newParts: Set<String>
    ) {
      self.old = old
      self.new = new
      self.recorded = recorded
      oldParts = CompositeForms.optionalParts(in: recorded)
      self.newParts = newParts
    }

    typealias Composite = (entity: String, attribute: AttributeDescription)

    func differ(_ earlier: Composite, _ current: Composite) -> Bool {
      if earlier.attribute.isOptional != current.attribute.isOptional { return true }
      let isRecorded = recorded["\(earlier.entity).\(earlier.attribute.name)"] != nil
      // Files that do not record the forms may call each enum in a struct optional.
      if isRecorded, current.attribute.allowsOtherNil(than: earlier.attribute) { return true }
      return current.attribute.leaves.contains { path, _ in
        // A part that only one of the models has is a renamed one, in the same column.
        guard let column = column(path, of: earlier, in: old) else { return false }
        let (oldPart, newPart) = (part(path, of: earlier), part(path, of: current))
        return column != self.column(path, of: current, in: new)
          || isRecorded && oldParts.contains(oldPart) != newParts.contains(newPart)
      }
    }

    private func column(
      _ path: [String], of composite: Composite, in layout: StoreLayout
    ) -> String? {
      layout.column(composite.attribute.name, of: composite.entity, .leaf(path))?.name
    }

    private func part(_ path: [String], of composite: Composite) -> String {
      ([composite.entity, composite.attribute.name] + path).joined(separator: ".")
    }
  }
}

extension PropertyDescription {
  fileprivate var storedComposite: AttributeDescription? {
    guard let attribute, attribute.type == .composite, !attribute.isTransient else { return nil }
    return attribute
  }
}

extension AttributeDescription {
  fileprivate func form(
    _ entity: String, _ layout: StoreLayout, _ optionalParts: Set<String>
  ) -> String {
    var words = leaves.map { path, _ in
      let column = layout.column(name, of: entity, .leaf(path))?.name ?? ""
      let mark = optionalParts.contains(([entity, name] + path).joined(separator: ".")) ? "?" : ""
      return "\(path.joined(separator: "."))=\(column)\(mark)"
    }
    words += optionalComposites.map { "\($0.joined(separator: "."))?" }
    if let renamingIdentifier, renamingIdentifier != name {
      words.append("formerly \(renamingIdentifier)")
    }
    return words.joined(separator: " ")
  }

  /// Whether a composite that both declarations have may be nil in only one of them.
  func allowsOtherNil(than other: AttributeDescription) -> Bool {
    Set(optionalComposites).symmetricDifference(other.optionalComposites).contains { path in
      hasComposite(at: path[...]) && other.hasComposite(at: path[...])
    }
  }

  /// The paths of the composites that may be nil. The parts of an optional value and of a case count
  /// as optional anyway.
  private var optionalComposites: [[String]] {
    if isOptional { return [[]] }
    if isEnumeration { return [] }
    return elements.filter { $0.type == .composite }.flatMap { element in
      element.optionalComposites.map { [element.name] + $0 }
    }
  }

  private func hasComposite(at path: ArraySlice<String>) -> Bool {
    guard let name = path.first else { return type == .composite }
    return elements.first { $0.name == name }?.hasComposite(at: path.dropFirst()) ?? false
  }
}
