import Foundation
import OpenSwiftDataSQLSyntax

/// The rules by which SQL compares text as Swift does.
///
/// Swift compares text by canonical equivalence, an index compares bytes. A captured text is
/// compared in all its spellings, so that the condition can use an index. Other texts go through
/// `swift_canonical`.
///
/// `orderedColumns` names each indexed column of the fetched rows that is compared by order, whether
/// or not it is known to contain only composed text.
struct TextRules {
  /// The indexed text columns that are compared by order.
  private(set) var orderedColumns: Set<String> = []
  private let source: any RowSource
  private let mapping: SchemaMapping
  /// Whether the indexed text columns of the fetched rows contain only composed text.
  private let holdsComposedText: Bool

  init(_ source: any RowSource, _ mapping: SchemaMapping, holdsComposedText: Bool) {
    self.source = source
    self.mapping = mapping
    self.holdsComposedText = holdsComposedText
  }

  /// The form of a text whose byte order is Swift's order: the composed form. An indexed column may
  /// be known to contain only this form.
  mutating func canonical(
    inOrder text: SQLExpression, _ bindings: inout StatementBindings
  ) -> SQLExpression {
    guard case .column(CompiledFetch.Shape.rootAlias, let name) = text,
      source.isIndexed(name, in: mapping)
    else { return Self.canonical(text, &bindings) }
    orderedColumns.insert(name)
    return holdsComposedText ? text : Self.canonical(text, &bindings)
  }

  /// The form of a text whose byte order and equality are those of Swift.
  static func canonical(
    _ text: SQLExpression, _ bindings: inout StatementBindings
  ) -> SQLExpression {
    bindings.composeText(of: text) ? text : .function("swift_canonical", [text])
  }

  /// Whether a text equals a captured text.
  static func equality(
    _ left: ScalarTerm, text: String, _ kind: ScalarTerm.Kind, _ bindings: inout StatementBindings
  ) throws -> SQLExpression {
    guard left.kind.isComparable(to: kind) else {
      throw NotInSQL("equality of values of different kinds")
    }
    let forms = CanonicalForms(text)
    if case .all(let forms) = forms, let found = search(left, forms.map { .text($0) }, &bindings) {
      return .all([left.isPresent, found])
    }
    switch forms {
    case .all(let forms) where forms.count == 1:
      return try left.nullSafeEquality(
        ScalarTerm(value: bindings.bind(.text(forms[0]), as: kind), kind: kind))
    case .all(let forms):
      return .all([left.isPresent, bindings.inList(left.value, forms.map { .text($0) }, of: .text)])
    case .beginnings(let beginnings):
      let form = bindings.bind(derived: .text(text.canonicallyComposed))
      return .all([
        left.isPresent, begins(left.value, with: beginnings, &bindings),
        .binary(.function("swift_canonical", [left.value]), .equal, form),
      ])
    }
  }

  /// The spellings of several captured texts; `nil` if one of them has too many.
  static func spellings(of texts: [_StoredValue]) -> [_StoredValue]? {
    var spellings: [_StoredValue] = []
    for case .text(let text) in texts {
      guard case .all(let forms) = CanonicalForms(text) else { return nil }
      spellings += forms.map { .text($0) }
    }
    return spellings
  }

  /// The condition that a text is one of several, in a faster form; `nil` if there is none.
  static func search(
    _ text: ScalarTerm, _ spellings: [_StoredValue], _ bindings: inout StatementBindings
  ) -> SQLExpression? {
    // A value that was computed from the text has no faster form.
    guard let search = text.search, search.text == text.value, !spellings.isEmpty else {
      return nil
    }
    return search.condition(&bindings, spellings)
  }

  /// `hasPrefix` as ranges of bytes.
  private static func begins(
    _ text: SQLExpression, with beginnings: [String], _ bindings: inout StatementBindings
  ) -> SQLExpression {
    guard text.isColumn, !beginnings.contains("") else { return .true }
    let padding = MembershipList.padding(for: beginnings.count)
    let padded = beginnings + Array(repeating: beginnings[0], count: padding)
    return .any(
      padded.map { beginning in
        let first = bindings.bind(derived: .text(beginning))
        let lower = SQLExpression.binary(text, .greaterOrEqual, first)
        guard let end = CanonicalForms.successor(of: beginning) else { return lower }
        return .all([lower, .binary(text, .less, bindings.bind(derived: .text(end)))])
      })
  }

  /// A condition that is true for every text that begins with the captured one, and for few other
  /// texts.
  static func narrowing(
    _ text: SQLExpression, toPrefix prefix: SQLTerm, _ bindings: inout StatementBindings
  ) -> SQLExpression {
    guard case .captured(let value) = prefix,
      let start = StoredForms.unwrap(value) as? String
    else { return .true }
    // An empty prefix narrows nothing; its plan would serve other prefixes badly.
    bindings.dependOnValues()
    return begins(text, with: CanonicalForms.beginnings(of: start), &bindings)
  }
}

/// Finds rows with certain texts if the text is computed from an indexed key, or if there are few
/// different texts.
struct TextSearch {
  /// The text of a row, computed without this search.
  let text: SQLExpression
  /// The condition, 0 or 1, that the text is one of the spellings; `nil` if it is not supported.
  let condition: (inout StatementBindings, _ spellings: [_StoredValue]) -> SQLExpression?
}
