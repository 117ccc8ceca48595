import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Checks one variable of a model.
struct PropertyValidation {
  private let node: VariableDeclSyntax
  private let name: String
  private let position: Syntax
  private var isTransient: Bool { node.attributes.has("Transient") }
  private var isStored: Bool { node.bindings.contains { !$0.isComputed } }

  static func check(
    _ node: VariableDeclSyntax, of model: ModelDeclaration, sink: inout DiagnosticSink
  ) {
    guard let binding = node.bindings.first else { return }
    let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    let validation = PropertyValidation(
      node: node,
      name: pattern?.identifier.plainName ?? binding.pattern.trimmedDescription,
      position: Syntax(binding.pattern))
    SchemaAttributeValidation.check(node, name: validation.name, of: model, sink: &sink)
    if !node.isStatic, validation.isStored, !validation.name.hasPrefix("_$") {
      validation.checkStored(binding, isNamed: pattern != nil, sink: &sink)
    }
  }

  private func checkStored(
    _ binding: PatternBindingSyntax, isNamed: Bool, sink: inout DiagnosticSink
  ) {
    if isTransient {
      checkTransient(sink: &sink)
    } else if !isNamed {
      sink.report(.destructuringPattern, at: position)
    } else if node.bindings.contains(where: \.isNamedByRawIdentifier) {
      sink.report(.rawIdentifier(name), at: position)
    } else if let modifier = node.modifiers.first(of: ["lazy", "unowned"]) {
      checkModifier(modifier, sink: &sink)
    } else if node.modifiers.has(.override) {
      // An override only adds observers; the superclass' property stores the value.
      return
    } else if let wrapper = ThirdPartyAttribute.knownPropertyWrapper(in: node.attributes) {
      sink.report(.propertyWrapper(name, wrapper: wrapper.plainName), at: wrapper)
    } else if let attribute = node.attributes.all(named: "ObservationIgnored").first {
      let transient = attribute.with(\.attributeName, "Transient ")
      let fixIts = [ModelFixIt.markTransient.replacing(attribute, with: transient)]
      sink.report(.observationIgnored(name), at: attribute, fixIts: fixIts)
    } else if node.isConstant, node.bindings.count == 1, binding.initializer != nil {
      let variable = node.bindingSpecifier.with(\.tokenKind, .keyword(.var))
      let fixIt = ModelFixIt.useVar.replacing(node.bindingSpecifier, with: variable)
      sink.report(.constantProperty(name), at: node.bindingSpecifier, fixIts: [fixIt])
    } else if node.bindings.count > 1 {
      checkSeveral(sink: &sink)
    } else if ReservedName.all.contains(name) {
      sink.report(.reservedName(name), at: position, fixIts: ReservedName.fixIts(for: node, name))
    } else if binding.hasWorkingObservers {
      sink.report(.observedProperty(name), at: position)
    } else if binding.typeAnnotation == nil, binding.initializer == nil {
      sink.report(.missingType(name), at: position)
    } else if let type = binding.typeAnnotation?.type, let wrapped = type.wrappedType,
      wrapped.isOptional
    {
      let fixIt = ModelFixIt.removeOptional.replacing(type, with: wrapped)
      sink.report(.doubleOptional(name), at: type, fixIts: [fixIt])
    }
  }

  private func checkTransient(sink: inout DiagnosticSink) {
    // A type at the end applies to all bindings before it: `var a, b: Int?`.
    let type = node.bindings.last?.typeAnnotation?.type
    for binding in node.bindings where binding.initializer == nil && !binding.isComputed {
      guard let type = binding.typeAnnotation?.type ?? type, !type.isOptional else { continue }
      let name = binding.pattern.trimmedDescription
      sink.report(.transientWithoutDefault(name), at: binding.pattern)
    }
  }

  private func checkModifier(_ modifier: DeclModifierSyntax, sink: inout DiagnosticSink) {
    let fixIts = [ModelFixIt.markTransient.replacing(node, with: node.markedTransient)]
    let keyword = modifier.name.text
    sink.report(.unsupportedModifier(name, keyword: keyword), at: modifier, fixIts: fixIts)
  }

  private func checkSeveral(sink: inout DiagnosticSink) {
    let names = node.bindings.map { $0.pattern.trimmedDescription }
    let fixIts = node.splitBindings.map { split in
      [ModelFixIt.splitBindings.replacing(node, with: split)]
    }
    sink.report(.severalBindings(names), at: node, fixIts: fixIts ?? [])
  }
}

extension PatternBindingSyntax {
  fileprivate var isNamedByRawIdentifier: Bool {
    pattern.as(IdentifierPatternSyntax.self)?.identifier.isRawIdentifier ?? false
  }
}

extension VariableDeclSyntax {
  /// One declaration per binding, each on its own line; `nil` when a binding has accessors.
  fileprivate var splitBindings: CodeBlockItemListSyntax? {
    guard bindings.allSatisfy({ $0.accessorBlock == nil }) else { return nil }
    // A type applies to the preceding bindings that have neither a type nor a value.
    var following: TypeAnnotationSyntax?
    var lines: [CodeBlockItemSyntax] = []
    for binding in bindings.reversed() {
      following = binding.typeAnnotation ?? (binding.initializer == nil ? following : nil)
      let single = binding.with(\.trailingComma, nil).with(\.leadingTrivia, [])
        .with(\.typeAnnotation, following).with(\.trailingTrivia, [])
      let line = with(\.bindings, [single]).with(\.leadingTrivia, leadingTrivia)
      lines.insert(CodeBlockItemSyntax(item: .decl(DeclSyntax(line))), at: 0)
    }
    return CodeBlockItemListSyntax(lines)
  }
  var markedTransient: VariableDeclSyntax {
    let attribute = AttributeSyntax("@Transient").with(\.trailingTrivia, .space)
    let plain = with(\.leadingTrivia, [])
    return plain.with(\.attributes, [.attribute(attribute)] + plain.attributes)
      .with(\.leadingTrivia, leadingTrivia)
  }
}
