/// A difference between two models because of which one cannot use the rows of the other.
///
/// Default values, delete rules, renaming, indexes and class names do not count, as in version
/// hashes. Nor do limits of counts, abstract entities, and properties without columns.
package enum ModelDifference: Equatable, Sendable {
  case newEntity(String)
  case superentity(entity: String, stored: String?, current: String?)
  case newProperty(entity: String, PropertyDescription)
  case removedProperty(entity: String, PropertyDescription)
  case changedProperty(entity: String, stored: PropertyDescription, current: PropertyDescription)
  case newConstraint(entity: String, [String])
  case removedConstraint(entity: String, [String])

  /// The differences between `stored` and `current`, in the order of the entities of `current`.
  /// Entities that only `stored` has are ignored.
  package static func all(
    from stored: ModelDescription, to current: ModelDescription
  ) -> [ModelDifference] {
    current.entities.flatMap { entity -> [ModelDifference] in
      guard let known = stored[entity.name] else { return [.newEntity(entity.name)] }
      return all(from: known, to: entity)
    }
  }

  private static func all(
    from stored: EntityDescription, to current: EntityDescription
  ) -> [ModelDifference] {
    var found: [ModelDifference] = []
    if stored.superName != current.superName {
      found.append(
        .superentity(entity: current.name, stored: stored.superName, current: current.superName))
    }
    for property in current.properties where property.isStored {
      guard let known = stored[property.name], known.isStored else {
        found.append(.newProperty(entity: current.name, property))
        continue
      }
      if !known.holdsRows(of: property) {
        found.append(.changedProperty(entity: current.name, stored: known, current: property))
      }
    }
    for property in stored.properties
    where property.isStored && !property.isDerived && current[property.name]?.isStored != true {
      found.append(.removedProperty(entity: current.name, property))
    }
    for names in current.uniqueConstraints where !stored.uniqueConstraints.contains(names) {
      found.append(.newConstraint(entity: current.name, names))
    }
    for names in stored.uniqueConstraints where !current.uniqueConstraints.contains(names) {
      found.append(.removedConstraint(entity: current.name, names))
    }
    return found
  }
}

extension PropertyDescription {
  /// Whether the property is stored in a file.
  package var isStored: Bool {
    switch self {
    case .attribute(let attribute): !attribute.isTransient
    case .relationship(let relationship): !relationship.isTransient
    case .fetched: false
    }
  }

  fileprivate var isDerived: Bool { attribute?.isDerived ?? false }

  /// Whether the stored values of one property can be read and written as the other.
  fileprivate func holdsRows(of other: PropertyDescription) -> Bool {
    switch (self, other) {
    case (.attribute(let stored), .attribute(let current)): stored.holdsRows(of: current)
    case (.relationship(let stored), .relationship(let current)):
      stored.isToMany == current.isToMany && stored.isOptional == current.isOptional
        && stored.destination == current.destination && stored.inverse == current.inverse
        && stored.versionHashModifier == current.versionHashModifier
    default: false
    }
  }
}

extension AttributeDescription {
  /// Whether the stored values of one attribute are not valid for the other.
  package func differs(from other: AttributeDescription) -> Bool {
    !holdsRows(of: other) || isOptional != other.isOptional || allowsOtherNil(than: other)
  }

  fileprivate func holdsRows(of other: AttributeDescription) -> Bool {
    guard (type == .composite) == (other.type == .composite),
      preservesValueOnDeletion == other.preservesValueOnDeletion,
      versionHashModifier == other.versionHashModifier
    else { return false }
    if type == .composite { return columns == other.columns }
    return type == other.type && isOptional == other.isOptional && !hasOtherElements(than: other)
  }

  /// Lists, sets and dictionaries have the same column type whatever their elements are; only the type's text
  /// differs.
  package func hasOtherElements(than other: AttributeDescription) -> Bool {
    guard let own = scalarListType, let theirs = other.scalarListType else { return false }
    return own != theirs
  }

  /// The type of a list, set or dictionary whose elements are scalars, or such lists: `Array<Int>`.
  ///
  /// Types of an app are excluded: their name may change without a change of the values.
  package var scalarListType: String? {
    guard type == .transformable, let valueClassName, valueClassName.isListOfScalars else {
      return nil
    }
    return valueClassName
  }

  /// The name, the type and whether it is optional of each column, whatever the order of the leaves.
  /// Compared as in a composite's version hash.
  private var columns: [String] {
    leaves.map { "\($0.attribute.name) \($0.attribute.type.rawValue) \($0.attribute.isOptional)" }
      .sorted()
  }
}

extension ModelDescription {
  /// The types of lists, sets and dictionaries of scalars, named with the declaring entity:
  /// `["Trip.days": "Array<Int>"]`.
  package var listTypes: [String: String] {
    var types: [String: String] = [:]
    for entity in entities {
      for property in entity.properties {
        guard case .attribute(let attribute) = property, !attribute.isTransient,
          let type = attribute.scalarListType
        else { continue }
        types["\(entity.name).\(attribute.name)"] = type
      }
    }
    return types
  }
}

extension String {
  private static let scalars: Set<String> = [
    "Bool", "Data", "Date", "Decimal", "Double", "Float", "Int", "Int8", "Int16", "Int32", "Int64",
    "String", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "URL", "UUID",
  ]
  private static let lists: Set<String> = ["Array", "Dictionary", "Set"]

  fileprivate var isListOfScalars: Bool {
    let names = split { "<>, ".contains($0) }.map(String.init)
    guard hasSuffix(">"), let first = names.first, Self.lists.contains(first) else { return false }
    return names.allSatisfy {
      Self.scalars.contains($0) || Self.lists.contains($0) || $0 == "Optional"
    }
  }
}

extension ModelDifference: CustomStringConvertible {
  /// A clause for the error that refuses a file.
  package var description: String { text(in: "the store") }

  /// - Parameter place: The name of the compared model's origin in the clause.
  package func text(in place: String) -> String {
    switch self {
    case .newEntity(let entity): "the model \(entity) is new"
    case .superentity(let entity, let stored, let current):
      "the model \(entity) \(Self.ancestry(current)) and \(Self.ancestry(stored)) in \(place)"
    case .newProperty(let entity, let property):
      "\(entity).\(property.name) (\(property.typeText)) is new"
    case .removedProperty(let entity, let property):
      "\(place) has \(entity).\(property.name) (\(property.typeText)), which the model lacks"
    case .changedProperty(let entity, let stored, let current):
      "\(entity).\(current.name) is \(current.typeText) in the model and \(stored.typeText) in \(place)"
    case .newConstraint(let entity, let names):
      "\(entity) has new unique values: \(names.joined(separator: ", "))"
    case .removedConstraint(let entity, let names):
      "\(place) requires unique values of \(entity) that the model does not require: "
        + names.joined(separator: ", ")
    }
  }

  private static func ancestry(_ superName: String?) -> String {
    superName.map { "inherits from \($0)" } ?? "inherits from no model"
  }
}

extension PropertyDescription {
  /// The type in Swift syntax: `String?`, `[Trip]`.
  package var typeText: String {
    switch self {
    case .attribute(let attribute): attribute.typeText
    case .relationship(let relationship):
      (relationship.isToMany ? "[\(relationship.destination)]" : relationship.destination)
        + (relationship.isOptional ? "?" : "")
        + (relationship.inverse.map { ", inverse \($0)" } ?? ", no inverse")
    case .fetched: "a fetched property"
    }
  }
}

extension AttributeDescription {
  package var typeText: String { TypeTexts(integers: [:]).text(of: self, at: []) }
}
