/// Finds errors in entities. Each error names the entity and the property, and says what to change.
package enum SchemaValidation {
  package static func problems(of entities: [Schema.Entity]) -> [SwiftDataError] {
    let entitiesByName = Dictionary(
      entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var problems = duplicateNames(entities) + duplicateTables(entities)
    for entity in entities {
      problems += hierarchyProblems(entity, entitiesByName)
      problems += duplicateProperties(entity)
      for property in entity.storedProperties {
        switch property {
        case let attribute as Schema.Attribute:
          problems += attributeProblems(attribute, entity)
        case let relationship as Schema.Relationship:
          problems += relationshipProblems(relationship, entity, entitiesByName)
        default: break
        }
      }
      problems += constraintProblems(entity)
      problems += inheritedConstraintProblems(entity)
    }
    return problems
  }

  static func problem(
    _ detail: String, _ entity: Schema.Entity, _ property: String? = nil
  ) -> SwiftDataError {
    .loadIssueModelContainer.with(detail, entity: entity.name, property: property)
  }

  private static func duplicateNames(_ entities: [Schema.Entity]) -> [SwiftDataError] {
    var seen: Set<String> = []
    return entities.compactMap { entity in
      if entity.name.isEmpty { return problem("An entity has no name. Set its name.", entity) }
      guard !seen.insert(entity.name).inserted else { return nil }
      return problem(
        "Two models are named \(entity.name). Rename one of them; models nested in different "
          + "types need different names too.", entity)
    }
  }

  /// A root class has a table, and databases ignore the case of its name.
  private static func duplicateTables(_ entities: [Schema.Entity]) -> [SwiftDataError] {
    let roots = entities.filter { $0.superentityName == nil && !$0.name.isEmpty }
    let groups = Dictionary(grouping: roots) { $0.name.uppercased() }
    return roots.compactMap { entity in
      let others = groups[entity.name.uppercased(), default: []].map(\.name)
      guard let first = others.first, first != entity.name else { return nil }
      return problem(
        "The names of the models \(first) and \(entity.name) differ only in case, so their tables would have "
          + "the same name. Rename one of them.", entity)
    }
  }

  private static func hierarchyProblems(
    _ entity: Schema.Entity, _ entitiesByName: [String: Schema.Entity]
  ) -> [SwiftDataError] {
    guard let name = entity.superentityName, entitiesByName[name] == nil else { return [] }
    return [
      problem(
        "The superclass \(name) is not in the schema. Add \(name) to the schema.", entity)
    ]
  }

  private static func duplicateProperties(_ entity: Schema.Entity) -> [SwiftDataError] {
    var seen: Set<String> = []
    return entity.properties.compactMap { property in
      if property.name.isEmpty { return problem("A property has no name. Set its name.", entity) }
      guard !seen.insert(property.name).inserted else { return nil }
      return problem(
        "Two properties have this name (inherited properties count). Rename one of them.", entity,
        property.name)
    }
  }

  private static func attributeProblems(
    _ attribute: Schema.Attribute, _ entity: Schema.Entity
  ) -> [SwiftDataError] {
    // The macro refuses this too, if it sees both options.
    if attribute.isUnique, attribute.options.contains(.ephemeral) {
      return [
        problem(
          "Options 'unique' and 'ephemeral' cannot be combined on property '\(attribute.name)': an "
            + "ephemeral value is not stored, so no store can compare it. Remove one of them.",
          entity, attribute.name)
      ]
    }
    // A decoded schema does not contain the types of composites and enums.
    if attribute.valueType == Any.self { return [] }
    if attribute.valueType is AnyObject.Type, !(attribute.valueType is any Encodable.Type),
      !attribute.isTransformable
    {
      return [
        problem(
          "A class is not a value. If it is a model, remove @Attribute, so that the property is a "
            + "relationship; for another class, use @Attribute(.transformable(by:)).", entity,
          attribute.name)
      ]
    }
    do {
      _ = try attribute.storageForm()
      return []
    } catch {
      let detail = (error as? SwiftDataError)?.ownExplanation ?? "\(error)"
      return [problem(detail, entity, attribute.name)]
    }
  }

  private static func constraintProblems(_ entity: Schema.Entity) -> [SwiftDataError] {
    var problems: [SwiftDataError] = []
    for (kind, groups) in [("#Unique", entity.uniquenessConstraints), ("#Index", entity.indices)] {
      for name in groups.joined() {
        guard let property = entity.property(named: name) ?? entity.property(named: composite(name))
        else {
          problems.append(
            problem(
              "\(kind) names a property that is not persisted. Use a stored property that is "
                + "not marked @Transient.", entity, name))
          continue
        }
        // Of a unique attribute the error of its options says it.
        if let attribute = property as? Schema.Attribute, !attribute.isUnique,
          attribute.options.contains(.ephemeral)
        {
          problems.append(
            problem(
              "\(kind) cannot cover an ephemeral property, because its value is not stored. Remove the "
                + "option 'ephemeral', or the property from \(kind).", entity, name))
        }
        if let relationship = property as? Schema.Relationship,
          !relationship.isToOneRelationship
        {
          problems.append(
            problem(
              "\(kind) cannot cover a to-many relationship. Use attributes and to-one "
                + "relationships.", entity, name))
        }
      }
    }
    return problems
  }

  /// All classes of a hierarchy have one table, so a unique index of inherited properties concerns the rows
  /// of other classes too, whose saves would not look for equal values.
  private static func inheritedConstraintProblems(_ entity: Schema.Entity) -> [SwiftDataError] {
    let ancestors = entity.lineage.dropFirst()
    return entity.uniquenessConstraints.compactMap { names in
      guard let owner = ancestors.first(where: { names.contains(where: $0.declares) }),
        names.allSatisfy({ name in ancestors.contains { $0.declares(name) } }),
        !ancestors.contains(where: { $0.uniquenessConstraints.contains(names) })
      else { return nil }
      return problem(
        "#Unique names only inherited properties, so it would concern all models of \(owner.name). Declare "
          + "it in \(owner.name), or add a property of \(entity.name) to it.", entity,
        names.joined(separator: ", "))
    }
  }

  /// The composite of a path such as `address.city`, which refers to a leaf.
  fileprivate static func composite(_ path: String) -> String { String(path.prefix { $0 != "." }) }
}

extension Schema.Entity {
  /// Whether the entity itself declares the property of a constraint's member.
  fileprivate func declares(_ name: String) -> Bool {
    let own = storedPropertiesByName
    return own[name] != nil || own[SchemaValidation.composite(name)] != nil
  }
}

extension SwiftDataError {
  /// The entity, the property and the detail, for a list of several errors.
  var placedDetail: String {
    let index = [entity, property].compactMap(\.self).joined(separator: ".")
    return (index.isEmpty ? "" : "\(index): ") + (occasion.detail ?? description)
  }
}
