import SwiftParser
import SwiftSyntax

extension TokenSyntax {
  /// The text without backticks.
  var plainName: String {
    text.count > 2 && text.hasPrefix("`") ? String(text.dropFirst().dropLast()) : text
  }

  /// Whether the name needs backticks for its characters, as `` `hello world` `` does, so that a name with a
  /// prefix needs them too.
  var isRawIdentifier: Bool {
    text.hasPrefix("`") && !"_\(plainName)".isValidSwiftIdentifier(for: .variableName)
  }
}

extension TypeSyntax {
  /// `PersistentModel` for `SwiftData.PersistentModel`.
  var lastName: String {
    self.as(MemberTypeSyntax.self)?.name.plainName ?? trimmedDescription
  }

  /// Whether the type is written as `[T]` or `[T]?`, where `T` may be a model.
  var mayBeArrayOfModels: Bool {
    if let optional = self.as(OptionalTypeSyntax.self) {
      return optional.wrappedType.as(ArrayTypeSyntax.self)?.mayHoldModels ?? false
    }
    return self.as(ArrayTypeSyntax.self)?.mayHoldModels ?? false
  }

  /// Whether the type is `T?`, `T!`, `Optional<T>` or `Swift.Optional<T>`.
  var isOptional: Bool {
    wrappedType != nil
  }

  /// The `T` of an optional type.
  var wrappedType: TypeSyntax? {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType }
    if let implicit = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return implicit.wrappedType
    }
    return genericArgument(of: ["Optional"])
  }

  /// The element of an array or set type.
  var elementType: TypeSyntax? {
    if let array = self.as(ArrayTypeSyntax.self) { return array.element }
    return genericArgument(of: ["Array", "Set"])
  }

  /// The only generic argument, if the type's last name is one of `names`.
  private func genericArgument(of names: Set<String>) -> TypeSyntax? {
    let clause: GenericArgumentClauseSyntax?
    if let identifier = self.as(IdentifierTypeSyntax.self), names.contains(identifier.name.text) {
      clause = identifier.genericArgumentClause
    } else if let member = self.as(MemberTypeSyntax.self), names.contains(member.name.text) {
      clause = member.genericArgumentClause
    } else {
      clause = nil
    }
    guard let clause, clause.arguments.count == 1 else { return nil }
    return clause.arguments.first?.argument.as(TypeSyntax.self)
  }
}

extension AttributeSyntax {
  /// The last component of the attribute's name: `Attribute` for `@SwiftData.Attribute`.
  var plainName: String {
    if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.plainName }
    if let identifier = attributeName.as(IdentifierTypeSyntax.self) {
      return identifier.name.plainName
    }
    return attributeName.trimmedDescription
  }
}

extension AttributeSyntax {
  /// The argument of `@Model(originalName:)`.
  var originalName: ExprSyntax? {
    arguments?.as(LabeledExprListSyntax.self)?
      .first { $0.label?.text == "originalName" }?.expression
  }
}

extension ExprSyntax {
  /// A string literal that has text and no interpolation.
  var nonemptyLiteral: StringLiteralExprSyntax? {
    guard let literal = self.as(StringLiteralExprSyntax.self),
      let text = literal.representedLiteralValue, !text.isEmpty
    else { return nil }
    return literal
  }
}

extension DeclModifierListSyntax {
  func has(_ keywords: Keyword...) -> Bool {
    contains { modifier in keywords.contains { modifier.name.tokenKind == .keyword($0) } }
  }

  func first(of keywords: Set<String>) -> DeclModifierSyntax? {
    first { keywords.contains($0.name.text) }
  }
}

extension PatternBindingSyntax {
  /// Whether the binding has a getter of its own.
  var isComputed: Bool {
    switch accessorBlock?.accessors {
    case .getter: true
    case .accessors(let accessors): !accessors.allSatisfy(\.isObserver)
    case nil: false
    }
  }

  /// Whether the binding has an observer that contains a statement.
  var hasWorkingObservers: Bool {
    guard case .accessors(let accessors) = accessorBlock?.accessors else { return false }
    return accessors.contains { $0.isObserver && $0.body?.statements.isEmpty == false }
  }
}

extension AccessorDeclSyntax {
  var isObserver: Bool {
    [.keyword(.willSet), .keyword(.didSet)].contains(accessorSpecifier.tokenKind)
  }
}

extension ArrayTypeSyntax {
  /// Whether the element type may be a class, as far as its name shows.
  fileprivate var mayHoldModels: Bool {
    element.is(MemberTypeSyntax.self)
      || element.is(IdentifierTypeSyntax.self) && !element.isVisiblyValue
  }
}
