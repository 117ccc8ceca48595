import Foundation
import OpenSwiftDataSQLSyntax

// Swift compares text by canonical equivalence, an index by bytes. What is captured is spelled out in
// all its forms, so that an index on the column serves the question; what is not goes through
// `swift_canonical`.

extension PredicateCompiler {
  /// Whether a text equals a captured one.
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
      return try sameness(left, ScalarTerm(value: bind(.text(forms[0])), kind: kind))
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

  /// The form of a text that is ordered byte by byte as Swift orders the text: the composed one, which
  /// a column with an index may be known to hold.
  mutating func canonical(inOrder text: SQLExpression) -> SQLExpression {
    guard case .column(CompiledFetch.Shape.rootAlias, let name) = text,
      source.isIndexed(name, in: mapping)
    else { return canonical(text) }
    orderedText.insert(name)
    return holdsComposedText ? text : canonical(text)
  }

  /// The spellings of several captured texts; `nil` when one of them has too many.
  func spellings(of texts: [_StoredValue]) -> [_StoredValue]? {
    var spellings: [_StoredValue] = []
    for case .text(let text) in texts {
      guard case .all(let forms) = CanonicalForms(text) else { return nil }
      spellings += forms.map { .text($0) }
    }
    return spellings
  }

  /// The condition that a text is one of some, by its faster way; `nil` where it has none for them.
  mutating func search(_ text: ScalarTerm, _ spellings: [_StoredValue]) -> SQLExpression? {
    // What was computed from the text has no way of its own.
    guard let search = text.search, search.text == text.value, !spellings.isEmpty else {
      return nil
    }
    return search.condition(&self, spellings)
  }

  /// What holds for every text that begins with the captured one, and for few others.
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
