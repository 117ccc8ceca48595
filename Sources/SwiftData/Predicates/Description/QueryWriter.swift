import Foundation

typealias QueryExpression = DataStoreQuery.Expression

/// Writes a predicate as an expression of a `DataStoreQuery`.
///
/// 1. The walk asks each node for its form (`PredicateNode.plainForm`), and nodes ask the writer to
///    write their operands.
/// 2. An expression that does not depend on a row is evaluated and becomes a constant.
/// 3. A variable stands for the row, for a captured value, or for the expression that it is bound
///    to: predicates that a predicate evaluates are inlined.
/// 4. A part that cannot be described throws `Undescribed`.
///
/// Unlike `PredicateCompiler` it knows no database and no stored forms: the values keep Swift's
/// rules. What both know of a node stands together in `Predicates/Nodes`.
struct QueryWriter {
  /// What an expression or a variable stands for.
  enum Operand {
    case captured(Any)
    case expression(QueryExpression)
  }

  private var variables: [PredicateExpressions.VariableID: Operand] = [:]
  /// The values of the variables that stand for captured values.
  private var captured = PredicateBindings()
  /// The greatest number of a variable that is bound around the current expression.
  private var bound = 0
  private var depth = 0
  private var size = 0

  init() {}

  /// - Parameter row: The variable of the requested row.
  init(row: PredicateExpressions.VariableID) {
    variables[row] = .expression(.row)
  }

  /// As in `PredicateCompiler`.
  private static var depthLimit: Int { 100 }
  /// Expressions that are evaluated several times may grow without a limit.
  private static var sizeLimit: Int { 100_000 }

  // MARK: Walking

  /// The description of an expression.
  mutating func write(_ expression: any PredicateExpression) throws -> QueryExpression {
    guard let node = expression as? any PredicateNode else {
      throw Undescribed("\(type(of: expression)) is not known")
    }
    size += 1
    guard depth < Self.depthLimit, size < Self.sizeLimit else {
      throw Undescribed("expressions nested too deeply")
    }
    depth += 1
    defer { depth -= 1 }
    do {
      if hasNestedOptional(node) { throw Undescribed("an optional inside an optional") }
      if !node.findsCaptures, isCaptured(node) { return try constant(of: node) }
      return try node.plainForm(in: &self)
    } catch var error as Undescribed {
      error.part = error.part ?? PredicateSource.text(of: node)
      throw error
    } catch {
      guard isFailedStep(error) else { throw Undescribed("a captured value cannot be evaluated") }
      return .failure
    }
  }

  /// A value has one level of nil only.
  private func hasNestedOptional<Node: PredicateExpression>(_ node: Node) -> Bool {
    unwrappedType(of: Node.Output.self).flatMap { unwrappedType(of: $0) } != nil
  }

  /// The description of an operand that has to be read. Opaque values are only compared with nil.
  mutating func value(_ expression: any PredicateExpression) throws -> QueryExpression {
    let written = try write(expression)
    if written.isOpaque { throw Undescribed("a value that only its type can read") }
    return written
  }

  mutating func call(
    _ function: DataStoreQuery.Function, _ operands: any PredicateExpression...
  ) throws -> QueryExpression {
    .call(function, try operands.map { try value($0) })
  }

  // MARK: Captured values

  func isCaptured(_ node: any PredicateNode) -> Bool {
    node.isCaptured { variable in
      if case .captured? = variables[variable] { true } else { false }
    }
  }

  /// The value of an expression that does not depend on a row.
  func captured<Node: PredicateExpression>(_ node: Node) throws -> Node.Output {
    guard let known = node as? any PredicateNode, isCaptured(known) else {
      throw Undescribed("a value that depends on the row")
    }
    return try node.evaluate(captured)
  }

  func constant<Node: PredicateExpression>(of node: Node) throws -> QueryExpression {
    try constant(try node.evaluate(captured))
  }

  func constant(_ value: Any) throws -> QueryExpression {
    guard let form = try? DataStoreValue.form(ofAny: value) else {
      throw Undescribed("\(type(of: value)) has no plain form")
    }
    return .value(form)
  }

  /// The captured value or the description of an operand.
  mutating func operand(_ expression: any PredicateExpression) throws -> Operand {
    func evaluated<Node: PredicateExpression>(_ node: Node) throws -> Any {
      try node.evaluate(captured)
    }
    guard let node = expression as? any PredicateNode, isCaptured(node) else {
      return .expression(try write(expression))
    }
    do {
      return .captured(try evaluated(node))
    } catch {
      guard isFailedStep(error) else { throw Undescribed("a captured value cannot be evaluated") }
      return .expression(.failure)
    }
  }

  // MARK: Variables

  func variable(_ key: PredicateExpressions.VariableID) throws -> QueryExpression {
    switch variables[key] {
    case .captured(let value): try constant(value)
    case .expression(let expression): expression
    case nil: throw Undescribed("an unbound variable")
    }
  }

  private mutating func bind<Value>(
    _ variable: PredicateExpressions.Variable<Value>, captured value: Any
  ) throws {
    guard let value = value as? Value ?? StoredForms.unwrap(value) as? Value else {
      throw Undescribed("a captured value of another type")
    }
    captured[variable] = value
    variables[variable.key] = .captured(value)
  }

  /// Writes the body of a closure over an operand.
  mutating func closure<Value>(
    _ closure: DataStoreQuery.Closure, of operand: any PredicateExpression,
    _ variable: PredicateExpressions.Variable<Value>, _ body: any PredicateExpression
  ) throws -> QueryExpression {
    let outer = variables[variable.key]
    defer { variables[variable.key] = outer }
    switch try self.operand(operand) {
    case .captured(let value): return try unrolled(closure, over: value, variable, body)
    case .expression(let root):
      if root == .failure { return root }
      if root.isOpaque { throw Undescribed("a value that only its type can read") }
      bound += 1
      defer { bound -= 1 }
      variables[variable.key] = .expression(.variable(bound))
      let written = try write(body)
      if closure == .flatMap, let path = written.path(from: bound, replacedBy: root) {
        return path
      }
      return .closure(closure, of: root, variable: bound, written)
    }
  }

  /// A closure over captured elements becomes a condition for each of them.
  private mutating func unrolled<Value>(
    _ closure: DataStoreQuery.Closure, over value: Any,
    _ variable: PredicateExpressions.Variable<Value>, _ body: any PredicateExpression
  ) throws -> QueryExpression {
    if closure == .flatMap {
      guard let value = StoredForms.unwrap(value) else { return .value(.null) }
      try bind(variable, captured: value)
      return try write(body)
    }
    guard closure != .filter, let elements = StoredForms.unwrap(value) as? any Collection,
      elements.count <= 64
    else { throw Undescribed("a closure over captured elements") }
    var chain = Chain(closure == .contains ? .or : .and)
    for element in elements where !chain.isDecided {
      try bind(variable, captured: element)
      chain.add(try write(body))
    }
    return chain.expression
  }

  // MARK: Inlined predicates

  /// Writes the expression of an inlined predicate. Inputs that are no paths are evaluated before it.
  /// An input may evaluate the same predicate, so all of them are written before a variable is bound.
  mutating func inlined<each Input: PredicateExpression>(
    _ body: any PredicateExpression,
    with parameters: repeat PredicateExpressions.Variable<(each Input).Output>,
    from inputs: repeat each Input
  ) throws -> QueryExpression {
    let (outer, outerCaptured, outerBound) = (variables, captured, bound)
    defer { (variables, captured, bound) = (outer, outerCaptured, outerBound) }
    var operands: [Operand] = []
    var evaluated: [(variable: Int, value: QueryExpression)] = []
    for input in repeat each inputs {
      var operand = try operand(input)
      if case .expression(let value) = operand, !value.isPath {
        bound += 1
        evaluated.append((bound, value))
        operand = .expression(.variable(bound))
      }
      operands.append(operand)
    }
    var index = 0
    for parameter in repeat each parameters {
      switch operands[index] {
      case .captured(let value): try bind(parameter, captured: value)
      case .expression: variables[parameter.key] = operands[index]
      }
      index += 1
    }
    return evaluated.reversed().reduce(try write(body)) { body, input in
      .closure(.bind, of: input.value, variable: input.variable, body)
    }
  }

  /// The expression of an inlined predicate, if all of its inputs are paths.
  private mutating func opened(_ node: any PredicateNode) -> (any PredicateExpression)? {
    guard let inner = node.evaluatedExpression else { return nil }
    var paths: [(PredicateExpressions.VariableID, QueryExpression)] = []
    for (variable, input) in inner.inputs {
      guard case .expression(let path)? = try? operand(input), path.isPath else { return nil }
      paths.append((variable, path))
    }
    for (variable, path) in paths { variables[variable] = .expression(path) }
    return inner.expression
  }

  // MARK: Chains

  /// Calls `body` with the operands of a chain of `&&` or `||`, from first to last. A chain may have
  /// thousands of operands, and each may contain another predicate, so this does not recurse.
  mutating func visitParts(
    of expression: any PredicateExpression, where isJoint: (any PredicateNode) -> Bool,
    _ body: (inout QueryWriter, any PredicateExpression) throws -> Void
  ) rethrows {
    var waiting = [expression]
    while let next = waiting.popLast() {
      let node = next as? any PredicateNode
      if let node, isJoint(node) {
        waiting += node.operands.reversed()
      } else if let inner = node.flatMap({ opened($0) }) {
        waiting.append(inner)
      } else {
        try body(&self, next)
      }
    }
  }

  mutating func chain(
    _ function: DataStoreQuery.Function, of node: any PredicateNode,
    where isJoint: (any PredicateNode) -> Bool
  ) throws -> QueryExpression {
    var chain = Chain(function)
    try visitParts(of: node, where: isJoint) { writer, part in
      if !chain.isDecided { chain.add(try writer.write(part)) }
    }
    return chain.expression
  }
}

/// Why a part of a predicate or an order cannot be described in plain data.
struct Undescribed: Error {
  let reason: String
  /// The source text of the part.
  var part: String?

  init(_ reason: String) {
    self.reason = reason
  }
}
