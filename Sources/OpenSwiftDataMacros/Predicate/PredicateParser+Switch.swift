import SwiftSyntax
import SwiftSyntaxBuilder

extension PredicateParser {
  /// A `switch` as a sequence of tests. The last case needs no test, because a `switch` is
  /// exhaustive.
  mutating func choice(_ choice: SwitchExprSyntax) throws -> PredicateTerm {
    let cases = try choice.cases.map { element in
      guard case .switchCase(let one) = element else {
        throw PredicateDiagnostic.statement.error(at: element)
      }
      return one
    }
    guard let last = cases.last else { throw PredicateDiagnostic.resultMissing.error(at: choice) }
    var result = try body(of: last)
    for one in cases.dropLast().reversed() {
      guard case .case(let label) = one.label else {
        throw PredicateDiagnostic.statement.error(at: one.label)
      }
      let test = try self.test(choice.subject, against: label)
      result = .conditional(test, try body(of: one), result)
    }
    return result
  }

  private mutating func body(of one: SwitchCaseSyntax) throws -> PredicateTerm {
    try branching { parser in
      try parser.statements(Array(one.statements)[...], endingAt: one.label.colon)
    }
  }

  private mutating func test(
    _ subject: ExprSyntax, against label: SwitchCaseLabelSyntax
  ) throws -> PredicateTerm {
    let tests = try label.caseItems.map { item in
      if let condition = item.whereClause {
        throw PredicateDiagnostic.pattern.error(at: condition)
      }
      return try test(subject, against: item.pattern)
    }
    return tests.dropFirst().reduce(tests[0]) { .binary("Disjunction", $0, $1) }
  }

  /// Whether a value matches a pattern that binds nothing.
  ///
  /// The pattern of a captured value is matched when the predicate is made and may be of any kind.
  /// The pattern of a value of the model must be an expression to compare with.
  mutating func test(
    _ subject: ExprSyntax, against pattern: PatternSyntax
  ) throws -> PredicateTerm {
    guard names.isCaptured(subject) else {
      guard let value = pattern.as(ExpressionPatternSyntax.self)?.expression else {
        throw PredicateDiagnostic.pattern.error(at: pattern)
      }
      let operands = (try term(subject), try term(value))
      return value.isRange
        ? .call(builder: "contains", [.term(operands.1), .term(operands.0)])
        : .binary("Equal", operands.0, operands.1)
    }
    guard names.isCaptured(pattern), pattern.bindsNothing else {
      throw PredicateDiagnostic.pattern.error(at: pattern)
    }
    let (value, mayFail, _) = capturedValue(subject)
    let test: ExprSyntax =
      """
      { if case \(pattern.trimmed) = \(raw: mayFail ? "try " : "")\(value) \
      { return true } else { return false } }()
      """
    return mayFail ? .attempted(test, isTyped: true) : .captured(test)
  }
}

extension SwitchCaseSyntax.Label {
  fileprivate var colon: TokenSyntax {
    switch self {
    case .case(let label): label.colon
    case .default(let label): label.colon
    }
  }
}

extension ExprSyntax {
  fileprivate var isRange: Bool {
    let name =
      self.as(InfixOperatorExprSyntax.self)?.operator.trimmedDescription
      ?? self.as(PrefixOperatorExprSyntax.self)?.operator.text
      ?? self.as(PostfixOperatorExprSyntax.self)?.operator.text
    return name == "..." || name == "..<"
  }
}

extension PatternSyntax {
  fileprivate var bindsNothing: Bool {
    let finder = BindingFinder(viewMode: .sourceAccurate)
    finder.walk(self)
    return !finder.found
  }
}

private final class BindingFinder: SyntaxVisitor {
  private(set) var found = false

  override func visit(_ node: ValueBindingPatternSyntax) -> SyntaxVisitorContinueKind {
    found = true
    return .skipChildren
  }
}
