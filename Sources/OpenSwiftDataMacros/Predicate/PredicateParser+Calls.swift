import SwiftSyntax
import SwiftSyntaxBuilder

extension PredicateParser {
  mutating func call(_ call: FunctionCallExprSyntax) throws -> PredicateTerm {
    guard let access = call.calledExpression.as(MemberAccessExprSyntax.self), let base = access.base
    else {
      let name = call.calledExpression.trimmedDescription
      throw PredicateDiagnostic.function(name).error(at: call.calledExpression)
    }
    try refuseList(base)
    let method = MethodCall(name: access.declName.baseName, call: call)
    if let array = base.as(ArrayExprSyntax.self), !names.isCaptured(array) {
      return try membership(of: method, in: array)
    }
    if method.name == "isMultiple" { return try multiple(base: base, method) }
    guard let shape = Self.methodShapes[method.name] else {
      let instead = Self.replacements[method.name]
      let diagnostic =
        instead.map { PredicateDiagnostic.otherMethod(method.name, instead: $0) }
        ?? .method(method.name)
      throw diagnostic.error(at: method.token)
    }
    guard let form = shape.forms.first(where: { $0.accepts(method) }) else {
      throw PredicateDiagnostic.methodArguments(method.name, expected: shape.expected)
        .error(at: method.token)
    }
    var isOptional = false
    var arguments: [PredicateArgument]
    if form.takesReceiverAsWritten, names.isCaptured(base) {
      isOptional = base.isOpenChain
      arguments = [writtenReceiver(base)]
    } else {
      arguments = [.term(try link(base))]
    }
    for argument in method.arguments {
      arguments.append(
        form.takesClosure
          ? .closure(
            form.isTest
              ? condition(try closureArgument(argument.value, of: method)).falseOnFailure
              : try closureArgument(argument.value, of: method),
            label: form.builderLabel)
          : .term(try term(argument.value), label: form.builderLabel))
    }
    let result = PredicateTerm.call(builder: form.builder, arguments)
    if isOptional { return unwrapping(result) }
    return form.member.map { .member(of: result, named: $0) } ?? result
  }

  /// A captured predicate or expression that is evaluated with a value.
  private mutating func writtenReceiver(_ base: ExprSyntax) -> PredicateArgument {
    let isOptional = base.isOpenChain
    let optional = base.as(OptionalChainingExprSyntax.self)?.expression
    let (value, mayFail, _) = capturedValue(optional ?? base)
    guard isOptional || mayFail else { return .written(value) }
    return .written(
      "{ \(raw: mayFail ? "try " : "")\(value) }", label: isOptional ? "optional" : "attempt")
  }

  /// Rejects `map` and `flatMap` of a collection. On an optional they give an optional, whose only
  /// supported members are these two.
  func refuseList(_ base: ExprSyntax) throws {
    guard let call = base.as(FunctionCallExprSyntax.self), !names.isCaptured(base),
      let method = call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName,
      ["map", "flatMap"].contains(method.text),
      !["map", "flatMap"].contains(
        base.parent?.as(MemberAccessExprSyntax.self)?.declName.baseName.text)
    else { return }
    throw PredicateDiagnostic.listOfParts(method.text).error(at: method)
  }

  mutating func subscriptCall(_ call: SubscriptCallExprSyntax) throws -> PredicateTerm {
    try refuseList(call.calledExpression)
    var arguments = [PredicateArgument.term(try link(call.calledExpression))]
    for argument in call.arguments {
      arguments.append(.term(try term(argument.expression), label: argument.label?.text))
    }
    let labels = call.arguments.map(\.label?.text)
    guard labels == [nil] || labels == [nil, "default"] else {
      throw
        PredicateDiagnostic
        .methodArguments("subscript", expected: "[key], [key, default: value]")
        .error(at: call.arguments)
    }
    return .call(builder: "subscript", arguments)
  }

  /// `[$0.a, $0.b].contains(x)` as `a == x || b == x`, because no node makes an array of terms.
  private mutating func membership(
    of method: MethodCall, in array: ArrayExprSyntax
  ) throws -> PredicateTerm {
    guard method.name == "contains", method.labels == [nil], !method.hasClosure else {
      throw PredicateDiagnostic.collectionLiteral.error(at: array)
    }
    let value = try term(method.arguments[0].value)
    let tests = try array.elements.map {
      PredicateTerm.binary("Equal", try term($0.expression), value)
    }
    return tests.dropFirst().reduce(tests[0]) { .binary("Disjunction", $0, $1) }
  }

  /// `a.isMultiple(of: 2)` as `a % 2 == 0`. The divisor must be a literal, because zero would trap.
  private mutating func multiple(base: ExprSyntax, _ method: MethodCall) throws -> PredicateTerm {
    guard method.labels == ["of"],
      let divisor = method.arguments[0].value.as(IntegerLiteralExprSyntax.self),
      !divisor.isZero
    else {
      throw PredicateDiagnostic.methodArguments("isMultiple", expected: "value % divisor == 0")
        .error(at: method.token)
    }
    let remainder = PredicateTerm.binary(
      "Remainder", try link(base), .captured(ExprSyntax(divisor.trimmed)))
    let zero = IntegerLiteralExprSyntax(literal: .integerLiteral("0"))
    return .binary("Equal", remainder, .captured(ExprSyntax(zero)))
  }

  private mutating func closureArgument(
    _ argument: ExprSyntax, of method: MethodCall
  ) throws -> PredicateClosure {
    if let closure = argument.as(ClosureExprSyntax.self) {
      return try self.closure(closure)
    }
    guard let path = argument.as(KeyPathExprSyntax.self) else {
      throw PredicateDiagnostic.closureArgument(method.name).error(at: argument)
    }
    let parameter = fresh.make()
    let result = try path.components.reduce(PredicateTerm.reference(parameter)) { root, component in
      guard let property = component.component.as(KeyPathPropertyComponentSyntax.self) else {
        throw PredicateDiagnostic.keyPathArgument.error(at: component)
      }
      return .member(of: root, named: property.declName.baseName.text)
    }
    return PredicateClosure(parameters: [parameter], bindings: [], result: result)
  }
}

/// A method call; a trailing closure counts as an argument.
struct MethodCall {
  let token: TokenSyntax
  let arguments: [(label: String?, value: ExprSyntax)]
  let hasTrailingClosure: Bool

  init(name: TokenSyntax, call: FunctionCallExprSyntax) {
    token = name
    let written = call.arguments.map { (label: $0.label?.text, value: $0.expression) }
    let trailing = call.trailingClosure.map { (label: String?.none, value: ExprSyntax($0)) }
    arguments = written + (trailing.map { [$0] } ?? [])
    hasTrailingClosure = trailing != nil
  }

  var name: String { token.text }
  var labels: [String?] { arguments.map(\.label) }
  var hasClosure: Bool {
    arguments.contains { $0.value.is(ClosureExprSyntax.self) }
  }
}

extension IntegerLiteralExprSyntax {
  /// Whether the literal is zero, in any radix.
  fileprivate var isZero: Bool {
    let text = literal.text
    let digits = ["0b", "0o", "0x"].contains(text.prefix(2)) ? text.dropFirst(2) : text[...]
    return digits.allSatisfy { $0 == "0" || $0 == "_" }
  }
}
