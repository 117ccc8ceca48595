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
