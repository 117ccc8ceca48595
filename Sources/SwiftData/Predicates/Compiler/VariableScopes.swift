import Foundation

/// The variables of a predicate that are visible at the current node: the term of each, and the
/// values of those that refer to captured values.
///
/// * `bind` and `restore` enclose the part in which a variable has a term. The part may bind the
///   same variable again, as closures inside closures do.
/// * A variable with a captured term also has a value in `captured`, so that expressions of captured
///   values can be evaluated.
struct VariableScopes {
  /// The variable of the outermost closure. Most predicates have no other, so it needs no
  /// dictionary.
  private var outermost: (variable: PredicateExpressions.VariableID, term: SQLTerm)?
  private var inner: [PredicateExpressions.VariableID: SQLTerm] = [:]

  /// The values of variables that refer to captured values.
  private(set) var captured = PredicateBindings()
  /// Whether a captured predicate was inlined; its parts have other variables.
  private(set) var hasInlined = false

  init() {}

  init(_ variable: PredicateExpressions.VariableID, _ term: SQLTerm) {
    outermost = (variable, term)
  }

  subscript(variable: PredicateExpressions.VariableID) -> SQLTerm? {
    if !inner.isEmpty, let term = inner[variable] { return term }
    guard let outermost, outermost.variable == variable else { return nil }
    return outermost.term
  }

  /// Gives a variable the term of a row.
  /// - Returns: The previous term, for `restore`.
  mutating func bind(
    _ variable: PredicateExpressions.VariableID, toRow term: SQLTerm
  ) -> SQLTerm? {
    let before = self[variable]
    inner[variable] = term
    return before
  }

  /// Gives a variable a term, and its value if the term is a captured value.
  /// - Returns: The previous term, for `restore`.
  mutating func bind<Value>(
    _ variable: PredicateExpressions.Variable<Value>, to term: SQLTerm
  ) throws -> SQLTerm? {
    if case .captured(let value) = term {
      let inner = value as? Value ?? StoredForms.unwrap(value) as? Value
      guard let inner else { throw NotInSQL("a captured value of another type") }
      captured[variable] = inner
    }
    return bind(variable.key, toRow: term)
  }

  mutating func restore(_ variable: PredicateExpressions.VariableID, to term: SQLTerm?) {
    inner[variable] = term
  }

  /// Gives the variable of an inlined predicate a term. The same predicate may be evaluated for
  /// several rows: each evaluation assigns the variable again.
  mutating func assign<Value>(
    _ variable: PredicateExpressions.Variable<Value>, _ term: SQLTerm
  ) throws {
    _ = try bind(variable, to: term)
    hasInlined = true
  }
}
