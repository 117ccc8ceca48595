import Foundation
import OpenSwiftDataSQLSyntax

// Swift compares text by canonical equivalence, an index compares bytes. A captured text is
// compared in all its spellings, so that the condition can use an index. Other texts go through
// `swift_canonical`.

extension PredicateCompiler {
  /// Whether a text equals a captured text.
  mutating func equality(
    _ left: ScalarTerm, text: String, _ kind: ScalarTerm.Kind
  ) throws -> SQLExpression {
    guard left.kind.isComparable(to: kind) else {
      throw NotInSQL("equality of values of two kinds")
    }
    let forms = CanonicalForms(text)
    if case .all(let forms) = forms, let found = search(left, forms.map { .text($0) }) {
      return .all([left.isPresent, found])
    }
    switch forms {
    case .all(let forms) where forms.count == 1:
      return try nullSafeEquality(left, ScalarTerm(value: bind(.text(forms[0])), kind: kind))
    case .all(let forms):
      return .all([left.isPresent, list(left.value, forms.map { .text($0) })])
    case .beginnings(let beginnings):
      let form = bind(derived: .text(text.canonicallyComposed))
      return .all([
        left.isPresent, begins(left.value, with: beginnings),
        .binary(.function("swift_canonical", [left.value]), .equal, form),
      ])
    }
  }

  /// The form of a text whose byte order is Swift's order: the composed form. An indexed column may
  /// be known to contain only this form.
  mutating func canonical(inOrder text: SQLExpression) -> SQLExpression {
    guard case .column(CompiledFetch.Shape.rootAlias, let name) = text,
      source.isIndexed(name, in: mapping)
    else { return canonical(text) }
    orderedText.insert(name)
    return holdsComposedText ? text : canonical(text)
  }

  /// The spellings of several captured texts; `nil` if one of them has too many.
  func spellings(of texts: [_StoredValue]) -> [_StoredValue]? {
    var spellings: [_StoredValue] = []
    for case .text(let text) in texts {
      guard case .all(let forms) = CanonicalForms(text) else { return nil }
      spellings += forms.map { .text($0) }
    }
    return spellings
  }

  /// The condition that a text is one of several, in a faster form; `nil` if there is none.
  mutating func search(_ text: ScalarTerm, _ spellings: [_StoredValue]) -> SQLExpression? {
    // A value that was computed from the text has no faster form.
    guard let search = text.search, search.text == text.value, !spellings.isEmpty else {
      return nil
    }
    return search.condition(&self, spellings)
  }

  /// A condition that is true for every text that begins with the captured one, and for few other
  /// texts.
  mutating func narrowing(_ text: SQLExpression, toPrefix prefix: any PredicateExpression)
    throws -> SQLExpression
  {
    guard text.isColumn, case .captured(let value) = try term(prefix),
      let start = unwrap(value) as? String
    else { return .true }
    return begins(text, with: CanonicalForms.beginnings(of: start))
  }

  /// `hasPrefix` as ranges of bytes.
  private mutating func begins(_ text: SQLExpression, with beginnings: [String]) -> SQLExpression {
    guard text.isColumn, !beginnings.contains("") else { return .true }
    let padding = MembershipList.padding(for: beginnings.count)
    let padded = beginnings + Array(repeating: beginnings[0], count: padding)
    return .any(
      padded.map { beginning in
        let lower = SQLExpression.binary(text, .greaterOrEqual, bind(derived: .text(beginning)))
        guard let end = CanonicalForms.successor(of: beginning) else { return lower }
        return .all([lower, .binary(text, .less, bind(derived: .text(end)))])
      })
  }
}
