import SwiftSyntax

extension PredicateParser {
  mutating func prefix(_ expression: PrefixOperatorExprSyntax) throws -> PredicateTerm {
    switch expression.operator.text {
    case "!": return .unary("Negation", try term(expression.expression))
    case "-": return .unary("UnaryMinus", try term(expression.expression))
    case "+": return try term(expression.expression)
    case let name: throw PredicateDiagnostic.prefixOperator(name).error(at: expression.operator)
    }
  }

  mutating func infix(_ expression: InfixOperatorExprSyntax) throws -> PredicateTerm {
    guard !expression.isAssignment,
      let token = expression.operator.as(BinaryOperatorExprSyntax.self)?.operator
    else { throw PredicateDiagnostic.assignment.error(at: expression.operator) }
    let name = token.text
    if name == "~=" {
      let pattern = try term(expression.leftOperand)
      return .call(
        builder: "contains", [.term(pattern), .term(try term(expression.rightOperand))])
    }
    guard let (builder, option) = Self.infixBuilders[name] else {
      if name == "===" || name == "!==" {
        throw PredicateDiagnostic.identity(name).error(
          at: token,
          fixIt: PredicateFixIt.replace(token, with: .binaryOperator(String(name.dropLast()))))
      }
      throw PredicateDiagnostic.infixOperator(name).error(at: token)
    }
    let lhs = try term(expression.leftOperand)
    return .binary(builder, lhs, try term(expression.rightOperand), option: option)
  }

  private static let infixBuilders: [String: (builder: String, option: String?)] = [
    "&&": ("Conjunction", nil),
    "||": ("Disjunction", nil),
    "==": ("Equal", nil),
    "!=": ("NotEqual", nil),
    "<": ("Comparison", "lessThan"),
    "<=": ("Comparison", "lessThanOrEqual"),
    ">": ("Comparison", "greaterThan"),
    ">=": ("Comparison", "greaterThanOrEqual"),
    "+": ("Arithmetic", "add"),
    "-": ("Arithmetic", "subtract"),
    "*": ("Arithmetic", "multiply"),
    "/": ("Division", nil),
    "%": ("Remainder", nil),
    "??": ("NilCoalesce", nil),
  ]

  /// A range with two bounds. It is split into its bounds even when captured: making a `Range` with
  /// bounds in the wrong order would stop the program, while in the node it is a step that fails.
  mutating func rangeTerm(_ expression: ExprSyntax) throws -> PredicateTerm? {
    guard let infix = expression.as(InfixOperatorExprSyntax.self),
      let name = infix.operator.as(BinaryOperatorExprSyntax.self)?.operator.text,
      let builder = name == "..." ? "CheckedClosedRange" : name == "..<" ? "CheckedRange" : nil
    else { return nil }
    return .call(
      builder: builder,
      [
        .term(try term(infix.leftOperand), label: "lower"),
        .term(try term(infix.rightOperand), label: "upper"),
      ])
  }
}

extension InfixOperatorExprSyntax {
  /// Whether it is `=`, or an operator such as `+=`.
  var isAssignment: Bool {
    guard let name = self.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else {
      return true
    }
    return name.last == "="
      && !["==", "!=", "<=", ">=", "===", "!==", "~="].contains(name)
  }
}
