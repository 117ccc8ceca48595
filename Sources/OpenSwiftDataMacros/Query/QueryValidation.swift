import SwiftDiagnostics
import SwiftSyntax

/// Checks a property with `@Query`.
struct QueryValidation {
  private let property: QueryProperty
  private let variable: VariableDeclSyntax

  init(_ property: QueryProperty, _ variable: VariableDeclSyntax) {
    self.property = property
    self.variable = variable
  }

  func run(_ sink: inout DiagnosticSink) {
    let (name, binding) = (property.name, property.binding)
    if variable.isStatic {
      sink.report(.attributeOnStatic(macro: "Query", property: name), at: binding.pattern)
    }
    if binding.accessorBlock != nil {
      sink.report(.attributeOnComputed(macro: "Query", property: name), at: binding.pattern)
    }
    let specifier = variable.bindingSpecifier
    if specifier.tokenKind == .keyword(.let) {
      let fixed = specifier.with(\.tokenKind, .keyword(.var))
      let fixIt = ModelFixIt.useVar.replacing(specifier, with: fixed)
      sink.report(.constantQuery(name), at: specifier, fixIts: [fixIt])
    }
    if let value = binding.initializer {
      sink.report(.queryWithValue(name), at: value, fixIts: [withoutValue])
    }
    checkType(&sink)
  }

  private func checkType(_ sink: inout DiagnosticSink) {
    guard let type = property.binding.typeAnnotation?.type else {
      sink.report(.queryWithoutType(property.name), at: property.binding.pattern)
      return
    }
    guard let wrapped = type.wrappedType else { return }
    let fixed = wrapped.with(\.trailingTrivia, type.trailingTrivia)
    let fixIt = ModelFixIt.removeOptional.replacing(type, with: fixed)
    sink.report(.queryOfOptional(property.name), at: type, fixIts: [fixIt])
  }

  private var withoutValue: FixIt {
    let binding = property.binding
    let fixed = binding.with(\.initializer, nil).trimmed
      .with(\.leadingTrivia, binding.leadingTrivia)
      .with(\.trailingTrivia, binding.trailingTrivia)
    return ModelFixIt.removeValue.replacing(binding, with: fixed)
  }
}
