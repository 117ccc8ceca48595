/// The types of attributes as texts in Swift syntax, with the exact types of integers where these are known.
package struct TypeTexts: Sendable {
  private let integers: [String: String]

  /// - Parameter integers: The Swift types of integers whose column type is ambiguous:
  ///   `["Trip.code": "UInt64"]`.
  package init(integers: [String: String]) { self.integers = integers }

  /// - Parameter entity: The entity that declares the property.
  package func text(of property: PropertyDescription, declaredBy entity: String) -> String {
    guard case .attribute(let attribute) = property else { return property.typeText }
    return text(of: attribute, at: [entity, attribute.name])
  }

  /// - Parameter path: The names that lead to the attribute or the part of one, from the entity on.
  package func text(of attribute: AttributeDescription, at path: [String]) -> String {
    func integer(_ type: String) -> String { integers[path.joined(separator: ".")] ?? type }
    let text =
      switch attribute.type {
      case .integer16: integer("Int16")
      case .integer32: integer("Int32")
      case .integer64: integer("Int")
      case .decimal: "Decimal"
      case .double: "Double"
      case .float: "Float"
      case .string: "String"
      case .boolean: "Bool"
      case .date: "Date"
      case .binary: "Data"
      case .uuid: "UUID"
      case .uri: "URL"
      case .transformable:
        attribute.valueClassName.map { "a transformed \($0)" } ?? "a transformed value"
      case .composite: composite(attribute, at: path)
      }
    return text + (attribute.isOptional && attribute.type != .composite ? "?" : "")
      + (attribute.preservesValueOnDeletion ? ", preserved on deletion" : "")
  }

  private func composite(_ attribute: AttributeDescription, at path: [String]) -> String {
    let columns = attribute.leaves.map { leaf in
      "\(leaf.attribute.name): \(text(of: leaf.attribute, at: path + leaf.path))"
    }
    return (attribute.isOptional ? "an optional " : attribute.isEnumeration ? "an " : "a ")
      + (attribute.isEnumeration ? "enum" : "struct") + " with the columns "
      + columns.joined(separator: ", ")
  }
}
