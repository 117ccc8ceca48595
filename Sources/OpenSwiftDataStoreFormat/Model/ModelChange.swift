/// Describes the changes of a model in a migration, one clause per change.
package enum ModelChange {
  /// - Parameters:
  ///   - before: The types of the earlier model.
  ///   - now: The types of the current model.
  ///   - objects: The names of the indexes in the store. Opening a store creates those of the models, but does not
  ///     change its description.
  package static func descriptions(
    _ counterparts: ModelCounterparts, _ before: TypeTexts, _ now: TypeTexts,
    objects: Set<String>
  ) -> [String] {
    let (stored, current) = (counterparts.stored, counterparts.current)
    var found = stored.entities.filter { counterparts.successor(of: $0.name) == nil }
      .map { "the model \($0.name) is removed" }
    for entity in current.entities {
      guard let earlier = counterparts.entity(entity.name) else {
        found.append("the model \(entity.name) is new")
        continue
      }
      if earlier.name != entity.name {
        found.append("the model \(earlier.name) is renamed to \(entity.name)")
      }
      let superName = earlier.superName.flatMap { counterparts.successor(of: $0)?.name }
      if superName != entity.superName {
        // Another model may have the name of the earlier one.
        let isOther = entity.superName == earlier.superName
        let before =
          isOther
          ? superName.map { "inherited from the model that is now \($0)" }
            ?? "inherited from a removed model of this name"
          : ancestry(earlier.superName)
        found.append("the model \(entity.name) \(ancestry(entity.superName)); earlier it \(before)")
      }
      found += properties(entity, earlier, counterparts, before, now)
      found += rules(entity, earlier, counterparts, objects)
    }
    return found
  }

  private static func ancestry(_ superName: String?) -> String {
    superName.map { "inherits from \($0)" } ?? "inherits from no model"
  }

  private static func properties(
    _ entity: EntityDescription, _ earlier: EntityDescription, _ counterparts: ModelCounterparts,
    _ storedTypes: TypeTexts, _ currentTypes: TypeTexts
  ) -> [String] {
    var found: [String] = []
    for property in entity.properties where property.isStored {
      let name = "\(entity.name).\(property.name)"
      let type = currentTypes.text(of: property, declaredBy: entity.name)
      guard let place = counterparts.property(property.name, of: entity.name) else {
        found.append("\(name) (\(type)) is new")
        continue
      }
      let before = place.property
      if before.name != property.name {
        found.append("\(entity.name).\(before.name) is renamed to \(property.name)")
      }
      if !before.holdsRows(of: property, counterparts) {
        let typeBefore = storedTypes.text(of: before, declaredBy: place.entity.name)
        found.append("\(name) changes from \(typeBefore) to \(type)")
      } else if let old = before.relationship, let new = property.relationship,
        old.deleteRule != new.deleteRule
      {
        found.append("the delete rule of \(name) changes to \(new.deleteRule)")
      } else if let old = before.attribute, let new = property.attribute,
        old.hasOtherDefault(than: new)
      {
        found.append("the default value of \(name) changes")
      }
    }
    for property in earlier.properties where property.isStored {
      // A property that another entity of the hierarchy declares now is not removed.
      let hasNoRow = counterparts.stored.subtree(of: earlier.name).allSatisfy {
        counterparts.successor(of: property.name, of: $0.name) == nil
      }
      if hasNoRow {
        let type = storedTypes.text(of: property, declaredBy: earlier.name)
        found.append("\(entity.name).\(property.name) (\(type)) is removed")
      }
    }
    return found
  }

  private static func rules(
    _ entity: EntityDescription, _ earlier: EntityDescription, _ counterparts: ModelCounterparts,
    _ objects: Set<String>
  ) -> [String] {
    func current(_ names: [String]) -> [String] {
      names.map { counterparts.successor(of: $0, of: earlier.name) ?? $0 }
    }
    func added(_ new: [[String]], _ old: [[String]]) -> [[String]] {
      new.filter { !old.contains($0) }
    }
    func constraints(_ entity: EntityDescription) -> [[String]] { entity.uniqueConstraints }
    func indexes(_ entity: EntityDescription) -> [[String]] {
      entity.indexes.map { $0.elements.map(\.property) }
    }
    // What a superclass declares holds for its subclasses too.
    let before = counterparts.stored.lineage(of: earlier.name)
    let now = counterparts.current.lineage(of: entity.name)
    func list(_ names: [String]) -> String { names.joined(separator: ", ") }
    let missing = entity.indexes.filter { !objects.contains($0.objectName(of: entity.name)) }
      .map { $0.elements.map(\.property) }
    return added(constraints(entity), before.flatMap(constraints).map(current))
      .map { "\(entity.name) has new unique values: \(list($0))" }
      + added(constraints(earlier).map(current), now.flatMap(constraints))
      .map { "values of \(entity.name) no longer have to be unique: \(list($0))" }
      + added(missing, before.flatMap(indexes).map(current))
      .map { "\(entity.name) has a new index: \(list($0))" }
      + added(indexes(earlier).map(current), now.flatMap(indexes))
      .map { "\(entity.name) loses an index: \(list($0))" }
  }
}

extension PropertyDescription {
  /// Whether the stored values of the earlier property are values of the current one, allowing for
  /// renamed models.
  fileprivate func holdsRows(
    of current: PropertyDescription, _ counterparts: ModelCounterparts
  ) -> Bool {
    switch (self, current) {
    case (.attribute(let old), .attribute(let new)): !new.differs(from: old)
    case (.relationship(let old), .relationship(let new)):
      old.isToMany == new.isToMany && old.isOptional == new.isOptional
        && counterparts.successor(of: old.destination)?.name == new.destination
        && old.inverse.map {
          counterparts.successor(of: $0, of: old.destination) ?? $0
        } == new.inverse
    default: false
    }
  }
}

extension AttributeDescription {
  /// Some files do not record the defaults of arrays and composites, and none those of decimal numbers.
  fileprivate func hasOtherDefault(than other: AttributeDescription) -> Bool {
    if case .decimal? = other.defaultValue, defaultValue == nil { return false }
    let isUntold = defaultValue == nil || other.defaultValue == nil
    if isUntold, type == .composite || type == .transformable { return false }
    return defaultValue != other.defaultValue
  }
}
