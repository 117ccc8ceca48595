/// How a model stores its composites, as far as version hashes leave it out: the hash of a composite
/// contains its leaves, but not the names that lead to them.
///
/// The name of a column is the last one of these names. The second column of a name in a table gets a
/// number (`ZX`, `ZX1`). So the order in which properties and members are declared decides which column
/// has which part.
package struct CompositeForms: Sendable {
  /// A text for each composite, by entity and attribute:
  /// `["Map.area": "min.x=ZX min.y=ZY max.x=ZX1 max.y=ZY1"]`.
  package let texts: [String: String]
  private let model: ModelDescription

  package init(_ model: ModelDescription) {
    self.model = model
    let composites = model.entities.flatMap { entity in
      entity.properties.compactMap(\.storedComposite).map { (entity.name, $0) }
    }
    var texts: [String: String] = [:]
    if !composites.isEmpty {
      let layout = CompositeForms.layout(of: model)
      for (entity, attribute) in composites {
        texts["\(entity).\(attribute.name)"] = attribute.form(entity, layout)
      }
    }
    self.texts = texts
  }

  /// The composites that a file with equal version hashes stores otherwise: parts of them are in other
  /// columns.
  /// - Parameters:
  ///   - stored: The texts that the file records; `nil` if it does not record them.
  ///   - storedModel: The model in the file; used only if the texts differ.
  package func changes(
    from stored: [String: String]?, in storedModel: @autoclosure () -> ModelDescription?
  ) -> [ModelDifference] {
    if texts.isEmpty { return [] }
    if let stored, texts.allSatisfy({ stored[$0.key] == $0.value }) { return [] }
    return storedModel().map(changes) ?? []
  }

  private func changes(from stored: ModelDescription) -> [ModelDifference] {
    let counterparts = ModelCounterparts(from: stored, to: model)
    let (old, new) = (CompositeForms.layout(of: stored), CompositeForms.layout(of: model))
    return model.entities.flatMap { entity in
      entity.properties.compactMap { property -> ModelDifference? in
        guard let attribute = property.storedComposite,
          let known = counterparts.property(attribute.name, of: entity.name),
          let earlier = known.property.storedComposite
        else { return nil }
        // A part that only one of the models has is a renamed one, in the same column.
        let isMoved = attribute.leaves.contains { path, _ in
          old.column(earlier.name, of: known.entity.name, .leaf(path)).map {
            $0.name != new.column(attribute.name, of: entity.name, .leaf(path))?.name
          } ?? false
        }
        return isMoved
          ? .changedProperty(entity: entity.name, stored: known.property, current: property) : nil
      }
    }
  }

  /// The numbers of entities are not part of the names of these columns.
  private static func layout(of model: ModelDescription) -> StoreLayout {
    StoreLayout(model, numbers: [:])
  }
}

extension PropertyDescription {
  fileprivate var storedComposite: AttributeDescription? {
    guard let attribute, attribute.type == .composite, !attribute.isTransient else { return nil }
    return attribute
  }
}

extension AttributeDescription {
  fileprivate func form(_ entity: String, _ layout: StoreLayout) -> String {
    var words = leaves.map { path, _ in
      let column = layout.column(name, of: entity, .leaf(path))?.name ?? ""
      return "\(path.joined(separator: "."))=\(column)"
    }
    if let renamingIdentifier, renamingIdentifier != name {
      words.append("formerly \(renamingIdentifier)")
    }
    return words.joined(separator: " ")
  }
}
