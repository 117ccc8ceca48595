/// The required parts that a value leaves out when it encodes itself, as an `encode(to:)` does with a default value.
extension CompositeSink {
  var lacksRequiredPart: Bool {
    tree.requiredParts.contains { part in
      areNull(part.leaves) && part.optional.map { !areNull($0.leaves) } ?? true
    }
  }

  /// Writes the required parts of a value of which no column has a value yet.
  /// - Parameter position: The node of the value.
  func addMissingParts(of value: Any, at position: Int = CompositeTree.root) throws {
    for child in tree.nodes[position].children.values where !tree.isInCase(child) {
      let leaf = tree.leaves[tree.nodes[child].leaves[0]]
      guard leaf.path.count == leaf.codingPath.count,
        let (part, isOptional) = storedProperty(leaf.path[tree.depth(of: child) - 1], of: value)
      else { continue }
      if areNull(tree.nodes[child].leaves) {
        guard !isOptional, let part = part as? any Encodable else { continue }
        try write(part, at: child)
      }
      if TypeReflection.kind(of: type(of: part)) == .structure {
        try addMissingParts(of: part, at: child)
      }
    }
  }

  private func areNull(_ leaves: [Int]) -> Bool { leaves.allSatisfy { values[$0].isNull } }
}

/// The value of a stored property by its name, without `Optional`; `nil` if there is none. The storage of a property
/// wrapper has an underscore before its name.
private func storedProperty(_ name: String, of value: Any) -> (value: Any, isOptional: Bool)? {
  func property<Value>(_ value: Value) -> (value: Any, isOptional: Bool)? {
    let fields = TypeReflection.fields(of: Value.self)
    guard
      let field = fields.first(where: { $0.name == name })
        ?? fields.first(where: { $0.name == "_" + name })
    else { return nil }
    func load<Part>(_ type: Part.Type) -> Part {
      withUnsafeBytes(of: value) { $0.load(fromByteOffset: field.offset, as: type) }
    }
    func present<Part>(_ type: Part.Type) -> Any? { load(Part?.self) }
    func any<Part>(_ type: Part.Type) -> Any { load(type) }
    guard let wrapped = unwrappedType(of: field.type) else {
      return (_openExistential(field.type, do: any), false)
    }
    return _openExistential(wrapped, do: present).map { ($0, true) }
  }
  return _openExistential(value, do: property)
}
