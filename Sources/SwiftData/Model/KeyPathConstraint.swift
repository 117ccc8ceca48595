/// `#Unique` and `#Index` entries of the metadata.
protocol KeyPathConstraint {
  /// The class between the angle brackets.
  var model: any PersistentModel.Type { get }
  var groups: [ConstraintGroup] { get }
}

/// The key paths of one constraint or one index.
struct ConstraintGroup {
  enum Kind: String {
    case unique = "#Unique"
    case binary = "#Index"
    case rtree = "#Index of the kind .rtree"
  }

  let kind: Kind
  let keyPaths: [AnyKeyPath]
}

extension Schema.Unique: KeyPathConstraint {
  var model: any PersistentModel.Type { T.self }

  var groups: [ConstraintGroup] {
    constraints.map { ConstraintGroup(kind: .unique, keyPaths: $0) }
  }
}

extension Schema.Index: KeyPathConstraint {
  var model: any PersistentModel.Type { T.self }

  var groups: [ConstraintGroup] {
    indices.map { index in
      switch index {
      case .binary(let paths): ConstraintGroup(kind: .binary, keyPaths: paths)
      case .rtree(let paths): ConstraintGroup(kind: .rtree, keyPaths: paths)
      }
    }
  }
}

/// Names the properties of a class's constraints: a property, or `address.city` for a part of a
/// composite. A key path without columns to compare is an error.
struct ConstraintNaming {
  let model: any PersistentModel.Type
  let entityName: String
  let properties: [ModelProperty]

  /// Whether the class itself declares the constraint; those of superclasses are read there.
  func owns(_ constraint: any KeyPathConstraint) throws(SwiftDataError) -> Bool {
    if constraint.model == model { return true }
    var ancestor: (any AnyObject.Type)? = _getSuperclass(model)
    while let type = ancestor {
      if type == constraint.model { return false }
      ancestor = _getSuperclass(type)
    }
    let kind = constraint.groups.first?.kind ?? .unique
    throw .loadIssueModelContainer.with(
      "\(kind.rawValue)<\(constraint.model)> has no effect inside \(model). Write it in "
        + "\(constraint.model).", entity: entityName)
  }

  func names(of group: ConstraintGroup) throws(SwiftDataError) -> [String] {
    var names: [String] = []
    for keyPath in group.keyPaths { names.append(try name(of: keyPath, group.kind)) }
    return names
  }

  private func name(
    of keyPath: AnyKeyPath, _ kind: ConstraintGroup.Kind
  ) throws(SwiftDataError) -> String {
    func refused(_ detail: String, _ property: String) -> SwiftDataError {
      .loadIssueModelContainer.with(
        "\(kind.rawValue) \(detail)", entity: entityName, property: property)
    }
    if let property = properties.first(where: { $0.keyPath == keyPath }) {
      if let reason = property.reasonAgainstComparing {
        throw refused("cannot cover this property: \(reason)", property.name)
      }
      return property.name
    }
    let steps = KeyPathComponent.all(of: keyPath)
    let path = KeyPathName.spelled(keyPath)
    guard let first = steps.first, let slot = KeyPathSteps(properties).slot(of: first) else {
      throw refused(
        "names \(path), which is not a stored property of \(model). Use one that is not marked "
          + "@Transient.", path)
    }
    let property = properties[slot]
    let rest = steps.dropFirst().map(\.storedName)
    switch property.form {
    case .toOne, .toMany:
      throw refused(
        "cannot follow a relationship to a property of \(property.valueType). Name only properties of "
          + "\(model).", property.name)
    case .attribute(.composite(let leaves)):
      guard !rest.contains(""), leaves.contains(where: { $0.path.starts(with: rest) }) else {
        throw refused(
          "names a part of \(property.valueType) that has no column. Use its stored "
            + "properties.", property.name)
      }
      return ([property.name] + rest).joined(separator: ".")
    case .attribute, .transformable:
      throw refused(
        "cannot name a part of \(property.valueType), which is stored as one value. Name the property "
          + "itself.", property.name)
    }
  }
}

extension ModelProperty {
  /// Why values of the property cannot be compared by a store; `nil` if they can.
  fileprivate var reasonAgainstComparing: String? {
    switch form {
    case .transformable: "a transformed value has no order and no equality in the store."
    case .attribute where isEphemeral: "an ephemeral property has no column."
    case .attribute, .toOne, .toMany: nil
    }
  }
}

extension KeyPathComponent {
  /// The name of a stored property; empty for a computed one.
  fileprivate var storedName: String {
    if case .stored(let name) = self { name } else { "" }
  }
}

extension _ModelDescriptor {
  /// The position of a constraint's member in a row: the slot, and the cells of the property or of
  /// the part of a composite with a name such as `address.city`.
  func place(named name: String) -> (slot: Int, cells: [Int])? {
    let path = name.split(separator: ".").map(String.init)
    guard let first = path.first, let slot = slot(named: first) else { return nil }
    let property = properties[slot]
    guard case .attribute(.composite(let leaves)) = property.form else {
      return path.count == 1 ? (slot, [slot]) : nil
    }
    let cells = zip(leaves, property.leafCells).filter { $0.0.path.starts(with: path.dropFirst()) }
    return cells.isEmpty ? nil : (slot, cells.map(\.1))
  }
}
