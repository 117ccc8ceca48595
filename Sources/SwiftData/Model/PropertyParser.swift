import Foundation
package import OpenSwiftDataRowStorage

/// Converts the entries of `schemaMetadata` into properties, cells and constraints.
struct PropertyParser {
  let entityName: String
  private let model: any PersistentModel.Type
  private(set) var properties: [ModelProperty] = []
  private(set) var cellKinds: [CellKind] = []
  private(set) var uniqueConstraints: [[String]] = []
  private(set) var indices: [[String]] = []
  private(set) var spatialIndices: [[String]] = []
  private(set) var problems: [SwiftDataError] = []
  private var constraints: [any KeyPathConstraint] = []

  init(_ model: any PersistentModel.Type, entityName: String) {
    self.model = model
    self.entityName = entityName
  }

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
    let form = form(of: valueType, declared: declared, attribute: attribute, name: entry.name)
    switch form {
    case .toOne, .toMany:
      if !(entry.keypath is any WritableProperty) { refuseConstant(entry.name) }
    case .attribute, .transformable: break
    }
    properties.append(
      ModelProperty(
        name: entry.name, keyPath: entry.keypath, valueType: valueType,
        isOptional: wrapped != nil, form: form,
        isEphemeral: options.contains(.ephemeral),
        defaultValue: entry.defaultValue, metadata: entry.metadata))
  }

  private mutating func refuseConstant(_ name: String) {
    problems.append(
      .loadIssueModelContainer.with(
        "A relationship changes with its other side, so it can't be a constant. Declare it with 'var'.",
        entity: entityName, property: name))
  }

  private mutating func form(
    of valueType: any Any.Type, declared: any Any.Type, attribute: Schema.Attribute?, name: String
  ) -> PropertyForm {
    if let model = KnownModels.model(valueType) { return .toOne(destination: model) }
    if let element = KnownModels.element(ofCollection: declared) {
      if valueType != declared, case .neither? = TypeReflection.wrapping(of: valueType) {
        problems.append(
          SwiftDataError.loadIssueModelContainer.with(
            "A to-many relationship is an array, so \(valueType) would always be read as nil. Declare the "
              + "property as [\(element)]?.",
            entity: entityName, property: name))
      }
      return .toMany(destination: element)
    }
    if let attribute {
      if attribute.isTransformable {
        return .transformable(transformerName: attribute.transformerName)
      }
    }
    if unwrappedType(of: valueType) != nil {
      problems.append(
        SwiftDataError.loadIssueModelContainer.with(
          "The type \(declared) is a nested optional, but a column stores only one level of nil. "
            + "Declare the property as \(valueType).",
          entity: entityName, property: name))
      return .attribute(.encoded)
    }
    do {
      let form = try storageForm(of: valueType)
      guard case .composite(var leaves) = form else { return .attribute(form) }
      if attribute?.isCodable == true { return .attribute(.encoded) }
      // The part of a value that encodes itself as a single value has the name of the property.
      if leaves.count == 1, leaves[0].path.isEmpty { leaves[0].path = [name] }
      return .attribute(.composite(leaves))
    } catch {
      if attribute?.isCodable == true { return .attribute(.encoded) }
      problems.append(
        SwiftDataError.loadIssueModelContainer.with(
          (error as? SwiftDataError)?.ownExplanation
            ?? "The type \(valueType) can't be stored: \(error). Mark the property @Transient.",
          entity: entityName, property: name))
      return .attribute(.encoded)
    }
  }

  /// Gives each property its cell and, after these, each composite the cells of its leaves. Then
  /// resolves constraints, whose members are named by key path.
  mutating func assignCells() {
    cellKinds = properties.map(\.form.cellKind)
    for index in properties.indices {
      guard case .attribute(.composite(let leaves)) = properties[index].form else { continue }
      let start = cellKinds.count
      cellKinds += leaves.map(\.form.cellKind)
      properties[index].leafCells = start..<cellKinds.count
    }
    let naming = ConstraintNaming(model: model, entityName: entityName, properties: properties)
    for constraint in constraints {
      do {
        guard try naming.owns(constraint) else { continue }
      } catch {
        problems.append(error)
        continue
      }
      for group in constraint.groups {
        do {
          let names = try naming.names(of: group)
          switch group.kind {
          case .unique: uniqueConstraints.append(names)
          case .binary: indices.append(names)
          case .rtree: spatialIndices.append(names)
          }
        } catch {
          problems.append(error)
        }
      }
    }
    for (index, property) in properties.enumerated() {
      let isUnique =
        (property.metadata as? Schema.Attribute)?.isUnique
        ?? (property.metadata as? Schema.Relationship)?.isUnique ?? false
      if isUnique { uniqueConstraints.insert([properties[index].name], at: 0) }
    }
  }
}

/// A key path of a property that is declared with `var`.
protocol WritableProperty {}
extension ReferenceWritableKeyPath: WritableProperty {}

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

extension LeafStorageForm {
  package var cellKind: CellKind {
    switch self {
    case .scalar(let type), .rawValue(let type): type.cellKind
    case .encoded: .blob
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

extension LeafStorageForm {
  /// The Swift type of the values in the leaf's column.
  var valueType: any Any.Type {
    switch self {
    case .scalar(let type), .rawValue(let type): type.swiftType
    case .encoded: Data.self
    case .enumCase: String.self
    }
  }
}
