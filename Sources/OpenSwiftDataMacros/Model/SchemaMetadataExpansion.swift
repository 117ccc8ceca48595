import SwiftSyntax
import SwiftSyntaxBuilder

/// Generates the description of a model's properties.
///
/// A class that can have subclasses generates a generic description, because the key paths of a
/// subclass must have the subclass as their root type.
struct SchemaMetadataExpansion {
  let model: ModelDeclaration
  let ancestry: ModelAncestry

  var members: [String] {
    if model.declared.variables.contains("schemaMetadata") { return model.isFinal ? [] : [generic] }
    return model.isFinal ? [complete] : [forwarding, generic]
  }

  private var modifiers: String {
    switch ancestry {
    case .root: model.isFinal ? "static " : "class "
    case .subclass: "override class "
    }
  }

  private var nonisolated: String { model.mayBeIsolated ? "nonisolated " : "" }

  private var access: String {
    model.isFinal ? model.access.fixed : model.access.overridable
  }

  private var complete: String {
    """
    \(nonisolated)\(access)\(modifiers)var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
      \(statements(root: model.name, type: "\(model.name).self"))
    }
    """
  }

  private var forwarding: String {
    """
    \(nonisolated)\(access)\(modifiers)var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
      _$schemaMetadata(for: \(model.name).self)
    }
    """
  }

  /// Overloads the superclass' function with a narrower type parameter.
  private var generic: String {
    """
    \(nonisolated)\(model.access.fixed)static func _$schemaMetadata<_M: \(model.name)>(
      for _type: _M.Type
    ) -> [SwiftData.Schema.PropertyMetadata] {
      \(statements(root: "_M", type: "_type"))
    }
    """
  }

  /// One statement per property, so that type checking is linear in the number of properties.
  private func statements(root: String, type: String) -> String {
    let inherited =
      switch ancestry {
      case .root: "[]"
      case .subclass(let superclass): "\(superclass)._$schemaMetadata(for: \(type))"
      }
    let entries = model.properties.map { $0.entry(root: root) } + model.constraints.map(entry)
    if entries.isEmpty { return "return \(inherited)" }
    let statements =
      ["var _metadata: [SwiftData.Schema.PropertyMetadata] = \(inherited)"]
      + entries.map { "_metadata.append(\($0))" } + ["return _metadata"]
    guard model.mayBeIsolated else { return statements.joined(separator: "\n  ") }
    // Key paths to isolated properties must be formed on their actor.
    let closure =
      "SwiftData._withoutIsolation { @MainActor () -> [SwiftData.Schema.PropertyMetadata] in"
    return "return \(closure)\n    \(statements.joined(separator: "\n    "))\n  }"
  }

  private func entry(_ constraint: ConstraintDeclaration) -> String {
    let type = "SwiftData.Schema.\(constraint.kind.rawValue)"
    let arguments = constraint.unrootedArguments(of: model.name).trimmedDescription
    return SchemaMetadataExpansion.entry(
      name: type, keyPath: "\\SwiftData.Schema.encodingVersion", defaultValue: "nil",
      metadata: "\(type)<\(constraint.model ?? model.name)>(\(arguments))")
  }

  fileprivate static func entry(
    name: String, keyPath: String, defaultValue: String, metadata: String
  ) -> String {
    """
    SwiftData.Schema.PropertyMetadata(
        name: "\(name)", keypath: \(keyPath), defaultValue: \(defaultValue),
        metadata: \(metadata))
    """
  }
}

extension PropertyDeclaration {
  fileprivate func entry(root: String) -> String {
    SchemaMetadataExpansion.entry(
      name: name, keyPath: "\\\(root).\(identifier.text)", defaultValue: defaultValue,
      metadata: schema.map(\.construction) ?? "nil")
  }

  /// `Any?` is expected here; the declared type gives implicit members and literals their types.
  private var defaultValue: String {
    guard let initialValue, !initialValue.is(NilLiteralExprSyntax.self) else { return "nil" }
    let isStatement = initialValue.is(IfExprSyntax.self) || initialValue.is(SwitchExprSyntax.self)
    guard let type else { return isStatement ? "{ \(initialValue) }()" : initialValue.description }
    // `if` and `switch` are expressions in few places only; the body of a closure is one.
    return isStatement
      ? "{ () -> \(type.coercible) in \(initialValue) }()"
      : "(\(initialValue)) as \(type.coercible)"
  }
}

extension SchemaAttribute {
  /// The compiler checks the inverse key path where the user wrote it; it need not check it again.
  fileprivate var construction: String {
    let arguments = arguments.map { argument in
      guard argument.label?.text == "inverse",
        let path = argument.expression.as(KeyPathExprSyntax.self), let root = path.root,
        let name = path.components.last,
        path.components.allSatisfy({ $0.component.is(KeyPathPropertyComponentSyntax.self) })
      else { return argument }
      // The parser reads the nested type in `\Outer.Stop.trip` as a property of `Outer`.
      let nested = path.components.dropLast().map(\.trimmedDescription).joined()
      let type = root.trimmedDescription + nested
      let call = "SwiftData._keyPath(from: (\(type)).self, \\\(name.trimmedDescription))"
      return argument.with(\.expression, "\(raw: call)")
    }
    let list = LabeledExprListSyntax(arguments).trimmedDescription
    return "SwiftData.Schema.\(kind.rawValue)(\(list))"
  }
}

extension TypeSyntax {
  /// `T?` for `T!`: a coercion to `T!` is not allowed, and `T?` holds the same values.
  fileprivate var coercible: String {
    guard let implicit = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else {
      return trimmedDescription
    }
    return "\(implicit.wrappedType.trimmedDescription)?"
  }
}

extension ConstraintDeclaration {
  /// The arguments with `\.name` in place of `\Trip.name`: the compiler checks the key paths where
  /// the user wrote them; it need not check them again.
  fileprivate func unrootedArguments(of model: String) -> LabeledExprListSyntax {
    let rewritten = KeyPathUnrooting(root: model).rewrite(arguments)
    return rewritten.as(LabeledExprListSyntax.self) ?? arguments
  }
}

private final class KeyPathUnrooting: SyntaxRewriter {
  private let root: String

  init(root: String) { self.root = root }

  override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax {
    ExprSyntax(node.root?.trimmedDescription == root ? node.with(\.root, nil) : node)
  }
}
