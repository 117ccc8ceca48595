import OpenSwiftDataStoreFormat

/// A part of a composite that another declaration of the composite lacks.
struct CompositePart {
  enum Kind: CaseIterable {
    /// A member of a struct, outside of enums.
    case member
    /// A case of an enum.
    case enumCase
    /// An associated value of a case, or a part of one.
    case associatedValue
    /// A value that is a composite in the other declaration, or the other way round.
    case otherForm
  }

  let kind: Kind
  /// The names that lead from the attribute to the part.
  let path: [String]
  let description: AttributeDescription

  /// The name in messages: `size.height`.
  var name: String { path.joined(separator: ".") }
}

extension AttributeDescription {
  /// The paths of the columns' content. The path is empty for a value without parts, and for an
  /// enum with raw values, whose column has the attribute's name.
  var paths: [(path: [String], leaf: AttributeDescription)] {
    let leaves = leaves
    if leaves.count == 1, leaves[0].path == [name] { return [([], leaves[0].attribute)] }
    return leaves.map { ($0.path, $0.attribute) }
  }

  /// The part of the column with this path, for the layout.
  func part(_ path: [String]) -> StoreLayout.ColumnID.Part {
    if type != .composite { return .value }
    return .leaf(path.isEmpty ? [name] : path)
  }

  /// The parts that another declaration of a composite lacks.
  func parts(missingIn other: AttributeDescription) -> [CompositePart] {
    // Such values are one column, whatever its name is.
    let isWhole = (paths + other.paths).contains { $0.path.isEmpty }
    return isWhole ? [] : parts(missingIn: other, below: [], isInCase: false)
  }

  private func parts(
    missingIn other: AttributeDescription, below path: [String], isInCase: Bool
  ) -> [CompositePart] {
    let isEnumeration = isEnumeration || other.isEnumeration
    return elements.flatMap { element -> [CompositePart] in
      let path = path + [element.name]
      guard let counterpart = other.elements.first(where: { $0.name == element.name }) else {
        return [
          CompositePart(
            kind: isEnumeration ? .enumCase : isInCase ? .associatedValue : .member, path: path,
            description: element)
        ]
      }
      guard (element.type == .composite) == (counterpart.type == .composite) else {
        return [CompositePart(kind: .otherForm, path: path, description: element)]
      }
      return element.parts(
        missingIn: counterpart, below: path, isInCase: isInCase || isEnumeration)
    }
  }

  /// The paths of the parts that are required here and optional in an earlier declaration, outside of
  /// optional parts and of enums, all whose parts are optional.
  /// - Parameter isInOptional: Whether a value around this one was optional.
  func parts(requiredSince earlier: AttributeDescription, isInOptional: Bool = false) -> [[String]]
  {
    let isInOptional = isInOptional || earlier.isOptional
    if isEnumeration { return [] }
    return elements.flatMap { element -> [[String]] in
      guard !element.isOptional,
        let known = earlier.elements.first(where: { $0.name == element.name }),
        (element.type == .composite) == (known.type == .composite)
      else { return [] }
      // In a value that was optional, a floating-point number that is null may be NaN.
      let isNew = known.isOptional && !(isInOptional && known.type.isFloat)
      let inner =
        element.type == .composite
        ? element.parts(requiredSince: known, isInOptional: isInOptional) : []
      return ((isNew ? [[]] : []) + inner).map { [element.name] + $0 }
    }
  }
}
