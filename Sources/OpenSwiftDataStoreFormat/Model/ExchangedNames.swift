/// The entities and properties of a model that exchange their names: `@Attribute(originalName: "b") var a`
/// beside `@Attribute(originalName: "a") var b`, or a longer cycle.
///
/// Version hashes ignore former names. So a file in which the names are not exchanged yet may have the hashes
/// of the model.
package struct ExchangedNames {
  private let model: ModelDescription
  private var entities: Set<String> = []
  /// By entity; includes inherited properties.
  private var properties: [String: Set<String>] = [:]

  package init(_ model: ModelDescription) {
    self.model = model
    guard model.entities.contains(where: \.declaresFormerNames) else { return }
    entities = ExchangedNames.cycles(model.entities.map { ($0.name, $0.renamingIdentifier) })
    for entity in model.entities {
      let names = ExchangedNames.cycles(
        model.properties(of: entity.name).filter(\.isStored).map {
          ($0.name, $0.renamingIdentifier)
        })
      if !names.isEmpty { properties[entity.name] = names }
    }
  }

  package var isEmpty: Bool { entities.isEmpty && properties.isEmpty }

  /// The names that an earlier model has, but not exchanged: `Trip`, `Trip.name`.
  package func pending(in stored: ModelDescription) -> [String] {
    if isEmpty { return [] }
    let counterparts = ModelCounterparts(from: stored, to: model)
    let pendingEntities = entities.filter { name in
      counterparts.entity(name).map { $0.name != name } ?? false
    }
    let pendingProperties = properties.flatMap { entity, names in
      names.filter { name in
        counterparts.property(name, of: entity).map { $0.property.name != name } ?? false
      }.map { "\(entity).\($0)" }
    }
    return (pendingEntities + pendingProperties).sorted()
  }

  /// The names from which a sequence of former names leads back.
  private static func cycles(_ named: [(name: String, formerName: String?)]) -> Set<String> {
    let formerNames = Dictionary(
      named.compactMap { name, formerName in
        formerName.flatMap { $0 == name ? nil : (name, $0) }
      }, uniquingKeysWith: { first, _ in first })
    return Set(
      formerNames.keys.filter { name in
        var next = formerNames[name]
        for _ in formerNames {
          if next == name { return true }
          next = next.flatMap { formerNames[$0] }
        }
        return false
      })
  }
}

extension EntityDescription {
  /// Whether the entity, or a property that it declares, had another name.
  fileprivate var declaresFormerNames: Bool {
    if let renamingIdentifier, renamingIdentifier != name { return true }
    return properties.contains { property in
      property.renamingIdentifier.map { $0 != property.name } ?? false
    }
  }
}
