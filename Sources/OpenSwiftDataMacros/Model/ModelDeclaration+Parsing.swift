import SwiftSyntax

extension ModelDeclaration {
  /// - Parameter lexicalContext: The declarations around the class, from the inside.
  init(_ node: ClassDeclSyntax, in lexicalContext: [Syntax]) {
    let members = node.memberBlock.members.map(\.decl)
    name = node.name.text
    access = AccessLevel(of: node.modifiers, in: lexicalContext)
    isFinal = node.modifiers.has(.final)
    mayBeIsolated = node.attributes.mayHave("MainActor") || node.hasUnknownInheritance
    possibleSuperclass = node.possibleSuperclass
    properties = members.compactMap { $0.as(VariableDeclSyntax.self) }
      .compactMap(PropertyDeclaration.init)
    let constraints = members.compiled.compactMap { $0.as(MacroExpansionDeclSyntax.self) }
      .compactMap(ConstraintDeclaration.init)
    self.constraints =
      constraints.filter { $0.kind == .index } + constraints.filter { $0.kind == .unique }
    declared = DeclaredMembers(members)
    equalities = EqualityDeclaration.all(in: members, of: node.name.plainName)
    hasHash = members.declareHash
  }
}

extension ClassDeclSyntax {
  /// The first inherited type, unless it is a well-known protocol.
  var possibleSuperclass: String? { inheritedTypes.first.flatMap { isKnown($0) ? nil : $0 } }

  /// Whether an inherited type may be isolated.
  fileprivate var hasUnknownInheritance: Bool { !inheritedTypes.allSatisfy(isKnown) }

  private var inheritedTypes: [String] {
    inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
  }

  private func isKnown(_ type: String) -> Bool { knownProtocols.contains(unqualified(type)) }
}

private let knownProtocols: Set<String> = [
  "Codable", "Comparable", "CustomDebugStringConvertible", "CustomStringConvertible",
  "Decodable", "Encodable", "Equatable", "Hashable", "Identifiable", "Observable",
  "ObservableObject", "PersistentModel", "Sendable", "@unchecked Sendable",
]

private func unqualified(_ type: String) -> String {
  ["Swift.", "SwiftData.", "Foundation.", "Observation."]
    .first { type.hasPrefix($0) }
    .map { String(type.dropFirst($0.count)) } ?? type
}

extension PropertyDeclaration {
  /// Reads a stored property; `nil` when the model does not persist it.
  init?(_ node: VariableDeclSyntax) {
    guard let identifier = node.persistedIdentifier, let binding = node.bindings.first else {
      return nil
    }
    self.identifier = identifier.trimmed
    type = binding.typeAnnotation?.type.trimmed
    initialValue = binding.initializer?.value.trimmed
    isConstant = node.isConstant
    foreignAttribute = ThirdPartyAttribute.first(in: node.attributes)?.plainName
    schema = SchemaAttribute(node.attributes)
    if let written = schema, written.isUniqueOnly, type?.isVisiblyValue == true {
      schema?.kind = .attribute
    }
  }
}

extension VariableDeclSyntax {
  var isStatic: Bool { modifiers.has(.static, .class) }

  /// The name of the property if a model persists it. Each property of a class asks this of every
  /// member, so it allocates nothing, except for names with backticks.
  var persistedIdentifier: TokenSyntax? {
    guard isStoredInstanceVariable,
      bindings.count == 1,
      let pattern = bindings.first?.pattern.as(IdentifierPatternSyntax.self),
      !pattern.identifier.text.hasPrefix("_$"), !pattern.identifier.isRawIdentifier,
      modifiers.first(of: ["lazy", "unowned", "override"]) == nil,
      !attributes.has("Transient"), ThirdPartyAttribute.knownPropertyWrapper(in: attributes) == nil,
      !(isConstant && bindings.first?.initializer != nil)
    else { return nil }
    return pattern.identifier
  }

  /// `var` or `let`, not static, without a getter.
  var isStoredInstanceVariable: Bool {
    !isStatic && bindings.allSatisfy { !$0.isComputed }
  }

  var isConstant: Bool { bindingSpecifier.tokenKind == .keyword(.let) }
}

extension SchemaAttribute {
  /// Reads the first `@Attribute` or `@Relationship`.
  init?(_ attributes: AttributeListSyntax) {
    let found = attributes.compiled.lazy
      .compactMap { attribute in Kind(rawValue: attribute.plainName).map { ($0, attribute) } }
      .first
    guard let (kind, attribute) = found else { return nil }
    self.kind = kind
    arguments = attribute.arguments?.as(LabeledExprListSyntax.self) ?? []
  }
}

extension ConstraintDeclaration {
  init?(_ node: MacroExpansionDeclSyntax) {
    guard let kind = Kind(rawValue: node.macroName.text) else { return nil }
    self.kind = kind
    model = node.genericArgumentClause?.arguments.first?.argument.trimmedDescription
    arguments = node.arguments
  }
}

extension DeclaredMembers {
  init(_ members: [DeclSyntax]) {
    // One in a clause that is not compiled is missed by the compiler.
    hasInitializer = members.undecided.contains { $0.is(InitializerDeclSyntax.self) }
    for member in members.compiled {
      if let variable = member.as(VariableDeclSyntax.self) {
        let patterns = variable.bindings.map(\.pattern)
        variables.formUnion(
          patterns.compactMap { $0.as(IdentifierPatternSyntax.self)?.identifier.plainName })
      } else if let function = member.as(FunctionDeclSyntax.self) {
        functions.insert(function.fullName)
      } else if let type = member.asProtocol((any NamedDeclSyntax).self) {
        types.insert(type.name.plainName)
      } else if let initializer = member.as(InitializerDeclSyntax.self) {
        hasInitializer = true
        hasBackingDataInitializer =
          hasBackingDataInitializer || initializer.labels == ["backingData"]
      }
    }
  }
}

extension FunctionDeclSyntax {
  /// `withMutation(keyPath:_:)`
  var fullName: String {
    let labels = signature.parameterClause.parameters.map { "\($0.firstName.text):" }
    return "\(name.plainName)(\(labels.joined()))"
  }

  /// `static func == (a: Model, b: Model)`
  fileprivate func comparesTwo(_ model: String) -> Bool {
    let parameters = signature.parameterClause.parameters
    return name.text == "==" && genericParameterClause == nil && parameters.count == 2
      && parameters.allSatisfy { ["Self", model].contains($0.type.nameOfParameter) }
  }
}

extension EqualityDeclaration {
  /// The operators of a class or of one clause of an `#if`; one without a condition is enough.
  fileprivate static func all(in members: [DeclSyntax], of model: String) -> [Self] {
    if members.contains(where: { $0.as(FunctionDeclSyntax.self)?.comparesTwo(model) ?? false }) {
      return [.always]
    }
    return members.compactMap { $0.as(IfConfigDeclSyntax.self) }.compactMap { block in
      let clauses = block.clauses.map { clause in
        let condition = clause.condition.map { " \($0.trimmedDescription)" } ?? ""
        return (
          directive: "\(clause.poundKeyword.text)\(condition)",
          equalities: all(in: clause.members, of: model)
        )
      }
      return clauses.allSatisfy(\.equalities.isEmpty) ? nil : .conditional(clauses)
    }
  }
}

extension [DeclSyntax] {
  fileprivate var declareHash: Bool {
    contains { member in
      if let function = member.as(FunctionDeclSyntax.self) {
        return function.fullName == "hash(into:)"
      }
      return member.as(IfConfigDeclSyntax.self)?.clauses.contains(where: \.members.declareHash)
        ?? false
    }
  }
}

extension TypeSyntax {
  /// The last name of the type, as in `borrowing Bank.Coin`; `nil` if the parameter is `inout`.
  fileprivate var nameOfParameter: String? {
    guard let attributed = self.as(AttributedTypeSyntax.self) else {
      return self.as(IdentifierTypeSyntax.self)?.name.plainName ?? lastName
    }
    let isInout = attributed.specifiers.contains {
      $0.as(SimpleTypeSpecifierSyntax.self)?.specifier.tokenKind == .keyword(.inout)
    }
    return isInout ? nil : attributed.baseType.nameOfParameter
  }
}

extension InitializerDeclSyntax {
  var labels: [String] { signature.parameterClause.parameters.map(\.firstName.text) }
}
