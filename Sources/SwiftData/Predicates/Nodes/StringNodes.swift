import Foundation
import OpenSwiftDataSQLSyntax

// Operations on text. Comparison of text is in `TextRules`, regular expressions in `RegexNodes`.

/// A node with two text operands, compiled to a function of this library.
protocol TextNode: PredicateNode {
  associatedtype First: PredicateExpression
  associatedtype Second: PredicateExpression
  var texts: (First, Second) { get }
  static var function: String { get }
  /// The function in plain data.
  static var plainFunction: DataStoreQuery.Function { get }
  static var resultKind: ScalarTerm.Kind { get }
  /// Whether the condition is true only for texts that begin with the second operand.
  static var isPrefixTest: Bool { get }
}

extension TextNode {
  var operands: [any PredicateExpression] { [texts.0, texts.1] }
  static var resultKind: ScalarTerm.Kind { .scalar(.bool) }
  static var isPrefixTest: Bool { false }

  func describe(to shape: inout ShapeCollector) {
    shape.add(texts.0)
    shape.add(texts.1)
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let (first, second) = (try compiler.text(texts.0), try compiler.text(texts.1))
    var narrowing = SQLExpression.true
    if Self.isPrefixTest, first.value.isColumn {
      let prefix = try compiler.term(texts.1)
      narrowing = TextRules.narrowing(first.value, toPrefix: prefix, &compiler.bindings)
    }
    return .scalar(
      ScalarTerm(of: first, second, Self.resultKind) {
        .all([narrowing, .function(Self.function, [$0, $1])])
      })
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    .call(Self.plainFunction, [try writer.text(texts.0), try writer.text(texts.1)])
  }
}

// MARK: Tests

extension PredicateExpressions.CollectionContainsCollection: TextNode {
  var texts: (Base, Other) { (base, other) }
  var form: SourceForm { .method("contains") }
  static var function: String { "swift_contains" }
  static var plainFunction: DataStoreQuery.Function { .containsText }
}

extension PredicateExpressions.SequenceStartsWith: TextNode {
  var texts: (Base, Prefix) { (base, prefix) }
  var form: SourceForm { .method("starts", label: "with") }
  static var function: String { "swift_starts_with" }
  static var plainFunction: DataStoreQuery.Function { .startsWith }
  static var isPrefixTest: Bool { true }
}

extension PredicateExpressions.StringLocalizedStandardContains: TextNode {
  var texts: (Root, Other) { (root, other) }
  var form: SourceForm { .method("localizedStandardContains") }
  static var function: String { "swift_localized_contains" }
  static var plainFunction: DataStoreQuery.Function { .localizedStandardContains }
}

extension PredicateExpressions._StringLocalizedCaseInsensitiveContains: TextNode {
  var texts: (Root, Other) { (root, other) }
  var form: SourceForm { .method("localizedCaseInsensitiveContains") }
  static var function: String { "swift_insensitive_contains" }
  static var plainFunction: DataStoreQuery.Function { .localizedCaseInsensitiveContains }
}

extension PredicateExpressions._StringHasPrefix: TextNode {
  var texts: (Root, Other) { (root, other) }
  var form: SourceForm { .method("hasPrefix") }
  static var function: String { "swift_starts" }
  static var plainFunction: DataStoreQuery.Function { .hasPrefix }
  static var isPrefixTest: Bool { true }
}

extension PredicateExpressions._StringHasSuffix: TextNode {
  var texts: (Root, Other) { (root, other) }
  var form: SourceForm { .method("hasSuffix") }
  static var function: String { "swift_ends" }
  static var plainFunction: DataStoreQuery.Function { .hasSuffix }
}

// MARK: Comparisons

extension PredicateExpressions.StringLocalizedCompare: TextNode {
  var texts: (Root, Other) { (root, other) }
  var form: SourceForm { .method("localizedCompare") }
  static var function: String { "swift_localized_compare" }
  static var plainFunction: DataStoreQuery.Function { .localizedCompare }
  static var resultKind: ScalarTerm.Kind { .comparisonResult }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: TextNode {
  var texts: (Root, Other) { (root, other) }
  var form: SourceForm { .method("caseInsensitiveCompare") }
  static var function: String { "swift_insensitive_compare" }
  static var plainFunction: DataStoreQuery.Function { .caseInsensitiveCompare }
  static var resultKind: ScalarTerm.Kind { .comparisonResult }
}

extension PredicateExpressions._StringLocalizedCaseInsensitiveCompare: TextNode {
  var texts: (Root, Other) { (root, other) }
  var form: SourceForm { .method("localizedCaseInsensitiveCompare") }
  static var function: String { "swift_localized_insensitive_compare" }
  static var plainFunction: DataStoreQuery.Function { .localizedCaseInsensitiveCompare }
  static var resultKind: ScalarTerm.Kind { .comparisonResult }
}

extension PredicateExpressions._StringLocalizedStandardCompare: TextNode {
  var texts: (Root, Other) { (root, other) }
  var form: SourceForm { .method("localizedStandardCompare") }
  static var function: String { "swift_localized_standard_compare" }
  static var plainFunction: DataStoreQuery.Function { .localizedStandardCompare }
  static var resultKind: ScalarTerm.Kind { .comparisonResult }
}

// MARK: Texts

extension PredicateExpressions._StringConcatenation: PredicateNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }
  var form: SourceForm { .infix("+") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let (first, second) = (try compiler.text(lhs), try compiler.text(rhs))
    return .scalar(
      ScalarTerm(of: first, second, .scalar(.string)) { .binary($0, .concatenate, $1) })
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.call(.concatenate, lhs, rhs)
  }
}

extension PredicateExpressions._StringLowercased: PredicateNode {
  var operands: [any PredicateExpression] { [root] }
  var form: SourceForm { .suffix(".lowercased()") }

  func describe(to shape: inout ShapeCollector) { shape.add(root) }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .scalar(try compiler.text(root).mapped { .function("swift_lower", [$0]) })
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.call(.lowercased, root)
  }
}

extension PredicateExpressions._StringUppercased: PredicateNode {
  var operands: [any PredicateExpression] { [root] }
  var form: SourceForm { .suffix(".uppercased()") }

  func describe(to shape: inout ShapeCollector) { shape.add(root) }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .scalar(try compiler.text(root).mapped { .function("swift_upper", [$0]) })
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.call(.uppercased, root)
  }
}

extension PredicateExpressions._StringTrimmingCharacters: PredicateNode {
  var operands: [any PredicateExpression] { [root, characters] }
  var form: SourceForm { .method("trimmingCharacters", label: "in") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard case .captured(let value) = try compiler.term(characters),
      let set = value as? CharacterSet, let known = TrimmedCharacters(set)
    else { throw NotInSQL("an unsupported character set") }
    let text = try compiler.text(root)
    return .scalar(text.mapped { .function("swift_trim", [$0, .integer(known.rawValue)]) })
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    switch TrimmedCharacters(try writer.captured(characters)) {
    case .whitespaces: try writer.call(.trimWhitespaces, root)
    case .newlines: try writer.call(.trimNewlines, root)
    case .whitespacesAndNewlines: try writer.call(.trimWhitespacesAndNewlines, root)
    case nil: throw Undescribed("an unsupported character set")
    }
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
