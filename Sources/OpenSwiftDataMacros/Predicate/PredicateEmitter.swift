import SwiftSyntax

/// Generates the builder calls of Foundation's predicates from terms.
///
/// Operands that are builder calls themselves become separate `let`s, unless their type depends on
/// the context. The compiler then type-checks one small call after the other, so long conditions
/// stay fast to compile.
struct PredicateEmitter {
  var fresh: FreshNames
  private var statements: [String] = []

  init(fresh: FreshNames) {
    self.fresh = fresh
  }

  mutating func text(of closure: PredicateClosure) -> String {
    let outer = statements
    statements = []
    defer { statements = outer }
    for binding in closure.bindings { statements.append(text(of: binding)) }
    let result = text(of: closure.result)
    let head = "{ \(closure.parameters.joined(separator: ", ")) in"
    guard !statements.isEmpty else { return "\(head) \(result) }" }
    let lines = statements + ["return \(result)"]
    return "\(head)\n\(lines.map(indented).joined(separator: "\n"))\n}"
  }

  private mutating func text(of binding: PredicateBinding) -> String {
    switch binding.value {
    case .term(let term): "let \(binding.name) = \(text(of: term))"
    case .required(let term): "let \(binding.name) = \(requiredText(of: term))"
    case .captured(let expression, let type):
      "let \(binding.name)\(type?.trimmedDescription ?? "") = \(expression.trimmedDescription)"
    case .attempt(let expression, let type?):
      "let \(binding.name) = PredicateExpressions._attempt({ try "
        + "(\(expression.trimmedDescription)) as \(type.type.trimmedDescription) })"
    case .attempt(let expression, nil):
      "let \(binding.name) = PredicateExpressions._attempt({ try \(expression.trimmedDescription) })"
    }
  }

  private mutating func text(of term: PredicateTerm) -> String {
    switch term {
    case .captured(let expression):
      return builder("Arg", expression.trimmedDescription)
    case .attempted(let expression, _):
      return builder("Attempt", "{ try \(expression.trimmedDescription) }")
    case .nilLiteral:
      return builder("NilLiteral", "")
    case .reference(let name):
      return name
    case .member(let root, let name):
      return builder("KeyPath", "root: \(requiredText(of: root)), keyPath: \\.\(name)")
    case .cast(let node, let operand, let type):
      let operand = text(of: operand)
      return "PredicateExpressions.\(node)<_, \(type.trimmedDescription)>(\(operand))"
    case .call(let name, let arguments):
      let texts = arguments.enumerated().map { index, argument in
        text(of: argument, at: index, in: term)
      }
      return builder(name, texts.joined(separator: ", "))
    }
  }

  private mutating func text(
    of argument: PredicateArgument, at index: Int, in call: PredicateTerm
  ) -> String {
    let value =
      switch argument.value {
      case .term(let term) where term.isMember && call.requiresValue(at: index):
        requiredText(of: term)
      // With a type of its own the compiler does not unwrap it.
      case .term(let term) where term.isMember && call.mayRequireValue(at: index):
        declared(text(of: term))
      case .term(let term):
        term.isJunction && call.isJunction ? text(of: term) : operandText(of: term)
      case .closure(let closure): text(of: closure)
      case .written(let expression): expression.trimmedDescription
      case .option(let name): ".\(name)"
      }
    return argument.label.map { "\($0): \(value)" } ?? value
  }

  private mutating func operandText(of term: PredicateTerm) -> String {
    guard term.isCompound, term.hasFixedType else { return text(of: term) }
    return declared(text(of: term))
  }

  /// The name of a new `let` with a value.
  private mutating func declared(_ value: String) -> String {
    let name = fresh.make()
    statements.append("let \(name) = \(value)")
    return name
  }

  /// The text of a term whose value is not optional, because of what is done with it. An implicitly
  /// unwrapped property is unwrapped by its builder.
  private mutating func requiredText(of term: PredicateTerm) -> String {
    guard case .member(let root, let name) = term else { return text(of: term) }
    return builder("Member", "root: \(requiredText(of: root)), keyPath: \\.\(name)")
  }

  private func builder(_ name: String, _ arguments: String) -> String {
    "PredicateExpressions.build_\(name)(\(arguments))"
  }

  private func indented(_ text: String) -> String {
    "  " + text.replacing("\n", with: "\n  ")
  }
}
