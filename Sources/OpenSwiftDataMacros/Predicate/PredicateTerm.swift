import SwiftSyntax

/// One expression of a predicate: the intermediate form between source syntax and builder calls.
indirect enum PredicateTerm {
  /// Mentions no variable of the predicate; evaluated when the predicate is made.
  case captured(ExprSyntax)
  /// Captured, with steps that throw where they would stop the program. Typed arithmetic goes into
  /// a `let` of its own, because the compiler is slow with operators in a closure inside a generic
  /// call.
  case attempted(ExprSyntax, isTyped: Bool)
  case nilLiteral
  /// A variable or a `let`, by its name in the expansion.
  case reference(String)
  case member(of: PredicateTerm, named: String)
  case call(builder: String, [PredicateArgument])
  case cast(node: String, PredicateTerm, to: TypeSyntax)
}

/// One argument of a builder call.
struct PredicateArgument {
  enum Value {
    case term(PredicateTerm)
    case closure(PredicateClosure)
    /// A captured expression that the builder takes as it is.
    case written(ExprSyntax)
    /// A case of an operator enumeration, such as `.add`.
    case option(String)
  }

  var label: String?
  var value: Value

  static func term(_ term: PredicateTerm, label: String? = nil) -> Self {
    PredicateArgument(label: label, value: .term(term))
  }

  static func closure(_ closure: PredicateClosure, label: String? = nil) -> Self {
    PredicateArgument(label: label, value: .closure(closure))
  }

  static func written(_ expression: ExprSyntax, label: String? = nil) -> Self {
    PredicateArgument(label: label, value: .written(expression))
  }

  static func option(_ name: String, label: String) -> Self {
    PredicateArgument(label: label, value: .option(name))
  }
}

/// A closure of the expansion: its parameter is a variable of the predicate.
struct PredicateClosure {
  var parameters: [String]
  var bindings: [PredicateBinding]
  var result: PredicateTerm
}

struct PredicateBinding {
  enum Value {
    case term(PredicateTerm)
    /// A value that is not optional.
    case required(PredicateTerm)
    case captured(ExprSyntax, TypeAnnotationSyntax?)
    /// The result or error of a captured expression that may throw.
    case attempt(ExprSyntax, TypeAnnotationSyntax?)
  }

  var name: String
  var value: Value

  var isAttempt: Bool {
    if case .attempt = value { true } else { false }
  }
}

extension PredicateTerm {
  static func unary(_ builder: String, _ operand: PredicateTerm) -> PredicateTerm {
    .call(builder: builder, [.term(operand)])
  }

  static func binary(
    _ builder: String, _ lhs: PredicateTerm, _ rhs: PredicateTerm, option: String? = nil
  ) -> PredicateTerm {
    var arguments = [PredicateArgument.term(lhs, label: "lhs"), .term(rhs, label: "rhs")]
    if let option { arguments.append(.option(option, label: "op")) }
    return .call(builder: builder, arguments)
  }

  static func conditional(
    _ test: PredicateTerm, _ trueBranch: PredicateTerm, _ falseBranch: PredicateTerm
  ) -> PredicateTerm {
    .call(builder: "Conditional", [.term(test), .term(trueBranch), .term(falseBranch)])
  }

  static func flatMap(_ wrapped: PredicateTerm, _ transform: PredicateClosure) -> PredicateTerm {
    .call(builder: "flatMap", [.term(wrapped), .closure(transform)])
  }

  /// Like `flatMap`, but an optional result stays apart from an absent value.
  static func map(_ wrapped: PredicateTerm, _ transform: PredicateClosure) -> PredicateTerm {
    .call(builder: "map", [.term(wrapped), .closure(transform)])
  }

  /// Whether it is a conjunction or a disjunction.
  var isJunction: Bool {
    if case .call("Conjunction", _) = self { return true }
    if case .call("Disjunction", _) = self { return true }
    return false
  }

  /// Whether it contains a builder call other than key paths and casts.
  var isCompound: Bool {
    switch self {
    case .captured, .nilLiteral, .reference: false
    case .attempted(_, let isTyped): isTyped
    case .member(let root, _): root.isCompound
    case .cast(_, let operand, _): operand.isCompound
    case .call: true
    }
  }

  var isMember: Bool {
    if case .member = self { true } else { false }
  }

  /// Whether the builder takes no optional for an argument.
  func requiresValue(at index: Int) -> Bool {
    guard case .call(let builder, let arguments) = self else { return false }
    if Self.operators.contains(builder) { return true }
    if builder == "Conditional" { return index == 0 }
    guard builder.first?.isLowercase == true, !["map", "flatMap"].contains(builder) else {
      return false
    }
    if index == 0 { return arguments[0].label == nil }
    return !Self.methodsOnOptionals.contains(builder)
  }

  /// Whether the builder takes an optional for an argument only beside certain others.
  func mayRequireValue(at index: Int) -> Bool {
    guard case .call(let builder, _) = self else { return false }
    return index > 0 && (builder == "Conditional" || Self.methodsOnOptionals.contains(builder))
  }

  /// Operators that optionals do not have.
  private static let operators: Set = [
    "Comparison", "Conjunction", "Disjunction", "Negation", "Arithmetic", "Division", "Remainder",
    "UnaryMinus", "CheckedRange", "CheckedClosedRange",
  ]

  /// Methods with an argument that may be optional.
  private static let methodsOnOptionals: Set = ["contains", "subscript", "evaluate"]

  /// Whether its type does not depend on the context, as the type of a literal does.
  var hasFixedType: Bool {
    switch self {
    case .captured, .nilLiteral: false
    case .attempted(_, let isTyped): isTyped
    case .reference, .member, .cast: true
    case .call(let builder, let arguments):
      switch builder {
      case "Conditional": arguments.dropFirst().contains { $0.hasFixedType }
      case "map", "flatMap": arguments.last?.hasFixedType == true
      case "NilCoalesce", "Arithmetic", "Division", "Remainder", "UnaryMinus", "ForcedUnwrap",
        "CheckedRange", "CheckedClosedRange":
        arguments.contains { $0.hasFixedType }
      default: true
      }
    }
  }
}

extension PredicateArgument {
  var isMember: Bool {
    if case .term(let term) = value { term.isMember } else { false }
  }

  fileprivate var hasFixedType: Bool {
    switch value {
    case .term(let term): term.hasFixedType
    case .closure(let closure): closure.result.hasFixedType
    case .written, .option: false
    }
  }
}

extension PredicateClosure {
  /// The closure, with a result of false where a step fails that would stop a program.
  var falseOnFailure: PredicateClosure {
    let mayFail =
      result.mayFail
      || bindings.contains { binding in
        switch binding.value {
        case .term(let term): term.mayFail
        case .required: true
        case .captured, .attempt: false
        }
      }
    guard mayFail else { return self }
    var closure = self
    closure.result = .unary("falseOnFailure", result)
    return closure
  }
}

extension PredicateTerm {
  /// Whether a step of the term itself may fail; closures in it handle their own failures.
  fileprivate var mayFail: Bool {
    switch self {
    case .captured, .nilLiteral, .reference: false
    case .attempted: true
    // The root may be an implicitly unwrapped property.
    case .member(let root, _): root.isMember || root.mayFail
    case .cast(let node, let operand, _): node == "ForceCast" || operand.mayFail
    case .call("falseOnFailure", _): false
    case .call(let builder, let arguments):
      Self.failingBuilders.contains(builder)
        || arguments.indices.contains { requiresValue(at: $0) && arguments[$0].isMember }
        || builder == "contains" && arguments.last?.isMember == true
        || arguments.contains { argument in
          switch argument.value {
          case .term(let term): term.mayFail
          case .closure(let closure): closure.result.mayFail
          case .written, .option: false
          }
        }
    }
  }

  private static let failingBuilders: Set = [
    "ForcedUnwrap", "Arithmetic", "Division", "Remainder", "UnaryMinus", "subscript", "evaluate",
    "CheckedRange", "CheckedClosedRange",
  ]
}
