import SwiftSyntax
import SwiftSyntaxBuilder

// Integer arithmetic stops a program when a result overflows its type. Only the compiler knows
// which operands are integers, so a computation is written twice: as it is, and as steps that check
// their operands when they run, and throw where there is no result.
extension CaptureRewriter {
  /// A computation, and the steps that repeat it with checks.
  private struct Computation {
    enum Steps {
      /// Known not to be integer arithmetic.
      case none
      case unknown
      case literal(String)
      case known(String)
    }

    var text: String
    var steps: Steps
  }

  /// Calls that are evaluated once; the name stands for the value in both versions.
  private typealias Calls = [(name: String, value: String)]

  /// Adds checks to an expression whose outermost operation is `+ - * / %` or a conversion such as
  /// `Int(x)`; nil if the expression needs no check.
  func arithmetic(_ expression: ExprSyntax) -> ExprSyntax? {
    guard expression.isArithmetic else { return nil }
    let hadSteps = hasSteps
    var calls: Calls = []
    hasTypedOperand = false
    let computation = self.computation(expression, &calls)
    guard case .known(let steps) = computation.steps else {
      hasSteps = hadSteps
      return nil
    }
    hasSteps = true
    var text =
      "PredicateExpressions._computed(by: { \(Self.stepsName) in try \(steps) }, \(computation.text))"
    if !calls.isEmpty {
      let names = calls.map(\.name).joined(separator: ", ")
      let values = calls.map(\.value).joined(separator: ", ")
      text = "{ \(names) in try \(text) }(\(values))"
    }
    return kept("\(raw: text)", as: expression)
  }

  private static var stepsName: String { "_$s" }

  private func computation(_ expression: ExprSyntax, _ calls: inout Calls) -> Computation {
    if let inner = expression.parenthesized {
      var result = computation(inner, &calls)
      result.text = "(\(result.text))"
      return result
    }
    if let (left, name, step, right) = expression.binaryOperation {
      let (left, right) = (computation(left, &calls), computation(right, &calls))
      return joined("\(left.text) \(name) \(right.text)", "\(step)(", [left, right])
    }
    if let operand = expression.negatedOperand {
      let operand = computation(operand, &calls)
      return joined("-\(operand.text)", "negative(", [operand])
    }
    if let (type, operand) = expression.convertedOperand {
      let operand = computation(operand, &calls)
      return joined("\(type)(\(operand.text))", "conversion(to: \(type).self, of: ", [operand])
    }
    return leaf(expression, &calls)
  }

  private func joined(
    _ text: String, _ step: String, _ operands: [Computation]
  ) -> Computation {
    var isLiteral = true
    var isUnknown = true
    var texts: [String] = []
    for operand in operands {
      switch operand.steps {
      case .none: return Computation(text: text, steps: .none)
      case .unknown:
        isLiteral = false
        texts.append("\(Self.stepsName).unknown")
      case .literal(let text):
        texts.append("\(Self.stepsName).literal(\(text))")
      case .known(let text):
        (isLiteral, isUnknown) = (false, false)
        texts.append(text)
      }
    }
    // The compiler evaluates arithmetic on literals itself.
    guard !isLiteral, !isUnknown else { return Computation(text: text, steps: .unknown) }
    let steps = "\(Self.stepsName).\(step)\(texts.joined(separator: ", ")))"
    return Computation(text: text, steps: .known(steps))
  }

  private func leaf(_ expression: ExprSyntax, _ calls: inout Calls) -> Computation {
    let value = part(expression).trimmedDescription
    switch expression.as(ExprSyntaxEnum.self) {
    case .integerLiteralExpr, .prefixOperatorExpr:
      return Computation(text: value, steps: Int(value).map { _ in .literal(value) } ?? .unknown)
    case .floatLiteralExpr, .stringLiteralExpr, .arrayExpr, .dictionaryExpr, .nilLiteralExpr,
      .closureExpr, .booleanLiteralExpr:
      return Computation(text: value, steps: .none)
    default: break
    }
    if expression.isImplicitMember { return Computation(text: value, steps: .unknown) }
    hasTypedOperand =
      hasTypedOperand || expression.is(DeclReferenceExprSyntax.self) || expression.chainBase != nil
    if expression.isRepeatable { return Computation(text: value, steps: .known(value)) }
    guard expression.chainBase != nil else { return Computation(text: value, steps: .unknown) }
    let name = fresh.make()
    calls.append((name, value))
    return Computation(text: name, steps: .known(name))
  }
}

extension ExprSyntax {
  /// Whether its outermost operation is `+ - * / %` or a conversion such as `Int(x)`.
  var isArithmetic: Bool {
    binaryOperation != nil || negatedOperand != nil || convertedOperand != nil
  }

  /// The operands and the name of the step of `+ - * / %`.
  fileprivate var binaryOperation:
    (left: ExprSyntax, name: String, step: String, right: ExprSyntax)?
  {
    guard let infix = self.as(InfixOperatorExprSyntax.self),
      let name = infix.operator.as(BinaryOperatorExprSyntax.self)?.operator.text
    else { return nil }
    let step: String? =
      switch name {
      case "+": "sum"
      case "-": "difference"
      case "*": "product"
      case "/": "quotient"
      case "%": "remainder"
      default: nil
      }
    return step.map { (infix.leftOperand, name, $0, infix.rightOperand) }
  }

  /// The operand of a `-` that is not the sign of a literal.
  fileprivate var negatedOperand: ExprSyntax? {
    guard !isNumberLiteral, let prefix = self.as(PrefixOperatorExprSyntax.self),
      prefix.operator.text == "-"
    else { return nil }
    return prefix.expression
  }

  /// The type and the operand of `Int(x)` and other integer conversions.
  fileprivate var convertedOperand: (type: String, operand: ExprSyntax)? {
    guard let call = self.as(FunctionCallExprSyntax.self), call.trailingClosure == nil,
      let type = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
      Self.wholeNumbers.contains(type), call.arguments.count == 1,
      let argument = call.arguments.first, argument.label == nil
    else { return nil }
    return (type, argument.expression)
  }

  private static let wholeNumbers: Set = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
  ]

  /// Whether it may be evaluated twice: it calls nothing except initialisers, `min`, `max` and
  /// `abs`.
  fileprivate var isRepeatable: Bool {
    let finder = CallFinder(viewMode: .sourceAccurate)
    finder.walk(self)
    return !finder.found
  }
}

private final class CallFinder: SyntaxVisitor {
  private(set) var found = false

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text ?? ""
    if name.first?.isUppercase != true, !["min", "max", "abs"].contains(name) { found = true }
    return .visitChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
    found = true
    return .skipChildren
  }
}
