import SwiftSyntax

extension PredicateParser {
  /// The conditions of an `if` or `guard`, from first to last.
  mutating func conditions(
    _ conditions: [ConditionElementSyntax], otherwise: PredicateTerm,
    then: (inout PredicateParser) throws -> PredicateTerm
  ) throws -> PredicateTerm {
    let otherwise = shared(otherwise, among: conditions)
    return try self.conditions(conditions[...], otherwise: otherwise, then: then)
  }

  /// A fallback that several conditions share is built once.
  private mutating func shared(
    _ otherwise: PredicateTerm, among conditions: [ConditionElementSyntax]
  ) -> PredicateTerm {
    guard conditions.count > 1, otherwise.isCompound, otherwise.hasFixedType else {
      return otherwise
    }
    let name = fresh.make()
    bindings.append(PredicateBinding(name: name, value: .term(otherwise)))
    return .reference(name)
  }

  private mutating func conditions(
    _ conditions: ArraySlice<ConditionElementSyntax>, otherwise: PredicateTerm,
    then: (inout PredicateParser) throws -> PredicateTerm
  ) throws -> PredicateTerm {
    guard let first = conditions.first else { return try then(&self) }
    if let binding = try optionalBinding(first) {
      let mapped = try unwrapping(binding, rest: conditions.dropFirst(), otherwise, then)
      return .binary("NilCoalesce", mapped, otherwise)
    }
    let tests = conditions.prefix { $0.condition.as(OptionalBindingConditionSyntax.self) == nil }
    let test = try tests.dropFirst().reduce(try boolean(first)) {
      .binary("Conjunction", $0, try boolean($1))
    }
    let rest = conditions.dropFirst(tests.count)
    return .conditional(
      test, try self.conditions(rest, otherwise: otherwise, then: then), otherwise)
  }

  /// `if let a = x, let b = y { A }` as nested unwrappings that share one fallback.
  private mutating func unwrapping(
    _ binding: (name: String, value: ExprSyntax), rest: ArraySlice<ConditionElementSyntax>,
    _ otherwise: PredicateTerm, _ then: (inout PredicateParser) throws -> PredicateTerm
  ) throws -> PredicateTerm {
    let wrapped = try term(binding.value)
    let parameter = fresh.make()
    let next = try rest.first.flatMap { try optionalBinding($0) }
    let transform = try scoped(parameters: [parameter]) { parser in
      parser.names.bindTerm(binding.name, as: parameter)
      if let next {
        return try parser.unwrapping(next, rest: rest.dropFirst(), otherwise, then)
      }
      return try parser.conditions(rest, otherwise: otherwise, then: then)
    }
    // A result of nil is not a reason for the fallback.
    return next == nil ? .map(wrapped, transform) : .flatMap(wrapped, transform)
  }

  private mutating func boolean(_ element: ConditionElementSyntax) throws -> PredicateTerm {
    switch element.condition {
    case .expression(let expression): return try term(expression)
    case .matchingPattern(let match):
      return try test(match.initializer.value, against: match.pattern)
    case .availability: throw PredicateDiagnostic.availability.error(at: element)
    case .optionalBinding: throw PredicateDiagnostic.statement.error(at: element)
    }
  }

  /// The name and the optional of `let name = value` or `let name`; `nil` for a plain condition.
  private func optionalBinding(
    _ element: ConditionElementSyntax
  ) throws -> (name: String, value: ExprSyntax)? {
    switch element.condition {
    case .expression, .matchingPattern, .availability: return nil
    case .optionalBinding(let binding):
      let specifier = binding.bindingSpecifier
      guard specifier.tokenKind == .keyword(.let) else {
        throw PredicateDiagnostic.variable.error(
          at: specifier, fixIt: PredicateFixIt.replace(specifier, with: .keyword(.let)))
      }
      guard let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
        throw PredicateDiagnostic.pattern.error(at: binding.pattern)
      }
      let reference = ExprSyntax(DeclReferenceExprSyntax(baseName: identifier.trimmed))
      return (identifier.text, binding.initializer?.value ?? reference)
    }
  }
}
