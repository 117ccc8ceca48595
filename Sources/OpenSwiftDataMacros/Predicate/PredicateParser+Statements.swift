import SwiftSyntax

extension PredicateParser {
  /// A closure in the source: its parameters are variables of the predicate.
  mutating func closure(_ closure: ClosureExprSyntax) throws -> PredicateClosure {
    let captures = try namedCaptures(of: closure)
    var names = closure.parameterNames.map { (written: $0, emitted: $0) }
    if names.isEmpty {
      names = closure.shorthandNames.map { (written: $0, emitted: fresh.make()) }
    }
    return try scoped(parameters: names.map(\.emitted)) { parser in
      parser.names.dropShorthands()
      for name in names { parser.names.bindTerm(name.written, as: name.emitted) }
      for (capture, isTerm) in captures {
        parser.bindings.append(capture)
        if isTerm {
          parser.names.bindTerm(capture.name, as: capture.name)
        } else {
          parser.names.bindCapture(capture.name, as: capture.name, isAttempt: capture.isAttempt)
        }
      }
      return try parser.statements(Array(closure.statements)[...], endingAt: closure.rightBrace)
    }
  }

  /// A closure whose result is a condition. A property alone gets a `let`, so that its type does not
  /// depend on that of the closure.
  mutating func condition(_ closure: PredicateClosure) -> PredicateClosure {
    guard closure.result.isMember else { return closure }
    var closure = closure
    let name = fresh.make()
    closure.bindings.append(PredicateBinding(name: name, value: .required(closure.result)))
    closure.result = .reference(name)
    return closure
  }

  /// The `[name = value]` captures of a closure. Plain captures need nothing, because the expansion
  /// reads their values at once. It cannot repeat the list: Swift 6.3.1 does not compile the
  /// expansion then.
  private mutating func namedCaptures(
    of closure: ClosureExprSyntax
  ) throws -> [(binding: PredicateBinding, isTerm: Bool)] {
    var captures: [(binding: PredicateBinding, isTerm: Bool)] = []
    for capture in closure.signature?.capture?.items ?? [] {
      if let specifier = capture.specifier {
        throw PredicateDiagnostic.captureSpecifier.error(at: specifier)
      }
      guard let (name, value) = capture.binding else { continue }
      let isTerm = !names.isCaptured(value)
      let bound: PredicateBinding.Value
      if isTerm {
        bound = .term(try term(value))
      } else {
        let (value, mayFail, _) = capturedValue(value)
        bound = mayFail ? .attempt(value, nil) : .captured(value, nil)
      }
      captures.append((PredicateBinding(name: name, value: bound), isTerm))
    }
    return captures
  }

  /// Parses the body of a new closure of the expansion.
  mutating func scoped(
    parameters: [String], _ read: (inout PredicateParser) throws -> PredicateTerm
  ) rethrows -> PredicateClosure {
    let outer = (names, bindings, branchDepth)
    (bindings, branchDepth) = ([], 0)
    defer { (names, bindings, branchDepth) = outer }
    let result = try read(&self)
    return PredicateClosure(parameters: parameters, bindings: bindings, result: result)
  }

  /// The value of a list of statements: an `if` or `guard` uses the statements after it as its
  /// alternative.
  mutating func statements(
    _ items: ArraySlice<CodeBlockItemSyntax>, endingAt end: TokenSyntax
  ) throws -> PredicateTerm {
    guard let first = items.first else { throw PredicateDiagnostic.resultMissing.error(at: end) }
    let rest = items.dropFirst()
    switch first.item {
    case .decl(let declaration):
      try bind(declaration)
      return try statements(rest, endingAt: end)
    case .stmt(let statement):
      return try self.statement(statement, rest: rest, endingAt: end)
    case .expr(let expression):
      if let branch = expression.as(IfExprSyntax.self) {
        return try self.branch(branch, rest: rest, endingAt: end)
      }
      guard rest.isEmpty else { throw unused(expression) }
      return try term(expression)
    }
  }

  /// The error for an expression whose value is not used.
  private func unused(_ expression: ExprSyntax) -> any Error {
    if let infix = expression.as(InfixOperatorExprSyntax.self), infix.isAssignment {
      return PredicateDiagnostic.assignment.error(at: infix.operator)
    }
    if let call = expression.as(FunctionCallExprSyntax.self) {
      let name = call.calledExpression.trimmedDescription
      return PredicateDiagnostic.unusedCall(name).error(at: call.calledExpression)
    }
    return PredicateDiagnostic.unusedValue.error(at: expression)
  }

  private mutating func statement(
    _ statement: StmtSyntax, rest: ArraySlice<CodeBlockItemSyntax>, endingAt end: TokenSyntax
  ) throws -> PredicateTerm {
    switch statement.as(StmtSyntaxEnum.self) {
    case .returnStmt(let returned):
      guard let expression = returned.expression else {
        throw PredicateDiagnostic.resultMissing.error(at: returned)
      }
      return try term(expression)
    case .expressionStmt(let wrapped):
      if let branch = wrapped.expression.as(IfExprSyntax.self) {
        return try self.branch(branch, rest: rest, endingAt: end)
      }
      guard rest.isEmpty else { throw unused(wrapped.expression) }
      return try term(wrapped.expression)
    case .guardStmt(let guarded):
      let otherwise = try block(guarded.body)
      return try conditions(Array(guarded.conditions), otherwise: otherwise) { parser in
        try parser.statements(rest, endingAt: end)
      }
    case .forStmt, .whileStmt, .repeatStmt:
      throw PredicateDiagnostic.loop.error(at: statement)
    default:
      throw PredicateDiagnostic.statement.error(at: statement)
    }
  }

  /// An `if`. Without an `else`, the statements after it are its `else`.
  mutating func branch(
    _ branch: IfExprSyntax, rest: ArraySlice<CodeBlockItemSyntax>, endingAt end: TokenSyntax? = nil
  ) throws -> PredicateTerm {
    let otherwise: PredicateTerm
    switch branch.elseBody {
    case .codeBlock(let body): otherwise = try block(body)
    case .ifExpr(let next): otherwise = try self.branch(next, rest: rest, endingAt: end)
    case nil: otherwise = try statements(rest, endingAt: end ?? branch.body.rightBrace)
    }
    return try conditions(Array(branch.conditions), otherwise: otherwise) { parser in
      try parser.block(branch.body)
    }
  }

  private mutating func block(_ block: CodeBlockSyntax) throws -> PredicateTerm {
    try branching { parser in
      try parser.statements(Array(block.statements)[...], endingAt: block.rightBrace)
    }
  }

  /// Parses the statements of one branch; names bound in it are not visible after it.
  mutating func branching(
    _ read: (inout PredicateParser) throws -> PredicateTerm
  ) rethrows -> PredicateTerm {
    let outer = names
    branchDepth += 1
    defer {
      names = outer
      branchDepth -= 1
    }
    return try read(&self)
  }

  /// A `let`. In a branch it gets a new name, because the expansion has no branches.
  private mutating func bind(_ declaration: DeclSyntax) throws {
    guard let variable = declaration.as(VariableDeclSyntax.self) else {
      throw PredicateDiagnostic.statement.error(at: declaration)
    }
    let specifier = variable.bindingSpecifier
    guard specifier.tokenKind == .keyword(.let) else {
      throw PredicateDiagnostic.variable.error(
        at: specifier, fixIt: PredicateFixIt.replace(specifier, with: .keyword(.let)))
    }
    for binding in variable.bindings {
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
        throw PredicateDiagnostic.pattern.error(at: binding.pattern)
      }
      guard let value = binding.initializer?.value else {
        throw PredicateDiagnostic.initialValueMissing.error(at: binding)
      }
      let emitted = branchDepth == 0 ? name : fresh.make()
      if names.isCaptured(value) {
        bind(captured: value, binding.typeAnnotation, to: name, as: emitted)
      } else {
        bindings.append(PredicateBinding(name: emitted, value: .term(try term(value))))
        names.bindTerm(name, as: emitted)
      }
    }
  }
}
