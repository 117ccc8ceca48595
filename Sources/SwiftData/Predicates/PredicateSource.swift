import Foundation

/// How a node is written in source code, given the texts of its operands.
enum SourceForm {
  case infix(String)
  case prefix(String)
  case suffix(String)
  /// `a.name(b, c)`.
  case method(String, label: String? = nil)
  /// `a.name { b }`.
  case closure(String)
  /// The text itself, without operands.
  case literal(String)
  case conditional
  /// Only its operand.
  case operand
}

/// Writes a predicate as source code, for error reasons and logs. A captured value is shown as its
/// type.
struct PredicateSource {
  private var names: [PredicateExpressions.VariableID: String] = [:]

  static func text(of expression: any PredicateExpression) -> String {
    var source = PredicateSource()
    return source.text(of: expression)
  }

  /// The text of an operand, in parentheses if it has operators.
  private mutating func operand(_ expression: any PredicateExpression) -> String {
    let text = text(of: expression)
    switch (expression as? any PredicateNode)?.form {
    case .infix, .conditional, .prefix: return "(\(text))"
    default: return text
    }
  }

  private mutating func text(of expression: any PredicateExpression) -> String {
    guard let node = expression as? any PredicateNode else {
      return "\(type(of: expression))".prefix { $0 != "<" } + "(…)"
    }
    if let variable = node.referencedVariable { return name(of: variable) }
    if case .operand = node.form, let wrapped = node.operands.first { return text(of: wrapped) }
    if case .closure(let name) = node.form {
      let subject = operand(node.operands[0])
      return "\(subject).\(name) { \(text(of: node.operands[1])) }"
    }
    let operands = node.operands.map { operand($0) }
    switch node.form {
    case .infix(let sign): return operands.joined(separator: " \(sign) ")
    case .prefix(let sign): return sign + operands.joined()
    case .suffix(let sign): return operands.joined() + sign
    case .method(let name, let label):
      let arguments = operands.dropFirst().joined(separator: ", ")
      return "\(operands.first ?? "").\(name)(\(label.map { "\($0): " } ?? "")\(arguments))"
    case .conditional where operands.count == 3:
      return "\(operands[0]) ? \(operands[1]) : \(operands[2])"
    case .literal(let text): return text
    case .closure, .operand, .conditional: return operands.joined(separator: ", ")
    }
  }

  private mutating func name(of variable: PredicateExpressions.VariableID) -> String {
    if let name = names[variable] { return name }
    let name = "$\(names.count)"
    names[variable] = name
    return name
  }
}

extension PredicateExpressions.Variable { var form: SourceForm { .operand } }
extension PredicateExpressions.Value {
  var form: SourceForm { .literal("<\(Output.self)>") }
}
extension PredicateExpressions.CapturedAttempt {
  var form: SourceForm { .literal("<\(Output.self)>") }
}
extension PredicateExpressions.NilLiteral { var form: SourceForm { .literal("nil") } }
extension PredicateExpressions.CapturedPredicate { var form: SourceForm { .literal("predicate") } }
extension PredicateExpressions.CapturedExpression {
  var form: SourceForm { .literal("expression") }
}
extension PredicateExpressions.PredicateEvaluate { var form: SourceForm { .method("evaluate") } }
extension PredicateExpressions.ExpressionEvaluate { var form: SourceForm { .method("evaluate") } }
extension PredicateExpressions.FalseOnFailure { var form: SourceForm { .operand } }

extension PredicateExpressions.KeyPath {
  var form: SourceForm { .suffix(".\(name)") }

  private var name: String {
    switch kind {
    case .collectionCount: return "count"
    case .collectionIsEmpty: return "isEmpty"
    case .collectionFirst: return "first"
    default: break
    }
    if let model = Root.Output.self as? any PersistentModel.Type {
      let descriptor = model._$descriptor
      if let slot = descriptor.slot(for: keyPath) { return descriptor.properties[slot].name }
    }
    let names = KeyPathText(keyPath).components
    return names.contains { $0.hasPrefix("<") } ? "<computed>" : names.joined(separator: ".")
  }
}

extension PredicateExpressions.Equal { var form: SourceForm { .infix("==") } }
extension PredicateExpressions.NotEqual { var form: SourceForm { .infix("!=") } }
extension PredicateExpressions.Comparison {
  var form: SourceForm {
    switch op {
    case .lessThan: .infix("<")
    case .lessThanOrEqual: .infix("<=")
    case .greaterThan: .infix(">")
    case .greaterThanOrEqual: .infix(">=")
    @unknown default: .infix("<?>")
    }
  }
}
extension PredicateExpressions.Conjunction { var form: SourceForm { .infix("&&") } }
extension PredicateExpressions.Disjunction { var form: SourceForm { .infix("||") } }
extension PredicateExpressions.Negation { var form: SourceForm { .prefix("!") } }
extension PredicateExpressions.Conditional { var form: SourceForm { .conditional } }
extension PredicateExpressions.NilCoalesce { var form: SourceForm { .infix("??") } }
extension PredicateExpressions.OptionalFlatMap { var form: SourceForm { .closure("flatMap") } }
extension PredicateExpressions.ForcedUnwrap { var form: SourceForm { .suffix("!") } }
extension PredicateExpressions.TypeCheck { var form: SourceForm { .suffix(" is \(Desired.self)") } }
extension PredicateExpressions.ConditionalCast {
  var form: SourceForm { .suffix(" as? \(Desired.self)") }
}
extension PredicateExpressions.ForceCast {
  var form: SourceForm { .suffix(" as! \(Desired.self)") }
}

extension PredicateExpressions.Arithmetic {
  var form: SourceForm {
    switch op {
    case .add: .infix("+")
    case .subtract: .infix("-")
    case .multiply: .infix("*")
    @unknown default: .infix("<?>")
    }
  }
}
extension PredicateExpressions.CheckedArithmetic {
  var form: SourceForm {
    switch operation {
    case .add: .infix("+")
    case .subtract: .infix("-")
    case .multiply: .infix("*")
    case .divide: .infix("/")
    case .remainder: .infix("%")
    }
  }
}
extension PredicateExpressions.FloatDivision { var form: SourceForm { .infix("/") } }
extension PredicateExpressions.IntDivision { var form: SourceForm { .infix("/") } }
extension PredicateExpressions.IntRemainder { var form: SourceForm { .infix("%") } }
extension PredicateExpressions.UnaryMinus { var form: SourceForm { .prefix("-") } }
extension PredicateExpressions.DateOffset {
  var form: SourceForm { .infix(isBackward ? "-" : "+") }
}
extension PredicateExpressions.DateDistance {
  var form: SourceForm { .method("distance", label: "to") }
}

extension PredicateExpressions.Range { var form: SourceForm { .infix("..<") } }
extension PredicateExpressions.ClosedRange { var form: SourceForm { .infix("...") } }
extension PredicateExpressions.CheckedRange { var form: SourceForm { .infix("..<") } }
extension PredicateExpressions.CheckedClosedRange { var form: SourceForm { .infix("...") } }
extension PredicateExpressions.RangeExpressionContains {
  var form: SourceForm { .method("contains") }
}
extension PredicateExpressions.SequenceContains { var form: SourceForm { .method("contains") } }
extension PredicateExpressions.SequenceContainsWhere {
  var form: SourceForm { .closure("contains") }
}
extension PredicateExpressions.SequenceAllSatisfy {
  var form: SourceForm { .closure("allSatisfy") }
}
extension PredicateExpressions.Filter { var form: SourceForm { .closure("filter") } }
extension PredicateExpressions.SequenceMinimum { var form: SourceForm { .suffix(".min()") } }
extension PredicateExpressions.SequenceMaximum { var form: SourceForm { .suffix(".max()") } }
extension PredicateExpressions.SequenceStartsWith {
  var form: SourceForm { .method("starts", label: "with") }
}
extension PredicateExpressions.CollectionContainsCollection {
  var form: SourceForm { .method("contains") }
}
extension PredicateExpressions.CollectionIndexSubscript {
  var form: SourceForm { .method("subscript") }
}
extension PredicateExpressions.DictionaryKeySubscript {
  var form: SourceForm { .method("subscript") }
}
extension PredicateExpressions.DictionaryKeyDefaultValueSubscript {
  var form: SourceForm { .method("subscript") }
}

extension PredicateExpressions.StringContainsRegex { var form: SourceForm { .method("contains") } }
extension PredicateExpressions.StringHasPrefix { var form: SourceForm { .method("hasPrefix") } }
extension PredicateExpressions.StringHasSuffix { var form: SourceForm { .method("hasSuffix") } }
extension PredicateExpressions.StringLocalizedStandardContains {
  var form: SourceForm { .method("localizedStandardContains") }
}
extension PredicateExpressions.StringLocalizedCaseInsensitiveContains {
  var form: SourceForm { .method("localizedCaseInsensitiveContains") }
}
extension PredicateExpressions.StringLocalizedCompare {
  var form: SourceForm { .method("localizedCompare") }
}
extension PredicateExpressions.StringCaseInsensitiveCompare {
  var form: SourceForm { .method("caseInsensitiveCompare") }
}
extension PredicateExpressions.StringLocalizedCaseInsensitiveCompare {
  var form: SourceForm { .method("localizedCaseInsensitiveCompare") }
}
extension PredicateExpressions.StringLocalizedStandardCompare {
  var form: SourceForm { .method("localizedStandardCompare") }
}
extension PredicateExpressions.StringConcatenation { var form: SourceForm { .infix("+") } }
extension PredicateExpressions.StringLowercased {
  var form: SourceForm { .suffix(".lowercased()") }
}
extension PredicateExpressions.StringUppercased {
  var form: SourceForm { .suffix(".uppercased()") }
}
extension PredicateExpressions.StringTrimmingCharacters {
  var form: SourceForm { .method("trimmingCharacters", label: "in") }
}
