extension QueryExpression {
  /// A step that always fails.
  static var failure: QueryExpression { .call(.fail, []) }

  /// Whether the value is a property that only its type can read.
  var isOpaque: Bool {
    if case .property(_, .opaque, _) = self { true } else { false }
  }

  /// Whether the expression only reads properties, so it cannot fail and may be repeated.
  var isPath: Bool {
    switch self {
    case .variable, .value: true
    case .property(_, _, let root): root.isPath
    case .call, .compute, .closure: false
    }
  }

  /// Whether a step of the expression may fail, apart from those in a `falseOnFailure`.
  var mayFail: Bool {
    switch self {
    case .variable, .value: false
    case .property(_, _, let root): root.mayFail
    case .compute: true
    case .call(.falseOnFailure, _): false
    case .call(let function, let operands):
      switch function {
      case .fail, .forceUnwrap, .isInRange, .isInClosedRange, .element: true
      default: operands.contains(where: \.mayFail)
      }
    case .closure(_, let list, _, let body): list.mayFail || body.mayFail
    }
  }

  /// The same properties of another expression, if this only reads properties of a variable.
  ///
  /// A property of `nil` is `nil`, so `optional.flatMap { $0.a.b }` is a property of a property.
  func path(from variable: Int, replacedBy root: QueryExpression) -> QueryExpression? {
    switch self {
    case .variable(variable): root
    case .property(let name, let kind, let inner):
      inner.path(from: variable, replacedBy: root).map { .property(name, kind, of: $0) }
    case .variable, .value, .call, .compute, .closure: nil
    }
  }

  /// The condition without what has no effect on the outermost level, where a failure is false.
  var withoutOuterGuard: QueryExpression {
    if case .call(.falseOnFailure, let operands) = self, operands.count == 1 {
      return operands[0].withoutOuterGuard
    }
    return self
  }
}

/// Joins conditions with `&&` or `||`, and leaves out constants without effect.
struct Chain {
  private let function: DataStoreQuery.Function
  private var parts: [QueryExpression] = []
  /// Whether the last part decides the result, so that no further one is evaluated.
  private(set) var isDecided = false

  init(_ function: DataStoreQuery.Function) {
    self.function = function
  }

  private var deciding: Bool { function == .or }

  mutating func add(_ part: QueryExpression) {
    if isDecided { return }
    switch part {
    case .value(.boolean(let value)):
      isDecided = value == deciding
      if isDecided { parts.append(part) }
    case .call(function, let inner): parts += inner
    default: parts.append(part)
    }
  }

  var expression: QueryExpression {
    switch parts.count {
    case 0: .value(.boolean(!deciding))
    case 1: parts[0]
    default: .call(function, parts)
    }
  }
}
