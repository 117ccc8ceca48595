import Foundation
import OpenSwiftDataSQLSyntax

/// A node with two text operands, compiled to a function of this library.
protocol TextNode: PredicateNode {
  associatedtype First: PredicateExpression
  associatedtype Second: PredicateExpression
  var texts: (First, Second) { get }
  static var function: String { get }
  static var resultKind: ScalarTerm.Kind { get }
  /// Whether the condition is true only for texts that begin with the second operand.
  static var isPrefixTest: Bool { get }
}

extension TextNode {
  var operands: [any PredicateExpression] { [texts.0, texts.1] }
  static var resultKind: ScalarTerm.Kind { .scalar(.bool) }
  static var isPrefixTest: Bool { false }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let (first, second) = (try compiler.text(texts.0), try compiler.text(texts.1))
    let narrowing =
      Self.isPrefixTest ? try compiler.narrowing(first.value, toPrefix: texts.1) : .true
    return .scalar(
      compiler.combined(first, second, Self.resultKind) {
        .all([narrowing, .function(Self.function, [$0, $1])])
      })
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: TextNode {
  var texts: (Root, Other) { (root, other) }
  static var function: String { "swift_localized_contains" }
}

extension PredicateExpressions.StringLocalizedCaseInsensitiveContains: TextNode {
  var texts: (Root, Other) { (root, other) }
  static var function: String { "swift_insensitive_contains" }
}

extension PredicateExpressions.StringHasPrefix: TextNode {
  var texts: (Root, Other) { (root, other) }
  static var function: String { "swift_starts" }
  static var isPrefixTest: Bool { true }
}

extension PredicateExpressions.StringHasSuffix: TextNode {
  var texts: (Root, Other) { (root, other) }
  static var function: String { "swift_ends" }
}

extension PredicateExpressions.StringLocalizedCompare: TextNode {
  var texts: (Root, Other) { (root, other) }
  static var function: String { "swift_localized_compare" }
  static var resultKind: ScalarTerm.Kind { .comparisonResult }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: TextNode {
  var texts: (Root, Other) { (root, other) }
  static var function: String { "swift_insensitive_compare" }
  static var resultKind: ScalarTerm.Kind { .comparisonResult }
}

extension PredicateExpressions.StringLocalizedCaseInsensitiveCompare: TextNode {
  var texts: (Root, Other) { (root, other) }
  static var function: String { "swift_localized_insensitive_compare" }
  static var resultKind: ScalarTerm.Kind { .comparisonResult }
}

extension PredicateExpressions.StringLocalizedStandardCompare: TextNode {
  var texts: (Root, Other) { (root, other) }
  static var function: String { "swift_localized_standard_compare" }
  static var resultKind: ScalarTerm.Kind { .comparisonResult }
}

extension PredicateExpressions.StringConcatenation: PredicateNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let (first, second) = (try compiler.text(lhs), try compiler.text(rhs))
    return .scalar(
      compiler.combined(first, second, .scalar(.string)) { .binary($0, .concatenate, $1) })
  }
}

extension PredicateExpressions.StringLowercased: PredicateNode {
  var operands: [any PredicateExpression] { [root] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .scalar(try compiler.text(root).mapped { .function("swift_lower", [$0]) }.asString)
  }
}

extension PredicateExpressions.StringUppercased: PredicateNode {
  var operands: [any PredicateExpression] { [root] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .scalar(try compiler.text(root).mapped { .function("swift_upper", [$0]) }.asString)
  }
}

extension PredicateExpressions.StringTrimmingCharacters: PredicateNode {
  var operands: [any PredicateExpression] { [root, characters] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard case .captured(let value) = try compiler.term(characters),
      let set = value as? CharacterSet, let known = TrimmedCharacters(set)
    else { throw NotInSQL("an unusual set of characters") }
    let text = try compiler.text(root)
    return .scalar(
      text.mapped { .function("swift_trim", [$0, .integer(known.rawValue)]) }.asString)
  }
}

/// The character sets that `swift_trim` supports.
enum TrimmedCharacters: Int64, CaseIterable {
  case whitespaces, newlines, whitespacesAndNewlines

  init?(_ set: CharacterSet) {
    guard let known = Self.allCases.first(where: { $0.characters == set }) else { return nil }
    self = known
  }

  var characters: CharacterSet {
    switch self {
    case .whitespaces: .whitespaces
    case .newlines: .newlines
    case .whitespacesAndNewlines: .whitespacesAndNewlines
    }
  }
}

extension PredicateCompiler {
  /// A text term; captured texts are bound.
  mutating func text(_ expression: any PredicateExpression) throws -> ScalarTerm {
    let term = try term(expression)
    guard let scalar = try optionalScalar(term), scalar.kind == .scalar(.string) else {
      throw NotInSQL("\(term.label) is no text")
    }
    return scalar
  }

  /// A value made from two values; absent if one of them is absent.
  func combined(
    _ first: ScalarTerm, _ second: ScalarTerm, _ kind: ScalarTerm.Kind,
    _ combine: (SQLExpression, SQLExpression) -> SQLExpression
  ) -> ScalarTerm {
    let present = SQLExpression.all([first.isPresent, second.isPresent])
    return ScalarTerm(
      value: combine(first.value, second.value), kind: kind,
      presence: present.isTrue ? .always : .when(present))
  }
}

extension ScalarTerm {
  fileprivate var asString: ScalarTerm {
    var result = self
    result.kind = .scalar(.string)
    return result
  }
}
