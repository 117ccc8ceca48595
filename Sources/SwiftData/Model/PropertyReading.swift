import Foundation
package import OpenSwiftDataRowStorage

/// Turns the entries of `schemaMetadata` into properties, cells and constraints.
struct PropertyReading {
  let entityName: String
  private(set) var properties: [ModelProperty] = []
  private(set) var cellKinds: [CellKind] = []
  private(set) var uniqueConstraints: [[String]] = []
  private(set) var indices: [[String]] = []
  private(set) var spatialIndices: [[String]] = []
  private(set) var problems: [SwiftDataError] = []
  private var constraints: [any KeyPathConstraint] = []

  init(entityName: String) { self.entityName = entityName }

  mutating func read(_ entry: Schema.PropertyMetadata) {
    if let constraint = entry.metadata as? any KeyPathConstraint {
      constraints.append(constraint)
      return
    }
    let declared = Swift.type(of: entry.keypath).valueType
    let wrapped = unwrappedType(of: declared)
    let valueType = wrapped ?? declared
    let attribute = entry.metadata as? Schema.Attribute
    let options = attribute?.options ?? []
    properties.append(
      ModelProperty(
        name: entry.name, keyPath: entry.keypath, valueType: valueType,
        isOptional: wrapped != nil,
        form: form(of: valueType, declared: declared, attribute: attribute, name: entry.name),
        isEphemeral: options.contains(.ephemeral),
        defaultValue: entry.defaultValue, metadata: entry.metadata))
  }

  private mutating func form(
    of valueType: any Any.Type, declared: any Any.Type, attribute: Schema.Attribute?, name: String
  ) -> PropertyForm {
    if let model = valueType as? any PersistentModel.Type { return .toOne(destination: model) }
    if let collection = declared as? any RelationshipCollection.Type {
      return .toMany(destination: collection.elementType)
    }
    if let attribute {
      if attribute.isTransformable {
        return .transformable(transformerName: attribute.transformerName)
      }
    }
    if unwrappedType(of: valueType) != nil {
      problems.append(
        SwiftDataError.loadIssueModelContainer.with(
          "The type \(declared) is an optional of an optional, and a column has one nil only. "
            + "Declare the property as \(valueType).",
          entity: entityName, property: name))
      return .attribute(.encoded)
    }
    do {
      let form = try storageForm(of: valueType)
      if case .composite = form, attribute?.isCodable == true { return .attribute(.encoded) }
      return .attribute(form)
    } catch {
      if attribute?.isCodable == true { return .attribute(.encoded) }
      problems.append(
        SwiftDataError.loadIssueModelContainer.with(
          (error as? SwiftDataError)?.reason
            ?? "The type \(valueType) can't be stored: \(error). Mark the property @Transient.",
          entity: entityName, property: name))
      return .attribute(.encoded)
    }
  }

  /// Gives each property its cell and each composite the cells of its leaves behind them, then
  /// resolves constraints, whose members are named by key path.
  mutating func placeLeaves() {
    cellKinds = properties.map(\.form.cellKind)
    for index in properties.indices {
      guard case .attribute(.composite(let leaves)) = properties[index].form else { continue }
      let start = cellKinds.count
      cellKinds += leaves.map(\.form.cellKind)
      properties[index].leafCells = start..<cellKinds.count
    }
    let resolver = KeyPathNaming(properties: properties)
    for constraint in constraints {
      let named = constraint.namedMembers(resolver.name(of:))
      uniqueConstraints += named.unique
      indices += named.binary
      spatialIndices += named.rtree
    }
    for (index, property) in properties.enumerated() {
      let isUnique =
        (property.metadata as? Schema.Attribute)?.isUnique
        ?? (property.metadata as? Schema.Relationship)?.isUnique ?? false
      if isUnique { uniqueConstraints.insert([properties[index].name], at: 0) }
    }
  }
}

/// Names the property, or the leaf of a composite, that a key path leads to.
struct KeyPathNaming {
  let properties: [ModelProperty]

  func name(of keyPath: AnyKeyPath) -> String? {
    if let property = properties.first(where: { $0.keyPath == keyPath }) { return property.name }
    return nil
  }
}

/// `#Unique` and `#Index` entries of the metadata.
protocol KeyPathConstraint {
  typealias Members = (unique: [[String]], binary: [[String]], rtree: [[String]])
  func namedMembers(_ name: (AnyKeyPath) -> String?) -> Members
}

extension Schema.Unique: KeyPathConstraint {
  func namedMembers(_ name: (AnyKeyPath) -> String?) -> Members {
    (constraints.map { $0.compactMap(name) }.filter { !$0.isEmpty }, [], [])
  }
}

extension Schema.Index: KeyPathConstraint {
  func namedMembers(_ name: (AnyKeyPath) -> String?) -> Members {
    var members: Members = ([], [], [])
    for index in indices {
      switch index {
      case .binary(let paths): members.binary.append(paths.compactMap(name))
      case .rtree(let paths): members.rtree.append(paths.compactMap(name))
      }
    }
    members.binary.removeAll(where: \.isEmpty)
    members.rtree.removeAll(where: \.isEmpty)
    return members
  }
}

extension PropertyForm {
  package var cellKind: CellKind {
    switch self {
    case .attribute(.scalar(let type)), .attribute(.rawValue(let type)): type.cellKind
    case .attribute(.composite): .integer
    case .attribute(.encoded), .transformable: .blob
    case .toOne, .toMany: .integer
    }
  }
}

extension LeafForm {
  package var cellKind: CellKind {
    switch self {
    case .scalar(let type), .rawValue(let type): type.cellKind
    case .encoded: .text
    case .enumCase: .text
    }
  }
}

extension ScalarType {
  package var cellKind: CellKind {
    switch traits.column {
    case .integer, .boolean: .integer
    case .real, .date: .real
    case .text, .uri, .decimal: .text
    case .uuid, .binary: .blob
    }
  }
}

extension RelationshipCollection {
  static var elementType: any PersistentModel.Type { PersistentElement.self }
}

extension LeafForm {
  /// The Swift type whose values the leaf's column holds.
  var valueType: any Any.Type {
    switch self {
    case .scalar(let type), .rawValue(let type): type.swiftType
    case .encoded, .enumCase: String.self
    }
  }
}
