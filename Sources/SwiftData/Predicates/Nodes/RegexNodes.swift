import Foundation
import OpenSwiftDataSQLSyntax
import Synchronization

// `contains` with a regular expression.

extension PredicateExpressions.StringContainsRegex: PredicateNode {
  var operands: [any PredicateExpression] { [subject, regex] }
  var form: SourceForm { .method("contains") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard case .captured(let value) = try compiler.term(regex),
      let pattern = value as? PredicateExpressions.PredicateRegex
    else { throw NotInSQL("a regular expression that depends on the row") }
    let text = try compiler.text(subject)
    RegexCache.keep(pattern)
    let parameter = compiler.bindings.bind(derived: .text(pattern.stringRepresentation))
    return .scalar(
      ScalarTerm(
        of: text, ScalarTerm(value: parameter, kind: .scalar(.string)), .scalar(.bool)
      ) { .function("swift_matches", [$0, $1]) })
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    .call(
      .matches,
      [try writer.text(subject), .string(try writer.pattern(regex))])
  }
}

/// The regular expressions that statements use, by their text.
///
/// A regex may have more properties than its text shows, so the predicate's own value is kept.
enum RegexCache {
  private static let known = Mutex<[String: PredicateExpressions.PredicateRegex]>([:])
  private static var limit: Int { 256 }

  static func keep(_ regex: PredicateExpressions.PredicateRegex) {
    known.withLock { known in
      if known.count >= limit { known.removeAll() }
      known[regex.stringRepresentation] = regex
    }
  }

  static func matches(_ text: String, _ pattern: String) -> Bool {
    guard let regex = known.withLock({ $0[pattern] }) ?? parsed(pattern) else { return false }
    let node = PredicateExpressions.StringContainsRegex(
      subject: PredicateExpressions.Value(text), regex: PredicateExpressions.Value(regex))
    return (try? node.evaluate(PredicateBindings())) ?? false
  }

  private static func parsed(_ pattern: String) -> PredicateExpressions.PredicateRegex? {
    guard let regex = (try? Regex(pattern)).flatMap(PredicateExpressions.PredicateRegex.init)
    else { return nil }
    keep(regex)
    return regex
  }
}
