import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Checks `@Attribute`, `@Relationship` and `@Transient` on one variable of a model.
enum SchemaAttributeValidation {
  static func check(
    _ node: VariableDeclSyntax, name: String, of model: ModelDeclaration,
    sink: inout DiagnosticSink
  ) {
    let names = ["Attribute", "Relationship", "Transient"]
    for attribute in node.attributes.undecided where names.contains(attribute.plainName) {
      let macro = "@\(attribute.plainName)"
      sink.report(.conditionalDeclaration(macro: macro, of: name), at: attribute)
    }
    let markers = names.map { node.attributes.all(named: $0) }
    let present = markers.compactMap(\.first)
    guard let first = present.first else { return }
    checkPlace(of: present, on: node, name: name, sink: &sink)
    if present.count > 1 {
      sink.report(
        .conflictingAttributes(first.plainName, present[1].plainName, property: name),
        at: present[1], fixIts: [ModelFixIt.removeAttribute.removing(present[1], from: node)])
    }
    for repeated in markers.compactMap({ $0.dropFirst().first }) {
      sink.report(
        .repeatedAttribute(macro: repeated.plainName, property: name), at: repeated,
        fixIts: [ModelFixIt.removeAttribute.removing(repeated, from: node)])
    }
    if let schema = SchemaAttribute(node.attributes) {
      checkOptions(of: schema, name: name, sink: &sink)
      checkRelationship(schema, on: node, name: name, of: model, sink: &sink)
    }
  }

  /// `@Transient` on a computed or static property has no effect and is accepted.
  private static func checkPlace(
    of attributes: [AttributeSyntax], on node: VariableDeclSyntax, name: String,
    sink: inout DiagnosticSink
  ) {
    for attribute in attributes where attribute.plainName != "Transient" {
      let macro = attribute.plainName
      let fixIts = [ModelFixIt.removeAttribute.removing(attribute, from: node)]
      if node.isStatic {
        let message = ModelDiagnostic.attributeOnStatic(macro: macro, property: name)
        sink.report(message, at: attribute, fixIts: fixIts)
      } else if node.bindings.contains(where: \.isComputed) {
        let message = ModelDiagnostic.attributeOnComputed(macro: macro, property: name)
        sink.report(message, at: attribute, fixIts: fixIts)
      }
    }
  }

  private static func checkOptions(
    of schema: SchemaAttribute, name: String, sink: inout DiagnosticSink
  ) {
    var seen: Set<String> = []
    for (option, argument) in schema.options where !seen.insert(option).inserted {
      let fixIt = ModelFixIt.removeOption.replacing(
        schema.arguments, with: schema.arguments.removing(argument))
      sink.report(.repeatedOption(option, property: name), at: argument.expression, fixIts: [fixIt])
    }
    if seen.contains("ephemeral"),
      let unique = schema.options.first(where: { $0.name == "unique" })?.argument
    {
      let fixIt = ModelFixIt.removeUnique.replacing(
        schema.arguments, with: schema.arguments.removing(unique))
      sink.report(.uniqueEphemeral(name), at: unique.expression, fixIts: [fixIt])
    }
  }

  private static func checkRelationship(
    _ schema: SchemaAttribute, on node: VariableDeclSyntax, name: String,
    of model: ModelDeclaration, sink: inout DiagnosticSink
  ) {
    guard schema.kind == .relationship else { return }
    if let type = node.bindings.first?.typeAnnotation?.type, type.isVisiblyValue {
      // `@Relationship(.unique)` is treated as `@Attribute(.unique)`.
      if !schema.isUniqueOnly {
        sink.report(
          .relationshipOnValue(property: name, type: type.trimmedDescription), at: type)
      }
    }
    checkInverse(of: schema, of: model, sink: &sink)
  }

  /// Checks a key path into the class itself; the compiler checks other key paths.
  private static func checkInverse(
    of schema: SchemaAttribute, of model: ModelDeclaration, sink: inout DiagnosticSink
  ) {
    guard let inverse = schema.arguments.first(where: { $0.label?.text == "inverse" }),
      let path = inverse.expression.as(KeyPathExprSyntax.self),
      path.root?.trimmedDescription == model.name,
      let target = path.firstPropertyName,
      model.possibleSuperclass == nil,
      !model.properties.contains(where: { $0.name == target })
    else { return }
    sink.report(.unknownInverse(property: target, model: model.name), at: path)
  }

}

extension TypeSyntax {
  /// Whether the spelling of the type shows that its values are not models.
  var isVisiblyValue: Bool {
    if let wrapped = wrappedType { return wrapped.isVisiblyValue }
    if let element = elementType { return element.isVisiblyValue }
    if self.is(DictionaryTypeSyntax.self) || self.is(TupleTypeSyntax.self) { return true }
    let name = trimmedDescription
    return valueTypes.contains(name.hasPrefix("Swift.") ? String(name.dropFirst(6)) : name)
  }
}

private let valueTypes: Set<String> = [
  "Bool", "Character", "Data", "Date", "Decimal", "Double", "Float", "Int", "Int8", "Int16",
  "Int32", "Int64", "Locale", "String", "TimeInterval", "UInt", "UInt8", "UInt16", "UInt32",
  "UInt64", "URL", "UUID",
]

extension LabeledExprListSyntax {
  /// The list without one element and without a trailing comma.
  fileprivate func removing(_ argument: LabeledExprSyntax) -> LabeledExprListSyntax {
    var kept = filter { $0.id != argument.id }
    if let last = kept.indices.last, argument.trailingComma == nil {
      kept[last].trailingComma = nil
    }
    return kept
  }
}

extension KeyPathExprSyntax {
  var propertyCount: Int {
    components.count { $0.component.is(KeyPathPropertyComponentSyntax.self) }
  }

  /// `name` in `\Trip.name` and `\.name?.count`.
  var firstPropertyName: String? {
    components.lazy.compactMap { $0.component.as(KeyPathPropertyComponentSyntax.self) }
      .first?.declName.baseName.plainName
  }
}
